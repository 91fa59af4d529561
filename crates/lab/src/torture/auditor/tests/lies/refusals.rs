//! Refusals, and the reasons for them.

use super::super::rules;
use super::super::world::{World, id, units};
use super::scenes::{
    Lie, adjust, book, cancel, exchange, extend_by, give_back, has, is_clean, nothing, opened, place, place_in, put,
};
use crate::torture::history::{Answer, Ask};

#[test]
fn refusals_have_a_reason() {
    let refused = |ask: Ask, code: &str| {
        let mut world = opened();
        world.turn_away(ask.clone(), None, code);
        has("refusals", &format!("{code} {ask:?}"), world, nothing);
    };
    refused(place_in(10, "a", 2), "sold-out");
    refused(place(10), "sold-out");
    refused(place(10), "pool-closed");
    refused(book(1), "hold-ended");
    refused(cancel(1), "hold-not-found");
    refused(
        Ask::PutPool { pool: "a".to_owned(), total: None, closed: Some(true), expected_version: Some(4) },
        "pool-version",
    );

    let mut full = opened();
    full.ask(place_in(10, "a", 2)).unwrap();
    full.ask(place(11)).unwrap_err();
    full.ask(put("b", None, Some(true))).unwrap();
    full.ask(place(11)).unwrap_err();
    full.ask(book(2)).unwrap();
    full.ask(cancel(2)).unwrap_err();
    full.ask(cancel(77)).unwrap_err();
    is_clean("with a reason", full);

    // A hold that had ended, and lived on.
    let mut alive = opened();
    alive.turn_away(cancel(1), None, "hold-ended");
    alive.ask_with(extend_by(1, 9), Some("k")).unwrap();
    alive.pass_secs(40);
    alive.sweep_alone();
    has("refusals", "ended before it was extended", alive, |_, state| state.began_at = None);
    let expires = |secs: i64| {
        let mut world = opened();
        world.pass_secs(secs);
        world.turn_away(cancel(1), None, "hold-ended");
        world.pass_secs(40 - secs);
        world.sweep_alone();
        world
    };
    has("refusals", "ended before its time", expires(10), nothing);
    // Nor with a clock that was turned by less.
    has("refusals", "ended long before its time", expires(10), |_, state| state.clock_offsets = Some((-30, 15)));
    let (history, mut state) = expires(10).finish();
    state.clock_offsets = Some((-30, 25));
    assert!(rules(&history, &state).is_clean());
    is_clean("ended in its time", expires(30));
    let mut extended = opened();
    extended.ask_with(extend_by(1, 20), Some("k")).unwrap();
    extended.pass_secs(35);
    extended.turn_away(cancel(1), None, "hold-ended");
    extended.pass_secs(20);
    extended.sweep_alone();
    has("refusals", "ended before the time that it was extended to", extended, nothing);

    // It had lapsed: that it was not swept is no reason.
    let mut lapsed = opened();
    lapsed.ask(place_in(10, "b", 2)).unwrap();
    lapsed.pass_secs(30);
    lapsed.ask(put("b", Some(5), None)).unwrap();
    lapsed.turn_away(place_in(11, "b", 3), None, "sold-out");
    has("refusals", "lapsed holds count", lapsed, nothing);
    let mut alone = opened();
    alone.turn_away(place_in(10, "a", 2), None, "sold-out");
    has("linearizable", "refused without a reason", alone, nothing);
}

/// A part of what hold 2 of the scene has booked: a unit in each of two pools.
fn give_back_units(quantity: i64) -> Ask {
    Ask::GiveBack { hold: id(2), part: Some(units(&[("a", quantity)])) }
}

fn move_units(quantity: i64) -> Ask {
    Ask::Move { hold: id(2), from: units(&[("a", quantity)]), to: units(&[("b", quantity)]) }
}

fn convert(hold: u128, consume: bool, quantity: Option<i64>) -> Ask {
    Ask::Convert { hold: id(hold), consume, part: quantity.map(|quantity| units(&[("a", quantity)])) }
}

#[test]
fn refusals_of_what_is_booked_have_a_reason() {
    let refused = |ask: Ask, code: &str| {
        let mut world = opened();
        world.turn_away(ask.clone(), Some("k"), code);
        has("refusals", &format!("{code} {ask:?}"), world, nothing);
    };
    refused(give_back(2), "nothing-booked");
    refused(exchange(2), "nothing-booked");
    refused(give_back(77), "nothing-booked");
    refused(give_back_units(1), "lines-exceed-hold");
    refused(Ask::GiveBack { hold: id(2), part: None }, "lines-exceed-hold");
    refused(move_units(1), "lines-exceed-hold");
    refused(convert(1, false, Some(1)), "lines-exceed-hold");
    refused(convert(1, false, None), "lines-exceed-hold");
    refused(adjust("a", -4), "total-out-of-range");
    refused(adjust("a", 1_000), "total-out-of-range");
    refused(convert(1, true, None), "total-out-of-range");
    refused(convert(1, false, None), "total-out-of-range");

    let mut right = opened();
    right.ask_with(give_back(1), Some("k1")).unwrap_err();
    right.ask_with(exchange(1), Some("k2")).unwrap_err();
    right.ask_with(give_back_units(2), Some("k3")).unwrap_err();
    right.ask_with(move_units(2), Some("k4")).unwrap_err();
    right.turn_away(convert(1, false, Some(2)), None, "lines-exceed-hold");
    right.ask_with(adjust("a", -5), Some("k5")).unwrap_err();
    right.ask(put("a", Some(0), None)).unwrap();
    right.ask(convert(1, true, None)).unwrap_err();
    right.ask_with(Ask::GiveBack { hold: id(2), part: None }, Some("k6")).unwrap();
    right.ask_with(give_back(2), Some("k7")).unwrap_err();
    is_clean("with a reason", right);

    // Before the question it was over; then it is no reason.
    let mut again = opened();
    again.ask_with(exchange(2), Some("k1")).unwrap();
    again.turn_away(Ask::GiveBack { hold: id(2), part: Some(units(&[("b", 2)])) }, Some("k2"), "lines-exceed-hold");
    has("refusals", "what it had before", again, nothing);
    // While it was asked, somebody gave it back.
    let mut meanwhile = opened();
    let asked = meanwhile.begin(give_back_units(1), Some("k1"));
    meanwhile.ask_with(Ask::GiveBack { hold: id(2), part: None }, Some("k2")).unwrap();
    let asked = {
        let mut asked = asked;
        meanwhile.carry_out(&mut asked);
        asked
    };
    meanwhile.hear(&asked);
    is_clean("meanwhile", meanwhile);
}

