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
