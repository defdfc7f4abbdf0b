//! Traces of a failed conversion or of missing content in a text, and addresses that only some can open.

use std::sync::LazyLock;

use url::{Host, Url};

use crate::text::data_rows;

/// A trace, and what it is.
type Pattern = (&'static str, &'static str);

/// Traces that a text may contain, by their first byte, and short texts that are one.
static PATTERNS: LazyLock<(Vec<Vec<Pattern>>, Vec<Pattern>)> = LazyLock::new(|| {
    let (mut parts, mut wholes) = (vec![Vec::new(); 256], Vec::new());
    for [test, what, patterns] in data_rows(include_str!("flaws.csv")) {
        for pattern in patterns.split('|') {
            match test {
                "is" => wholes.push((pattern, what)),
                _ => parts[usize::from(pattern.as_bytes()[0])].push((pattern, what)),
            }
        }
    }
    (parts, wholes)
});

/// The first trace in a text.
pub(super) fn trace(text: &str) -> Option<Pattern> {
    let (parts, wholes) = &*PATTERNS;
    let bytes = text.as_bytes();
    let part = bytes.iter().enumerate().find_map(|(at, byte)| {
        let mut known = parts[usize::from(*byte)].iter();
        known.find(|(pattern, _)| bytes[at..].starts_with(pattern.as_bytes()))
    });
    let whole = || {
        let text = (text.len() <= 12).then(|| text.to_lowercase())?;
        wholes.iter().find(|(pattern, _)| *pattern == text)
    };
    part.or_else(whole).copied()
}

/// Whether an address is on this machine or in a private network.
pub(super) fn is_private(url: &Url) -> bool {
    const ENDINGS: [&str; 7] = [".local", ".localhost", ".internal", ".intranet", ".lan", ".home", ".corp"];
    match url.host() {
        Some(Host::Domain(name)) => !name.contains('.') || ENDINGS.iter().any(|end| name.ends_with(end)),
        Some(Host::Ipv4(it)) => {
            it.is_private() || it.is_loopback() || it.is_link_local() || it.is_unspecified()
        }
        Some(Host::Ipv6(it)) => it.is_loopback() || it.is_unique_local() || it.is_unicast_link_local(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_of_failed_conversions_are_found_and_ordinary_texts_have_none() {
        for (text, pattern) in [
            ("#REF!", "#ref!"),
            ("NULL", "null"),
            ("N/A", "n/a"),
            ("Research &amp; travel", "&amp;"),
            ("Per\u{fffd}", "\u{fffd}"),
            ("EspaÃ±a", "Ã±"),
            ("the funderâ€™s page", "â€™"),
            ("Dear {{name}}", "{{"),
            ("=HYPERLINK(\"https://a.example\")", "=HYPERLINK("),
            ("first\\nsecond", "\\n"),
            ("one_x000D_two", "_x000D_"),
            ("[object Object]", "[object Object]"),
            ("Lorem ipsum dolor", "Lorem ipsum"),
        ] {
            assert_eq!(trace(text).map(|it| it.0), Some(pattern), "{text}");
        }
        let ordinary =
            ["España & Perú", "A–B", "Nulla", "R&D #1", "50 % of costs", "ÂNGELA", "Ação", "€ 5", "a=b"];
        for text in ordinary {
            assert_eq!(trace(text), None, "{text}");
        }
    }

    #[test]
    fn addresses_of_private_networks_are_known() {
        let is_private = |text: &str| is_private(&Url::parse(text).unwrap());
        for text in
            "http://localhost:8080/ http://10.0.0.1/ https://nas.local/ http://[::1]/ http://intranet/x"
                .split(' ')
        {
            assert!(is_private(text), "{text}");
        }
        assert!(!is_private("https://a.example/") && !is_private("http://8.8.8.8/"));
    }
}
