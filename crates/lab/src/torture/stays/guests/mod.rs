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
use crate::torture::crowd::CrowdPlan;
use crate::torture::workload::counts::Counts;
use crate::torture::workload::front::Front;
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

/// The nights that are for sale, and the day after the last of them.
fn days() -> Vec<Date> {
    let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
    (0..=NIGHTS).map(|day| today.saturating_add(jiff::Span::new().days(day))).collect()
}

/// Fewer than guests, so that nearly everybody finds one of the nights sold out.
fn rooms(guests: usize) -> usize {
    2 + guests / 3
}

/// Makes the hotel, while nothing is wrong yet. `account` is the name of that at Stripe.
pub async fn open_hotel(plan: &CrowdPlan, account: &str, book: &Arc<Book>) -> Result<()> {
    let front = Front::open(plan, Arc::clone(book), Arc::default(), CancellationToken::new())?;
    let days = days();
    let property = json!({ "title": "Casa Mar", "time_zone": "UTC", "currency": "BRL", "payment_account": account });
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
        "inventory": { "total": rooms(plan.people) }, "rates": rates });
    put(&front, "/calendar".to_owned(), json!({ "changes": [change] })).await
}

async fn put(front: &Front, path: String, body: Value) -> Result<()> {
    let path = format!("properties/{PROPERTY}{path}");
    let heard = front.send(Method::PUT, &path, Some(&body), 0, PREPARE_TIMEOUT).await;
    ensure!(heard.status() == Some(200), "cannot furnish the hotel: {path}: {heard:?}");
    Ok(())
}

/// Visits until it is stopped.
pub async fn run_guests(
    plan: CrowdPlan,
    stripe: Arc<StripeSim>,
    book: Arc<Book>,
    counts: Arc<Counts>,
    stop: CancellationToken,
) -> Result<()> {
    let stop = stop.child_token();
    let front = Arc::new(Front::open(&plan, Arc::clone(&book), counts, stop.clone())?);
    let days: Arc<[Date]> = days().into();
    let guest = |number: usize| {
        Guest::new(number, plan.seed, Arc::clone(&stripe), Arc::clone(&front), Arc::clone(&days)).live()
    };
    let ended = until_all_end((0..plan.people).map(guest), &stop).await;
    book.flush()?;
    ended
}
