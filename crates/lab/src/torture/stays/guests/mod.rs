//! Guests of a small hotel who race for its last rooms and pay at a Stripe that tells of it late, twice, out of order or
//! never. Beside the other clients, in a tenant of their own. Checks nothing.
//!
//! | file | what it has |
//! |---|---|
//! | `guest` | one guest: visit after visit, what it does with a room |
//! | `wire` | requests and answers of the API |

mod guest;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use jiff::civil::Date;
use reqwest::Method;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::torture::book::Book;
use crate::torture::workload::counts::Counts;
use crate::torture::workload::front::{Door, Front};
use crate::torture::workload::until_all_end;
use guest::Guest;
use surehold_simulators::stripe::StripeSim;

const PROPERTY: &str = "mar";
const ROOM_TYPE: &str = "double";
/// What is kept of a reservation that is cancelled: nothing, or a part.
const RATE_PLANS: [(&str, i64); 2] = [("flexible", 10_000), ("saver", 6_001)];
/// From today on: nobody can be missed before the day of arrival.
const NIGHTS: i32 = 4;
const PREPARE_TIMEOUT: Duration = Duration::from_secs(15);

#[derive(Clone, Debug)]
pub struct GuestsPlan {
    pub seed: u64,
    pub guests: usize,
    /// Such as `http://127.0.0.1:8000`; the same throughout the run.
    pub nodes: Vec<String>,
    pub tenant: String,
    /// With the scopes `read`, `sell` and `manage`.
    pub api_key: String,
    /// The name of the account at Stripe.
    pub account: String,
    pub stripe: Arc<StripeSim>,
}

impl GuestsPlan {
    fn door(&self) -> Door<'_> {
        Door { nodes: &self.nodes, tenant: &self.tenant, api_key: &self.api_key }
    }
}

/// The nights that are for sale, and the day after the last of them.
fn days() -> Vec<Date> {
    let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
    (0..=NIGHTS).map(|day| today.saturating_add(jiff::Span::new().days(day))).collect()
}

/// Fewer than guests, so that nearly everybody finds one of the nights sold out.
fn rooms(guests: usize) -> usize {
    2 + guests / 3
}

/// Makes the hotel, while nothing is wrong yet.
pub async fn open_hotel(plan: &GuestsPlan, book: &Arc<Book>) -> Result<()> {
    let front = Front::open(plan.door(), Arc::clone(book), Arc::default(), CancellationToken::new())?;
    let days = days();
    let property =
        json!({ "title": "Casa Mar", "time_zone": "UTC", "currency": "BRL", "payment_account": plan.account });
    put(&front, String::new(), property).await?;
    put(&front, format!("/room-types/{ROOM_TYPE}"), json!({ "title": "Double", "guests_max": 2 })).await?;
    for (name, penalty) in RATE_PLANS.map(|(name, _)| name).into_iter().zip([json!("none"), json!({ "percent": 30 })]) {
        let body = json!({ "title": name, "cancellation": { "penalty": penalty, "no_show": { "nights": 1 } } });
        put(&front, format!("/rate-plans/{name}"), body).await?;
    }
    let rates = RATE_PLANS.map(|(name, price)| json!({ "rate_plan": name, "price": price }));
    // A night more, should midnight come while it is tortured.
    let until = days.last().context("there are nights")?.saturating_add(jiff::Span::new().days(1));
    let change = json!({ "room_types": [ROOM_TYPE], "from": days[0], "until": until,
        "inventory": { "total": rooms(plan.guests) }, "rates": rates });
    put(&front, "/calendar".to_owned(), json!({ "changes": [change] })).await
}

async fn put(front: &Front, path: String, body: Value) -> Result<()> {
    let path = format!("properties/{PROPERTY}{path}");
    let heard = front.send(Method::PUT, &path, Some(&body), 0, PREPARE_TIMEOUT).await;
    ensure!(heard.status() == Some(200), "cannot furnish the hotel: {path}: {heard:?}");
    Ok(())
}

/// Visits until it is stopped.
pub async fn run_guests(plan: GuestsPlan, book: Arc<Book>, counts: Arc<Counts>, stop: CancellationToken) -> Result<()> {
    let stop = stop.child_token();
    let front = Arc::new(Front::open(plan.door(), Arc::clone(&book), counts, stop.clone())?);
    let days: Arc<[Date]> = days().into();
    let guest = |number: usize| Guest::new(number, &plan, Arc::clone(&front), Arc::clone(&days)).live();
    let ended = until_all_end((0..plan.guests).map(guest), &stop).await;
    book.flush()?;
    ended
}
