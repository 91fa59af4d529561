//! What the system does with a request: repeats are answered as the first was, and time ends holds.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use uuid::Uuid;

use super::World;
use super::wire::in_order;
use crate::torture::history::{Answer, Ask, EventSeen, HoldSeen, PoolSeen, Units};

impl World {
    pub(super) fn emit(&mut self, body: Value) {
        if self.open {
            self.place += 1;
        } else {
            (self.seq, self.place, self.open) = (self.seq + 1, 0, true);
        }
        let cursor = format!("{}-{}", self.seq, self.place);
        self.events.push(EventSeen { cursor, at: self.now, body });
    }

    pub(super) fn touch(&mut self, pool: &str, change: impl FnOnce(&mut PoolSeen)) -> i64 {
        let pool = self.pools.get_mut(pool).expect("it was looked for");
        change(pool);
        pool.version += 1;
        pool.oversold = (pool.held + pool.booked + pool.granted - pool.total - pool.overbook).max(0);
        pool.version
    }

    pub(super) fn touch_all(&mut self, units: &Units, change: impl Fn(&mut PoolSeen, i64)) -> BTreeMap<String, i64> {
        let mut versions = BTreeMap::new();
        for (pool, units) in units {
            versions.insert(pool.clone(), self.touch(pool, |pool| change(pool, *units)));
        }
        versions
    }

    pub(super) fn left(&self, pool: &str) -> i64 {
        let pool = &self.pools[pool];
        pool.total + pool.overbook - pool.held - pool.booked - pool.granted
    }

    pub(super) fn is_live(&self, hold: &HoldSeen) -> bool {
        hold.state == "active" && self.now < hold.expires_at
    }

    pub(super) fn as_of_now(&self, hold: &HoldSeen) -> HoldSeen {
        let mut hold = hold.clone();
        if hold.state == "active" && hold.expires_at <= self.now {
            (hold.state, hold.ended_at) = ("expired".to_owned(), Some(hold.expires_at));
        }
        hold
    }

    /// Everything that has lapsed, in one command: a pool changes once.
    pub(in crate::torture::auditor::tests) fn sweep(&mut self) {
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

    pub(in crate::torture::auditor::tests) fn sweep_alone(&mut self) {
        self.open = false;
        self.sweep();
    }

    pub(super) fn update(&mut self, id: Uuid, change: impl FnOnce(&mut HoldSeen)) -> HoldSeen {
        let hold = self.holds.get_mut(&id).expect("it was looked for");
        change(hold);
        hold.version += 1;
        hold.clone()
    }

    pub(in crate::torture::auditor::tests) fn decide(
        &mut self,
        ask: &Ask,
        key: Option<&str>,
    ) -> Result<Answer, &'static str> {
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

    pub(super) fn do_it(&mut self, ask: &Ask) -> Result<Answer, &'static str> {
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
}

fn again(answer: &Answer) -> Answer {
    match answer.clone() {
        Answer::Hold { hold, .. } => Answer::Hold { hold, replayed: true },
        Answer::Pool { pool, .. } => Answer::Pool { pool, replayed: true },
        Answer::Absent => Answer::Absent,
        Answer::Task { .. } => Answer::Task { replayed: true },
    }
}
