//! What may be printed of a text that may hold a secret.

/// Characters of base64 in a row that may be a secret key: a public key has 56, a secret one 212.
const SECRET: usize = 80;

/// An address without user name, password and query.
pub fn shown_address(address: &str) -> String {
    let (scheme, rest) = address.split_at(address.find("://").map_or(0, |at| at + 3));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    // What follows a colon and is no port belongs to a password, which may have a slash.
    let has_port = |(_, port): (&str, &str)| port.bytes().all(|byte| byte.is_ascii_digit() || byte == b']');
    let is_bare = !authority.contains('@') && authority.rsplit_once(':').is_none_or(has_port);
    let rest = match rest.rfind('@').filter(|_| !is_bare) {
        Some(at) => &rest[at + 1..],
        None => rest,
    };
    match rest.split_once(['?', '#']) {
        Some((rest, _)) => format!("{scheme}{rest}?…"),
        None => format!("{scheme}{rest}"),
    }
}

/// A text that should be a public key or the path of a file, unless it may be a secret key.
pub fn shown_key(text: &str) -> String {
    let is_base64 = |c: char| c.is_ascii_alphanumeric() || "+/=".contains(c);
    match text.split(|c| !is_base64(c)).any(|run| run.len() >= SECRET) {
        true => format!("a text of {} characters", text.chars().count()),
        false => text.chars().filter(|c| !c.is_control()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        for (address, shown) in [
            ("https://user:pw@host/a", "https://host/a"),
            ("https://user@host", "https://host"),
            ("https://user:p/w@host/a", "https://host/a"),
            ("https://user:p@w@host", "https://host"),
            ("https://user:p w@ho st", "https://ho st"),
            ("user:pw@host:80", "host:80"),
            ("s3://key:secret@bucket/a?token=b#c", "s3://bucket/a?…"),
            ("https://account.example/a?sig=secret", "https://account.example/a?…"),
            ("(https://user:pw@host)", "(https://host)"),
        ] {
            assert_eq!(shown_address(address), shown, "{address}");
        }
        let others =
            ["s3://bucket/a@b", "https://host:80/a@b", "http://[::1]:80/", "file:///a@b:c", "bucket"];
        for address in others {
            assert_eq!(shown_address(address), address);
        }
    }

    #[test]
    fn a_text_that_may_be_a_secret_key_is_not_shown() {
        for text in ["RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3", "keys/publisher.pub"] {
            assert_eq!(shown_key(text), text);
        }
        let secret = "RWRT".repeat(53);
        for text in [secret.clone(), format!("untrusted comment: minisign\n{secret}\n"), format!(" {secret}")]
        {
            assert!(shown_key(&text).starts_with("a text of "), "{text}");
        }
    }
}
