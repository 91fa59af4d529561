//! What those who ask were told.

use super::super::rules;
use super::super::world::{World, id};
use super::scenes::{
    Lie, adjust, book, cancel, check, extend_by, has, is_clean, nothing, opened, place, place_in, put, read, renumber,
};
use crate::torture::history::{Answer, Ask, Entry, Kind};

#[test]
fn strangers_are_told_that_there_is_nothing() {
    let by_a_stranger: Lie = |history, _| {
        for entry in history.iter_mut().rev().take(2) {
            entry.stranger = true;
        }
    };
    for code in ["not-found", "unavailable", "unreachable"] {
        let mut world = opened();
        world.turn_away(place(9), None, code);
        let (mut history, mut state) = world.finish();
        by_a_stranger(&mut history, &mut state);
        assert!(rules(&history, &state).is_clean(), "{code}");
    }
    let (mut seen, mut refused, mut done) = (opened(), opened(), opened());
    seen.ask(read("a")).unwrap();
    has("strangers", "seen", seen, by_a_stranger);
    refused.ask(place_in(9, "a", 9)).unwrap_err();
    has("strangers", "refused for a reason", refused, by_a_stranger);
    done.ask_unheard(place(9), None);
    has("fail-nowhere", "done", done, by_a_stranger);
}

#[test]
fn the_honest_are_not_told_that_they_are_not() {
    for code in ["not-found", "unauthenticated", "scope-missing", "invalid", "malformed-json", "body-too-large"] {
        let mut refused = opened();
        refused.turn_away(place(9), None, code);
        has("defect-answers", code, refused, nothing);
        let mut repeated = opened();
        repeated.ask_with(adjust("a", 1), Some("k")).unwrap();
        repeated.turn_away(adjust("a", 1), Some("k"), code);
        has("replies-repeat", code, repeated, nothing);
    }
    let mut bare = opened();
    bare.turn_away(place(9), None, "status-400");
    has("defect-answers", "no HTTP", bare, nothing);
}

#[test]
fn answers_tell_the_versions_of_the_feed() {
    let last_hold: fn(&mut Vec<Entry>) -> &mut crate::torture::history::HoldSeen =
        |history| match &mut history.last_mut().unwrap().answer {
            Some(Answer::Hold { hold, .. }) => hold,
            _ => unreachable!("the scene ends with a hold"),
        };
    let mut world = opened();
    world.ask(cancel(1)).unwrap();
    let (mut history, state) = world.finish();
    *last_hold(&mut history).pool_versions.get_mut("a").unwrap() += 1;
    assert!(rules(&history, &state).count("versions-told") > 0);

    check(
        "versions-told",
        "a pool",
        |world| drop(world.ask_with(adjust("a", 1), Some("k")).unwrap()),
        |history, _| {
            if let Some(Answer::Pool { pool, .. }) = &mut history.last_mut().unwrap().answer {
                pool.held += 1;
            }
        },
    );
}

#[test]
fn a_key_has_one_answer() {
    let twice = |world: &mut World| {
        world.ask_with(adjust("a", 1), Some("k")).unwrap();
        world.ask(place_in(10, "a", 1)).unwrap();
        world.ask_with(adjust("a", 1), Some("k")).unwrap();
    };
    check("replies-repeat", "another answer", twice, |history, _| {
        if let Some(Answer::Pool { pool, .. }) = &mut history.last_mut().unwrap().answer {
            pool.total += 1;
        }
    });
    check("replies-repeat", "new twice", twice, |history, _| {
        if let Some(Answer::Pool { replayed, .. }) = &mut history.last_mut().unwrap().answer {
            *replayed = false;
        }
    });
    check("replies-repeat", "refused when it was done", twice, |history, _| {
        let last = history.last_mut().unwrap();
        (last.kind, last.answer, last.error) = (Kind::Fail, None, Some("total-out-of-range".to_owned()));
    });
    check("replies-repeat", "called another", twice, |history, _| {
        let last = history.last_mut().unwrap();
        (last.kind, last.answer, last.error) = (Kind::Fail, None, Some("idempotency-key-reused".to_owned()));
    });
    let other = |world: &mut World| {
        world.ask_with(adjust("a", 1), Some("k")).unwrap();
        world.ask_with(adjust("a", 2), Some("k")).unwrap_err();
    };
    check("replies-repeat", "another request", other, |history, _| {
        history.last_mut().unwrap().error = Some("total-out-of-range".to_owned());
    });
}

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

#[test]
fn what_is_no_history_is_noticed() {
    check(
        "history",
        "an answer without a question",
        |_| {},
        |history, _| {
            history.remove(0);
            renumber(history);
        },
    );
    check("history", "an entry is missing", |_| {}, |history, _| drop(history.remove(4)));
    check("history", "another question", |_| {}, |history, _| history[1].ask = read("a"));
    check("history", "an ok that says nothing", |_| {}, |history, _| history[1].answer = None);
    check("history", "the clock goes back", |_| {}, |history, _| history[3].time = 0);
    check(
        "defect-answers",
        "a defect",
        |world| world.turn_away(place(20), None, "busy"),
        |history, _| {
            history.last_mut().unwrap().error = Some("defect".to_owned());
        },
    );
    check(
        "converged",
        "a hold that nobody sweeps",
        |_| {},
        |_, state| {
            let seen = state.holds.get_mut(&id(1)).unwrap().as_mut().unwrap();
            (seen.state, seen.ended_at) = ("expired".to_owned(), Some(seen.expires_at));
        },
    );
}
