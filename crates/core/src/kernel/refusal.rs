//! Why the kernel says no. Each variant carries the data that a caller needs to act on it.

use super::refused::refusals;
use super::{HoldId, HoldState, Invalid, KeyId, PoolKey, ResourceName, Slot, Timestamp};

refusals! {
    /// In the order in which commands look for them: what is wrong with the request, with what it names, with the
    /// state.
    pub enum Refusal: Invalid(Invalid) {
        TenantNotFound = (NOT_FOUND) "there is no such tenant";
        TenantExists
            = (Conflict, "tenant-exists", "The tenant exists with other content")
            "the tenant exists with other content";
        /// An id outside this window could be one whose hold was purged: accepting it might sell twice.
        IdOutsideWindow { hold: HoldId, made_after: Timestamp, made_before: Timestamp }
            = (Invalid, "hold-id-outside-window", "The hold's id is too old or from the future")
            "the id {hold} was made outside of {made_after} to {made_before}";
        HoldIdReused { hold: HoldId }
            = (Invalid, "hold-id-reused", "The hold's id was used for another request")
            "hold {hold} exists with other content";
        HoldNotFound { hold: HoldId }
            = (NotFound, "hold-not-found", "There is no such hold") "there is no hold {hold}";
        HoldEnded {
            /// What the hold has become.
            state: HoldState,
        } = (Conflict, "hold-ended", "The hold has ended") "the hold is {}", state.as_str();
        HoldNotDue { expires_at: Timestamp }
            = (Conflict, "hold-not-due", "The hold has not expired yet") "the hold expires at {expires_at}, not now";
        LifetimeTooLong {
            /// The lifetime that the hold would have.
            secs: i64,
            max: i64,
        } = (Invalid, "lifetime-too-long", "The hold would live too long")
            "the lifetime would be {secs} s; at most {max} s are allowed";
        PoolNotFound { pools: Vec<PoolKey> }
            = (NotFound, "pool-not-found", "There is no such pool") "no such pool: {}", list(pools);
        PoolVersion {
            pools: [PoolKey; 1],
            /// The version that was found.
            version: i64,
        } = (Conflict, "pool-version", "The pool has changed") "pool {} is at version {version}", pools[0];
        TotalOutOfRange {
            pools: [PoolKey; 1],
            /// The total that the pool would have.
            total: i64,
        } = (Invalid, "total-out-of-range", "The total would be out of range")
            "the total of {} would be {total}", pools[0];
        PoolClosed { pools: Vec<PoolKey> }
            = (Conflict, "pool-closed", "The pool is closed") "closed: {}", list(pools);
        NothingBooked = (Conflict, "nothing-booked", "The hold has nothing booked") "the hold has nothing booked";
        LinesExceedHold { pools: Vec<PoolKey> }
            = (Invalid, "lines-exceed-hold", "More than the hold has") "more than the hold has: {}", list(pools);
        GrantExceeded {
            pools: [PoolKey; 1],
            /// Units that are granted.
            max: i64,
        } = (Conflict, "grant-exceeded", "More than is granted") "only {max} units of {} are granted", pools[0];
        OwnerHoldsLimit { max: i64 }
            = (Conflict, "owner-holds-limit", "The owner holds too much")
            "the owner has {max} holds, the most allowed at once";
        OwnerLifetimeLimit {
            /// The lifetimes that the owner's holds would have in total.
            secs: i64,
            max: i64,
        } = (Conflict, "owner-lifetime-limit", "The owner's holds live too long")
            "the owner's holds would live {secs} s in total; at most {max} s are allowed";
        KeyNotFound { key: KeyId } = (NotFound, "key-not-found", "There is no such key") "there is no key {key}";
        KeyIdReused { key: KeyId }
            = (Invalid, "key-id-reused", "The key's id was used for another request")
            "key {key} exists with other content";
        KeyEnded { key: KeyId }
            = (Conflict, "key-ended", "The key was revoked, was replaced or has expired")
            "key {key} was revoked, was replaced or has expired";
        KeyExpiryPast { now: Timestamp }
            = (Invalid, "key-expiry-past", "The key would have expired already")
            "the key would have expired already: it is {now}";
        /// Goods that are kept in a store move by documents only.
        TrackedByStock { pools: Vec<PoolKey> }
            = (Conflict, "tracked-by-stock", "The total is kept by stock")
            "tracked by stock, where totals change by documents only: {}", list(pools);
        SoldOut {
            /// Every line that is short, sorted, with what is left.
            lines: Vec<ShortLine>,
        } = (Conflict, "sold-out", "Sold out") "sold out: {}", shortages(lines);
    }

    /// A line that could not be had.
    pub struct ShortLine {
        pub resource: ResourceName,
        pub slot: Slot,
        pub wanted: i64,
        pub available: i64,
    }
}

impl ShortLine {
    pub fn new(PoolKey { resource, slot }: PoolKey, wanted: i64, available: i64) -> ShortLine {
        ShortLine { resource, slot, wanted, available }
    }
}

fn list(pools: &[PoolKey]) -> String {
    pools.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn shortages(lines: &[ShortLine]) -> String {
    let describe = |ShortLine { resource, slot, wanted, available }: &ShortLine| {
        let pool = PoolKey { resource: resource.clone(), slot: *slot };
        format!("{pool} ({available} left, {wanted} wanted)")
    };
    lines.iter().map(describe).collect::<Vec<_>>().join(", ")
}
