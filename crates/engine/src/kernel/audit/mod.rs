//! Pools, holds, owners and the journal, tenant by tenant: what the holds add up to, and what the journal tells of it.
//!
//! Memory: the pools of one tenant, and about 30 bytes for each of its holds that the kept part of the journal is about.

mod holds;
mod journal;
mod lines;
mod owners;
mod pools;
pub(crate) mod replies;
pub(crate) mod tenants;
mod told;

use std::collections::BTreeSet;

use surehold_core::kernel::TenantId;

use crate::SnapshotError;
use crate::audit::{Audit, Auditing, Invariant};
use holds::Holds;
use journal::Beginning;
use pools::Pools;

const ROW_READABLE: &str = "row-readable";
const POOL_BOUNDS: &str = "pool-counters-in-bounds";
const POOL_HELD: &str = "pool-held-matches-holds";
const POOL_BOOKED: &str = "pool-booked-matches-holds";
const POOL_OVERSOLD: &str = "pool-oversold-explained";
const POOL_CAPACITY: &str = "pool-capacity-told";
const POOL_VERSIONS: &str = "pool-versions-told";
const HOLD_LINES: &str = "hold-lines-have-pools";
const HOLD_KEPT: &str = "hold-kept-when-converted";
const HOLD_INSTANTS: &str = "hold-instants-in-order";
const HOLD_LAPSED: &str = "hold-expired-in-time";
const HOLD_TOLD: &str = "hold-told-as-stored";
const OWNER_COUNTS: &str = "owner-counts-match-holds";
const JOURNAL_GAP: &str = "journal-without-gap";
const JOURNAL_TIME: &str = "journal-time-never-goes-back";
const JOURNAL_READABLE: &str = "journal-readable";
const JOURNAL_STRANGERS: &str = "journal-tells-of-what-exists";

pub(crate) const AUDIT: Audit = Audit {
    invariants: &[
        Invariant { name: ROW_READABLE, says: "every pool, hold and owner can be read" },
        Invariant {
            name: POOL_BOUNDS,
            says: "no counter is below zero, and nothing is promised beyond total, overbook and oversold",
        },
        Invariant { name: POOL_HELD, says: "a pool's held units are those of its active holds" },
        Invariant { name: POOL_BOOKED, says: "a pool's booked units are those that converted holds have booked" },
        Invariant {
            name: POOL_OVERSOLD,
            says: "oversold is what is promised beyond capacity, and an event told of it",
        },
        Invariant { name: POOL_CAPACITY, says: "total, overbook, granted and closed are what the journal told last" },
        Invariant { name: POOL_VERSIONS, says: "the journal explains every step of a pool's version" },
        Invariant { name: HOLD_LINES, says: "every line of a hold is on a pool of the same tenant" },
        Invariant { name: HOLD_KEPT, says: "a hold keeps something exactly if it was converted" },
        Invariant {
            name: HOLD_INSTANTS,
            says: "a hold ended exactly if it is not active, and expired when it was due",
        },
        Invariant {
            name: HOLD_LAPSED,
            says: "no hold is active long after it expired, if a server was there to sweep it",
        },
        Invariant {
            name: HOLD_TOLD,
            says: "the journal tells of every hold: placed once, ended at most once, as stored",
        },
        Invariant { name: OWNER_COUNTS, says: "what owners hold is what their active holds add up to" },
        Invariant {
            name: JOURNAL_GAP,
            says: "the journal has every row from the first, or from where it was trimmed, on",
        },
        Invariant { name: JOURNAL_TIME, says: "time never goes back in the journal" },
        Invariant {
            name: JOURNAL_READABLE,
            says: "every row of the journal can be read and has as many events as it says",
        },
        Invariant { name: JOURNAL_STRANGERS, says: "the holds and pools that the journal tells of are there" },
    ],
    check,
};

/// While one of these is broken, nobody knows whether the holds are what was sold, so nothing is counted by them.
const HOLDS_TRUSTED: &[&str] =
    &[ROW_READABLE, HOLD_LINES, HOLD_KEPT, HOLD_INSTANTS, HOLD_TOLD, JOURNAL_GAP, JOURNAL_READABLE, JOURNAL_STRANGERS];

const NOT_TRUSTED: &str = "other findings say that holds of this tenant are missing, changed or unreadable: put those \
                           right first, or counting by them would give away what was sold";

fn check(audit: &mut Auditing<'_>) -> Result<(), SnapshotError> {
    let mut tenants = BTreeSet::new();
    for table in ["pools", "holds", "owners", "journal"] {
        tenants.extend(audit.tenants_in(table)?);
    }
    for tenant in tenants {
        check_tenant(audit, tenant)?;
    }
    Ok(())
}

fn check_tenant(audit: &mut Auditing<'_>, tenant: TenantId) -> Result<(), SnapshotError> {
    let broken_before = audit.findings.count_of(HOLDS_TRUSTED);
    let beginning = Beginning::read(audit, tenant)?;
    let mut pools = Pools::read(audit, tenant)?;
    let (mut holds, owners) = Holds::read(audit, tenant, &mut pools, beginning)?;
    journal::check(audit, tenant, &mut pools, &mut holds, beginning)?;
    holds.check_told(audit, tenant);
    // All of it is done before anything is said about counters: the last of these may be why they must not be touched.
    drop(holds);
    let trusted = audit.findings.count_of(HOLDS_TRUSTED) == broken_before;
    pools.check(audit, tenant, trusted, beginning)?;
    owners::check(audit, tenant, trusted, &owners)
}
