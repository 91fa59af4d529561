//! Stripe's own books against what the house says, and what guests were told against what is there.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use surehold_simulators::stripe::{PaymentLine, RefundStatus, StripeReport};

use super::guest::End;
use super::hotel::{Front, NIGHTS, ROOMS};
use super::{GUESTS, STAYERS};

pub(super) async fn check(front: &Front, ends: &[End]) {
    assert_eq!(ends.len(), GUESTS);
    check_told(front, ends).await;
    check_rooms(front).await;
    let report = front.sim.report();
    check_stripe(&report);
    let mut ways: BTreeMap<String, usize> = BTreeMap::new();
    let open = open_refunds(front).await;
    for line in report.succeeded() {
        let hold = front.pages.lock().unwrap().get(&line.session).cloned();
        let hold = hold.unwrap_or_else(|| panic!("nobody was shown the page of {line:?}"));
        let (status, reservation) = front.get(&format!("/reservations/{hold}")).await;
        let reservation = (status == 200).then_some(reservation);
        let open = open.iter().filter(|key| key.contains(line.session.as_str())).count();
        *ways.entry(way(line, reservation.as_ref(), open)).or_default() += 1;
    }
    check_enough(front, &report, &ways).await;
}

/// What became of a payment: exactly one of the things that may.
fn way(line: &PaymentLine, reservation: Option<&Value>, open: usize) -> String {
    let paid = line.amount_received;
    let Some(reservation) = reservation.filter(|one| one["payment"]["session"] == line.session) else {
        // There is none, or it is another payment's.
        let refunded = (line.refunds, line.amount_refunded, open);
        assert!(refunded == (1, paid, 0) || refunded == (0, 0, 1), "{refunded:?} {line:?} {reservation:?}");
        return "refund".to_owned();
    };
    assert_eq!(reservation["paid"], paid, "{line:?} {reservation}");
    let source = reservation["source"].as_str().unwrap();
    let state = reservation["state"].as_str().unwrap();
    let back = match state {
        "confirmed" => 0,
        "cancelled" => paid - reservation["penalty"].as_i64().unwrap(),
        _ => panic!("{reservation}"),
    };
    let refunded = (line.refunds, line.amount_refunded, open);
    let expected = if back == 0 { (0, 0, 0) } else { (1, back, 0) };
    assert!(refunded == expected || refunded == (0, 0, usize::from(back > 0)), "{refunded:?} {line:?} {reservation}");
    format!("{source} {state}")
}

async fn open_refunds(front: &Front) -> Vec<String> {
    let mut keys = Vec::new();
    for state in ["PENDING", "RUNNING", "FAILED"] {
        let found = front.operations("REFUND_PAYMENT", state).await;
        keys.extend(found.iter().map(|operation| operation["key"].as_str().unwrap().to_owned()));
    }
    assert_eq!(front.operations("REFUND_PAYMENT", "DEAD_LETTER").await, Vec::<Value>::new());
    keys
}

/// The last word that everybody heard is true.
async fn check_told(front: &Front, ends: &[End]) {
    let (mut stay, mut sold_out) = (0, 0);
    for end in ends {
        let (hold, expected) = match end {
            End::Stays { hold } => (hold, Some("confirmed")),
            End::Cancelled { hold } => (hold, Some("cancelled")),
            End::Left { hold } => (hold, None),
            End::SoldOut => {
                sold_out += 1;
                continue;
            }
        };
        stay += usize::from(expected == Some("confirmed"));
        let (status, reservation) = front.get(&format!("/reservations/{hold}")).await;
        assert_eq!(reservation["state"].as_str(), expected, "{status} {end:?} {reservation}");
    }
    assert!(stay >= 10, "{stay} stay");
    assert!((1..STAYERS).contains(&sold_out), "{sold_out} of the last guests found it sold out");
}

/// Rooms sold are the rooms that there are, by every account of them.
async fn check_rooms(front: &Front) {
    for (list, expected) in [("total", ROOMS), ("booked", ROOMS), ("held", 0), ("available", 0)] {
        assert_eq!(front.nights(list).await, [expected; NIGHTS], "{list}");
    }
    for night in &front.days[..NIGHTS] {
        let (_, page) = front.get(&format!("/reservations?property=mar&staying={night}")).await;
        let reservations = page["reservations"].as_array().unwrap();
        let holds: BTreeSet<&str> = reservations.iter().map(|one| one["hold"].as_str().unwrap()).collect();
        assert_eq!(holds.len(), reservations.len());
        let rooms = reservations.iter().flat_map(|one| one["rooms"].as_array().unwrap());
        assert_eq!(rooms.map(|rooms| rooms["rooms"].as_i64().unwrap()).sum::<i64>(), ROOMS, "{night}");
    }
}

/// Nobody was given anything twice, whoever asked for it.
fn check_stripe(report: &StripeReport) {
    assert_eq!(report.refunded_too_much().count(), 0);
    assert!(report.refunds.iter().all(|refund| refund.status == RefundStatus::Succeeded));
    let once = |counts: BTreeMap<String, usize>| counts.values().all(|count| *count == 1);
    assert!(once(report.refunds_by("operation")), "{:?}", report.refunds);
}

/// A run in which nothing went wrong proves nothing.
async fn check_enough(front: &Front, report: &StripeReport, ways: &BTreeMap<String, usize>) {
    let shown = format!("{ways:?} {:?} {:?} {:?}", report.mischief, report.faults, report.deliveries);
    for way in ["payment confirmed", "payment cancelled", "late_payment cancelled", "refund"] {
        assert!(ways.contains_key(way), "of `{way}` there was none: {shown}");
    }
    assert!(report.succeeded().count() >= GUESTS / 2, "{shown}");
    let mischief = report.mischief;
    let done = [mischief.duplicated, mischief.held_back, mischief.delayed, mischief.lost, mischief.wrongly_signed];
    assert!(done.iter().all(|count| *count > 0), "{shown}");
    let (status, cases) = front.get("/cases?limit=1000").await;
    assert_eq!(status, 200, "{cases}");
    let kinds: BTreeSet<&str> =
        cases["cases"].as_array().unwrap().iter().map(|case| case["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains("late-payment"), "{kinds:?}");
    assert!(!kinds.contains("amount-mismatch") && !kinds.contains("payment-unknown"), "{kinds:?}");
}
