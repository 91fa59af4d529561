//! Bugs that can be planted on purpose, to prove that the tests would find them. Only a lab build (feature `sabotage`)
//! can plant one; elsewhere [`is_planted`] is `false` at compile time and nothing of this is left.

/// One way to break a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Sabotage {
    /// Placing a hold does not ask what is available.
    GuardRemoved = 1,
    /// Expiry is compared in whole seconds, the last one included: a hold outlives its instant.
    ExpiryNotHalfOpen,
    /// Batches do not take the turn of their tenants. Versions and the journal's key still stand in the way of harm, and
    /// say so in the log.
    TurnNotTaken,
    /// Updates and deletes do not say which version they expect, so that whatever a worker believes is taken for true.
    VersionUnchecked,
    /// Callers are answered before the commit.
    ReplyBeforeCommit,
    /// What a refused command changed stays in the batch.
    RefusedLeaks,
    /// The reply under an idempotency key is kept in a transaction of its own, after the effect.
    KeyOutsideTransaction,
    /// A worker's result counts, whoever has the lease now, if anybody.
    LeaseTokenUnchecked,
    /// A task that comes too early is done with, and never done.
    EarlyTaskBurnsId,
    /// A commit whose answer was lost is reported as not carried out.
    UnknownCommitIsFailure,
    /// A cancelled hold is expired too when its time comes, and frees its units again.
    SweepFreesTwice,
    /// What a partial convert does not keep is not released.
    PartialConvertLosesRest,
    /// A batch that the store did not take is given up, and its commands are answered as if it had not been.
    NeighboursRolledBack,
    /// A cancelled hold can be converted.
    CancelledThenConverted,
    /// A reader of events that comes back goes on behind the journal row of its cursor, not behind the cursor.
    EventMissed,
    /// Of a hold with many lines only the first is counted.
    FirstLineOnly,
    /// An effect in doubt is sent again under a new idempotency key.
    DoubtSentAgain,
    /// Another request under a used idempotency key gets the first one's answer.
    KeyReuseUnnoticed,
    /// Neither turns nor versions: the last of two nodes that write wins.
    LostUpdate,
    /// A shortage is believed without a look for lapsed holds.
    LapsedHoldsBlock,
    /// The instant of a batch may be before that of the batch before it.
    TimeGoesBack,
    /// Commits do not wait for the disk.
    CommitUnsynced,
    /// A tenant's key opens every tenant's address.
    ForeignTenantServed,
    /// On a database, the clock of the node decides expiry.
    NodeClockDecides,
    /// Money that comes after the hold has ended makes a reservation, and no rooms are placed for it.
    LatePaymentUnplaced,
    /// Money that comes after the hold has ended is kept, though the rooms are somebody else's.
    LatePaymentKept,
    /// A reservation that ends asks for no refund.
    RefundForgotten,
    /// Goods leave although somebody holds or has booked them.
    PromisedGoodsSold,
    /// A document that comes again is posted again.
    DocumentPostedTwice,
    /// What is left after an issue is worth its units at a rounded average; the remainder is gone.
    RemainderLost,
    /// Nothing after a document that takes effect in the past is worked out anew.
    RevaluationForgotten,
    /// A count is believed whatever moved since.
    RecountUnchecked,
    /// What was returned of a sale can be returned again.
    ReturnsUncounted,
    /// What a lane remembers of a tenant counts, whoever has changed it since. Versions still stand in the way of harm, and
    /// say so in the log.
    MemoryUnchecked,
}

