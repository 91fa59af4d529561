//! What the scenes are made of.

use super::super::rules;
use super::super::world::{SECOND, World, id, instant, units};
use crate::torture::auditor::FinalState;
use crate::torture::history::{Ask, Entry};

pub(super) type Scene = fn(&mut World);
pub(super) type Lie = fn(&mut Vec<Entry>, &mut FinalState);

pub(super) fn nothing(_: &mut Vec<Entry>, _: &mut FinalState) {}

/// Two pools with two units each, a hold of both, and one that is booked.
pub(super) fn opened() -> World {
    let mut world = World::new();
    for pool in ["a", "b"] {
        world.ask(put(pool, Some(4), None)).unwrap();
    }
    world.ask(place(1)).unwrap();
    world.ask(place(2)).unwrap();
    world.ask(book(2)).unwrap();
    world
}

pub(super) fn put(pool: &str, total: Option<i64>, closed: Option<bool>) -> Ask {
    Ask::PutPool { pool: pool.to_owned(), total, closed, expected_version: None }
}

pub(super) fn adjust(pool: &str, total_delta: i64) -> Ask {
    Ask::Adjust { pool: pool.to_owned(), total_delta }
}

pub(super) fn place(hold: u128) -> Ask {
    let lines = units(&[("a", 1), ("b", 1)]);
    Ask::Place { hold: id(hold), lines, lifetime_secs: Some(30), owner: Some("ana".to_owned()) }
}

pub(super) fn place_in(hold: u128, pool: &str, quantity: i64) -> Ask {
    Ask::Place { hold: id(hold), lines: units(&[(pool, quantity)]), lifetime_secs: Some(30), owner: None }
}

pub(super) fn book(hold: u128) -> Ask {
    Ask::Convert { hold: id(hold), consume: false, part: None }
}

pub(super) fn cancel(hold: u128) -> Ask {
    Ask::Cancel { hold: id(hold) }
}

pub(super) fn read(pool: &str) -> Ask {
    Ask::ReadPool { pool: pool.to_owned() }
}

pub(super) fn exchange(hold: u128) -> Ask {
    Ask::Move { hold: id(hold), from: units(&[("a", 1)]), to: units(&[("b", 1)]) }
}

pub(super) fn give_back(hold: u128) -> Ask {
    Ask::GiveBack { hold: id(hold), part: Some(units(&[("b", 1)])) }
}

pub(super) fn extend_by(hold: u128, secs: i64) -> Ask {
    Ask::Extend { hold: id(hold), until: None, by_secs: Some(secs) }
}

pub(super) fn expire_task(task: &str, hold: u128) -> Ask {
    Ask::ExpireTask { task: task.to_owned(), hold: id(hold) }
}

pub(super) fn charge_task(task: &str) -> Ask {
    Ask::ChargeTask { task: task.to_owned(), purchase: format!("p-{task}"), amount: 5 }
}

/// Everything that changes something, with a key where one is needed.
pub(super) fn changes() -> Vec<(Ask, Option<&'static str>)> {
    vec![
        (place(9), None),
        (Ask::Extend { hold: id(1), until: Some(instant(1_800_000_040 * SECOND)), by_secs: None }, None),
        (extend_by(1, 9), Some("k")),
        (book(1), None),
        (Ask::Convert { hold: id(1), consume: true, part: Some(units(&[("a", 1)])) }, None),
        (cancel(1), None),
        (exchange(2), Some("k")),
        (give_back(2), Some("k")),
        (adjust("a", 3), Some("k")),
        (put("a", Some(9), None), None),
        (put("a", None, Some(true)), None),
    ]
}

pub(super) fn has(rule: &str, name: &str, world: World, lie: Lie) {
    let (mut history, mut state) = world.finish();
    lie(&mut history, &mut state);
    let verdict = rules(&history, &state);
    assert!(verdict.count(rule) > 0, "{rule}, {name}: {:#?}", verdict.violations);
}

pub(super) fn is_clean(name: &str, world: World) {
    let (history, state) = world.finish();
    let verdict = rules(&history, &state);
    assert!(verdict.is_clean(), "{name}: {:#?}", verdict.violations);
}

/// The scene is right by itself, and breaks the rule with its lie.
pub(super) fn check(rule: &str, name: &str, scene: Scene, lie: Lie) {
    let mut world = opened();
    scene(&mut world);
    is_clean(name, world.clone());
    has(rule, name, world, lie);
}

pub(super) fn renumber(history: &mut [Entry]) {
    for (index, entry) in (0..).zip(history) {
        (entry.index, entry.time) = (index, index * 1_000);
    }
}
