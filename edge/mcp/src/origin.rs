//! Browser origins that may use the tool endpoint (RFC 6454).

use http::{HeaderMap, HeaderValue, header};

/// Allowed origins, normalized.
#[derive(Clone, Debug)]
pub(crate) struct Origins(Vec<String>);

/// An origin that is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Forbidden;

impl Origins {
    /// Allows the origin of the base URL and others.
    pub(crate) fn new<'a>(allowed: impl Iterator<Item = &'a str>) -> Self {
        Self(allowed.filter_map(normal).collect())
    }

    /// The origin of a request, `None` without an `Origin` header.
    pub(crate) fn check(&self, headers: &HeaderMap) -> Result<Option<HeaderValue>, Forbidden> {
        let mut named = headers.get_all(header::ORIGIN).iter();
        match (named.next(), named.next()) {
            (None, _) => Ok(None),
            (Some(origin), None) => {
                let normal = origin.to_str().ok().and_then(normal).ok_or(Forbidden)?;
                if self.0.contains(&normal) { Ok(Some(origin.clone())) } else { Err(Forbidden) }
            }
            (Some(_), Some(_)) => Err(Forbidden),
        }
    }
}

/// Scheme, host and port in lower case, without the scheme's own port; `None` when it is no origin.
fn normal(origin: &str) -> Option<String> {
    let origin = origin.to_ascii_lowercase();
    let (scheme, authority) = origin.split_once("://")?;
    let authority = authority.strip_suffix('/').unwrap_or(authority);
    let default = match scheme {
        "http" => ":80",
        "https" => ":443",
        _ => "",
    };
    let authority =
        if default.is_empty() { authority } else { authority.strip_suffix(default).unwrap_or(authority) };
    let is_origin =
        !scheme.is_empty() && !authority.is_empty() && !authority.contains(['/', '@', '?', '#', ' ', ',']);
    is_origin.then(|| format!("{scheme}://{authority}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_configured_origins_pass_whatever_their_spelling() {
        let origins = Origins::new(
            ["https://Example.org", "http://localhost:3000/", "vscode-file://vscode-app"].into_iter(),
        );
        let check = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::ORIGIN, HeaderValue::from_str(value).unwrap());
            }
            origins.check(&headers).map(|origin| origin.is_some())
        };
        assert_eq!(check(&[]), Ok(false));
        for allowed in [
            "https://example.org",
            "https://EXAMPLE.org:443",
            "http://localhost:3000",
            "vscode-file://vscode-app",
        ] {
            assert_eq!(check(&[allowed]), Ok(true), "{allowed}");
        }
        for refused in [
            "null",
            "",
            "http://example.org",
            "https://example.org:444",
            "https://example.org.evil.com",
            "https://evil.com/https://example.org",
            "https://user@example.org",
            "http://localhost",
        ] {
            assert_eq!(check(&[refused]), Err(Forbidden), "{refused}");
        }
        assert_eq!(check(&["https://example.org", "https://example.org"]), Err(Forbidden));
    }
}
