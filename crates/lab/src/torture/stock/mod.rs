//! Clerks of two stores move goods, and an auditor says whether they were told the truth.
//!
//! | file | what it has |
//! |---|---|
//! | `clerks/` | what they do; checks nothing |
//! | `book.rs` | what they ask and are told, as it is written down |
//! | `collect.rs` | what has become of it all, by a healed server |
//! | `auditor/` | says what cannot be |

mod auditor;
mod book;
mod clerks;
mod collect;

use std::future::ready;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use futures_util::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use super::crowd::{Crowd, Judged, Venue, Visit};
use super::environment::FileSetting;
use super::workload::Counts;

pub use auditor::{BalanceSeen, Card, RowSeen, StockChecked, StockState, judge_stock};
pub use book::{
    ClerkAnswer, ClerkAsk, ClerkEntry, CountedAgainst, DocumentSeen, ItemSeen, LeftSeen, LineSeen, OutcomeSeen, Paper,
    PaperLine,
};
pub use clerks::{open_stores, run_clerks};
pub use collect::collect_stock;

/// So many clients for each clerk.
const CLIENTS_PER_CLERK: usize = 4;
const CLERKS_MIN: usize = 3;

/// They need nothing but the servers.
#[derive(Debug)]
struct Stores;

impl Venue for Stores {
    fn settings(&self) -> Vec<FileSetting> {
        Vec::new()
    }

    fn open<'a>(&'a self, visit: &'a Visit) -> BoxFuture<'a, Result<()>> {
        Box::pin(open_stores(&visit.plan, &visit.book))
    }

    fn ask(&self, visit: Visit, counts: Arc<Counts>, stop: CancellationToken) -> BoxFuture<'static, Result<()>> {
        Box::pin(run_clerks(visit.plan, visit.book, counts, stop))
    }

    fn judge<'a>(&'a self, visit: &'a Visit, healed: Instant) -> BoxFuture<'a, Result<Judged>> {
        Box::pin(async move {
            let history = visit.history()?;
            let state = collect_stock(&visit.collect_plan()?, &history, healed).await;
            let (verdict, checked) = visit.judged(history, state, judge_stock).await?;
            let (requests, never) = (checked.requests, checked.never().collect());
            Ok(Judged { verdict, requests, never, rows: checked.rows() })
        })
    }
}

pub(super) const CROWD: Crowd = Crowd {
    title: "The stores",
    tenant: "stores",
    people: |clients| (clients / CLIENTS_PER_CLERK).max(CLERKS_MIN),
    book: "clerks.jsonl",
    final_state: "clerks-final.json",
    functions: book::FUNCTIONS,
    floors_from_requests: auditor::FLOORS_FROM_REQUESTS,
    start: |_| {
        let stores: Box<dyn Venue> = Box::new(Stores);
        Box::pin(ready(Ok(stores)))
    },
};
