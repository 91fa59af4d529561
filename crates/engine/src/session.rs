//! What a store must do for one lane: open a transaction in the tenants' turns, load what was asked for, write the
//! difference, and tell afterwards whether a commit happened.

use std::error::Error;

use surehold_core::kernel::{Corrupt, Facts, TenantId, Timestamp};
use thiserror::Error;
use uuid::Uuid;

/// One tenant's part of a batch.
#[derive(Debug)]
pub struct TenantWork {
    pub facts: Facts,
    /// The place of this batch in the tenant's journal.
    pub journal_seq: i64,
    /// The tenant's last batch, as the journal says.
    pub(crate) last_batch: Option<Uuid>,
    /// The tenant's last batch when this lane had its turn before.
    known_batch: Option<Uuid>,
    memory: Memory,
}

/// Whether the facts are what the lane remembers from its turn before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Memory {
    Nothing,
    Remembered,
    /// Others have been here since; what is needed has not been asked for again yet.
    Outdated,
}

/// The last row of a tenant's journal.
#[derive(Clone, Copy, Debug)]
pub struct JournalHead {
    pub seq: i64,
    pub batch: Uuid,
    pub at: Timestamp,
}

impl TenantWork {
    pub(crate) fn new(facts: Facts, known_batch: Option<Uuid>) -> TenantWork {
        TenantWork { facts, journal_seq: 0, last_batch: None, known_batch, memory: Memory::Nothing }
    }

    pub(crate) fn remembering(facts: Facts, known_batch: Uuid) -> TenantWork {
        TenantWork { memory: Memory::Remembered, ..TenantWork::new(facts, Some(known_batch)) }
    }

    pub fn tenant(&self) -> TenantId {
        self.facts.tenant()
    }

    /// Called when the turn has been taken, before anything is decided: the journal's head decides the batch's place,
    /// head and clock its instant.
    pub fn open(&mut self, head: Option<JournalHead>, clock: Timestamp) {
        let (seq, at) = head.map_or((0, clock), |head| (head.seq, head.at));
        self.journal_seq = seq + 1;
        self.last_batch = head.map(|head| head.batch);
        if !self.is_undisturbed() {
            self.forget();
        }
        self.facts.set_now(clock.max(at));
    }

    /// Nobody else has changed the tenant since this lane had its turn.
    pub(crate) fn is_undisturbed(&self) -> bool {
        self.known_batch.is_some() && self.known_batch == self.last_batch
    }

    /// Others have been here, or may have been.
    pub(crate) fn forget(&mut self) {
        if self.memory == Memory::Remembered {
            self.facts.forget_remembered();
            self.memory = Memory::Outdated;
        }
    }

    /// Whether something was forgotten since this was asked last.
    pub(crate) fn take_outdated(&mut self) -> bool {
        let is_outdated = self.memory == Memory::Outdated;
        if is_outdated {
            self.memory = Memory::Nothing;
        }
        is_outdated
    }
}

/// How a batch came to its turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turns {
    /// Nobody was in the way, and what was asked for is loaded.
    AtOnce,
    /// Somebody else had a turn. It is ours now; nothing is loaded yet.
    AfterWaiting,
    /// Somebody else has the turns of these, among several tenants. No transaction is open.
    Taken(Vec<TenantId>),
}

/// One connection of a store, used by one lane. A session that failed is good for another `begin`.
pub trait Session {
    /// Opens a transaction and takes the turn of every tenant. If that needed no waiting, reads clock and journal heads
    /// and loads what is asked for. Waits only for the turn of a single tenant, and not for long.
    fn begin(&mut self, tenants: &mut [TenantWork]) -> impl Future<Output = Result<Turns, StoreError>>;

    /// Reads clock and journal heads and loads what is asked for: the first time after waiting, and again when commands
    /// have joined since, so that none of them is decided at an instant before it was asked for.
    fn open(&mut self, tenants: &mut [TenantWork]) -> impl Future<Output = Result<(), StoreError>>;

    /// Loads what has been asked for since.
    fn load(&mut self, tenants: &mut [TenantWork]) -> impl Future<Output = Result<(), StoreError>>;

    /// Writes the changes and one journal row per changed tenant, and commits.
    fn commit(&mut self, tenants: &[TenantWork], batch: Uuid) -> impl Future<Output = Result<(), StoreError>>;

    /// Ends the transaction without writing.
    fn abandon(&mut self) -> impl Future<Output = ()>;

    /// After [`StoreError::Unknown`]: whether the batch is in the tenant's journal. Takes the turn first, so that
    /// a transaction still running has ended before the answer is given.
    fn has_committed(
        &mut self,
        tenant: TenantId,
        seq: i64,
        batch: Uuid,
    ) -> impl Future<Output = Result<bool, StoreError>>;
}

/// An error with all its causes, for a log line.
pub(crate) fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

type Source = Box<dyn Error + Send + Sync>;

#[derive(Debug, Error)]
pub enum StoreError {
    /// Somebody else was faster, or an assumption was wrong: decide again on fresh facts.
    #[error("the batch met a conflict")]
    Conflict(#[source] Source),
    /// A row is not what was loaded, remembered or believed: decide again on fresh facts.
    #[error("a row of {table} was changed by others")]
    Changed { table: &'static str, source: Source },
    /// The store will not take the content: a guard fired or a value cannot be stored.
    #[error("the store rejected the batch")]
    Rejected(#[source] Source),
    /// Somebody else keeps the turn.
    #[error("another node keeps the turn of a tenant")]
    TurnTaken,
    /// Nothing was written.
    #[error("the store cannot be used")]
    Unavailable(#[source] Source),
    /// The connection was lost while committing.
    #[error("the outcome of the commit is unknown")]
    Unknown(#[source] Source),
    #[error("the store holds something unreadable")]
    Corrupt(#[from] Corrupt),
}
