//! Random histories of a system that does everything right, with requests that overlap, are lost and are repeated; and
//! what must be noticed when something in them is changed.

use uuid::Uuid;

use super::rules;
use super::world::{Pending, SECOND, World, id, instant, units};
use crate::torture::auditor::FinalState;
use crate::torture::history::{Answer, Ask, Entry, Kind, Units};

pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(sides).unwrap()).unwrap()
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        if of.is_empty() { None } else { of.get(self.roll(of.len())) }
    }
}

const POOLS: [&str; 5] = ["a", "a-b", "a@2026-12-24", "b", "room@2026-12-25"];

struct Crowd {
    dice: Dice,
    world: World,
    pending: Vec<Pending>,
    /// Given up on; they may yet be carried out.
    ghosts: Vec<Pending>,
    asked: Vec<(Ask, Option<String>)>,
    holds: u128,
    keys: u64,
}

/// A history and how it ended.
pub(super) fn history(seed: u64, steps: usize) -> (Vec<Entry>, FinalState) {
    let mut crowd = Crowd {
        dice: Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1),
        world: World::new(),
        pending: Vec::new(),
        ghosts: Vec::new(),
        asked: Vec::new(),
        holds: 0,
        keys: 0,
    };
    for pool in POOLS {
        let put = Ask::PutPool { pool: pool.to_owned(), total: Some(8), closed: None, expected_version: Some(0) };
        crowd.world.ask(put).unwrap();
    }
    for _ in 0..steps {
        crowd.step();
    }
    for mut pending in std::mem::take(&mut crowd.pending) {
        if crowd.dice.roll(10) > 0 {
            if pending.outcome.is_none() {
                crowd.world.carry_out(&mut pending);
            }
            crowd.world.hear(&pending);
        }
    }
    crowd.world.finish()
}

impl Crowd {
    fn step(&mut self) {
        match self.dice.roll(100) {
            0..34 => self.begin(),
            34..66 => {
                let open: Vec<usize> = (0..self.pending.len()).filter(|i| self.pending[*i].outcome.is_none()).collect();
                if let Some(place) = self.dice.one(&open) {
                    self.world.carry_out(&mut self.pending[*place]);
                }
            }
            66..92 => {
                let done: Vec<usize> = (0..self.pending.len()).filter(|i| self.pending[*i].outcome.is_some()).collect();
                if let Some(place) = self.dice.one(&done) {
                    let pending = self.pending.swap_remove(*place);
                    self.world.hear(&pending);
                }
            }
            92..95 => self.lose(),
            95 => {
                if let Some(mut ghost) = self.ghosts.pop() {
                    self.world.carry_out(&mut ghost);
                }
            }
            96 => self.world.sweep_alone(),
            97 => self.world.work(),
            _ => {
                let secs = i64::try_from(self.dice.roll(12)).unwrap();
                self.world.pass_secs(secs);
            }
        }
    }

    fn begin(&mut self) {
        let (ask, key) = match self.dice.roll(12) {
            0 if !self.asked.is_empty() => {
                let place = self.dice.roll(self.asked.len());
                self.asked[place].clone()
            }
            1 if self.dice.roll(4) == 0 && !self.asked.is_empty() => {
                let place = self.dice.roll(self.asked.len());
                (self.ask(), self.asked[place].1.clone())
            }
            2 if self.dice.roll(6) == 0 => {
                let ask = self.ask();
                self.world.turn_away(ask, None, "busy");
                return;
            }
            _ => {
                let ask = self.ask();
                let needs_key = match &ask {
                    Ask::Extend { by_secs, .. } => by_secs.is_some(),
                    Ask::Move { .. } | Ask::GiveBack { .. } | Ask::Adjust { .. } => true,
                    Ask::Convert { .. } | Ask::Cancel { .. } => self.dice.roll(4) == 0,
                    _ => false,
                };
                self.keys += 1;
                (ask, needs_key.then(|| format!("k{}", self.keys)))
            }
        };
        // Under a key of another function it is a request like any other.
        let key = key.filter(|_| !matches!(ask, Ask::PutPool { .. } | Ask::ReadHold { .. } | Ask::ReadPool { .. }));
        self.asked.push((ask.clone(), key.clone()));
        let pending = self.world.begin(ask, key.as_deref());
        self.pending.push(pending);
    }

    fn lose(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let place = self.dice.roll(self.pending.len());
        let pending = self.pending.swap_remove(place);
        self.world.miss(&pending);
        if self.dice.roll(2) == 0 {
            let again = self.world.begin(pending.ask.clone(), pending.key.as_deref());
            self.pending.push(again);
        }
        if pending.outcome.is_none() && self.dice.roll(2) == 0 {
            self.ghosts.push(pending);
        }
    }

