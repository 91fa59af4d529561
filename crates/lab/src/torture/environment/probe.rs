//! Asks nodes whether they work: in a tenant of its own, so that nobody's history is disturbed.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use tokio::time::timeout;
use uuid::Uuid;

use crate::bench::http::Target;

pub(super) const TENANT: &str = "probe";
const READY_PATIENCE: Duration = Duration::from_secs(2);
/// Longer than a server thinks about a command: it then says what is known.
const WRITE_PATIENCE: Duration = Duration::from_secs(15);
/// A little below the most that a hold may carry.
const BALLAST_BYTES: usize = 15_000;

pub(super) async fn is_ready(address: SocketAddr) -> bool {
    let target = Target { address, tenant: String::new(), key: None };
    let asked = timeout(READY_PATIENCE, target.ask("GET", "/readyz", "")).await;
    matches!(asked, Ok(Ok(answer)) if answer.status == 200)
}

/// Writes through a node.
#[derive(Debug)]
pub(super) struct Prober {
    pub(super) key: String,
    total: AtomicI64,
}

impl Prober {
    pub(super) fn new(key: String) -> Prober {
        Prober { key, total: AtomicI64::new(1) }
    }

    /// Another total with every write, so that there is something to write. The status, if there was an answer.
    pub(super) async fn write(&self, address: SocketAddr) -> Option<u16> {
        let total = self.total.fetch_add(1, Ordering::Relaxed);
        let body = format!(r#"{{"pools":[{{"resource":"probe","total":{total}}}]}}"#);
        self.ask(address, "PUT", "pools", &body).await
    }

    /// A hold with as much luggage as it may have: it needs room on the disk.
    pub(super) async fn write_much(&self, address: SocketAddr) -> Option<u16> {
        let (id, much) = (Uuid::now_v7(), "x".repeat(BALLAST_BYTES));
        let body = format!(
            r#"{{"id":"{id}","lifetime_secs":60,"lines":[{{"resource":"luggage","quantity":1}}],"metadata":{{"much":"{much}"}}}}"#
        );
        self.ask(address, "POST", "holds", &body).await
    }

    /// The pool that holds of `write_much` are placed in.
    pub(super) async fn put_luggage(&self, address: SocketAddr) -> Option<u16> {
        self.ask(address, "PUT", "pools", r#"{"pools":[{"resource":"luggage","total":1000000000}]}"#).await
    }

    async fn ask(&self, address: SocketAddr, method: &str, what: &str, body: &str) -> Option<u16> {
        let target = Target { address, tenant: TENANT.to_owned(), key: Some(self.key.clone()) };
        let asked = timeout(WRITE_PATIENCE, target.ask(method, &format!("/v1/{TENANT}/{what}"), body)).await;
        asked.ok()?.ok().map(|answer| answer.status)
    }
}