#[test]
fn a_hold_is_another_only_if_it_is() {
    let mut same = opened();
    same.turn_away(place(1), None, "hold-id-reused");
    has("refusals", "the same", same, nothing);
    let mut nobody = opened();
    nobody.turn_away(place(9), None, "hold-id-reused");
    has("refusals", "never placed", nobody, nothing);
    let mut later = opened();
    later.turn_away(place_in(9, "a", 1), None, "hold-id-reused");
    later.ask(place(9)).unwrap();
    has("refusals", "placed later", later, nothing);
    let mut other = opened();
    other.ask(place_in(1, "a", 1)).unwrap_err();
    other.ask_unheard(place(9), None);
    other.ask(place_in(9, "a", 1)).unwrap_err();
    is_clean("another", other);
    for code in ["sold-out", "pool-closed", "owner-holds-limit"] {
        let mut repeated = opened();
        repeated.ask(place_in(9, "a", 2)).unwrap();
        repeated.ask(put("b", None, Some(true))).unwrap();
        repeated.turn_away(place(1), None, code);
        has("refusals", &format!("a repeat, {code}"), repeated, nothing);
    }
}

/// Ana has one hold in the scene.
fn with_holds_of_ana(more: u128) -> World {
    let mut world = opened();
    for pool in ["a", "b"] {
        world.ask(put(pool, Some(20), None)).unwrap();
    }
    for hold in 0..more {
        world.ask(place(20 + hold)).unwrap();
    }
    world
}

#[test]
fn owners_have_what_they_may_and_no_less() {
    let mut full = with_holds_of_ana(2);
    assert_eq!(full.ask(place(30)), Err("owner-holds-limit"));
    full.ask(cancel(20)).unwrap();
    full.ask(place(31)).unwrap();
    assert_eq!(full.ask(place(30)), Err("owner-holds-limit"));
    full.pass_secs(30);
    full.ask(place(30)).unwrap();
    is_clean("up to the limit", full.clone());
    has("owners", "more than they may", full.clone(), |_, state| state.owner_holds_max = Some(2));
    // Who may have more is not refused.
    has("refusals", "a limit that is not reached", full, |_, state| state.owner_holds_max = Some(4));

    let refused = |name: &str, world: World, ask: Ask| {
        let mut world = world;
        world.turn_away(ask, None, "owner-holds-limit");
        has("refusals", name, world, nothing);
    };
    refused("fewer", with_holds_of_ana(1), place(30));
    refused("nobody", with_holds_of_ana(2), place_in(30, "a", 1));
    let of_ben =
        Ask::Place { hold: id(30), lines: units(&[("a", 1)]), lifetime_secs: None, owner: Some("ben".to_owned()) };
    refused("somebody else", with_holds_of_ana(2), of_ben);
    let mut ended = with_holds_of_ana(2);
    ended.ask(book(20)).unwrap();
    refused("what has ended", ended, place(30));
    let mut lapsed = with_holds_of_ana(2);
    lapsed.pass_secs(30);
    lapsed.ask(put("a", Some(21), None)).unwrap();
    refused("what has lapsed", lapsed, place(30));

    let of_another: Lie = |history, _| match &mut history.last_mut().unwrap().answer {
        Some(Answer::Hold { hold, .. }) => hold.owner = Some("ben".to_owned()),
        _ => unreachable!("the scene ends with a hold"),
    };
    has("reads", "of another", with_holds_of_ana(1), of_another);
    has("replay", "of another at the end", with_holds_of_ana(1), |_, state| {
        state.holds.get_mut(&id(1)).unwrap().as_mut().unwrap().owner = None;
    });
}

/// Many of them are too many (`floors.rs`).
#[test]
fn what_nobody_knows_is_undecided() {
    let undecided = |ask: Ask, code: &str| {
        let mut world = opened();
        world.turn_away(ask, None, code);
        let (history, state) = world.finish();
        let verdict = rules(&history, &state);
        assert!(verdict.is_clean(), "{code}: {:#?}", verdict.violations);
        (verdict.checked.refusals, verdict.checked.refusals_undecided)
    };
    assert_eq!(undecided(place(9), "it-is-tuesday"), (1, 1));
    assert_eq!(undecided(cancel(1), "sold-out"), (1, 1));
    // Of these others speak, or nobody has to.
    assert_eq!(undecided(place(9), "busy"), (0, 0));
    assert_eq!(undecided(place(9), "unreachable"), (0, 0));
}
