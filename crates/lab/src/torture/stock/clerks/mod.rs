//! Clerks of two stores who buy, sell, count and send goods to each other, all at once and of the same few products.
//! Beside the other clients, in a tenant of their own. Checks nothing.
//!
//! | file | what it has |
//! |---|---|
//! | `clerk` | one clerk: deed after deed, what it remembers of its documents |
//! | `papers` | what a document says |
//! | `wire` | requests and answers of the API |

mod clerk;
mod papers;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::torture::book::Book;
use crate::torture::crowd::CrowdPlan;
use crate::torture::stock::book::ClerkAsk;
use crate::torture::workload::counts::Counts;
use crate::torture::workload::front::{Front, Outcome};
use crate::torture::workload::until_all_end;
use clerk::Clerk;

const STORES: [&str; 2] = ["shop", "depot"];
/// Some of which everybody wants; lots of milk are told apart, and every single lamp.
const PRODUCTS: [(&str, &str); 6] =
    [("tea", "none"), ("rice", "none"), ("oil", "none"), ("salt", "none"), (MILK, "lots"), (LAMP, "serials")];
const MILK: &str = "milk";
const LAMP: &str = "lamp";
const PREPARE_TIMEOUT: Duration = Duration::from_secs(15);

/// Makes the stores and says what is there, while nothing is wrong yet.
pub async fn open_stores(plan: &CrowdPlan, book: &Arc<Book>) -> Result<()> {
    let front = Front::open(plan, Arc::clone(book), Arc::default(), CancellationToken::new())?;
    for store in STORES {
        put(&front, format!("stores/{store}"), json!({ "title": store, "currency": "EUR" })).await?;
    }
    for (product, tracking) in PRODUCTS {
        put(&front, format!("products/{product}"), json!({ "title": product, "tracking": tracking })).await?;
    }
    for (number, store) in STORES.into_iter().enumerate() {
        let ask = ClerkAsk::Document { document: Uuid::now_v7(), paper: papers::opening(store, number) };
        match front.ask(&ask, front.new_process(), 0, PREPARE_TIMEOUT).await? {
            Outcome::Ok(_) => {}
            told => bail!("cannot open the store {store}: {told:?}"),
        }
    }
    book.flush()
}

async fn put(front: &Front, path: String, body: Value) -> Result<()> {
    let heard = front.send(Method::PUT, &path, Some(&body), 0, PREPARE_TIMEOUT).await;
    ensure!(heard.status() == Some(200), "cannot open the stores: {path}: {heard:?}");
    Ok(())
}

/// Trades until it is stopped.
pub async fn run_clerks(plan: CrowdPlan, book: Arc<Book>, counts: Arc<Counts>, stop: CancellationToken) -> Result<()> {
    let stop = stop.child_token();
    let front = Arc::new(Front::open(&plan, Arc::clone(&book), counts, stop.clone())?);
    let clerk = |number: usize| Clerk::new(number, plan.seed, Arc::clone(&front)).live();
    let ended = until_all_end((0..plan.people).map(clerk), &stop).await;
    book.flush()?;
    ended
}
