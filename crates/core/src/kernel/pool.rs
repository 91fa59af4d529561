//! A pool: a countable capacity, and who has how much of it.
//! Invariant: what is promised never exceeds capacity plus what the outside world took away (`oversold`).

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Columnar, Record, ResourceName, Slot};

/// No counter of a pool goes beyond this, so that sums of a few cannot overflow.
pub const UNITS_MAX: i64 = 1_000_000_000_000;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Columnar)]
pub struct PoolKey {
    pub resource: ResourceName,
    pub slot: Slot,
}

impl fmt::Display for PoolKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.slot {
            Slot::NONE => self.resource.fmt(f),
            slot => write!(f, "{} on {slot}", self.resource),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(table = "pools", remembered)]
pub struct Pool {
    #[column(key)]
    pub key: PoolKey,
    pub total: i64,
    /// Units that may be promised beyond the total, on purpose.
    pub overbook: i64,
    #[column(counter)]
    pub held: i64,
    #[column(counter)]
    pub booked: i64,
    /// Units lent to a hot path that alone may sell them.
    pub granted: i64,
    /// Units promised that no longer exist, because the outside world lowered the total.
    pub oversold: i64,
    /// A closed pool takes no new claims; what is there may be extended, converted and cancelled.
    pub closed: bool,
    /// The total is the quantity of a stock item, and changes with its ledger only.
    #[serde(default)]
    pub tracked: bool,
    pub version: i64,
}

impl Pool {
    pub fn new(key: PoolKey) -> Pool {
        Pool {
            key,
            total: 0,
            overbook: 0,
            held: 0,
            booked: 0,
            granted: 0,
            oversold: 0,
            closed: false,
            tracked: false,
            version: 0,
        }
    }

    fn capacity(&self) -> i64 {
        self.total.strict_add(self.overbook)
    }

    /// Held, booked or granted.
    pub fn promised(&self) -> i64 {
        self.held.strict_add(self.booked).strict_add(self.granted)
    }

    pub fn available(&self) -> i64 {
        self.capacity().strict_sub(self.promised()).max(0)
    }

    pub(super) fn hold(&mut self, units: i64) {
        assert!(units <= self.available(), "a claim never exceeds what is available");
        self.held = self.held.strict_add(units);
        self.settle();
    }

    pub(super) fn release(&mut self, units: i64) {
        self.held = self.held.strict_sub(units);
        self.settle();
    }

    pub(super) fn book_held(&mut self, units: i64) {
        self.held = self.held.strict_sub(units);
        self.booked = self.booked.strict_add(units);
        self.settle();
    }

    /// Held goods leave: they are no longer promised and no longer there.
    pub(super) fn consume_held(&mut self, units: i64) {
        self.held = self.held.strict_sub(units);
        self.total = self.total.strict_sub(units);
        self.settle();
    }

    pub(super) fn change_booked(&mut self, units: i64) {
        assert!(units <= 0 || units <= self.available(), "a claim never exceeds what is available");
        self.booked = self.booked.strict_add(units);
        self.settle();
    }

    pub(super) fn change_granted(&mut self, units: i64) {
        assert!(units <= 0 || units <= self.available(), "a claim never exceeds what is available");
        self.granted = self.granted.strict_add(units);
        self.settle();
    }

    pub(super) fn set_capacity(&mut self, total: i64, overbook: i64) {
        self.total = total;
        self.overbook = overbook;
        self.settle();
    }

    /// The pool with counters put right, unless that leaves one that cannot be.
    pub(crate) fn repaired(&self, held_delta: i64, booked_delta: i64) -> Option<Pool> {
        let held = self.held.checked_add(held_delta)?;
        let booked = self.booked.checked_add(booked_delta)?;
        let counters = [self.total, self.overbook, held, booked, self.granted];
        let sane = counters.iter().all(|units| (0..=UNITS_MAX).contains(units));
        sane.then(|| {
            let mut pool = Pool { held, booked, ..self.clone() };
            pool.settle();
            pool
        })
    }

    fn settle(&mut self) {
        let counters = [self.total, self.overbook, self.held, self.booked, self.granted];
        assert!(counters.iter().all(|units| *units >= 0), "no counter goes below zero");
        self.oversold = self.promised().strict_sub(self.capacity()).max(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(total: i64, overbook: i64) -> Pool {
        let key = PoolKey { resource: ResourceName::new("room").unwrap(), slot: Slot::NONE };
        let mut pool = Pool::new(key);
        pool.set_capacity(total, overbook);
        pool
    }

    #[test]
    fn a_lowered_total_is_the_truth_and_shows_as_oversold() {
        let mut pool = pool(10, 0);
        pool.hold(6);
        pool.book_held(4);
        pool.set_capacity(3, 0);
        assert_eq!((pool.held, pool.booked, pool.oversold, pool.available()), (2, 4, 3, 0));
        pool.release(2);
        assert_eq!((pool.oversold, pool.available()), (1, 0));
        pool.change_booked(-2);
        assert_eq!((pool.oversold, pool.available()), (0, 1));
    }

    #[test]
    fn overbooking_is_capacity() {
        let mut pool = pool(1, 2);
        assert_eq!(pool.available(), 3);
        pool.hold(3);
        assert_eq!((pool.available(), pool.oversold), (0, 0));
    }

    #[test]
    #[should_panic(expected = "a claim never exceeds what is available")]
    fn a_claim_beyond_what_is_available_is_a_defect() {
        pool(1, 0).hold(2);
    }
}
