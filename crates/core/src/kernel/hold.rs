//! A hold: a timed, all-or-nothing claim on pools, and what became of it.
//! Invariant: the lines never change; what was kept of them is recorded apart.

use serde::{Deserialize, Serialize};

use super::{Columnar, HoldId, Lines, Metadata, OwnerName, Record, Reference, Timestamp, words};

words!(HoldState {
    Active = "active",
    Converted = "converted",
    Cancelled = "cancelled",
    Expired = "expired",
});

words!(
    /// What converting does to the units.
    ConvertMode {
        /// They stay in the pool as booked: rooms, seats.
        Book = "book",
        /// They leave the pool, and its total goes down: goods.
        Consume = "consume",
    }
);

/// What a converted hold has: the units booked as of now, or the units consumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Columnar)]
pub struct Kept {
    pub mode: ConvertMode,
    /// As converted, so that a repeated request can be told from a different one.
    pub converted: Lines,
    /// As of now: booked units may be given back and moved.
    pub lines: Lines,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(
    table = "holds",
    due(column = "expires_at", filter = "state = 'active'", records_max = 1_000, at = self.lapses_at())
)]
pub struct Hold {
    #[column(key)]
    pub id: HoldId,
    pub state: HoldState,
    #[column(fixed)]
    pub lines: Lines,
    #[column(name = "kept_as", name = "converted", name = "kept")]
    pub kept: Option<Kept>,
    #[column(fixed)]
    pub owner: Option<OwnerName>,
    #[column(fixed)]
    pub reference: Option<Reference>,
    #[column(fixed)]
    pub metadata: Option<Metadata>,
    /// As asked for, so that a repeated request can be told from a different one; `None` took the default.
    #[column(fixed)]
    pub lifetime_secs: Option<i64>,
    #[column(fixed)]
    pub placed_at: Timestamp,
    pub expires_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub version: i64,
}

impl Hold {
    /// Half-open: at the instant of expiry the hold is dead for everybody.
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.state == HoldState::Active && !self.has_lapsed(now)
    }

    fn has_lapsed(&self, now: Timestamp) -> bool {
        self.expires_at <= now
    }

    /// What the hold is to everybody at `now`, swept or not.
    pub fn state_at(&self, now: Timestamp) -> HoldState {
        match self.state {
            HoldState::Active if self.has_lapsed(now) => HoldState::Expired,
            state => state,
        }
    }

    /// The hold as everybody sees it at `now`, swept or not.
    #[must_use]
    pub fn as_of(&self, now: Timestamp) -> Hold {
        let state = self.state_at(now);
        let lapsed_at = (state != self.state).then_some(self.expires_at);
        Hold { state, ended_at: self.ended_at.or(lapsed_at), ..self.clone() }
    }

    fn lapses_at(&self) -> Option<Timestamp> {
        (self.state == HoldState::Active).then_some(self.expires_at)
    }

    pub(super) fn granted_lifetime_secs(&self) -> i64 {
        self.expires_at.secs_since(self.placed_at)
    }
}
