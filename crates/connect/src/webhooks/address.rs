//! Whom we dare to call. A customer writes the address, and our machine stands where the customer's does not: beside
//! our database, our metadata service, our neighbours. Pure; names are looked up in `resolver`.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use reqwest::Url;
use thiserror::Error;

pub const URL_BYTES_MAX: usize = 2_048;

/// How far a sender may reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Addresses of the public internet, by HTTPS.
    #[default]
    Public,
    /// Every address, by HTTPS or plain HTTP. For operators who deliver inside a network of their own, where every
    /// customer is trusted with it.
    Anywhere,
}

/// Why an address is not called. The texts do not repeat what a name resolves to: that may be a secret of our network,
/// and the customer may read them.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum NotAllowed {
    #[error("an address has at most {URL_BYTES_MAX} bytes")]
    TooLong,
    #[error("the address is not a URL")]
    Malformed,
    #[error("the address does not begin with `https://`")]
    Scheme,
    #[error("the address carries a user name or a password")]
    Credentials,
    #[error("the address carries a fragment")]
    Fragment,
    #[error("port {port} is neither 443 nor above 1023")]
    Port { port: u16 },
    #[error("the address is not public")]
    LiteralNotPublic { ip: IpAddr },
    #[error("the name leads to an address that is not public")]
    NameNotPublic { ip: IpAddr },
}

/// An address that may be called, as far as can be told without looking up its name.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    url: Url,
}

impl Address {
    pub fn parse(text: &str, reach: Reach) -> Result<Address, NotAllowed> {
        if text.len() > URL_BYTES_MAX {
            return Err(NotAllowed::TooLong);
        }
        // The parser drops them silently; what is called must be what is shown.
        if text.chars().any(|char| char.is_control() || char.is_whitespace()) {
            return Err(NotAllowed::Malformed);
        }
        let url = Url::parse(text).map_err(|_| NotAllowed::Malformed)?;
        let is_scheme_allowed = match reach {
            Reach::Public => url.scheme() == "https",
            Reach::Anywhere => matches!(url.scheme(), "https" | "http"),
        };
        if !is_scheme_allowed {
            return Err(NotAllowed::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(NotAllowed::Credentials);
        }
        if url.fragment().is_some() {
            return Err(NotAllowed::Fragment);
        }
        let port = url.port_or_known_default().ok_or(NotAllowed::Malformed)?;
        if !is_port_allowed(port, reach) {
            return Err(NotAllowed::Port { port });
        }
        // The parser has written every spelling of an address (`0x7f.1`, `2130706433`) in the usual form.
        let host = url.host_str().ok_or(NotAllowed::Malformed)?;
        if let Ok(ip) = host.trim_matches(['[', ']']).parse()
            && !reach.covers(ip)
        {
            return Err(NotAllowed::LiteralNotPublic { ip });
        }
        Ok(Address { url })
    }

    /// Its host may be shown to everyone; the rest may hold a token.
    pub fn host(&self) -> &str {
        self.url.host_str().expect("an address without a host is not parsed")
    }

    pub fn as_str(&self) -> &str {
        self.url.as_str()
    }

    pub(super) fn into_url(self) -> Url {
        self.url
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({})", self.host())
    }
}

impl Reach {
    pub(super) fn covers(self, ip: IpAddr) -> bool {
        match self {
            Reach::Public => is_public(ip),
            Reach::Anywhere => true,
        }
    }
}

/// Receivers listen on 443, or above the ports that need privileges. Below are the protocols that were there before
/// TLS (mail, terminals, files), whose servers may take a stranger's bytes for commands; no receiver lives there.
fn is_port_allowed(port: u16, reach: Reach) -> bool {
    match reach {
        Reach::Public => matches!(port, 443 | 1_024..),
        Reach::Anywhere => port != 0,
    }
}

/// By the registries of special-purpose addresses (RFC 6890 and what has been added since), and the virtual addresses
/// of clouds that lie outside of them.
const NOT_PUBLIC_V4: [(Ipv4Addr, u32); 16] = [
    (Ipv4Addr::UNSPECIFIED, 8),            // this network
    (Ipv4Addr::new(10, 0, 0, 0), 8),       // private
    (Ipv4Addr::new(100, 64, 0, 0), 10),    // carrier-grade NAT
    (Ipv4Addr::new(127, 0, 0, 0), 8),      // loopback
    (Ipv4Addr::new(168, 63, 129, 16), 32), // the host of a virtual machine at Azure
    (Ipv4Addr::new(169, 254, 0, 0), 16),   // link-local, metadata services among them
    (Ipv4Addr::new(172, 16, 0, 0), 12),    // private
    (Ipv4Addr::new(192, 0, 0, 0), 24),     // protocol assignments
    (Ipv4Addr::new(192, 0, 2, 0), 24),     // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24),   // relays of 6to4
    (Ipv4Addr::new(192, 168, 0, 0), 16),   // private
    (Ipv4Addr::new(198, 18, 0, 0), 15),    // benchmarking
    (Ipv4Addr::new(198, 51, 100, 0), 24),  // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),   // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),      // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),      // reserved, broadcast at its end
];

/// All that is handed out for use on the internet. Outside lie `::`, `::1`, IPv4 in its mapped, compatible and translated
/// (`64:ff9b::`) forms, unique local, link-local, site-local and multicast addresses.
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

const NOT_PUBLIC_V6: [(Ipv6Addr, u32); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // protocol assignments: Teredo, benchmarking, ORCHID
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16), // 6to4, which holds an IPv4 address
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

/// Whether an address belongs to the public internet: not to this machine, its network, its provider or nobody.
pub fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => !NOT_PUBLIC_V4.iter().any(|network| is_within_v4(ip, *network)),
        IpAddr::V6(ip) => {
            is_within_v6(ip, GLOBAL_V6) && !NOT_PUBLIC_V6.iter().any(|network| is_within_v6(ip, *network))
        }
    }
}

