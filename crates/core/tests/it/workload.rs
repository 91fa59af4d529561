//! Random sequences of commands over few pools, few owners and short lifetimes, so that they meet often.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use surehold_core::kernel::commands::{
    AdjustPool, CancelHold, ConvertHold, CreateTenant, ExpireHold, ExpireLapsedHolds, ExtendHold, Extension, GiveBack,
    GrantUnits, MoveBooked, PlaceHold, PutPool, SetPolicy,
};
use surehold_core::kernel::{
    Command, ConvertMode, HoldId, HoldPolicy, Kept, Line, Lines, OwnerName, PoolKey, Refusal, Slug, TenantId, Timestamp,
};

use crate::oracle;
use surehold_scenario::Done;

use crate::scenario::pool;
use crate::world::World;

const POOLS: [&str; 3] = ["bar", "room@2026-12-24", "room@2026-12-25"];
const OWNERS: [&str; 2] = ["ann", "bob"];
/// Seconds; the clock moves in halves, so that some instants of expiry are hit exactly and some just missed.
const SECS_MAX: i64 = 12;

/// What to do. Pools and owners by number; holds by how long ago they were placed, for what is done to booked units
/// among those that have some.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Wait {
        half_secs: i64,
    },
    Put {
        pool: usize,
        total: i64,
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
    SetPolicy {
        holds: i64,
        owner_secs: i64,
    },
    Place {
        lines: Lines,
        owner: Option<usize>,
        secs: Option<i64>,
    },
    PlaceAgain {
        hold: usize,
    },
    Extend {
        hold: usize,
        secs: i64,
        until: bool,
        paying: bool,
    },
    Cancel {
        hold: usize,
    },
    Expire {
        hold: usize,
    },
    Sweep,
    Convert {
        hold: usize,
        mode: ConvertMode,
        part: Option<Lines>,
    },
    GiveBack {
        hold: usize,
        part: Option<Lines>,
    },
    /// Without `from`, all that is booked.
    Move {
        hold: usize,
        from: Option<Lines>,
        to: Lines,
    },
}

pub(crate) fn actions() -> impl Strategy<Value = Vec<Action>> {
    vec(action(), 1..60)
}

fn action() -> impl Strategy<Value = Action> {
    let pool = || 0..POOLS.len();
    let hold = || 0..5_usize;
    prop_oneof![
        3 => (0..=SECS_MAX).prop_map(|half_secs| Action::Wait { half_secs }),
        3 => (pool(), 0..=5_i64, 0..=1_i64, option::weighted(0.4, closed()), option::weighted(0.3, -1..=1_i64))
            .prop_map(|(pool, total, overbook, closed, version_off)| Action::Put {
                pool, total, overbook, closed, version_off,
            }),
        1 => (pool(), -3..=3_i64).prop_map(|(pool, units)| Action::Adjust { pool, units }),
        1 => (pool(), -2..=2_i64).prop_map(|(pool, units)| Action::Grant { pool, units }),
        1 => (1..=4_i64, 5..=20_i64).prop_map(|(holds, owner_secs)| Action::SetPolicy { holds, owner_secs }),
        8 => (lines(), option::weighted(0.7, 0..OWNERS.len()), option::of(1..=SECS_MAX + 1))
            .prop_map(|(lines, owner, secs)| Action::Place { lines, owner, secs }),
        1 => hold().prop_map(|hold| Action::PlaceAgain { hold }),
        2 => (hold(), 1..=SECS_MAX, any::<bool>(), any::<bool>())
            .prop_map(|(hold, secs, until, paying)| Action::Extend { hold, secs, until, paying }),
        1 => hold().prop_map(|hold| Action::Cancel { hold }),
        1 => hold().prop_map(|hold| Action::Expire { hold }),
        1 => Just(Action::Sweep),
        4 => (hold(), any::<bool>(), option::weighted(0.3, lines())).prop_map(|(hold, book, part)| {
            let mode = if book { ConvertMode::Book } else { ConvertMode::Consume };
            Action::Convert { hold, mode, part }
        }),
        1 => (hold(), option::of(lines())).prop_map(|(hold, part)| Action::GiveBack { hold, part }),
        3 => (hold(), option::of(lines()), lines()).prop_map(|(hold, from, to)| Action::Move { hold, from, to }),
    ]
}

