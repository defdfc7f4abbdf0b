//! The client's address: that of the connection's peer or, behind trusted proxies, the one that they forward.

use std::net::{IpAddr, SocketAddr};

use http::{HeaderMap, HeaderName};
use ipnet::IpNet;

/// Longest chain of proxies that is followed back.
const HOPS_MAX: usize = 32;

/// The proxies whose header with the client's address is trusted.
#[derive(Clone, Debug)]
pub struct TrustedProxies {
    trusted: Vec<IpNet>,
    header: HeaderName,
}

impl Default for TrustedProxies {
    /// No proxy is trusted.
    fn default() -> Self {
        Self::new(Vec::new(), HeaderName::from_static("x-forwarded-for"))
    }
}

impl TrustedProxies {
    /// Networks of the proxies, and the header to which each appends the address of its client: a list of
    /// addresses, the nearest last.
    pub fn new(trusted: Vec<IpNet>, header: HeaderName) -> Self {
        Self { trusted, header }
    }

    /// The client's address: the right-most hop that is no trusted proxy. The header is read only
    /// when the peer is trusted, and never past a hop that is not an address.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        let lines: Vec<&str> =
            headers.get_all(&self.header).iter().map(|line| line.to_str().unwrap_or_default()).collect();
        let hops = lines.iter().rev().flat_map(|line| line.rsplit(','));
        for hop in hops.take(HOPS_MAX) {
            if !self.trusts(client) {
                break;
            }
            let Some(named) = address(hop.trim()) else { break };
            client = named;
        }
        client
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.trusted.iter().any(|network| network.contains(&address))
    }
}

/// An address as proxies write it: bare, with a port, or bracketed.
fn address(text: &str) -> Option<IpAddr> {
    let bracketed = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let bare = bracketed.unwrap_or(text).parse().ok();
    let address = bare.or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()));
    address.map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn client(peer: &str, forwarded: &[&str]) -> String {
        let trusted = ["10.0.0.0/8", "2001:db8::/32"].map(|net| net.parse().unwrap());
        let name = HeaderName::from_static("x-forwarded-for");
        let lines = forwarded.iter().map(|line| (name.clone(), HeaderValue::from_str(line).unwrap()));
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(name, value);
        }
        TrustedProxies::new(trusted.to_vec(), name).client(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn the_right_most_hop_that_is_no_trusted_proxy_is_the_client() {
        for (peer, forwarded, expected) in [
            ("10.0.0.1", &["203.0.113.9"][..], "203.0.113.9"),
            ("10.0.0.1", &["1.1.1.1, 203.0.113.9, 10.2.0.1"], "203.0.113.9"),
            ("10.0.0.1", &["1.1.1.1", "203.0.113.9"], "203.0.113.9"),
            ("2001:db8::1", &["[2001:470::2]:443"], "2001:470::2"),
            ("10.0.0.1", &["203.0.113.9:5000"], "203.0.113.9"),
            ("10.0.0.1", &["::ffff:203.0.113.9"], "203.0.113.9"),
            ("::ffff:10.0.0.1", &["203.0.113.9"], "203.0.113.9"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &["1.1.1.1, unknown"], "10.0.0.1"),
        ] {
            assert_eq!(client(peer, forwarded), expected, "{peer} {forwarded:?}");
        }
    }

    #[test]
    fn an_untrusted_peer_cannot_name_another_client() {
        assert_eq!(client("203.0.113.1", &["1.1.1.1"]), "203.0.113.1");
        assert_eq!(client("10.0.0.1", &["1.1.1.1, 203.0.113.9"]), "203.0.113.9");
        assert_eq!(
            TrustedProxies::default().client("10.0.0.1".parse().unwrap(), &HeaderMap::new()).to_string(),
            "10.0.0.1"
        );
    }
}
