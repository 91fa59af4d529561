//! What guests of the hotel were told, what the provider's own books say, and what is there: all three agree. Uses neither
//! the core nor the engine.
//!
//! | file | rules |
//! |---|---|
//! | `told.rs` | `guest-told`: the last word that a guest heard is true |
//! | `money.rs` | `guest-charged`, `refunded-twice`: whoever paid has exactly one of a room, the money back, a refund on its way and a case |
//! | `rooms.rs` | `rooms`: what is sold is what there is; with the replay of the feed also at every moment |

mod money;
mod rooms;
#[cfg(test)]
mod tests;
mod told;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::torture::auditor::findings::{Verdict, count_of};
use crate::torture::auditor::judge::replayed;
use crate::torture::auditor::state::{FinalState, OperationSeen};
use crate::torture::history::{Kind, UNREADABLE};
use crate::torture::stays::book::{GuestAsk, GuestEntry, ReservationSeen};

pub(super) const REFUND: &str = "REFUND_PAYMENT";
const EXPIRE: &str = "EXPIRE_CHECKOUT_SESSION";
/// Below this many requests, chance alone may leave something out: a late payment that is booked comes once in 660. So 20
/// are expected, and none comes in one of e²⁰ runs.
pub(super) const FLOORS_FROM_REQUESTS: u64 = 13_500;

/// What is judged beside what guests wrote down.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StaysState {
    /// The hotel's tenant as any tenant is seen.
    pub hotel: FinalState,
    /// Every stay that was asked for; `None` if there is none.
    pub stays: BTreeMap<Uuid, Option<StaySeen>>,
    /// Refunds, whatever their state.
    pub refunds: Vec<OperationSeen>,
    /// Kinds and keys of those that nobody has dealt with.
    pub cases: Vec<(String, String)>,
    /// All that succeeded, by the provider's books.
    pub payments: Vec<PaymentSeen>,
    /// What had not come to its end a minute after everything was healed.
    pub unfinished: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StaySeen {
    /// Of the hold.
    pub state: String,
    pub reservation: Option<ReservationSeen>,
}

/// A payment that succeeded, as the provider has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaymentSeen {
    pub session: String,
    /// What the page was made for, as the provider was told.
    pub reference: Option<String>,
    pub received: i64,
    pub refunded: i64,
    pub refunds: usize,
}

/// How much was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StaysChecked {
    pub requests: u64,
    pub stays: u64,
    pub reservations: u64,
    pub payments: u64,
    /// Of these, booked although the hold had ended.
    pub late: u64,
    pub refunds: u64,
    pub events: u64,
}

impl StaysChecked {
    /// For the report.
    pub(super) fn rows(&self) -> Vec<(&'static str, u64)> {
        let StaysChecked { requests, stays, reservations, payments, late, refunds, events } = *self;
        vec![
            ("requests of guests", requests),
            ("stays", stays),
            ("reservations", reservations),
            ("of these, paid after the hold had ended", late),
            ("payments that succeeded, by Stripe's books", payments),
            ("refunds, by Stripe's books", refunds),
            ("events of the feed, replayed", events),
        ]
    }

    /// A rule that had nothing to look at has proved nothing.
    pub fn never(&self) -> impl Iterator<Item = &'static str> {
        let counts = [
            ("stays", self.stays),
            ("reservations", self.reservations),
            ("payments", self.payments),
            ("late payments that were booked", self.late),
            ("refunds", self.refunds),
            ("events of the hotel", self.events),
        ];
        counts.into_iter().filter(|(_, count)| *count == 0).map(|(what, _)| what)
    }
}

/// The pages that guests were shown, and for which stays.
pub(super) fn pages(history: &[GuestEntry]) -> BTreeMap<String, Uuid> {
    let shown = history.iter().filter_map(|entry| {
        let GuestAsk::Checkout { hold } = &entry.ask else { return None };
        Some((entry.answer.as_ref()?.session.clone()?, *hold))
    });
    shown.collect()
}

/// Whether it has ended, or may wait: a page is taken away when its hold ends, and a refund that was refused is tried
/// again later.
pub(super) fn is_finished(operation: &OperationSeen, now: i64) -> bool {
    let is_later = operation.run_at.is_some_and(|run_at| run_at > now);
    operation.has_ended() || (is_later && (operation.kind == EXPIRE || operation.kind == REFUND))
}

/// Says what cannot be. Pure.
pub fn judge_stays(history: &[GuestEntry], state: &StaysState) -> (Verdict, StaysChecked) {
    let mut verdict = Verdict::default();
    let mut checked = StaysChecked::default();
    let requests = history.iter().filter(|entry| entry.kind == Kind::Invoke);
    checked.requests = count_of(requests.count());
    checked.stays = count_of(state.stays.values().flatten().count());
    for entry in history.iter().filter(|entry| is_defect(entry)) {
        verdict.add("defect-answers", || format!("{entry:?}"));
    }
    told::check(history, state, &mut verdict);
    money::check(history, state, &mut checked, &mut verdict);
    let replay = replayed(&state.hotel, &mut verdict);
    checked.events = count_of(replay.events.len());
    rooms::check(state, &mut checked, &mut verdict);
    for what in &state.unfinished {
        verdict.add("converged", || format!("{what} had not come to its end a minute after everything was healed"));
    }
    if state.hotel.torn || !state.hotel.settled {
        verdict.add("converged", || "the hotel had not come to rest a minute after everything was healed".to_owned());
    }
    (verdict, checked)
}

fn is_defect(entry: &GuestEntry) -> bool {
    entry.error.as_ref().is_some_and(|error| error == "defect" || error.starts_with(UNREADABLE))
}
