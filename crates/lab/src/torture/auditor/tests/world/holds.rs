//! Holds and pools, as the documents say.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use uuid::Uuid;

use super::wire::{in_order, instant, lines, name};
use super::{OWNER_HOLDS_MAX, SECOND, World};
use crate::torture::auditor::instant as instants;
use crate::torture::auditor::model;
use crate::torture::history::{Answer, HoldSeen, PoolSeen, Units};

const LIFETIME_SECS_DEFAULT: i64 = 60;

impl World {
    pub(super) fn place(
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
        self.require_owner(owner)?;
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

    /// Nor is this one believed before that.
    fn require_owner(&mut self, owner: Option<&String>) -> Result<(), &'static str> {
        let Some(owner) = owner else { return Ok(()) };
        let has_all = |world: &World| {
            let mine = world.holds.values().filter(|hold| hold.state == "active" && hold.owner.as_ref() == Some(owner));
            mine.count() >= usize::try_from(OWNER_HOLDS_MAX).unwrap()
        };
        if has_all(self) {
            self.sweep();
        }
        if has_all(self) { Err("owner-holds-limit") } else { Ok(()) }
    }

    /// A shortage is not believed before what has lapsed is swept.
    pub(super) fn require(&mut self, wanted: &Units) -> Result<(), &'static str> {
        if wanted.iter().any(|(pool, units)| self.left(pool) < *units) {
            self.sweep();
        }
        let short = wanted.iter().any(|(pool, units)| self.left(pool) < *units);
        if short { Err("sold-out") } else { Ok(()) }
    }

    pub(super) fn live(&self, id: Uuid) -> Result<HoldSeen, &'static str> {
        let hold = self.holds.get(&id).ok_or("hold-not-found")?;
        if self.is_live(hold) { Ok(hold.clone()) } else { Err("hold-ended") }
    }

    pub(super) fn extend(
        &mut self,
        id: Uuid,
        until: Option<&str>,
        by_secs: Option<i64>,
    ) -> Result<Answer, &'static str> {
        let hold = self.live(id)?;
        let expires_at = match (until, by_secs) {
            (Some(until), _) => instants::parse(until).unwrap(),
            (None, secs) => hold.expires_at + secs.unwrap() * SECOND,
        };
        if expires_at <= hold.expires_at {
            return Ok(Answer::Hold { hold, replayed: true });
        }
        let hold = self.update(id, |hold| hold.expires_at = expires_at);
        self.emit(json!({"type": "hold_extended", "hold": id, "expires_at": instant(expires_at)}));
        Ok(Answer::Hold { hold, replayed: false })
    }

    pub(super) fn convert(&mut self, id: Uuid, consume: bool, part: Option<&Units>) -> Result<Answer, &'static str> {
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

    pub(super) fn cancel(&mut self, id: Uuid) -> Result<Answer, &'static str> {
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

    pub(super) fn exchange(&mut self, id: Uuid, from: Option<&Units>, to: &Units) -> Result<Answer, &'static str> {
        let hold = self.holds.get(&id).ok_or("hold-not-found")?;
        let Some((_, booked)) = hold.kept.as_ref().filter(|(mode, kept)| mode == "book" && !kept.is_empty()) else {
            return Err("nothing-booked");
        };
        let from = from.unwrap_or(booked).clone();
        let after = model::exchanged(booked, &from, to).ok_or("lines-exceed-hold")?;
        let changes: Units =
            model::differences(&from, to).into_iter().map(|(pool, change)| (pool.to_owned(), change)).collect();
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

    pub(super) fn put(
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
}
