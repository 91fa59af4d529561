//! Whoever paid has exactly one of a reservation, the money back, a refund on its way and a case; and nobody gets anything
//! back twice.

use uuid::Uuid;

use super::{PaymentSeen, StaysChecked, StaysState, pages};
use crate::torture::auditor::findings::{Verdict, count_of};
use crate::torture::stays::book::{GuestEntry, ReservationSeen};

const RULE: &str = "guest-charged";
const TWICE: &str = "refunded-twice";
/// Whose key is the payment's own, and says that nothing was booked.
const INSTEAD: [&str; 2] = ["amount-mismatch", "refunded-elsewhere"];

pub(super) fn check(history: &[GuestEntry], state: &StaysState, checked: &mut StaysChecked, verdict: &mut Verdict) {
    let pages = pages(history);
    checked.payments = count_of(state.payments.len());
    for payment in &state.payments {
        checked.refunds += count_of(payment.refunds);
        let Some(hold) = pages.get(&payment.session) else {
            verdict.add(RULE, || format!("{payment:?} was paid on a page that nobody was shown"));
            continue;
        };
        if payment.reference.as_deref() != Some(hold.to_string().as_str()) {
            verdict.add(RULE, || format!("{payment:?} is for another stay than {hold}"));
        }
        if let Some((rule, wrong)) = judge(payment, *hold, state) {
            verdict.add(rule, || wrong);
        }
    }
    let late = |reservation: &&ReservationSeen| reservation.source == "late_payment";
    checked.late = count_of(reservations(state).filter(late).count());
}

pub(super) fn reservations(state: &StaysState) -> impl Iterator<Item = &ReservationSeen> {
    state.stays.values().flatten().filter_map(|stay| stay.reservation.as_ref())
}

fn judge(payment: &PaymentSeen, hold: Uuid, state: &StaysState) -> Option<(&'static str, String)> {
    let asked: Vec<_> = state.refunds.iter().filter(|one| one.key.contains(&payment.session)).collect();
    let open = asked.iter().filter(|operation| operation.state != "SUCCEEDED").count();
    let stay = state.stays.get(&hold).and_then(Option::as_ref);
    let reservation = stay.and_then(|stay| stay.reservation.as_ref());
    let ours = reservation.filter(|one| one.payment.as_ref().is_some_and(|paid| paid.session == payment.session));
    let shown = || format!("{payment:?} of {hold}, with refunds {asked:?} and {reservation:?}");
    if payment.refunds > asked.len() || payment.refunded > payment.received {
        return Some((TWICE, shown()));
    }
    let wrong = match ours {
        Some(reservation) => wrong_with(payment, reservation, open),
        None => without(payment, asked.len(), open, is_case(payment, state)),
    };
    wrong.map(|wrong| (RULE, format!("{wrong}: {}", shown())))
}

fn is_case(payment: &PaymentSeen, state: &StaysState) -> bool {
    state.cases.iter().any(|(kind, key)| INSTEAD.contains(&kind.as_str()) && *key == payment.session)
}

/// There is no reservation by this payment.
fn without(payment: &PaymentSeen, asked: usize, open: usize, is_case: bool) -> Option<&'static str> {
    match (asked, open, is_case) {
        (1, 0, false) if payment.refunds == 1 && payment.refunded == payment.received => None,
        (1, 1, false) if payment.refunds <= 1 => None,
        (0, 0, true) if payment.refunds == 0 => None,
        (0, 0, false) => Some("neither a room nor the money"),
        (_, _, _) => Some("not exactly one refund or one case"),
    }
}

fn wrong_with(payment: &PaymentSeen, reservation: &ReservationSeen, open: usize) -> Option<&'static str> {
    let asked = reservation.payment.as_ref().map_or(0, |payment| payment.refund_asked);
    if reservation.paid != payment.received {
        return Some("another amount was paid than the reservation says");
    }
    // What is on its way is somewhere between.
    let is_done = open == 0;
    if is_done && (payment.refunded != asked || reservation.refunded != asked) {
        return Some("another amount went back than was asked for");
    }
    if payment.refunded > asked {
        return Some("more went back than was asked for");
    }
    let kept = payment.received - asked;
    match reservation.state.as_str() {
        // Whoever moved to a cheaper room may have got the difference, and moved on to a dearer one.
        "cancelled" | "no_show" if kept > reservation.penalty.max(0) => Some("too much was kept"),
        "confirmed" if kept <= 0 => Some("a room and the money"),
        _ => None,
    }
}
