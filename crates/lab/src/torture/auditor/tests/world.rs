//! A small system that does everything right, one request after the other, and writes the events that it should; with
//! times of questions and answers around it, so that requests overlap. What it makes is true; the tests then lie.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use uuid::Uuid;

use crate::torture::auditor::{ChargeSeen, FinalState, OperationSeen};
use crate::torture::history::{Answer, Ask, Entry, EventSeen, HoldSeen, Kind, PoolSeen, Units};

pub(super) const SECOND: i64 = 1_000_000;
const BEGAN_AT: i64 = 1_800_000_000 * SECOND;
const LIFETIME_SECS_DEFAULT: i64 = 60;

pub(super) fn units(lines: &[(&str, i64)]) -> Units {
    lines.iter().map(|(pool, units)| ((*pool).to_owned(), *units)).collect()
}

pub(super) fn id(number: u128) -> Uuid {
    Uuid::from_u128(0x019a_8d1e_6f00_7000_8000_0000_0000_0000 + number)
}

/// RFC 3339, in UTC.
pub(super) fn instant(micros: i64) -> String {
    let (secs, micros) = (micros.div_euclid(SECOND), micros.rem_euclid(SECOND));
    let (days, of_day) = (secs.div_euclid(86_400), secs.rem_euclid(86_400));
    let mut year = 1970;
    let mut left = days;
    let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    while left >= if leap(year) { 366 } else { 365 } {
        left -= if leap(year) { 366 } else { 365 };
        year += 1;
    }
    let lengths = [31, if leap(year) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in lengths {
        if left < length {
            break;
        }
        left -= length;
        month += 1;
    }
    let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z", left + 1)
}

fn name(pool: &str) -> Value {
    let (resource, slot) = pool.rsplit_once('@').unwrap_or((pool, ""));
    json!({"resource": resource, "slot": slot})
}

fn lines(units: &Units) -> Value {
    let line = |(pool, units): (&String, &i64)| {
        let mut line = name(pool);
        line["quantity"] = json!(units);
        line
    };
    Value::Array(units.iter().map(line).collect())
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

    // ---- What the system does.

    fn emit(&mut self, body: Value) {
        if self.open {
            self.place += 1;
        } else {
            (self.seq, self.place, self.open) = (self.seq + 1, 0, true);
        }
        let cursor = format!("{}-{}", self.seq, self.place);
        self.events.push(EventSeen { cursor, at: self.now, body });
    }

    fn touch(&mut self, pool: &str, change: impl FnOnce(&mut PoolSeen)) -> i64 {
        let pool = self.pools.get_mut(pool).expect("it was looked for");
        change(pool);
        pool.version += 1;
        pool.oversold = (pool.held + pool.booked + pool.granted - pool.total - pool.overbook).max(0);
        pool.version
    }

    fn touch_all(&mut self, units: &Units, change: impl Fn(&mut PoolSeen, i64)) -> BTreeMap<String, i64> {
        let mut versions = BTreeMap::new();
        for (pool, units) in units {
            versions.insert(pool.clone(), self.touch(pool, |pool| change(pool, *units)));
        }
        versions
    }

    fn left(&self, pool: &str) -> i64 {
        let pool = &self.pools[pool];
        pool.total + pool.overbook - pool.held - pool.booked - pool.granted
    }

    fn is_live(&self, hold: &HoldSeen) -> bool {
        hold.state == "active" && self.now < hold.expires_at
    }

    fn as_of_now(&self, hold: &HoldSeen) -> HoldSeen {
        let mut hold = hold.clone();
        if hold.state == "active" && hold.expires_at <= self.now {
            (hold.state, hold.ended_at) = ("expired".to_owned(), Some(hold.expires_at));
        }
        hold
    }

    /// Everything that has lapsed, in one command: a pool changes once.
    pub(super) fn sweep(&mut self) {
        let lapsed: Vec<HoldSeen> =
            self.holds.values().filter(|hold| hold.state == "active" && hold.expires_at <= self.now).cloned().collect();
        let mut touched: BTreeMap<String, i64> = BTreeMap::new();
        for hold in lapsed {
            let mut versions = BTreeMap::new();
            for (pool, units) in &hold.lines {
                let first = !touched.contains_key(pool);
                let version = self.touch(pool, |pool| pool.held -= units);
                if !first {
                    self.pools.get_mut(pool).unwrap().version -= 1;
                }
                touched.entry(pool.clone()).or_insert(version);
                versions.insert(pool.clone(), self.pools[pool].version);
            }
            let now = self.now;
            self.update(hold.id, |hold| (hold.state, hold.ended_at) = ("expired".to_owned(), Some(now)));
            self.emit(json!({"type": "hold_expired", "hold": hold.id, "versions": in_order(&versions)}));
        }
    }

    pub(super) fn sweep_alone(&mut self) {
        self.open = false;
        self.sweep();
    }

    fn update(&mut self, id: Uuid, change: impl FnOnce(&mut HoldSeen)) -> HoldSeen {
        let hold = self.holds.get_mut(&id).expect("it was looked for");
        change(hold);
        hold.version += 1;
        hold.clone()
    }

    pub(super) fn decide(&mut self, ask: &Ask, key: Option<&str>) -> Result<Answer, &'static str> {
        self.open = false;
        let function = serde_json::to_value(ask).unwrap()["f"].as_str().unwrap().to_owned();
        let name = key.map(|key| (function, key.to_owned()));
        if let Some((first, answer)) = name.as_ref().and_then(|name| self.kept.get(name)) {
            return if first == ask { Ok(again(answer)) } else { Err("idempotency-key-reused") };
        }
        let answer = self.do_it(ask)?;
        if let Some(name) = name {
            self.kept.insert(name, (ask.clone(), answer.clone()));
        }
        Ok(answer)
    }

    fn do_it(&mut self, ask: &Ask) -> Result<Answer, &'static str> {
        match ask {
            Ask::Place { hold, lines, lifetime_secs, owner } => {
                self.place(*hold, lines, *lifetime_secs, owner.as_ref())
            }
            Ask::Extend { hold, until, by_secs } => self.extend(*hold, until.as_deref(), *by_secs),
            Ask::Convert { hold, consume, part } => self.convert(*hold, *consume, part.as_ref()),
            Ask::Cancel { hold } => self.cancel(*hold),
            Ask::Move { hold, from, to } => self.exchange(*hold, Some(from), to),
            Ask::GiveBack { hold, part } => self.exchange(*hold, part.as_ref(), &Units::new()),
            Ask::PutPool { pool, total, closed, expected_version } => {
                self.put(pool, *total, *closed, *expected_version)
            }
            Ask::Adjust { pool, total_delta } => {
                let total = self.pools.get(pool).ok_or("pool-not-found")?.total + total_delta;
                if total < 0 {
                    return Err("total-out-of-range");
                }
                self.put(pool, Some(total), None, None)
            }
            Ask::ReadHold { hold } => Ok(match self.holds.get(hold) {
                Some(hold) => Answer::Hold { hold: self.as_of_now(hold), replayed: false },
                None => Answer::Absent,
            }),
            Ask::ReadPool { pool } => Ok(match self.pools.get(pool) {
                Some(pool) => Answer::Pool { pool: pool.clone(), replayed: false },
                None => Answer::Absent,
            }),
            Ask::ExpireTask { task, hold } => Ok(self.receive(task, "EXPIRE_HOLD", &hold.to_string(), 0)),
            Ask::ChargeTask { task, purchase, amount } => Ok(self.receive(task, "CHARGE", purchase, *amount)),
        }
    }

    fn place(
        &mut self,
        id: Uuid,
        wanted: &Units,
        lifetime: Option<i64>,
        owner: Option<&String>,
    ) -> Result<Answer, &'static str> {
        if let Some(hold) = self.holds.get(&id) {
            let same = hold.lines == *wanted && hold.owner.as_ref() == owner && self.lifetimes[&id] == lifetime;
            let hold = self.as_of_now(hold);
            return if same { Ok(Answer::Hold { hold, replayed: true }) } else { Err("hold-id-reused") };
        }
        if wanted.keys().any(|pool| !self.pools.contains_key(pool)) {
            return Err("pool-not-found");
        }
        if wanted.keys().any(|pool| self.pools[pool].closed) {
            return Err("pool-closed");
        }
        self.require(wanted)?;
        let versions = self.touch_all(wanted, |pool, units| pool.held += units);
        let told = in_order(&versions);
        self.emit(json!({"type": "hold_placed", "hold": id, "versions": told}));
        let hold = HoldSeen {
            id,
            state: "active".to_owned(),
            lines: wanted.clone(),
            kept: None,
            owner: owner.cloned(),
            placed_at: self.now,
            expires_at: self.now + lifetime.unwrap_or(LIFETIME_SECS_DEFAULT) * SECOND,
            ended_at: None,
            version: 1,
            pool_versions: BTreeMap::new(),
        };
        self.holds.insert(id, hold.clone());
        self.lifetimes.insert(id, lifetime);
        Ok(Answer::Hold { hold: HoldSeen { pool_versions: versions, ..hold }, replayed: false })
    }

    /// A shortage is not believed before what has lapsed is swept.
    fn require(&mut self, wanted: &Units) -> Result<(), &'static str> {
        if wanted.iter().any(|(pool, units)| self.left(pool) < *units) {
            self.sweep();
        }
        let short = wanted.iter().any(|(pool, units)| self.left(pool) < *units);
        if short { Err("sold-out") } else { Ok(()) }
    }

    fn live(&self, id: Uuid) -> Result<HoldSeen, &'static str> {
        let hold = self.holds.get(&id).ok_or("hold-not-found")?;
        if self.is_live(hold) { Ok(hold.clone()) } else { Err("hold-ended") }
    }

    fn extend(&mut self, id: Uuid, until: Option<&str>, by_secs: Option<i64>) -> Result<Answer, &'static str> {
        let hold = self.live(id)?;
        let expires_at = match (until, by_secs) {
            (Some(until), _) => crate::torture::auditor::instant::parse(until).unwrap(),
            (None, secs) => hold.expires_at + secs.unwrap() * SECOND,
        };
        if expires_at <= hold.expires_at {
            return Ok(Answer::Hold { hold, replayed: true });
        }
        let hold = self.update(id, |hold| hold.expires_at = expires_at);
        self.emit(json!({"type": "hold_extended", "hold": id, "expires_at": instant(expires_at)}));
        Ok(Answer::Hold { hold, replayed: false })
    }

    fn convert(&mut self, id: Uuid, consume: bool, part: Option<&Units>) -> Result<Answer, &'static str> {
        let hold = self.holds.get(&id).ok_or("hold-not-found")?.clone();
        let kept = part.unwrap_or(&hold.lines).clone();
        let mode = if consume { "consume" } else { "book" };
        if hold.state == "converted" && hold.kept.as_ref() == Some(&(mode.to_owned(), kept.clone())) {
            return Ok(Answer::Hold { hold, replayed: true });
        }
        let hold = self.live(id)?;
        let of = |pool: &PoolSeen| kept.get(&pool.name).copied().unwrap_or(0);
        if consume && hold.lines.keys().any(|pool| self.pools[pool].total < of(&self.pools[pool])) {
            return Err("total-out-of-range");
        }
        let versions = self.touch_all(&hold.lines, |pool, units| {
            pool.held -= units;
            if consume { pool.total -= of(pool) } else { pool.booked += of(pool) }
        });
        let now = self.now;
        let after = self.update(id, |hold| {
            (hold.state, hold.ended_at) = ("converted".to_owned(), Some(now));
            hold.kept = Some((mode.to_owned(), kept.clone()));
        });
        let told = in_order(&versions);
        self.emit(json!({"type": "hold_converted", "hold": id, "mode": mode, "kept": lines(&kept), "versions": told}));
        Ok(Answer::Hold { hold: HoldSeen { pool_versions: versions, ..after }, replayed: false })
    }

    fn cancel(&mut self, id: Uuid) -> Result<Answer, &'static str> {
        let hold = self.holds.get(&id).ok_or("hold-not-found")?.clone();
        if hold.state == "cancelled" {
            return Ok(Answer::Hold { hold, replayed: true });
        }
        let hold = self.live(id)?;
        let versions = self.touch_all(&hold.lines, |pool, units| pool.held -= units);
        let now = self.now;
        let hold = self.update(id, |hold| (hold.state, hold.ended_at) = ("cancelled".to_owned(), Some(now)));
        let told = in_order(&versions);
        self.emit(json!({"type": "hold_cancelled", "hold": id, "versions": told}));
        Ok(Answer::Hold { hold: HoldSeen { pool_versions: versions, ..hold }, replayed: false })
    }

    fn exchange(&mut self, id: Uuid, from: Option<&Units>, to: &Units) -> Result<Answer, &'static str> {
        let hold = self.holds.get(&id).ok_or("hold-not-found")?;
        let Some((_, booked)) = hold.kept.as_ref().filter(|(mode, kept)| mode == "book" && !kept.is_empty()) else {
            return Err("nothing-booked");
        };
        let from = from.unwrap_or(booked).clone();
        let after = crate::torture::auditor::model::exchanged(booked, &from, to).ok_or("lines-exceed-hold")?;
        let changes: Units = crate::torture::auditor::model::differences(&from, to)
            .into_iter()
            .map(|(pool, change)| (pool.to_owned(), change))
            .collect();
        let gains: Units = changes.iter().filter(|(_, c)| **c > 0).map(|(p, c)| (p.clone(), *c)).collect();
        if gains.keys().any(|pool| self.pools[pool].closed) {
            return Err("pool-closed");
        }
        if changes.is_empty() {
            return Ok(Answer::Hold { hold: hold.clone(), replayed: true });
        }
        self.require(&gains)?;
        let versions = self.touch_all(&changes, |pool, change| pool.booked += change);
        let hold = self.update(id, |hold| hold.kept = Some(("book".to_owned(), after)));
        let told = in_order(&versions);
        let mut pools: Vec<&String> = changes.keys().collect();
        pools.sort_by_key(|pool| pool.split('@').collect::<Vec<_>>());
        let pools: Vec<Value> = pools.into_iter().map(|pool| name(pool)).collect();
        self.emit(if to.is_empty() {
            json!({"type": "booked_given_back", "hold": id, "lines": lines(&from), "versions": told})
        } else {
            json!({"type": "booked_moved", "hold": id, "from": lines(&from), "to": lines(to), "pools": pools, "versions": told})
        });
        Ok(Answer::Hold { hold: HoldSeen { pool_versions: versions, ..hold }, replayed: false })
    }

    fn put(
        &mut self,
        pool: &str,
        total: Option<i64>,
        closed: Option<bool>,
        expected: Option<i64>,
    ) -> Result<Answer, &'static str> {
        let version = self.pools.get(pool).map_or(0, |pool| pool.version);
        if expected.is_some_and(|expected| expected != version) {
            return Err("pool-version");
        }
        if version == 0 {
            let empty = PoolSeen {
                name: pool.to_owned(),
                total: total.ok_or("pool-not-found")?,
                overbook: 0,
                held: 0,
                booked: 0,
                granted: 0,
                oversold: 0,
                closed: false,
                version: 0,
            };
            self.pools.insert(pool.to_owned(), empty);
        }
        let before = self.pools[pool].clone();
        let (total, closed) = (total.unwrap_or(before.total), closed.unwrap_or(before.closed));
        if version > 0 && (total, closed) == (before.total, before.closed) {
            return Ok(Answer::Pool { pool: before, replayed: true });
        }
        self.touch(pool, |pool| (pool.total, pool.closed) = (total, closed));
        let after = self.pools[pool].clone();
        self.emit(json!({"type": "pool_changed", "pool": name(pool), "version": after.version, "total": total,
            "overbook": after.overbook, "granted": after.granted, "closed": closed}));
        if after.oversold > before.oversold {
            self.emit(json!({"type": "pool_oversold", "pool": name(pool), "oversold": after.oversold}));
        }
        Ok(Answer::Pool { pool: after, replayed: false })
    }

    fn receive(&mut self, task: &str, kind: &str, key: &str, amount: i64) -> Answer {
        if !self.received.insert(format!("{kind} {task}")) {
            return Answer::Task { replayed: true };
        }
        let operation = json!({"type": kind, "key": key});
        self.emit(json!({"type": "inbox_received", "source": "tasks", "external_id": task, "operation": operation}));
        let seen = OperationSeen {
            kind: kind.to_owned(),
            key: key.to_owned(),
            state: "PENDING".to_owned(),
            dead_code: None,
            run_at: Some(self.now),
            waiting_on: None,
            // Until it is done: what it is about.
            result: Some(json!(amount)),
            effects: Vec::new(),
            attempts: Vec::new(),
        };
        self.operations.entry((kind.to_owned(), key.to_owned())).or_insert(seen);
        Answer::Task { replayed: false }
    }

    /// A worker looks at everything that is not done.
    pub(super) fn work(&mut self) {
        self.open = false;
        let open: Vec<OperationSeen> = self.operations.values().filter(|o| o.state == "PENDING").cloned().collect();
        for mut operation in open {
            if operation.kind == "EXPIRE_HOLD" {
                let hold = self.holds.get(&operation.key.parse().unwrap()).cloned();
                match hold {
                    Some(hold) if self.is_live(&hold) => operation.run_at = Some(hold.expires_at),
                    Some(_) => {
                        self.sweep();
                        self.succeed(&mut operation, None);
                    }
                    None => operation.run_at = Some(self.now + 60 * SECOND),
                }
            } else {
                let amount = operation.result.take().unwrap().as_i64().unwrap();
                operation.effects = vec!["CONFIRMED".to_owned()];
                let name = format!("17.{}.{}.0", operation.kind, operation.key);
                self.charges.push(ChargeSeen { operation: name, amount, times: 1 });
                self.succeed(&mut operation, Some(json!({"charges": ["ch_1"]})));
                let key = format!("{}:{}", operation.kind, operation.key);
                let mut note =
                    OperationSeen { kind: "NOTE_CHARGE".to_owned(), key, effects: Vec::new(), ..operation.clone() };
                self.succeed(&mut note, None);
            }
            self.operations.insert((operation.kind.clone(), operation.key.clone()), operation);
        }
    }

    fn succeed(&mut self, operation: &mut OperationSeen, result: Option<Value>) {
        (operation.state, operation.run_at, operation.result) = ("SUCCEEDED".to_owned(), None, result);
        let name = json!({"type": operation.kind, "key": operation.key});
        self.emit(json!({"type": "operation_succeeded", "operation": name, "generation": 1}));
        self.operations.insert((operation.kind.clone(), operation.key.clone()), operation.clone());
    }

    /// Everything comes to rest and is read.
    pub(super) fn finish(mut self) -> (Vec<Entry>, FinalState) {
        self.work();
        self.sweep_alone();
        let mut holds: BTreeMap<Uuid, Option<HoldSeen>> = BTreeMap::new();
        for entry in &self.history {
            if let Ask::Place { hold, .. } | Ask::ReadHold { hold } = &entry.ask {
                holds.insert(*hold, self.holds.get(hold).cloned());
            }
        }
        let begin = self.events.len() / 4;
        let state = FinalState {
            began_at: Some(BEGAN_AT),
            read_at: self.now,
            settled: true,
            holds,
            pools: self.pools,
            live: Some(self.events[begin..].to_vec()),
            events: self.events,
            operations: self.operations.into_values().collect(),
            charges: Some(self.charges),
        };
        (self.history, state)
    }
}

/// Events give versions by resource, then by slot.
fn in_order(versions: &BTreeMap<String, i64>) -> Vec<i64> {
    let mut sorted: Vec<(&String, &i64)> = versions.iter().collect();
    sorted.sort_by_key(|(pool, _)| pool.split('@').collect::<Vec<_>>());
    sorted.into_iter().map(|(_, version)| *version).collect()
}

fn again(answer: &Answer) -> Answer {
    match answer.clone() {
        Answer::Hold { hold, .. } => Answer::Hold { hold, replayed: true },
        Answer::Pool { pool, .. } => Answer::Pool { pool, replayed: true },
        Answer::Absent => Answer::Absent,
        Answer::Task { .. } => Answer::Task { replayed: true },
    }
}
