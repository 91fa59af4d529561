//! A small world in which all is well, and lies about it: each is found by the rule that is about it.

use super::*;
use crate::torture::history::{HoldSeen, PoolSeen};
use crate::torture::stays::book::{GuestAnswer, Nights, PaidBy};

const SESSION: &str = "cs_1";

fn hold(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

fn entry(kind: Kind, ask: GuestAsk, answer: Option<GuestAnswer>) -> GuestEntry {
    let error = (kind != Kind::Ok).then(|| "sold-out".to_owned());
    GuestEntry { index: 0, process: 0, kind, ask, answer, error, node: 0, time: 0 }
}

fn ok(ask: GuestAsk) -> GuestEntry {
    entry(Kind::Ok, ask, Some(GuestAnswer::default()))
}

fn stay(number: u128) -> GuestAsk {
    GuestAsk::Stay { hold: hold(number), quote: hold(99), option: 1, lifetime_secs: None }
}

fn nights() -> Nights {
    Nights { checkin: "2999-01-01".to_owned(), checkout: "2999-01-03".to_owned() }
}

fn reservation(number: u128, state: &str, source: &str) -> ReservationSeen {
    let Nights { checkin, checkout } = nights();
    ReservationSeen {
        state: state.to_owned(),
        source: source.to_owned(),
        booked_by: hold(number),
        checkin,
        checkout,
        ..ReservationSeen::default()
    }
}

fn refund(state: &str) -> OperationSeen {
    OperationSeen {
        kind: REFUND.to_owned(),
        key: format!("stripe:{SESSION}:1"),
        state: state.to_owned(),
        dead_code: None,
        run_at: None,
        waiting_on: None,
        result: None,
        effects: Vec::new(),
        attempts: Vec::new(),
    }
}

/// Stay 1 was paid and booked, 2 walked in, 3 was given up, 4 was refused.
fn world() -> (Vec<GuestEntry>, StaysState) {
    let shown = GuestAnswer { session: Some(SESSION.to_owned()), ..GuestAnswer::default() };
    let history = vec![
        ok(stay(1)),
        entry(Kind::Ok, GuestAsk::Checkout { hold: hold(1) }, Some(shown)),
        ok(GuestAsk::WalkIn { hold: hold(2), nights: nights(), rate_plan: "saver".to_owned() }),
        ok(stay(3)),
        ok(GuestAsk::CancelStay { hold: hold(3) }),
        entry(Kind::Fail, stay(4), None),
    ];
    let paid = PaidBy { session: SESSION.to_owned(), refund_asked: 0 };
    let by_card = ReservationSeen { paid: 100, payment: Some(paid), ..reservation(1, "confirmed", "payment") };
    let there = |state: &str, reservation| Some(StaySeen { state: state.to_owned(), reservation });
    let stays = BTreeMap::from([
        (hold(1), there("converted", Some(by_card))),
        (hold(2), there("converted", Some(reservation(2, "confirmed", "walk_in")))),
        (hold(3), there("cancelled", None)),
        (hold(4), None),
    ]);
    let payment = PaymentSeen {
        session: SESSION.to_owned(),
        reference: Some(hold(1).to_string()),
        received: 100,
        refunded: 0,
        refunds: 0,
    };
    (history, StaysState { stays, payments: vec![payment], hotel: hotel(2), ..StaysState::default() })
}

/// One night, that so many have booked; its feed is not judged here.
fn hotel(booked: i64) -> FinalState {
    let name = "mar/double@2999-01-01".to_owned();
    let pool = PoolSeen {
        name: name.clone(),
        total: 2,
        overbook: 0,
        held: 0,
        booked,
        granted: 0,
        oversold: 0,
        closed: false,
        version: 1,
    };
    let holds = BTreeMap::from([1, 2].map(|number| (hold(number), Some(converted(number)))));
    FinalState { holds, pools: BTreeMap::from([(name, pool)]), settled: true, ..FinalState::default() }
}

fn converted(number: u128) -> HoldSeen {
    HoldSeen {
        id: hold(number),
        state: "converted".to_owned(),
        lines: BTreeMap::new(),
        kept: None,
        owner: None,
        placed_at: 0,
        expires_at: 0,
        ended_at: None,
        version: 2,
        pool_versions: BTreeMap::new(),
    }
}

/// Without the replay: there is no feed.
fn rules((history, state): (Vec<GuestEntry>, StaysState)) -> Vec<&'static str> {
    let (mut verdict, mut checked) = (Verdict::default(), StaysChecked::default());
    told::check(&history, &state, &mut verdict);
    money::check(&history, &state, &mut checked, &mut verdict);
    rooms::check(&state, &mut checked, &mut verdict);
    verdict.counts.into_keys().collect()
}

