//! Ports that a process keeps while it is down: below those that the system hands out by itself, so that no outgoing
//! connection sits on one when its owner comes back; and with a lock on a file of that number, so that nobody who asks
//! here takes one whose owner is down just now.

use std::fs::{File, OpenOptions};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU16, Ordering};

use anyhow::{Result, bail};

const FIRST: u16 = 12_000;
const COUNT: u16 = 18_000;

static NEXT: AtomicU16 = AtomicU16::new(0);

/// A port on loopback that is ours until this is dropped.
#[derive(Debug)]
pub struct LastingPort {
    number: u16,
    /// The operating system lets go of it however the process ends.
    _lock: File,
}

impl LastingPort {
    /// A free one, another with every call. Other processes begin to look elsewhere.
    pub fn take() -> Result<LastingPort> {
        let start = u16::try_from(u32::from(COUNT) * (std::process::id() % 997) / 997).expect("below the count");
        for _ in 0..COUNT {
            let step = NEXT.fetch_add(1, Ordering::Relaxed) % COUNT;
            if let Some(port) = LastingPort::try_take(FIRST + (start + step) % COUNT) {
                return Ok(port);
            }
        }
        bail!("no port from {FIRST} on is free on loopback")
    }

    pub fn number(&self) -> u16 {
        self.number
    }

    /// `None` if it is somebody else's: also if the file is another user's.
    fn try_take(number: u16) -> Option<LastingPort> {
        let path = path(number);
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&path).ok()?;
        lock.try_lock().ok()?;
        // Its last owner may have removed it between the two: others would then lock another file.
        let (locked, there) = (lock.metadata().ok()?, std::fs::metadata(&path).ok()?);
        let is_it = (locked.dev(), locked.ino()) == (there.dev(), there.ino());
        if !is_it {
            return None;
        }
        let port = LastingPort { number, _lock: lock };
        TcpListener::bind((Ipv4Addr::LOCALHOST, number)).is_ok().then_some(port)
    }
}

impl Drop for LastingPort {
    fn drop(&mut self) {
        // While the lock is held. If it stays, it is only an empty file.
        let _ = std::fs::remove_file(path(self.number));
    }
}

fn path(number: u16) -> PathBuf {
    std::env::temp_dir().join(format!("surehold-port-{number}.lock"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_port_is_given_twice() {
        let taken: Vec<LastingPort> = (0..50).map(|_| LastingPort::take().unwrap()).collect();
        let ports: std::collections::BTreeSet<u16> = taken.iter().map(LastingPort::number).collect();
        assert_eq!(ports.len(), 50);
        assert!(ports.iter().all(|port| (FIRST..FIRST + COUNT).contains(port)));
    }

    #[test]
    fn a_port_stays_its_owners_while_nobody_listens() {
        let port = LastingPort::take().unwrap();
        let number = port.number();
        assert!(LastingPort::try_take(number).is_none());
        assert!(path(number).exists(), "whoever asks in vain changes nothing");
        drop(port);
        assert!(!path(number).exists());
        assert!(LastingPort::try_take(number).is_some());
    }
}