    fn hold(&mut self) -> Uuid {
        let known = usize::try_from(self.holds).unwrap();
        id(u128::try_from(self.dice.roll(known + 1)).unwrap())
    }

    fn lines(&mut self) -> Units {
        let first = self.dice.roll(POOLS.len());
        let count = 1 + self.dice.roll(3);
        let mut lines = Units::new();
        for pool in POOLS.iter().cycle().skip(first).take(count) {
            lines.insert((*pool).to_owned(), 1 + i64::try_from(self.dice.roll(3)).unwrap());
        }
        lines
    }

    fn ask(&mut self) -> Ask {
        let pool = (*self.dice.one(&POOLS).unwrap()).to_owned();
        match self.dice.roll(30) {
            0..9 => {
                self.holds += 1;
                let lifetime_secs = [None, Some(5), Some(20)][self.dice.roll(3)];
                let owner = [None, Some("ana".to_owned())][self.dice.roll(2)].clone();
                Ask::Place { hold: id(self.holds), lines: self.lines(), lifetime_secs, owner }
            }
            9..11 => {
                let until = instant(self.world.now() + i64::try_from(self.dice.roll(60)).unwrap() * SECOND);
                Ask::Extend { hold: self.hold(), until: Some(until), by_secs: None }
            }
            11 => Ask::Extend { hold: self.hold(), until: None, by_secs: Some(7) },
            12..16 => {
                let hold = self.hold();
                let part = self.world.holds.get(&hold).and_then(|hold| hold.lines.keys().next().cloned());
                let part = part.filter(|_| self.dice.roll(3) == 0).map(|pool| units(&[(pool.as_str(), 1)]));
                Ask::Convert { hold, consume: self.dice.roll(3) == 0, part }
            }
            16..18 => Ask::Cancel { hold: self.hold() },
            18 => Ask::GiveBack { hold: self.hold(), part: None },
            19..21 => {
                let hold = self.hold();
                let kept = self.world.holds.get(&hold).and_then(|hold| hold.kept.clone());
                let from = kept.map_or_else(|| units(&[("a", 1)]), |(_, kept)| kept.into_iter().take(1).collect());
                Ask::Move { hold, from, to: units(&[(pool.as_str(), 1)]) }
            }
            21 => {
                let total = Some(4 + i64::try_from(self.dice.roll(12)).unwrap());
                Ask::PutPool { pool, total, closed: None, expected_version: None }
            }
            22 => {
                let closed = Some(self.dice.roll(3) == 0);
                Ask::PutPool { pool, total: None, closed, expected_version: None }
            }
            23 => {
                let expected_version = Some(i64::try_from(self.dice.roll(40)).unwrap());
                Ask::PutPool { pool, total: Some(9), closed: None, expected_version }
            }
            24 => Ask::Adjust { pool, total_delta: i64::try_from(self.dice.roll(5)).unwrap() - 2 },
            25..27 => Ask::ReadPool { pool },
            27 => Ask::ReadHold { hold: self.hold() },
            28 => Ask::ExpireTask { task: format!("t{}", self.dice.roll(40)), hold: self.hold() },
            _ => {
                let number = self.dice.roll(30);
                let amount = i64::try_from(number).unwrap() + 1;
                Ask::ChargeTask { task: format!("c{number}"), purchase: format!("p{number}"), amount }
            }
        }
    }
}

#[test]
fn what_is_right_has_no_violations() {
    let mut windows = 0;
    for seed in 1..120 {
        let (history, state) = history(seed, 600);
        let verdict = rules(&history, &state);
        assert!(verdict.is_clean(), "seed {seed}: {:#?}", verdict.violations);
        let checked = verdict.checked;
        assert!(
            checked.effects > 0 && checked.unknowns > 0 && checked.reads > 0 && checked.refusals > 0,
            "{checked:?}"
        );
        assert_eq!(checked.windows_undecided, 0, "seed {seed}");
        windows += checked.windows;
    }
    assert!(windows > 100, "{windows}");
}

/// Changes something, if there is something to change.
type Lie = fn(&mut Dice, &mut Vec<Entry>, &mut FinalState) -> Option<()>;

fn answers<'a>(history: &'a mut [Entry], dice: &mut Dice, wanted: fn(&Entry) -> bool) -> Option<&'a mut Entry> {
    let places: Vec<usize> = (0..history.len()).filter(|place| wanted(&history[*place])).collect();
    let place = *dice.one(&places)?;
    history.get_mut(place)
}

