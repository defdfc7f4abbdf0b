//! The client's address: that of the connection's peer or, behind trusted proxies, the one that they forward.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

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
        // A byte that is no text spoils its own hop only.
        let lines = headers.get_all(&self.header).iter().rev();
        let hops = lines.flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b','));
        for hop in hops.take(HOPS_MAX) {
            if !self.trusts(client) {
                break;
            }
            let Some(named) = std::str::from_utf8(hop).ok().and_then(|hop| address(hop.trim())) else {
                break;
            };
            client = named;
        }
        client
    }

    /// Whether an address is that of a trusted proxy.
    pub(crate) fn trusts(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.trusted.iter().any(|network| network.contains(&address))
    }
}

/// An address, or the IPv4 address within it: mapped, of a client behind NAT64 (RFC 6052), or of one behind a Teredo
/// server (RFC 4380, section 4).
pub(crate) fn unwrapped(address: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = address.to_canonical() else { return address.to_canonical() };
    let last = v6.to_bits() as u32;
    match v6.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, ..] => Ipv4Addr::from_bits(last).into(),
        [0x2001, 0, ..] => Ipv4Addr::from_bits(!last).into(),
        _ => v6.into(),
    }
}

/// What stands for one client: an IPv4 address, or the 64 leading bits of an IPv6 address, which is what a household or a
/// host gets.
pub(crate) fn key(client: IpAddr) -> u128 {
    match unwrapped(client) {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => address.to_bits() >> 64 << 64,
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

    fn client(peer: &str, forwarded: &[impl AsRef<[u8]>]) -> String {
        let trusted = ["10.0.0.0/8", "2001:db8::/32"].map(|net| net.parse().unwrap());
        let name = HeaderName::from_static("x-forwarded-for");
        let values = forwarded.iter().map(|line| HeaderValue::from_bytes(line.as_ref()).unwrap());
        let headers = values.map(|value| (name.clone(), value)).collect();
        TrustedProxies::new(trusted.to_vec(), name).client(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn the_right_most_hop_that_is_no_trusted_proxy_is_the_client_and_an_untrusted_peer_names_none() {
        for (peer, forwarded, expected) in [
            ("10.0.0.1", &["203.0.113.9"][..], "203.0.113.9"),
            ("10.0.0.1", &["1.1.1.1, 203.0.113.9, 10.2.0.1"], "203.0.113.9"),
            ("10.0.0.1", &["1.1.1.1", "203.0.113.9"], "203.0.113.9"),
            ("2001:db8::1", &["[2001:470::2]:443"], "2001:470::2"),
            ("10.0.0.1", &["203.0.113.9:5000"], "203.0.113.9"),
            ("10.0.0.1", &["::ffff:203.0.113.9"], "203.0.113.9"),
            ("::ffff:10.0.0.1", &["203.0.113.9"], "203.0.113.9"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &["caf\u{e9}, 203.0.113.9"], "203.0.113.9"),
            ("10.0.0.1", &["1.1.1.1, \u{e9}"], "10.0.0.1"),
            ("10.0.0.1", &["1.1.1.1, unknown"], "10.0.0.1"),
            ("203.0.113.1", &["1.1.1.1"], "203.0.113.1"),
        ] {
            assert_eq!(client(peer, forwarded), expected, "{peer} {forwarded:?}");
        }
        let peer = "10.0.0.1".parse().unwrap();
        assert_eq!(TrustedProxies::default().client(peer, &HeaderMap::new()), peer);
    }

    #[test]
    fn a_network_of_64_bits_is_one_client_and_who_is_translated_or_tunnelled_is_its_ipv4_address() {
        let same = |one: &str, other: &str| key(one.parse().unwrap()) == key(other.parse().unwrap());
        for (one, other) in [
            ("2001:db8::1", "2001:db8::ffff:2"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
            ("64:ff9b::192.0.2.1", "192.0.2.1"),
            ("2001:0:5ef5:79fd::3fff:fdfe", "192.0.2.1"),
        ] {
            assert!(same(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("2001:db8::1", "2001:db8:0:1::1"),
            ("64:ff9b::192.0.2.1", "64:ff9b::192.0.2.2"),
            ("64:ff9b:1::192.0.2.1", "192.0.2.1"),
        ] {
            assert!(!same(one, other), "{one} {other}");
        }
    }
}
