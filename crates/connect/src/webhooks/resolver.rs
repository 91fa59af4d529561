//! Names become addresses here, and only here: the HTTP client asks this resolver when it opens a connection and
//! connects to exactly what it is given. A name is therefore never looked up once to be checked and again to be called,
//! and a name that changes its answer between two connections is judged at each.

use std::error::Error;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::{NotAllowed, Reach};

/// Where the addresses of a name come from.
pub trait Lookup: Send + Sync + 'static {
    fn lookup(&self, host: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// The machine's own resolver, its hosts file and search domains included.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemLookup;

impl Lookup for SystemLookup {
    fn lookup(&self, host: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        let host = host.to_owned();
        Box::pin(async move {
            let found = tokio::net::lookup_host((host, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

pub(super) struct GuardedResolver {
    lookup: Arc<dyn Lookup>,
    reach: Reach,
}

impl GuardedResolver {
    pub(super) fn new(lookup: Arc<dyn Lookup>, reach: Reach) -> GuardedResolver {
        GuardedResolver { lookup, reach }
    }
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let found = self.lookup.lookup(name.as_str());
        let reach = self.reach;
        Box::pin(async move { judge(found.await?, reach) })
    }
}

/// One address that is not covered condemns the name: no receiver needs the mixture, and leaving out the bad ones would
/// hide from everybody that somebody tried.
fn judge(found: Vec<IpAddr>, reach: Reach) -> Result<Addrs, Box<dyn Error + Send + Sync>> {
    if let Some(ip) = found.iter().find(|ip| !reach.covers(**ip)) {
        return Err(NotAllowed::NameNotPublic { ip: *ip }.into());
    }
    if found.is_empty() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "the name has no address").into());
    }
    // Port 0 stands for the port of the URL.
    Ok(Box::new(found.into_iter().map(|ip| SocketAddr::new(ip, 0))))
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::sync::Mutex;

    use super::*;

    /// Gives the next answer at each question.
    struct Script(Mutex<VecDeque<&'static [&'static str]>>);

    impl Lookup for Script {
        fn lookup(&self, _: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
            let answer = self.0.lock().unwrap().pop_front().expect("nobody asks more often than the script expects");
            let answer = answer.iter().map(|ip| ip.parse().unwrap()).collect();
            Box::pin(std::future::ready(Ok(answer)))
        }
    }

    fn outcome(resolved: Result<Addrs, Box<dyn Error + Send + Sync>>) -> String {
        match resolved {
            Ok(addresses) => addresses.map(|address| address.to_string()).collect::<Vec<_>>().join(" "),
            Err(error) => match error.downcast_ref::<NotAllowed>() {
                Some(reason) => format!("{reason:?}"),
                None => error.to_string(),
            },
        }
    }

    #[test]
    fn answers() {
        let check = |found: &[&str], reach: Reach, expected: &str| {
            let found = found.iter().map(|ip| ip.parse().unwrap()).collect();
            assert_eq!(outcome(judge(found, reach)), expected);
        };
        check(&["8.8.8.8", "2606:4700::1"], Reach::Public, "8.8.8.8:0 [2606:4700::1]:0");
        check(&["127.0.0.1"], Reach::Public, "NameNotPublic { ip: 127.0.0.1 }");
        check(&["8.8.8.8", "10.0.0.1"], Reach::Public, "NameNotPublic { ip: 10.0.0.1 }");
        check(&["::ffff:10.0.0.1", "8.8.8.8"], Reach::Public, "NameNotPublic { ip: ::ffff:10.0.0.1 }");
        check(&["8.8.8.8", "10.0.0.1"], Reach::Anywhere, "8.8.8.8:0 10.0.0.1:0");
        check(&[], Reach::Public, "the name has no address");
        check(&[], Reach::Anywhere, "the name has no address");
    }

    #[tokio::test]
    async fn every_answer_is_judged_and_given_as_judged() {
        let script = Script(Mutex::new(VecDeque::from([&["8.8.8.8"][..], &["127.0.0.1"], &["8.8.4.4"]])));
        let resolver = GuardedResolver::new(Arc::new(script), Reach::Public);
        for expected in ["8.8.8.8:0", "NameNotPublic { ip: 127.0.0.1 }", "8.8.4.4:0"] {
            assert_eq!(outcome(resolver.resolve("rebinding.example".parse().unwrap()).await), expected);
        }
    }

    #[tokio::test]
    async fn the_machine_knows_itself() {
        let found = SystemLookup.lookup("localhost").await.unwrap();
        assert!(!found.is_empty() && found.iter().all(IpAddr::is_loopback), "{found:?}");
    }
}
