//! A small system that does everything right, one request after the other, and writes the events that it should; with
//! times of questions and answers around it, so that requests overlap. What it makes is true; the tests then lie.
//!
//! Here is what those who ask write down, and how a system can be made to go wrong; what it does is in `system.rs`,
//! `holds.rs` and `tasks.rs`.

mod holds;
mod system;
mod tasks;
mod wire;

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use crate::torture::auditor::{ChargeSeen, FinalState, OperationSeen};
use crate::torture::history::{Answer, Ask, Entry, EventSeen, HoldSeen, Kind, PoolSeen, Units};

pub(super) use wire::instant;

pub(super) const SECOND: i64 = 1_000_000;
const BEGAN_AT: i64 = 1_800_000_000 * SECOND;
/// Of the holds of one owner.
pub(super) const OWNER_HOLDS_MAX: i64 = 3;

pub(super) fn units(lines: &[(&str, i64)]) -> Units {
    lines.iter().map(|(pool, units)| ((*pool).to_owned(), *units)).collect()
}

pub(super) fn id(number: u128) -> Uuid {
    Uuid::from_u128(0x019a_8d1e_6f00_7000_8000_0000_0000_0000 + number)
}

/// A request whose answer is not there yet.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    process: u64,
    pub(super) ask: Ask,
    pub(super) key: Option<String>,
    pub(super) outcome: Option<Result<Answer, &'static str>>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct World {
    now: i64,
    seq: i64,
    place: u64,
    /// Whether the present row has told something.
    open: bool,
    pools: BTreeMap<String, PoolSeen>,
    pub(super) holds: BTreeMap<Uuid, HoldSeen>,
    lifetimes: BTreeMap<Uuid, Option<i64>>,
    kept: BTreeMap<(String, String), (Ask, Answer)>,
    received: BTreeSet<String>,
    operations: BTreeMap<(String, String), OperationSeen>,
    charges: Vec<ChargeSeen>,
    /// The provider says no from now on.
    pub(super) is_declining: bool,
    events: Vec<EventSeen>,
    history: Vec<Entry>,
    time: u64,
    processes: u64,
}

impl World {
    pub(super) fn new() -> World {
        World { now: BEGAN_AT, ..World::default() }
    }

    // ---- What those who ask write down.

    fn write(
        &mut self,
        process: u64,
        kind: Kind,
        pending: (&Ask, Option<&String>),
        answer: Option<Answer>,
        error: Option<&str>,
    ) {
        self.time += 1_000;
        let entry = Entry {
            index: u64::try_from(self.history.len()).unwrap(),
            process,
            kind,
            ask: pending.0.clone(),
            answer,
            error: error.map(str::to_owned),
            key: pending.1.cloned(),
            batch: None,
            stranger: false,
            node: 0,
            time: self.time,
        };
        self.history.push(entry);
    }

    pub(super) fn begin(&mut self, ask: Ask, key: Option<&str>) -> Pending {
        let process = self.processes;
        self.processes += 1;
        let key = key.map(str::to_owned);
        self.write(process, Kind::Invoke, (&ask, key.as_ref()), None, None);
        Pending { process, ask, key, outcome: None }
    }

    pub(super) fn carry_out(&mut self, pending: &mut Pending) {
        pending.outcome = Some(self.decide(&pending.ask.clone(), pending.key.as_deref()));
    }

    /// The one who asked hears the answer.
    pub(super) fn hear(&mut self, pending: &Pending) {
        let asked = (&pending.ask, pending.key.as_ref());
        match pending.outcome.clone().expect("it was carried out") {
            Ok(answer) => self.write(pending.process, Kind::Ok, asked, Some(answer), None),
            Err(code) => self.write(pending.process, Kind::Fail, asked, None, Some(code)),
        }
    }

    pub(super) fn miss(&mut self, pending: &Pending) {
        let asked = (&pending.ask, pending.key.as_ref());
        self.write(pending.process, Kind::Info, asked, None, Some("outcome-unknown"));
    }

    /// Turned away at the door.
    pub(super) fn turn_away(&mut self, ask: Ask, key: Option<&str>, code: &str) {
        let pending = self.begin(ask, key);
        self.write(pending.process, Kind::Fail, (&pending.ask, pending.key.as_ref()), None, Some(code));
    }

    pub(super) fn ask(&mut self, ask: Ask) -> Result<Answer, &'static str> {
        self.ask_with(ask, None)
    }

    pub(super) fn ask_with(&mut self, ask: Ask, key: Option<&str>) -> Result<Answer, &'static str> {
        let mut pending = self.begin(ask, key);
        self.carry_out(&mut pending);
        self.hear(&pending);
        pending.outcome.expect("it was carried out")
    }

    /// It happens, and nobody hears of it.
    pub(super) fn ask_unheard(&mut self, ask: Ask, key: Option<&str>) {
        let mut pending = self.begin(ask, key);
        self.carry_out(&mut pending);
        self.miss(&pending);
    }

    pub(super) fn pass_secs(&mut self, secs: i64) {
        self.now += secs * SECOND;
        self.time += u64::try_from(secs * SECOND * 1_000).unwrap();
    }

    pub(super) fn now(&self) -> i64 {
        self.now
    }

    // ---- What a system must not do.

    /// It is answered, and then the system forgets that it ever happened.
    pub(super) fn ask_forgotten(&mut self, ask: Ask, key: Option<&str>) {
        let before = self.clone();
        let _ = self.ask_with(ask, key);
        let World { history, time, processes, .. } = std::mem::replace(self, before);
        (self.history, self.time, self.processes) = (history, time, processes);
    }

    /// It is done, and the one who asked is told that nothing was.
    pub(super) fn ask_denied(&mut self, ask: Ask, key: Option<&str>) {
        let mut pending = self.begin(ask, key);
        self.carry_out(&mut pending);
        pending.outcome = Some(Err("busy"));
        self.hear(&pending);
    }

    /// What is kept under keys is lost, so that a repeat is done anew.
    pub(super) fn forget_keys(&mut self) {
        self.kept.clear();
    }

    /// The rest of the system goes on with other counters than the pool's.
    pub(super) fn tamper(&mut self, pool: &str, change: impl FnOnce(&mut PoolSeen)) {
        change(self.pools.get_mut(pool).expect("a pool of the test"));
    }

    /// Everything comes to rest and is read.
    pub(super) fn finish(mut self) -> (Vec<Entry>, FinalState) {
        // Somebody follows the feed until all that was asked is answered.
        let live = self.events.clone();
        self.work();
        self.sweep_alone();
        let mut holds: BTreeMap<Uuid, Option<HoldSeen>> = BTreeMap::new();
        for entry in &self.history {
            if let Ask::Place { hold, .. } | Ask::ReadHold { hold } = &entry.ask {
                holds.insert(*hold, self.holds.get(hold).cloned());
            }
        }
        let state = FinalState {
            began_at: Some(BEGAN_AT),
            clock_offsets: None,
            owner_holds_max: Some(OWNER_HOLDS_MAX),
            read_at: self.now,
            settled: true,
            torn: false,
            holds,
            pools: self.pools,
            live_until: live.last().map(|event| event.cursor.clone()),
            live: Some(live),
            events: self.events,
            operations: self.operations.into_values().collect(),
            charges: Some(self.charges),
        };
        (self.history, state)
    }
}
