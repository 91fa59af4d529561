//! Instants, and what comes before what.

use serde_json::json;

use super::super::rules;
use super::super::world::{SECOND, World, id, instant};
use super::scenes::{book, check, extend_by, has, is_clean, nothing, opened, place, place_in, read, renumber};
use crate::torture::history::{Answer, Ask, Entry};

#[test]
fn instants_are_those_of_the_time() {
    let mut late = opened();
    late.pass_secs(5);
    late.ask(place(9)).unwrap();
    has("clock", "after the answer", late, |_, state| *state.began_at.as_mut().unwrap() -= 2 * SECOND);
    let mut early = opened();
    early.ask_unheard(place(9), None);
    has("clock", "before the question", early, |_, state| *state.began_at.as_mut().unwrap() += 2 * SECOND);
    check(
        "clock",
        "of one event",
        |_| {},
        |_, state| {
            for event in state.events.iter_mut().rev().take(1) {
                event.at += 2 * SECOND;
            }
            state.live = None;
        },
    );
}

/// As far as the clock was ever turned, and no further.
#[test]
fn instants_are_those_of_a_clock_that_was_turned() {
    let turned = |began_later: i64, offsets: Option<(i64, i64)>| {
        let mut world = opened();
        world.pass_secs(5);
        world.ask(place(9)).unwrap();
        let (history, mut state) = world.finish();
        *state.began_at.as_mut().unwrap() += began_later * SECOND;
        state.clock_offsets = offsets;
        let verdict = rules(&history, &state);
        assert!(verdict.checked.instants > 0);
        verdict.count("clock")
    };
    for (began_later, offsets, is_found) in [
        (0, None, false),
        (0, Some((-9, 23)), false),
        (9, Some((-9, 23)), false),
        (12, Some((-9, 23)), true),
        (-23, Some((-9, 23)), false),
        (-26, Some((-9, 23)), true),
        (2, Some((0, 0)), true),
        (-2, Some((0, 0)), true),
        // It began with the true time.
        (0, Some((4, 9)), false),
    ] {
        assert_eq!(turned(began_later, offsets) > 0, is_found, "{began_later} s of {offsets:?}");
    }
}

#[test]
fn what_is_over_comes_first() {
    let two = |world: &mut World| {
        world.ask(place_in(10, "a", 1)).unwrap();
        world.ask(place_in(11, "a", 1)).unwrap();
    };
    check("real-time", "two claims of a pool", two, |history, _| {
        let first: Vec<Entry> = history.drain(history.len() - 4..history.len() - 2).collect();
        history.extend(first);
        renumber(history);
    });
    let seen = |world: &mut World| {
        world.ask(read("a")).unwrap();
        world.ask(place_in(10, "a", 1)).unwrap();
    };
    check("reads", "a read of the past", seen, |history, _| {
        let first: Vec<Entry> = history.drain(history.len() - 4..history.len() - 2).collect();
        history.extend(first);
        renumber(history);
    });
    check("linearizable", "a read of the past", seen, |history, _| {
        let first: Vec<Entry> = history.drain(history.len() - 4..history.len() - 2).collect();
        history.extend(first);
        renumber(history);
    });
    let hold_seen = |world: &mut World| {
        world.ask(Ask::ReadHold { hold: id(1) }).unwrap();
        world.ask(book(1)).unwrap();
    };
    check("reads", "a hold of the past", hold_seen, |history, _| {
        let first: Vec<Entry> = history.drain(history.len() - 4..history.len() - 2).collect();
        history.extend(first);
        renumber(history);
    });
    check(
        "reads",
        "a hold that is gone",
        |world| drop(world.ask(Ask::ReadHold { hold: id(1) }).unwrap()),
        |history, _| {
            history.last_mut().unwrap().answer = Some(Answer::Absent);
        },
    );
    check(
        "reads",
        "counters that never were",
        |world| drop(world.ask(read("a")).unwrap()),
        |history, _| {
            if let Some(Answer::Pool { pool, .. }) = &mut history.last_mut().unwrap().answer {
                pool.booked -= 1;
            }
        },
    );
}

#[test]
fn a_hold_is_dead_at_its_expiry() {
    let mut late = opened();
    late.pass_secs(30);
    late.holds.get_mut(&id(1)).unwrap().expires_at += SECOND;
    late.ask(book(1)).unwrap();
    has("expiry", "converted at its expiry", late, nothing);
    let mut early = opened();
    early.pass_secs(29);
    early.holds.get_mut(&id(1)).unwrap().expires_at -= SECOND;
    early.sweep_alone();
    has("expiry", "expired before its time", early, nothing);
    let mut in_time = opened();
    in_time.pass_secs(29);
    in_time.ask(book(1)).unwrap();
    is_clean("a moment before", in_time);
    check(
        "expiry",
        "shortened",
        |world| drop(world.ask_with(extend_by(1, 9), Some("k")).unwrap()),
        |_, state| {
            state.events.last_mut().unwrap().body["expires_at"] = json!(instant(1_800_000_029 * SECOND));
        },
    );
    let seen = |world: &mut World| {
        world.ask(Ask::ReadHold { hold: id(1) }).unwrap();
        world.ask(book(1)).unwrap();
    };
    check("expiry", "seen dead and alive later", seen, |history, _| {
        let place = history.len() - 3;
        if let Some(Answer::Hold { hold, .. }) = &mut history[place].answer {
            (hold.state, hold.ended_at) = ("expired".to_owned(), Some(hold.expires_at));
        }
    });
}
