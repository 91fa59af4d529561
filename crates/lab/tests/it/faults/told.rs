//! What callers were told. It has to be true afterwards.

use std::collections::{BTreeMap, HashMap};

use surehold_core::kernel::{HoldId, Lines, OwnerName, TenantId};
use surehold_engine::Fault;

/// A hold that somebody was told exists.
#[derive(Clone, Debug)]
pub(super) struct Promise {
    pub(super) tenant: TenantId,
    pub(super) lines: Lines,
    pub(super) owner: Option<OwnerName>,
    /// From placing to expiry, with all extensions that were acknowledged.
    pub(super) lifetime_secs: i64,
    /// Of the pools after placing; not told by a replay.
    pub(super) versions: Option<Vec<i64>>,
    pub(super) ending: Ending,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// Active, or expired when its time is up.
    Left,
    Cancelled,
    Booked,
    GivenBack,
    Consumed,
}

/// A request that was refused, or failed with the word that nothing was changed.
#[derive(Clone, Debug)]
pub(super) struct Nothing {
    pub(super) tenant: TenantId,
    pub(super) id: HoldId,
    pub(super) lines: Lines,
    pub(super) sold_out: bool,
}

/// Changes that cannot be asked for twice.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Deliveries {
    pub(super) made: i64,
    pub(super) unknown: i64,
}

#[derive(Debug, Default)]
pub(super) struct Answers {
    pub(super) holds: HashMap<HoldId, Promise>,
    pub(super) nothing: Vec<Nothing>,
    pub(super) deliveries: HashMap<TenantId, Deliveries>,
    pub(super) faults: BTreeMap<String, usize>,
    pub(super) replays: usize,
}

impl Answers {
    pub(super) fn fault(&mut self, fault: Fault) {
        *self.faults.entry(format!("{fault:?}")).or_default() += 1;
    }

    pub(super) fn add(&mut self, other: Answers) {
        for (id, promise) in other.holds {
            assert!(self.holds.insert(id, promise).is_none(), "ids are made once");
        }
        self.nothing.extend(other.nothing);
        for (tenant, more) in other.deliveries {
            let deliveries = self.deliveries.entry(tenant).or_default();
            deliveries.made += more.made;
            deliveries.unknown += more.unknown;
        }
        for (fault, count) in other.faults {
            *self.faults.entry(fault).or_default() += count;
        }
        self.replays += other.replays;
    }

    /// For people: a run in which everything was refused proves nothing.
    pub(super) fn print(&self, title: &str) {
        let of = |ending| self.holds.values().filter(|promise| promise.ending == ending).count();
        eprintln!(
            "{title}: {} placed ({} left, {} cancelled, {} booked, {} given back, {} consumed), {} nothing, \
             {} deliveries, {} replays, faults {:?}",
            self.holds.len(),
            of(Ending::Left),
            of(Ending::Cancelled),
            of(Ending::Booked),
            of(Ending::GivenBack),
            of(Ending::Consumed),
            self.nothing.len(),
            self.deliveries.values().map(|deliveries| deliveries.made).sum::<i64>(),
            self.replays,
            self.faults,
        );
    }
}
