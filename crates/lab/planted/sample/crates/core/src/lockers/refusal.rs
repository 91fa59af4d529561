//! Why a command about lockers says no.

use crate::kernel::{HoldId, refusals};

refusals! {
    pub enum LockersRefusal: Kernel(Refusal) {
        HasLocker {
            /// The hold of the locker that the renter has.
            hold: HoldId,
        } = (Conflict, "has-locker", "The renter has a locker") "the renter has a locker already, by hold {hold}";
    }
}
