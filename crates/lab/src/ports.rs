//! Ports that a process keeps while it is down: below those that the system hands out by itself, so that no outgoing
//! connection sits on one when its owner comes back.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicU16, Ordering};

use anyhow::{Result, bail};

const FIRST: u16 = 12_000;
const COUNT: u16 = 18_000;

static NEXT: AtomicU16 = AtomicU16::new(0);

/// A free one on loopback, another with every call. Other processes begin to look elsewhere.
pub fn lasting_port() -> Result<u16> {
    let start = u16::try_from(u32::from(COUNT) * (std::process::id() % 997) / 997).expect("below the count");
    for _ in 0..COUNT {
        let step = NEXT.fetch_add(1, Ordering::Relaxed) % COUNT;
        let port = FIRST + (start + step) % COUNT;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(port);
        }
    }
    bail!("no port from {FIRST} on is free on loopback")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_port_is_given_twice() {
        let ports: std::collections::BTreeSet<u16> = (0..50).map(|_| lasting_port().unwrap()).collect();
        assert_eq!(ports.len(), 50);
        assert!(ports.iter().all(|port| (FIRST..FIRST + COUNT).contains(port)));
    }
}