/// More often open than closed, so that there is something to sell.
fn closed() -> impl Strategy<Value = bool> {
    proptest::bool::weighted(0.25)
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

fn key(index: usize) -> PoolKey {
    pool(POOLS[index]).unwrap()
}

/// What became of an action.
#[derive(Debug)]
pub(crate) enum Outcome {
    Done,
    Replayed,
    Refused(Refusal),
    /// There was nothing to do it to.
    Idle,
}

pub(crate) struct Workload {
    pub(crate) world: World,
    placed: Vec<PlaceHold>,
}

impl Workload {
    /// A tenant, and two of the three pools: the third may or may not come.
    pub(crate) fn new() -> Workload {
        let policy = HoldPolicy {
            lifetime_secs_default: 5,
            lifetime_secs_max: SECS_MAX,
            owner_holds_max: 2,
            owner_lifetime_secs_max: 20,
        };
        let mut world = World::new(TenantId(1));
        world.run(&CreateTenant::new(Slug::new("casa").unwrap(), policy).unwrap()).unwrap();
        world.run(&PutPool::new(key(0), 3).unwrap()).unwrap();
        world.run(&PutPool::new(key(1), 2).unwrap()).unwrap();
        Workload { world, placed: Vec::new() }
    }

    pub(crate) fn act(&mut self, action: &Action) -> Outcome {
        match action {
            Action::Wait { half_secs } => {
                let now = Timestamp::from_micros(self.world.now().micros() + half_secs * 500_000);
                self.world.set_now(now);
                Outcome::Done
            }
            Action::Put { .. } | Action::Adjust { .. } | Action::Grant { .. } | Action::SetPolicy { .. } => {
                self.supply(action)
            }
            Action::Place { lines, owner, secs } => self.place(lines, *owner, *secs),
            Action::Sweep => self.run(&ExpireLapsedHolds),
            Action::PlaceAgain { hold } => match self.placed.iter().rev().nth(*hold).cloned() {
                Some(placed) => {
                    self.require_replay(&placed);
                    Outcome::Replayed
                }
                None => Outcome::Idle,
            },
            Action::Extend { hold, .. }
            | Action::Cancel { hold }
            | Action::Expire { hold }
            | Action::Convert { hold, .. } => match self.placed.iter().rev().nth(*hold) {
                Some(placed) => self.act_on(action, placed.id()),
                None => Outcome::Idle,
            },
            Action::GiveBack { hold, .. } | Action::Move { hold, .. } => {
                let booked = self.booked_holds().nth(hold / 3);
                match booked.or(self.placed.last().map(|placed| (placed.id(), None))) {
                    Some((id, booked)) => self.act_on_booked(action, id, booked),
                    None => Outcome::Idle,
                }
            }
        }
    }

    /// Latest first, with what they have.
    fn booked_holds(&self) -> impl Iterator<Item = (HoldId, Option<Lines>)> {
        self.world.state().holds.values().rev().filter_map(|hold| match &hold.kept {
            Some(Kept { mode: ConvertMode::Book, lines, .. }) if !lines.is_empty() => {
                Some((hold.id, Some(lines.clone())))
            }
            Some(_) | None => None,
        })
    }

    fn supply(&mut self, action: &Action) -> Outcome {
        match action {
            Action::Put { pool, total, overbook, closed, version_off } => {
                let version = self.world.state().pools.get(&key(*pool)).map_or(0, |pool| pool.version);
                let mut command = PutPool::new(key(*pool), *total).unwrap().overbook(*overbook).unwrap();
                if let Some(closed) = closed {
                    command = command.closed(*closed);
                }
                if let Some(off) = version_off {
                    command = command.expected_version(version + off);
                }
                self.run(&command)
            }
            Action::Adjust { pool, units } => self.run(&AdjustPool::new(key(*pool), *units).unwrap()),
            Action::Grant { pool, units } => self.run(&GrantUnits::new(key(*pool), *units).unwrap()),
            Action::SetPolicy { holds, owner_secs } => {
                let policy = self.world.state().tenant.as_ref().unwrap().policy;
                let (owner_holds_max, owner_lifetime_secs_max) = (*holds, *owner_secs);
                self.run(&SetPolicy::new(HoldPolicy { owner_holds_max, owner_lifetime_secs_max, ..policy }).unwrap())
            }
            other => unreachable!("{other:?} is not about capacity"),
        }
    }

    fn place(&mut self, lines: &Lines, owner: Option<usize>, secs: Option<i64>) -> Outcome {
        let id = self.world.make_id(self.world.now());
        let owner = owner.map(|index| OwnerName::new(OWNERS[index]).unwrap());
        let mut command = PlaceHold::new(id, lines.clone());
        if let Some(secs) = secs {
            command = command.lifetime_secs(secs).unwrap();
        }
        if let Some(owner) = &owner {
            command = command.owner(owner.clone());
        }
        let expected = oracle::refusal_of_place(self.world.state(), self.world.now(), lines, owner.as_ref(), secs);
        let outcome = self.run(&command);
        match (&outcome, expected) {
            (Outcome::Done, None) => {
                self.placed.push(command.clone());
                self.require_replay(&command);
            }
            (Outcome::Refused(refusal), Some(expected)) => assert_eq!(*refusal, expected),
            (outcome, expected) => panic!("{command:?} got {outcome:?} where {expected:?} was expected"),
        }
        outcome
    }

    fn act_on(&mut self, action: &Action, id: HoldId) -> Outcome {
        match action {
            Action::Extend { secs, until, paying, .. } => {
                let until = until.then(|| Extension::Until(self.world.now().plus_secs(*secs)));
                let command = ExtendHold::new(id, until.unwrap_or(Extension::BySecs(*secs))).unwrap();
                self.run(&if *paying { command.for_payment() } else { command })
            }
            Action::Cancel { .. } => self.run_twice(&CancelHold { id }),
            Action::Expire { .. } => self.run_twice(&ExpireHold { id }),
            Action::Convert { mode, part, .. } => self.run_twice(&ConvertHold { id, mode: *mode, part: part.clone() }),
            other => unreachable!("{other:?} is not about an active hold"),
        }
    }

    fn act_on_booked(&mut self, action: &Action, id: HoldId, booked: Option<Lines>) -> Outcome {
        match action {
            Action::GiveBack { part, .. } => self.run(&GiveBack { id, part: part.clone() }),
            Action::Move { from, to, .. } => {
                let from = from.clone().or(booked).unwrap_or_else(|| to.clone());
                self.run(&MoveBooked { id, from, to: to.clone() })
            }
            other => unreachable!("{other:?} is not about booked units"),
        }
    }

    fn run<C: Command<Refusal = Refusal>>(&mut self, command: &C) -> Outcome {
        match self.world.run(command) {
            Ok(Done { replayed: false, .. }) => Outcome::Done,
            Ok(Done { replayed: true, .. }) => Outcome::Replayed,
            Err(refusal) => Outcome::Refused(refusal),
        }
    }

    fn run_twice<C: Command<Refusal = Refusal>>(&mut self, command: &C) -> Outcome {
        let outcome = self.run(command);
        if let Outcome::Done = outcome {
            self.require_replay(command);
        }
        outcome
    }

    /// Asking once more is answered and, as the world has it audited, changes nothing.
    fn require_replay<C: Command<Refusal = Refusal>>(&mut self, command: &C) {
        let outcome = self.run(command);
        assert!(matches!(outcome, Outcome::Replayed), "{} again: {outcome:?}", C::NAME);
    }
}
