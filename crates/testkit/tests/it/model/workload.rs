//! Random things to do, over few pools, few owners and short lifetimes, so that they meet often.
//!
//! The clock moves in whole units and holds live half a unit longer or shorter: no verdict hangs on the moments that
//! a test takes, as long as they are short beside a unit.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use surehold_core::kernel::{ConvertMode, Line, Lines, PoolKey};

use crate::conformance::pool;

pub(crate) const UNIT_SECS: i64 = 100;
pub(crate) const HALF_UNIT_SECS: i64 = 50;
const POOLS: [&str; 3] = ["bar", "room@2026-12-24", "room@2026-12-25"];
pub(crate) const OWNERS: [&str; 2] = ["ann", "bob"];
const UNITS_MAX: i64 = 12;
const KEYS: usize = 3;

/// Pools and owners by number; holds by how long ago they were asked for; time in units.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Wait {
        units: i64,
    },
    Restart,
    /// One request with several commands, the first perhaps twice.
    Together {
        parts: Vec<Part>,
        repeat: bool,
    },
    /// One command, perhaps under a key.
    Alone {
        part: Part,
        key: Option<usize>,
    },
    /// What was asked under a key before.
    AskAgain {
        ago: usize,
    },
}

#[derive(Clone, Debug)]
pub(crate) enum Part {
    Put {
        pool: usize,
        total: Option<i64>,
        overbook: i64,
        closed: Option<bool>,
        version_off: Option<i64>,
    },
    Adjust {
        pool: usize,
        units: i64,
    },
    Grant {
        pool: usize,
        units: i64,
    },
    CreateTenant {
        same: bool,
    },
    SetPolicy {
        holds: i64,
        owner_units: i64,
    },
    Place {
        lines: Lines,
        owner: Option<usize>,
        units: Option<i64>,
        extras: bool,
    },
    PlaceAgain {
        ago: usize,
    },
    Extend {
        ago: usize,
        units: i64,
        until: bool,
        paying: bool,
    },
    Cancel {
        ago: usize,
    },
    Expire {
        ago: usize,
    },
    Sweep,
    Convert {
        ago: usize,
        mode: ConvertMode,
        part: Option<Lines>,
    },
    GiveBack {
        ago: usize,
        part: Option<Lines>,
    },
    /// Without `from`, all that is booked.
    Move {
        ago: usize,
        from: Option<Lines>,
        to: Lines,
    },
}

pub(crate) fn actions() -> impl Strategy<Value = Vec<Action>> {
    vec(action(), 5..60)
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        10 => (0..=UNITS_MAX / 2).prop_map(|units| Action::Wait { units }),
        1 => Just(Action::Restart),
        12 => (vec(part(), 2..=4), any::<bool>()).prop_map(|(parts, repeat)| Action::Together { parts, repeat }),
        60 => (part(), option::weighted(0.25, 0..KEYS)).prop_map(|(part, key)| Action::Alone { part, key }),
        6 => (0..3_usize).prop_map(|ago| Action::AskAgain { ago }),
    ]
}

fn part() -> impl Strategy<Value = Part> {
    let ago = || 0..5_usize;
    prop_oneof![
        6 => supply(),
        8 => (lines(), option::weighted(0.7, 0..OWNERS.len()), option::of(1..=UNITS_MAX), any::<bool>())
            .prop_map(|(lines, owner, units, extras)| Part::Place { lines, owner, units, extras }),
        1 => ago().prop_map(|ago| Part::PlaceAgain { ago }),
        2 => (ago(), 1..=UNITS_MAX, any::<bool>(), any::<bool>())
            .prop_map(|(ago, units, until, paying)| Part::Extend { ago, units, until, paying }),
        1 => ago().prop_map(|ago| Part::Cancel { ago }),
        1 => ago().prop_map(|ago| Part::Expire { ago }),
        1 => Just(Part::Sweep),
        4 => (ago(), any::<bool>(), option::weighted(0.3, lines())).prop_map(|(ago, book, part)| {
            let mode = if book { ConvertMode::Book } else { ConvertMode::Consume };
            Part::Convert { ago, mode, part }
        }),
        1 => (ago(), option::of(lines())).prop_map(|(ago, part)| Part::GiveBack { ago, part }),
        3 => (ago(), option::of(lines()), lines()).prop_map(|(ago, from, to)| Part::Move { ago, from, to }),
    ]
}

fn supply() -> impl Strategy<Value = Part> {
    let pool = || 0..POOLS.len();
    let total = || option::weighted(0.9, 0..=6_i64);
    // More often open than closed, so that there is something to sell.
    let closed = || option::weighted(0.4, proptest::bool::weighted(0.25));
    prop_oneof![
        6 => (pool(), total(), 0..=1_i64, closed(), option::weighted(0.3, -1..=1_i64)).prop_map(
            |(pool, total, overbook, closed, version_off)| Part::Put { pool, total, overbook, closed, version_off }
        ),
        2 => (pool(), -3..=3_i64).prop_map(|(pool, units)| Part::Adjust { pool, units }),
        2 => (pool(), -2..=2_i64).prop_map(|(pool, units)| Part::Grant { pool, units }),
        1 => any::<bool>().prop_map(|same| Part::CreateTenant { same }),
        1 => (1..=4_i64, 5..=20_i64).prop_map(|(holds, owner_units)| Part::SetPolicy { holds, owner_units }),
    ]
}

fn lines() -> impl Strategy<Value = Lines> {
    let line = |index: usize| option::of(1..=2_i64).prop_map(move |units| Some((index, units?)));
    (line(0), line(1), line(2), 0..POOLS.len()).prop_map(|(first, second, third, fallback)| {
        let mut chosen: Vec<(usize, i64)> = [first, second, third].into_iter().flatten().collect();
        if chosen.is_empty() {
            chosen.push((fallback, 1));
        }
        Lines::new(chosen.into_iter().map(|(index, quantity)| Line { pool: key(index), quantity }).collect()).unwrap()
    })
}

pub(crate) fn key(index: usize) -> PoolKey {
    pool(POOLS[index]).unwrap()
}
