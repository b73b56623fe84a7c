//! The addresses to which requests of a sign-in may go.

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::collections::HashSet;
use std::env;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

/// The variables with the URL of a proxy, whose address may be private.
const PROXIES: [&str; 6] =
    ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];

/// The addresses that are allowed in addition to public ones.
#[derive(Clone)]
pub(super) struct Addresses {
    loopback: bool,
    private: bool,
    proxies: Arc<HashSet<String>>,
}

#[derive(PartialEq)]
enum Kind {
    Public,
    Private,
    Loopback,
    /// Link-local addresses, where clouds have credentials, and those that are no address of one machine.
    Forbidden,
}

impl Addresses {
    /// Those of a server with this URL.
    pub(super) fn new(server: &Url, allow_private: bool) -> Self {
        let kind = literal(server).map(kind);
        let proxy = |name: &&str| Url::parse(&env::var(name).ok()?).ok()?.host_str().map(str::to_owned);
        Addresses {
            loopback: is_loopback(server),
            private: allow_private || kind == Some(Kind::Private),
            proxies: Arc::new(PROXIES.iter().filter_map(proxy).collect()),
        }
    }

    /// Checks a URL before it is requested or opened.
    pub(super) fn check(&self, url: &Url) -> Result<(), String> {
        let is_local = self.loopback && is_loopback(url);
        let is_allowed = match url.scheme() {
            "https" => url.host_str().is_some() && literal(url).is_none_or(|address| self.allow(address)),
            "http" => is_local,
            _ => false,
        };
        if is_allowed {
            return Ok(());
        }
        Err(format!("the URL `{url}` is not allowed: it must be an `https` URL of a public host"))
    }

    fn allow(&self, address: IpAddr) -> bool {
        match kind(address) {
            Kind::Public => true,
            Kind::Private => self.private,
            Kind::Loopback => self.loopback,
            Kind::Forbidden => false,
        }
    }
}

impl Resolve for Addresses {
    fn resolve(&self, name: Name) -> Resolving {
        let addresses = self.clone();
        Box::pin(async move {
            let name = name.as_str();
            let is_proxy = addresses.proxies.contains(name);
            let found = tokio::net::lookup_host((name, 0)).await?;
            let allowed: Vec<_> = found.filter(|found| is_proxy || addresses.allow(found.ip())).collect();
            if allowed.is_empty() {
                return Err(format!(
                    "`{name}` has no address that is allowed; `allow_private_addresses` allows those of a private network"
                )
                .into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

/// The address that the URL contains.
fn literal(url: &Url) -> Option<IpAddr> {
    url.host_str()?.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// Whether the host is this machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    let name = url.host_str().unwrap_or_default().trim_end_matches('.');
    literal(url).map_or(name == "localhost" || name.ends_with(".localhost"), |address| {
        kind(address) == Kind::Loopback
    })
}

fn kind(address: IpAddr) -> Kind {
    match address.to_canonical() {
        IpAddr::V4(address) => kind_v4(address),
        IpAddr::V6(address) => kind_v6(address),
    }
}

fn kind_v4(address: Ipv4Addr) -> Kind {
    match address.octets() {
        [127, ..] => Kind::Loopback,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] | [100, 64..=127, ..] => Kind::Private,
        [0 | 224..=255, ..] | [169, 254, ..] | [198, 18..=19, ..] => Kind::Forbidden,
        _ => Kind::Public,
    }
}

fn kind_v6(address: Ipv6Addr) -> Kind {
    let [first, second, third, .., high, low] = address.segments();
    let [a, b] = high.to_be_bytes();
    let [c, d] = low.to_be_bytes();
    match (first, second) {
        _ if address.is_loopback() => Kind::Loopback,
        // An IPv4 address of another network, whose last part is that address.
        (0x64, 0xff9b) if third == 0 => kind_v4(Ipv4Addr::new(a, b, c, d)),
        (0xfc00..=0xfdff, _) => Kind::Private,
        // Unspecified and deprecated forms, tunnels, link-local and multicast.
        (0 | 0x64 | 0x2002 | 0xfe80..=0xfeff | 0xff00.., _) | (0x2001, 0) => Kind::Forbidden,
        _ => Kind::Public,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect("a URL")
    }

    #[test]
    fn a_sign_in_requests_public_hosts_over_https() {
        let public = Addresses::new(&url("https://example.com/mcp"), false);
        for (allowed, text) in [
            (true, "https://auth.example.com/token"),
            (true, "https://93.184.216.34/token"),
            (false, "http://auth.example.com/token"),
            (false, "file:///etc/passwd"),
            (false, "javascript:alert(1)"),
            (false, "https://127.0.0.1/token"),
            (false, "http://localhost/token"),
            (false, "https://10.0.0.1/token"),
            (false, "https://[::ffff:10.0.0.1]/token"),
            (false, "https://169.254.169.254/latest"),
            (false, "https://[fe80::1]/token"),
            (false, "https://[64:ff9b::a00:1]/token"),
            (false, "https://0/token"),
        ] {
            assert_eq!(public.check(&url(text)).is_ok(), allowed, "{text}");
        }
        let company = Addresses::new(&url("https://example.com/mcp"), true);
        assert!(company.check(&url("https://10.0.0.1/token")).is_ok());
        assert!(company.check(&url("http://10.0.0.1/token")).is_err());
        assert!(company.check(&url("https://169.254.169.254/latest")).is_err());
        let local = Addresses::new(&url("http://localhost:8000/mcp"), false);
        assert!(local.check(&url("http://127.0.0.1:9000/token")).is_ok());
        assert!(local.check(&url("http://example.com/token")).is_err());
    }

    #[tokio::test]
    async fn a_name_does_not_resolve_to_a_private_address() {
        for (server, is_allowed) in [("https://example.com/mcp", false), ("http://127.0.0.1/mcp", true)] {
            let addresses = Addresses::new(&url(server), false);
            let resolved = addresses.resolve("localhost".parse().expect("a name")).await;
            assert_eq!(resolved.is_ok(), is_allowed, "{server}");
        }
    }
}