fn lie(change: impl FnOnce(&mut Vec<GuestEntry>, &mut StaysState)) -> Vec<&'static str> {
    let (mut history, mut state) = world();
    change(&mut history, &mut state);
    rules((history, state))
}

fn seen(state: &mut StaysState, number: u128) -> &mut ReservationSeen {
    state.stays.get_mut(&hold(number)).unwrap().as_mut().unwrap().reservation.as_mut().unwrap()
}

/// The room is somebody else's, and the money has gone back, is going back, or stays where it is.
fn late(state: &mut StaysState, refunds: &[&str], refunded: i64) {
    state.stays.insert(hold(1), Some(StaySeen { state: "expired".to_owned(), reservation: None }));
    state.hotel = hotel(1);
    state.refunds = refunds.iter().map(|state| refund(state)).collect();
    state.payments[0].refunded = refunded;
    state.payments[0].refunds = usize::from(refunded > 0);
}

#[test]
fn what_is_true_is_believed() {
    assert_eq!(rules(world()), Vec::<&str>::new());
    assert_eq!(lie(|_, state| late(state, &["SUCCEEDED"], 100)), Vec::<&str>::new());
    assert_eq!(lie(|_, state| late(state, &["FAILED"], 0)), Vec::<&str>::new());
    let doubt = lie(|history, state| {
        history[5].kind = Kind::Info;
        state.stays.insert(hold(4), Some(StaySeen { state: "expired".to_owned(), reservation: None }));
    });
    assert_eq!(doubt, Vec::<&str>::new());
}

#[test]
fn what_guests_were_told() {
    let told = ["guest-told"];
    assert_eq!(lie(|_, state| drop(state.stays.insert(hold(3), None))), told);
    let there = || Some(StaySeen { state: "active".to_owned(), reservation: None });
    assert_eq!(lie(|_, state| drop(state.stays.insert(hold(3), there()))), told);
    assert_eq!(lie(|_, state| drop(state.stays.insert(hold(4), there()))), told);
    assert_eq!(lie(|_, state| seen(state, 2).source = "desk".to_owned()), told);
    let moved = |history: &mut Vec<GuestEntry>, checkout: &str| {
        let nights = Nights { checkout: checkout.to_owned(), ..nights() };
        let (rate_plan, refund_excess) = ("saver".to_owned(), false);
        history.push(ok(GuestAsk::ChangeReservation { hold: hold(2), nights, rate_plan, refund_excess }));
    };
    assert_eq!(lie(|history, _| moved(history, "2999-01-02")), told);
    assert_eq!(lie(|history, _| moved(history, "2999-01-03")), Vec::<&str>::new());
    assert_eq!(lie(|history, _| history.push(ok(GuestAsk::NoShow { hold: hold(2) }))), told);
}

#[test]
fn what_became_of_the_money() {
    let charged = ["guest-charged"];
    assert_eq!(lie(|_, state| late(state, &[], 0)), charged, "neither a room nor the money");
    assert_eq!(lie(|_, state| late(state, &["SUCCEEDED"], 60)), charged, "a part of the money");
    assert_eq!(lie(|_, state| late(state, &["SUCCEEDED", "FAILED"], 100)), charged, "two refunds");
    assert_eq!(lie(|_, state| late(state, &[], 100)), ["refunded-twice"], "a refund that nobody asked for");
    assert_eq!(lie(|_, state| state.payments[0].received = 99), charged, "another amount");
    assert_eq!(lie(|_, state| state.payments[0].reference = None), charged, "for another stay");
    assert_eq!(lie(|history, _| drop(history.remove(1))), charged, "on a page that nobody was shown");
    let cancelled = |state: &mut StaysState, penalty: i64, refunded: i64| {
        let reservation = seen(state, 1);
        (reservation.state, reservation.penalty, reservation.refunded) = ("cancelled".to_owned(), penalty, refunded);
        reservation.payment.as_mut().unwrap().refund_asked = refunded;
        state.hotel = hotel(1);
        (state.payments[0].refunded, state.payments[0].refunds) = (refunded, usize::from(refunded > 0));
        state.refunds = if refunded > 0 { vec![refund("SUCCEEDED")] } else { Vec::new() };
    };
    assert_eq!(lie(|_, state| cancelled(state, 30, 70)), Vec::<&str>::new());
    assert_eq!(lie(|_, state| cancelled(state, 100, 0)), Vec::<&str>::new());
    assert_eq!(lie(|_, state| cancelled(state, 30, 0)), charged, "the refund was forgotten");
}

#[test]
fn rooms_that_are_sold() {
    assert_eq!(lie(|_, state| state.hotel = hotel(1)), ["rooms"], "a reservation without a room");
    assert_eq!(lie(|_, state| state.hotel = hotel(3)), ["rooms"], "oversold");
    assert_eq!(lie(|_, state| seen(state, 1).booked_by = hold(3)), ["rooms"], "by a hold that has nothing");
}
