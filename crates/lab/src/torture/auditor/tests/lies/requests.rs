//! What those who ask were told.

use super::super::rules;
use super::super::world::{World, id};
use super::scenes::{Lie, adjust, cancel, check, has, nothing, opened, place, place_in, read, renumber};
use crate::torture::auditor::judge_alone;
use crate::torture::history::{Answer, Entry, Kind};

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
    for said in ["unreadable: {}", "status-500"] {
        let mut unread = opened();
        unread.ask_unheard(place(9), None);
        let (mut history, state) = unread.finish();
        assert!(rules(&history, &state).is_clean());
        history.last_mut().unwrap().error = Some(said.to_owned());
        let found = rules(&history, &state);
        assert_eq!(found.counts.into_iter().collect::<Vec<_>>(), [("defect-answers", 1)], "{said}");
    }
    check(
        "converged",
        "a hold that nobody sweeps",
        |_| {},
        |_, state| {
            let seen = state.holds.get_mut(&id(1)).unwrap().as_mut().unwrap();
            (seen.state, seen.ended_at) = ("expired".to_owned(), Some(seen.expires_at));
        },
    );
    // What is not of one moment is not compared with another.
    let mut torn = opened();
    torn.ask(cancel(1)).unwrap();
    let (history, mut state) = torn.finish();
    for pool in state.pools.values_mut() {
        pool.held += 1;
    }
    assert!(rules(&history, &state).count("replay") > 0);
    (state.torn, state.settled) = (true, false);
    let found = rules(&history, &state);
    assert_eq!(found.counts.into_iter().collect::<Vec<_>>(), [("converged", 1)]);
}

#[test]
fn a_history_alone_tells_something() {
    let mut world = opened();
    world.ask_with(adjust("a", 1), Some("k")).unwrap();
    world.ask_with(adjust("a", 1), Some("k")).unwrap();
    world.turn_away(place(9), None, "busy");
    let (mut history, _) = world.finish();
    assert!(judge_alone(&history).is_clean());
    history.last_mut().unwrap().error = Some("defect".to_owned());
    let place = history.len() - 3;
    if let Some(Answer::Pool { pool, .. }) = &mut history[place].answer {
        pool.total += 1;
    }
    let found = judge_alone(&history);
    assert_eq!(found.counts.into_iter().collect::<Vec<_>>(), [("defect-answers", 1), ("replies-repeat", 1)]);
}
