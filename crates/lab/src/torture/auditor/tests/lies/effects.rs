//! Which request did what, and how often.

use super::super::world::{World, id, units};
use super::scenes::{
    adjust, book, changes, check, exchange, extend_by, give_back, has, is_clean, nothing, opened, put, read, renumber,
};
use crate::torture::history::{Ask, Entry, EventSeen};

#[test]
fn what_was_acknowledged_is_there_once() {
    for (ask, key) in changes() {
        let name = format!("{ask:?}");
        let mut right = opened();
        right.ask_with(ask.clone(), key).unwrap();
        right.ask_with(ask.clone(), key).unwrap();
        is_clean(&name, right);

        let mut lost = opened();
        lost.ask_forgotten(ask.clone(), key);
        has("ok-exists", &name, lost, nothing);
    }
}

#[test]
fn what_failed_is_nowhere() {
    for (ask, key) in changes() {
        let name = format!("{ask:?}");
        let mut right = opened();
        right.turn_away(ask.clone(), key, "busy");
        is_clean(&name, right);

        let mut denied = opened();
        denied.ask_denied(ask.clone(), key);
        has("fail-nowhere", &name, denied, nothing);
    }
}

#[test]
fn pools_are_put_by_somebody() {
    let mut world = World::new();
    world.decide(&put("a", Some(4), None), None).unwrap();
    has("fail-nowhere", "a pool that nobody put", world, nothing);
}

#[test]
fn what_is_unknown_is_settled() {
    for (ask, key) in changes() {
        let name = format!("{ask:?}");
        let mut right = opened();
        right.ask_unheard(ask.clone(), key);
        right.ask(read("a")).unwrap();
        right.ask_with(ask.clone(), key).unwrap();
        is_clean(&name, right);
        let mut never = opened();
        let pending = never.begin(ask.clone(), key);
        never.miss(&pending);
        is_clean(&name, never);

        // It was only asked for when its effect had been seen.
        let mut early = opened();
        early.ask_unheard(ask.clone(), key);
        early.ask(put("b", Some(7), None)).unwrap();
        has("info-settled", &name, early, |history, _| {
            let late: Vec<Entry> = history.drain(history.len() - 4..history.len() - 2).collect();
            history.extend(late);
            renumber(history);
        });
    }
}

#[test]
fn one_identity_has_one_effect() {
    for (ask, key) in [(exchange(2), "k"), (give_back(2), "k"), (adjust("a", 3), "k"), (extend_by(1, 9), "k")] {
        let name = format!("{ask:?}");
        let again = |world: &mut World, heard: bool| {
            if heard {
                let _ = world.ask_with(ask.clone(), Some(key));
            } else {
                world.ask_unheard(ask.clone(), Some(key));
            }
            world.forget_keys();
        };
        // Twice as much is booked, so that a second time is possible.
        let twice = |first: bool, second: bool| {
            let mut world = World::new();
            for pool in ["a", "b"] {
                world.ask(put(pool, Some(9), None)).unwrap();
            }
            let lines = units(&[("a", 2), ("b", 2)]);
            for hold in [1, 2] {
                let lines = lines.clone();
                world.ask(Ask::Place { hold: id(hold), lines, lifetime_secs: Some(30), owner: None }).unwrap();
            }
            world.ask(book(2)).unwrap();
            again(&mut world, first);
            again(&mut world, second);
            world
        };
        has("done-twice", &name, twice(true, true), nothing);
        has("done-twice", &name, twice(false, false), nothing);
        has("done-twice", &name, twice(true, false), nothing);
    }
    check(
        "done-twice",
        "placed twice",
        |_| {},
        |_, state| {
            let placed = state.events.iter().find(|event| event.body["type"] == "hold_placed").unwrap().body.clone();
            state.events.push(EventSeen { cursor: "99-0".to_owned(), at: state.read_at, body: placed });
        },
    );
}
