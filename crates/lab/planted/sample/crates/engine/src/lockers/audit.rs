//! Lockers: whether rentals and holds agree.

use crate::SnapshotError;
use crate::audit::rules::Rule;
use crate::audit::{Audit, Auditing, Invariant};

const BOOKED: &str = "locker-rental-booked";

pub(super) const AUDIT: Audit = Audit {
    invariants: &[Invariant { name: BOOKED, says: "every rental of a locker has a hold that was converted" }],
    check,
};

fn check(audit: &mut Auditing<'_>) -> Result<(), SnapshotError> {
    let rule = Rule {
        key: |renter, station| format!("locker of {renter} in {station}"),
        ..Rule::new(
            BOOKED,
            "its hold is not there, or was never converted",
            "restore the hold from a backup, or give the renter another locker",
            "select r.tenant, r.renter, r.station from locker_rentals r where not exists (select 1 from holds h \
              where h.tenant = r.tenant and h.id = r.hold and h.state = 'converted')",
        )
    };
    rule.check(audit)
}
