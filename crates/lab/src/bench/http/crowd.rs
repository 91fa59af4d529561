//! Connections that ask for nothing: idle ones, and ones that never finish their request (slowloris).
//! A server may cut them; they come back.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::connection::{Connection, Target};

const COME_BACK_AFTER: Duration = Duration::from_millis(200);
const DRIP_EVERY: Duration = Duration::from_secs(1);
const ARRIVE_WITHIN: Duration = Duration::from_secs(30);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrowdSize {
    /// Have asked once, and keep their connection.
    pub idle: u32,
    /// Send one byte of their head a second.
    pub slow: u32,
}

/// Stands at the door until it is dropped.
#[derive(Debug)]
pub struct Crowd {
    _members: JoinSet<()>,
    cuts: Arc<AtomicU64>,
}

impl Crowd {
    /// Returns when everybody has been connected once.
    pub async fn gather(target: &Target, size: CrowdSize) -> Result<Crowd> {
        let (arrived, cuts) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicU64::new(0)));
        let mut members = JoinSet::new();
        let request = target.head("GET", "/healthz", 0);
        for _ in 0..size.idle {
            let member = Member { address: target.address, arrived: Arc::clone(&arrived), cuts: Arc::clone(&cuts) };
            members.spawn(member.idle(request.clone()));
        }
        for _ in 0..size.slow {
            let member = Member { address: target.address, arrived: Arc::clone(&arrived), cuts: Arc::clone(&cuts) };
            members.spawn(member.drip());
        }
        let all = tokio::time::timeout(ARRIVE_WITHIN, arrived.acquire_many(size.idle + size.slow)).await;
        drop(all.context("the server did not let the whole crowd in; raise its limit of connections")??);
        Ok(Crowd { _members: members, cuts })
    }

    /// How often one of them was cut off so far.
    pub fn cuts(&self) -> u64 {
        self.cuts.load(Ordering::Relaxed)
    }
}

struct Member {
    address: SocketAddr,
    arrived: Arc<Semaphore>,
    cuts: Arc<AtomicU64>,
}

impl Member {
    async fn idle(self, request: String) {
        let mut first = true;
        loop {
            if let Ok(mut connection) = Connection::open(self.address).await
                && connection.ask(request.as_bytes()).await.is_ok()
            {
                self.arrive(&mut first);
                connection.closed().await;
            }
            self.cut().await;
        }
    }

    async fn drip(self) {
        let mut first = true;
        loop {
            if let Ok(mut stream) = TcpStream::connect(self.address).await
                && stream.write_all(b"GET /healthz HTTP/1.1\r\nx-slow: ").await.is_ok()
            {
                self.arrive(&mut first);
                let mut answer = [0; 512];
                loop {
                    tokio::select! {
                        // An answer is a refusal: the request has no end.
                        _ = stream.read(&mut answer) => break,
                        () = tokio::time::sleep(DRIP_EVERY) => {}
                    }
                    if stream.write_all(b"a").await.is_err() {
                        break;
                    }
                }
            }
            self.cut().await;
        }
    }

    fn arrive(&self, first: &mut bool) {
        if std::mem::take(first) {
            self.arrived.add_permits(1);
        }
    }

    async fn cut(&self) {
        self.cuts.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(COME_BACK_AFTER).await;
    }
}