const LIES: [(&str, Lie); 13] = [
    ("an event is missing", |dice, _, state| {
        let told: Vec<usize> = (0..state.events.len()).filter(|i| state.events[*i].body["hold"].is_string()).collect();
        let place = *dice.one(&told)?;
        state.events.remove(place);
        state.live = None;
        Some(())
    }),
    ("an event comes twice", |dice, _, state| {
        let place = dice.roll(state.events.len());
        let event = state.events[place].clone();
        state.events.insert(place, event);
        state.live = None;
        Some(())
    }),
    ("versions are swapped", |dice, _, state| {
        let told: Vec<usize> =
            (0..state.events.len()).filter(|i| state.events[*i].body["versions"].is_array()).collect();
        let place = *dice.one(&told)?;
        let version = &mut state.events[place].body["versions"][0];
        *version = (version.as_i64()? + 1).into();
        state.live = None;
        Some(())
    }),
    ("a live reader misses one", |dice, _, state| {
        let live = state.live.as_mut().filter(|live| live.len() > 2)?;
        live.remove(1 + dice.roll(live.len() - 2));
        Some(())
    }),
    ("a live reader stops early", |dice, _, state| {
        let live = state.live.as_mut().filter(|live| !live.is_empty())?;
        live.truncate(dice.roll(live.len()));
        Some(())
    }),
    ("a pool is there that nobody put", |dice, history, _| {
        let first = |entry: &Entry| matches!(&entry.answer, Some(Answer::Pool { pool, .. }) if pool.version == 1);
        let Entry { process, ask: Ask::PutPool { pool, .. }, .. } = answers(history, dice, first)?.clone() else {
            return None;
        };
        history.retain(|entry| entry.process != process);
        // It might be the work of somebody who was not heard.
        let put = |entry: &Entry| matches!(&entry.ask, Ask::PutPool { pool: other, .. } if *other == pool);
        if history.iter().any(|entry| entry.kind == Kind::Info && put(entry)) {
            return None;
        }
        for (index, entry) in (0..).zip(history) {
            entry.index = index;
        }
        Some(())
    }),
    ("a hold is gone", |dice, _, state| {
        let there: Vec<Uuid> = state.holds.iter().filter(|(_, seen)| seen.is_some()).map(|(id, _)| *id).collect();
        state.holds.insert(*dice.one(&there)?, None);
        Some(())
    }),
    ("a counter is off by one", |dice, _, state| {
        let names: Vec<String> = state.pools.keys().cloned().collect();
        state.pools.get_mut(dice.one(&names)?)?.booked += 1;
        Some(())
    }),
    ("an ok was a refusal", |dice, history, _| {
        let first = |entry: &Entry| {
            matches!(entry.ask, Ask::Place { .. }) && matches!(entry.answer, Some(Answer::Hold { replayed: false, .. }))
        };
        let entry = answers(history, dice, first)?;
        let Ask::Place { hold, .. } = entry.ask else { return None };
        (entry.kind, entry.answer, entry.error) = (Kind::Fail, None, Some("busy".to_owned()));
        // Nobody else asked for it.
        let others =
            history.iter().filter(|entry| matches!(&entry.ask, Ask::Place { hold: other, .. } if *other == hold));
        (others.count() == 2).then_some(())
    }),
    ("versions told are others", |dice, history, _| {
        let told = |entry: &Entry| matches!(&entry.answer, Some(Answer::Hold { hold, replayed: false }) if !hold.pool_versions.is_empty());
        let Some(Answer::Hold { hold, .. }) = &mut answers(history, dice, told)?.answer else { return None };
        *hold.pool_versions.values_mut().next()? -= 1;
        Some(())
    }),
    ("a read sees what never was", |dice, history, _| {
        let read = |entry: &Entry| matches!(entry.answer, Some(Answer::Pool { .. }));
        let Some(Answer::Pool { pool, .. }) = &mut answers(history, dice, read)?.answer else { return None };
        pool.held += 1;
        Some(())
    }),
    ("a charge is made twice", |dice, _, state| {
        let charges = state.charges.as_mut().filter(|charges| !charges.is_empty())?;
        let place = dice.roll(charges.len());
        charges[place].times = 2;
        Some(())
    }),
    ("an answer is a defect", |dice, history, _| {
        let entry = answers(history, dice, |entry| entry.kind == Kind::Fail)?;
        entry.error = Some("defect".to_owned());
        Some(())
    }),
];

#[test]
fn what_is_changed_is_noticed() {
    for (name, lie) in LIES {
        let mut told = 0;
        for seed in 1..25 {
            let (mut history, mut state) = history(seed, 300);
            if lie(&mut Dice(seed * 977), &mut history, &mut state).is_some() {
                told += 1;
                assert!(!rules(&history, &state).is_clean(), "{name}, seed {seed}: not noticed");
            }
        }
        assert!(told > 5, "{name} was told {told} times");
    }
}
