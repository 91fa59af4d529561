//! What the journal told of one pool.

use surehold_core::kernel::Pool;

use super::journal::Beginning;

#[derive(Debug, Default)]
pub(super) struct ToldOfPool {
    /// Zero while nothing was told.
    version: i64,
    /// The row that told it.
    seq: i64,
    /// The first step that nothing explains: from, to, and the row.
    jump: Option<(i64, i64, i64)>,
    capacity: Option<Capacity>,
    pub(super) oversold: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Capacity {
    pub(super) total: i64,
    pub(super) overbook: i64,
    pub(super) granted: i64,
    pub(super) closed: bool,
}

/// In which way a pool is not what was told.
pub(super) struct Unlike {
    pub(super) capacity: Option<String>,
    pub(super) version: Option<String>,
}

impl ToldOfPool {
    /// Several events of one command name the same version; they are in one row.
    pub(super) fn step(&mut self, version: i64, seq: i64, beginning: Beginning) {
        let is_first_heard = self.version == 0 && !beginning.is_first();
        let is_next = version == self.version.saturating_add(1);
        let is_same = version == self.version && seq == self.seq;
        if !(is_first_heard || is_next || is_same) {
            self.jump.get_or_insert((self.version, version, seq));
        }
        (self.version, self.seq) = (version, seq);
    }

    pub(super) fn set_capacity(&mut self, capacity: Capacity) {
        self.capacity = Some(capacity);
    }

    /// Goods left with their holds.
    pub(super) fn consume(&mut self, units: i64) {
        if let Some(capacity) = &mut self.capacity {
            capacity.total = capacity.total.saturating_sub(units);
        }
    }

    pub(super) fn unlike(&self, pool: &Pool, beginning: Beginning) -> Unlike {
        let &Pool { total, overbook, granted, closed, version, .. } = pool;
        let stored = Capacity { total, overbook, granted, closed };
        let capacity = self.capacity.filter(|told| *told != stored);
        let never_told = self.version == 0 && !beginning.is_first();
        let version = match self.jump {
            Some((from, to, seq)) => {
                Some(format!("row {seq} of the journal tells of version {to} after version {from}"))
            }
            None if self.version != version && !never_told => {
                Some(format!("is at version {version}; the journal tells of {} at last", self.version))
            }
            None => None,
        };
        Unlike { capacity: capacity.map(|told| difference(&told, &stored)), version }
    }
}

fn difference(told: &Capacity, stored: &Capacity) -> String {
    let parts = [
        ("total", told.total, stored.total),
        ("overbook", told.overbook, stored.overbook),
        ("granted", told.granted, stored.granted),
        ("closed", told.closed.into(), stored.closed.into()),
    ];
    let parts = parts.iter().filter(|(_, told, stored)| told != stored);
    let parts: Vec<String> = parts.map(|(name, told, stored)| format!("{name} is {stored}, not {told}")).collect();
    format!("by the journal its {}", parts.join(", its "))
}