impl Sabotage {
    pub const ALL: [Sabotage; 34] = [
        Sabotage::GuardRemoved,
        Sabotage::ExpiryNotHalfOpen,
        Sabotage::TurnNotTaken,
        Sabotage::VersionUnchecked,
        Sabotage::ReplyBeforeCommit,
        Sabotage::RefusedLeaks,
        Sabotage::KeyOutsideTransaction,
        Sabotage::LeaseTokenUnchecked,
        Sabotage::EarlyTaskBurnsId,
        Sabotage::UnknownCommitIsFailure,
        Sabotage::SweepFreesTwice,
        Sabotage::PartialConvertLosesRest,
        Sabotage::NeighboursRolledBack,
        Sabotage::CancelledThenConverted,
        Sabotage::EventMissed,
        Sabotage::FirstLineOnly,
        Sabotage::DoubtSentAgain,
        Sabotage::KeyReuseUnnoticed,
        Sabotage::LostUpdate,
        Sabotage::LapsedHoldsBlock,
        Sabotage::TimeGoesBack,
        Sabotage::CommitUnsynced,
        Sabotage::ForeignTenantServed,
        Sabotage::NodeClockDecides,
        Sabotage::LatePaymentUnplaced,
        Sabotage::LatePaymentKept,
        Sabotage::RefundForgotten,
        Sabotage::PromisedGoodsSold,
        Sabotage::DocumentPostedTwice,
        Sabotage::RemainderLost,
        Sabotage::RevaluationForgotten,
        Sabotage::RecountUnchecked,
        Sabotage::ReturnsUncounted,
        Sabotage::MemoryUnchecked,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Sabotage::GuardRemoved => "guard-removed",
            Sabotage::ExpiryNotHalfOpen => "expiry-not-half-open",
            Sabotage::TurnNotTaken => "turn-not-taken",
            Sabotage::VersionUnchecked => "version-unchecked",
            Sabotage::ReplyBeforeCommit => "reply-before-commit",
            Sabotage::RefusedLeaks => "refused-leaks",
            Sabotage::KeyOutsideTransaction => "key-outside-transaction",
            Sabotage::LeaseTokenUnchecked => "lease-token-unchecked",
            Sabotage::EarlyTaskBurnsId => "early-task-burns-id",
            Sabotage::UnknownCommitIsFailure => "unknown-commit-is-failure",
            Sabotage::SweepFreesTwice => "sweep-frees-twice",
            Sabotage::PartialConvertLosesRest => "partial-convert-loses-rest",
            Sabotage::NeighboursRolledBack => "neighbours-rolled-back",
            Sabotage::CancelledThenConverted => "cancelled-then-converted",
            Sabotage::EventMissed => "event-missed",
            Sabotage::FirstLineOnly => "first-line-only",
            Sabotage::DoubtSentAgain => "doubt-sent-again",
            Sabotage::KeyReuseUnnoticed => "key-reuse-unnoticed",
            Sabotage::LostUpdate => "lost-update",
            Sabotage::LapsedHoldsBlock => "lapsed-holds-block",
            Sabotage::TimeGoesBack => "time-goes-back",
            Sabotage::CommitUnsynced => "commit-unsynced",
            Sabotage::ForeignTenantServed => "foreign-tenant-served",
            Sabotage::NodeClockDecides => "node-clock-decides",
            Sabotage::LatePaymentUnplaced => "late-payment-unplaced",
            Sabotage::LatePaymentKept => "late-payment-kept",
            Sabotage::RefundForgotten => "refund-forgotten",
            Sabotage::PromisedGoodsSold => "promised-goods-sold",
            Sabotage::DocumentPostedTwice => "document-posted-twice",
            Sabotage::RemainderLost => "remainder-lost",
            Sabotage::RevaluationForgotten => "revaluation-forgotten",
            Sabotage::RecountUnchecked => "recount-unchecked",
            Sabotage::ReturnsUncounted => "returns-uncounted",
            Sabotage::MemoryUnchecked => "memory-unchecked",
        }
    }

    pub fn named(name: &str) -> Option<Sabotage> {
        Sabotage::ALL.into_iter().find(|sabotage| sabotage.name() == name)
    }
}

/// Whether one of these is planted.
#[inline]
pub fn is_any_planted<const N: usize>(sabotages: [Sabotage; N]) -> bool {
    sabotages.into_iter().any(is_planted)
}

#[cfg(feature = "sabotage")]
mod planted {
    use std::sync::atomic::{AtomicU8, Ordering};

    use super::Sabotage;

    static PLANTED: AtomicU8 = AtomicU8::new(0);

    /// For the rest of the process, or until another is planted.
    pub fn plant(sabotage: Option<Sabotage>) {
        #[expect(clippy::as_conversions, reason = "a number of its own is what the enum declares")]
        PLANTED.store(sabotage.map_or(0, |sabotage| sabotage as u8), Ordering::Relaxed);
    }

    #[expect(clippy::as_conversions, reason = "a number of its own is what the enum declares")]
    pub fn is_planted(sabotage: Sabotage) -> bool {
        PLANTED.load(Ordering::Relaxed) == sabotage as u8
    }
}

#[cfg(feature = "sabotage")]
pub use planted::{is_planted, plant};

#[cfg(not(feature = "sabotage"))]
#[inline]
pub const fn is_planted(_: Sabotage) -> bool {
    false
}