fn is_within_v4(ip: Ipv4Addr, (network, prefix_bits): (Ipv4Addr, u32)) -> bool {
    (ip.to_bits() ^ network.to_bits()) >> (u32::BITS - prefix_bits) == 0
}

fn is_within_v6(ip: Ipv6Addr, (network, prefix_bits): (Ipv6Addr, u32)) -> bool {
    (ip.to_bits() ^ network.to_bits()) >> (u128::BITS - prefix_bits) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_are_not_public() {
        let check = |addresses: &[&str]| {
            for address in addresses {
                assert!(!is_public(address.parse().unwrap()), "{address}");
            }
        };
        check(&["0.0.0.0", "0.255.255.255"]);
        check(&["10.0.0.0", "10.255.255.255"]);
        check(&["100.64.0.0", "100.100.100.200", "100.127.255.255"]);
        check(&["127.0.0.1", "127.255.255.255"]);
        check(&["168.63.129.16"]);
        check(&["169.254.0.0", "169.254.169.254", "169.254.255.255"]);
        check(&["172.16.0.0", "172.31.255.255"]);
        check(&["192.0.0.0", "192.0.0.192", "192.0.0.255", "192.0.2.1", "192.88.99.1"]);
        check(&["192.168.0.0", "192.168.255.255"]);
        check(&["198.18.0.0", "198.19.255.255", "198.51.100.1", "203.0.113.255"]);
        check(&["224.0.0.1", "239.255.255.255", "240.0.0.0", "255.255.255.255"]);
        check(&["::", "::1", "::2", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:8.8.8.8"]);
        check(&["64:ff9b::8.8.8.8", "64:ff9b::10.0.0.1", "64:ff9b:1::1", "100::1", "1fff:ffff::1"]);
        check(&["2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:2::1", "2001:10::1", "2001:20::1"]);
        check(&["2001:1ff:ffff::1", "2001:db8::1", "2001:db8:ffff::1", "2002:7f00:1::1", "2002:808:808::1"]);
        check(&["3fff::1", "3fff:fff:ffff::1", "4000::1", "5f00::1"]);
        check(&["fc00::1", "fd00:ec2::254", "fdff::1", "fe80::1", "febf::1", "fec0::1", "ff02::1", "ff0e::1"]);
    }

    #[test]
    fn their_neighbours_are_public() {
        let check = |addresses: &[&str]| {
            for address in addresses {
                assert!(is_public(address.parse().unwrap()), "{address}");
            }
        };
        check(&["1.0.0.0", "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0"]);
        check(&["100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0"]);
        check(&["168.63.129.15", "168.63.129.17", "169.253.255.255", "169.255.0.0"]);
        check(&["172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0"]);
        check(&["192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0"]);
        check(&["198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0"]);
        check(&["203.0.112.255", "203.0.114.0", "223.255.255.255"]);
        check(&["2000::1", "2001:200::1", "2001:4860:4860::8888", "2001:db7:ffff::1", "2001:db9::1"]);
        check(&["2003::1", "2606:4700:4700::1111", "2a00:1450::1", "3ffe::1", "3fff:1000::1"]);
    }

    #[test]
    fn addresses_by_reach() {
        let check = |text: &str, public: Result<(), NotAllowed>, anywhere: Result<(), NotAllowed>| {
            assert_eq!(Address::parse(text, Reach::Public).map(|_| ()), public, "{text}, public");
            assert_eq!(Address::parse(text, Reach::Anywhere).map(|_| ()), anywhere, "{text}, anywhere");
        };
        let never = |text: &str, reason: NotAllowed| check(text, Err(reason), Err(reason));
        let literal = |text: &str, ip: &str| {
            check(text, Err(NotAllowed::LiteralNotPublic { ip: ip.parse().unwrap() }), Ok(()));
        };
        let port = |port| NotAllowed::Port { port };

        check("https://example.com", Ok(()), Ok(()));
        check("https://example.com/hooks/1?token=x", Ok(()), Ok(()));
        check("https://EXAMPLE.com:443/", Ok(()), Ok(()));
        check("https://bücher.example/", Ok(()), Ok(()));
        check("https://example.com:1024/", Ok(()), Ok(()));
        check("https://example.com:8443/", Ok(()), Ok(()));
        check("https://example.com:65535/", Ok(()), Ok(()));
        check("https://8.8.8.8/", Ok(()), Ok(()));
        check("https://[2606:4700:4700::1111]/", Ok(()), Ok(()));
        // A name tells nothing before it is looked up.
        check("https://localhost/", Ok(()), Ok(()));

        check("http://example.com/", Err(NotAllowed::Scheme), Ok(()));
        check("https://example.com:80/", Err(port(80)), Ok(()));
        check("https://example.com:25/", Err(port(25)), Ok(()));
        check("https://example.com:1023/", Err(port(1023)), Ok(()));
        never("https://example.com:0/", port(0));
        never("https://example.com:65536/", NotAllowed::Malformed);

        never("", NotAllowed::Malformed);
        never("example.com", NotAllowed::Malformed);
        never("https://", NotAllowed::Malformed);
        never("https://exa mple.com/", NotAllowed::Malformed);
        never(" https://example.com/", NotAllowed::Malformed);
        never("https://exam\nple.com/", NotAllowed::Malformed);
        never("https://example.com/\u{a0}", NotAllowed::Malformed);
        never("https://[fe80::1%25eth0]/", NotAllowed::Malformed);
        never("ftp://example.com/", NotAllowed::Scheme);
        never("file:///etc/passwd", NotAllowed::Scheme);
        never("data:text/plain,x", NotAllowed::Scheme);
        never("https://user@example.com/", NotAllowed::Credentials);
        never("https://:password@example.com/", NotAllowed::Credentials);
        never("https://example.com@127.0.0.1/", NotAllowed::Credentials);
        never("https://example.com/#part", NotAllowed::Fragment);
        never(&format!("https://example.com/{}", "x".repeat(URL_BYTES_MAX)), NotAllowed::TooLong);

        literal("https://127.0.0.1/", "127.0.0.1");
        literal("https://127.0.0.1./", "127.0.0.1");
        literal("https://127.1/", "127.0.0.1");
        literal("https://2130706433/", "127.0.0.1");
        literal("https://0x7f.0.0.1/", "127.0.0.1");
        literal("https://0177.0.0.1/", "127.0.0.1");
        literal("https://%31%32%37.0.0.1/", "127.0.0.1");
        literal("https://１２７.0.0.1/", "127.0.0.1");
        literal("https://169.254.169.254/latest/meta-data", "169.254.169.254");
        literal("https://[::1]/", "::1");
        literal("https://[::ffff:127.0.0.1]/", "::ffff:127.0.0.1");
        literal("https://[0:0:0:0:0:ffff:7f00:1]/", "::ffff:127.0.0.1");
        literal("https://[fd00:ec2::254]/", "fd00:ec2::254");
    }

    #[test]
    fn only_the_host_is_shown() {
        let address = Address::parse("https://example.com:8443/hooks?token=x", Reach::Public).unwrap();
        assert_eq!(format!("{address:?}"), "Address(example.com)");
        assert_eq!(address.as_str(), "https://example.com:8443/hooks?token=x");
    }
}
