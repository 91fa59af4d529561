//! Pools, what holds add up to, and what the journal told of them.

use std::collections::HashMap;

use surehold_core::kernel::{Pool, PoolKey, Record, TenantId};
use surehold_core::repairs::Repair;

use super::journal::Beginning;
use super::lines::NO_POOL;
use super::told::ToldOfPool;
use super::{
    NOT_TRUSTED, POOL_BOOKED, POOL_BOUNDS, POOL_CAPACITY, POOL_HELD, POOL_OVERSOLD, POOL_VERSIONS, ROW_READABLE,
};
use crate::audit::{Auditing, Proposal, Remedy};
use crate::views::{record_columns, select_list};
use crate::{OwnedValue, SnapshotError};

#[derive(Debug)]
pub(super) struct PoolSeen {
    pool: Pool,
    /// By its holds.
    held: i64,
    booked: i64,
    pub(super) told: ToldOfPool,
}

#[derive(Debug, Default)]
pub(super) struct Pools {
    places: HashMap<PoolKey, u32>,
    all: Vec<PoolSeen>,
}

impl Pools {
    pub(super) fn read(audit: &mut Auditing<'_>, tenant: TenantId) -> Result<Pools, SnapshotError> {
        let mut pools = Pools::default();
        let sql = format!("select {} from pools where tenant = $1", select_list(Pool::TABLE));
        let columns = record_columns(Pool::TABLE);
        audit.each(&sql, &[OwnedValue::Int(tenant.0)], &columns, |findings, row| match Pool::read(row) {
            Ok(pool) => pools.add(pool),
            Err(corrupt) => findings.add(ROW_READABLE, tenant, || {
                let remedy = Remedy::Person("restore the row from a backup, or find out who wrote it");
                ("a pool".to_owned(), corrupt.to_string(), remedy)
            }),
        })?;
        Ok(pools)
    }

    fn add(&mut self, pool: Pool) {
        // So many pools do not fit into a store; one that did would not be looked at.
        let Some(place) = u32::try_from(self.all.len()).ok().filter(|place| *place != NO_POOL) else { return };
        self.places.insert(pool.key.clone(), place);
        self.all.push(PoolSeen { pool, held: 0, booked: 0, told: ToldOfPool::default() });
    }

    pub(super) fn place_of(&self, key: &PoolKey) -> Option<u32> {
        self.places.get(key).copied()
    }

    pub(super) fn at(&mut self, place: u32) -> Option<&mut PoolSeen> {
        self.all.get_mut(usize::try_from(place).ok()?)
    }

    pub(super) fn by_key(&mut self, key: &PoolKey) -> Option<&mut PoolSeen> {
        self.place_of(key).and_then(|place| self.at(place))
    }

    pub(super) fn add_held(&mut self, units: &[(u32, i64)]) {
        for (place, quantity) in units {
            if let Some(seen) = self.at(*place) {
                seen.held = seen.held.saturating_add(*quantity);
            }
        }
    }

    pub(super) fn add_booked(&mut self, units: &[(u32, i64)]) {
        for (place, quantity) in units {
            if let Some(seen) = self.at(*place) {
                seen.booked = seen.booked.saturating_add(*quantity);
            }
        }
    }

    pub(super) fn check(
        self,
        audit: &mut Auditing<'_>,
        tenant: TenantId,
        trusted: bool,
        beginning: Beginning,
    ) -> Result<(), SnapshotError> {
        for seen in self.all {
            let wrong: Vec<(&'static str, String)> = seen.wrong(beginning);
            if wrong.is_empty() {
                continue;
            }
            let remedy = seen.remedy(audit, tenant, trusted, beginning)?;
            for (invariant, detail) in wrong {
                let remedy = if is_counter(invariant) { remedy.clone() } else { Remedy::Person(NOT_A_COUNTER) };
                audit.findings.add(invariant, tenant, || (format!("pool {}", seen.pool.key), detail, remedy));
            }
        }
        Ok(())
    }
}

const NOT_A_COUNTER: &str = "the journal is not rewritten, and only its owner knows what the pool's capacity should be: \
                             compare with a backup, then say what is true with `surehold pool put`";

const MAY_BE_SOLD: &str = "it counts more than its holds have, and where the journal was trimmed nobody knows whether the \
                           counter is wrong or a hold is lost: counting by what is left might give away what was sold. \
                           Compare with a backup and with what was sold; a hold that is lost is restored from there";

const CAPACITY_WRONG: &str = "its capacity is what no command allows: say what is true with `surehold pool put`";

fn is_counter(invariant: &str) -> bool {
    [POOL_BOUNDS, POOL_HELD, POOL_BOOKED, POOL_OVERSOLD].contains(&invariant)
}

impl PoolSeen {
    fn wrong(&self, beginning: Beginning) -> Vec<(&'static str, String)> {
        let Pool { total, overbook, held, booked, granted, oversold, .. } = self.pool;
        let mut wrong = Vec::new();
        if held != self.held {
            wrong.push((POOL_HELD, format!("says {held} held; its active holds have {}", self.held)));
        }
        if booked != self.booked {
            wrong.push((POOL_BOOKED, format!("says {booked} booked; its converted holds have {}", self.booked)));
        }
        let promised = held.saturating_add(booked).saturating_add(granted);
        let capacity = total.saturating_add(overbook);
        if let Some(below) = [total, overbook, held, booked, granted, oversold].iter().find(|units| **units < 0) {
            wrong.push((POOL_BOUNDS, format!("a counter is {below}")));
        }
        if promised > capacity.saturating_add(oversold) {
            wrong.push((POOL_BOUNDS, format!("{promised} promised of {capacity}, of which {oversold} oversold")));
        }
        let lacking = promised.saturating_sub(capacity).max(0);
        if oversold != lacking {
            wrong.push((POOL_OVERSOLD, format!("says {oversold} oversold; {lacking} are promised beyond {capacity}")));
        } else if oversold > 0 && beginning.is_first() && !self.told.oversold {
            wrong.push((POOL_OVERSOLD, format!("{oversold} oversold, and no event told of it")));
        }
        let told = self.told.unlike(&self.pool, beginning);
        wrong.extend(told.capacity.map(|detail| (POOL_CAPACITY, detail)));
        wrong.extend(told.version.map(|detail| (POOL_VERSIONS, detail)));
        wrong
    }

    fn remedy(
        &self,
        audit: &mut Auditing<'_>,
        tenant: TenantId,
        trusted: bool,
        beginning: Beginning,
    ) -> Result<Remedy, SnapshotError> {
        let Pool { total, overbook, granted, .. } = self.pool;
        if !trusted {
            return Ok(Remedy::Person(NOT_TRUSTED));
        }
        if [total, overbook, granted].iter().any(|units| *units < 0) {
            return Ok(Remedy::Person(CAPACITY_WRONG));
        }
        let held_delta = self.held.saturating_sub(self.pool.held);
        let booked_delta = self.booked.saturating_sub(self.pool.booked);
        // Rows that are gone may have told of holds that are gone too.
        if (held_delta < 0 || booked_delta < 0) && !beginning.is_first() {
            return Ok(Remedy::Person(MAY_BE_SOLD));
        }
        let repair = Repair::Pool { pool: self.pool.key.clone(), held_delta, booked_delta };
        let number = audit.repair_number(tenant, &repair.target())?;
        Ok(Remedy::Repair(Proposal { repair, number }))
    }
}
