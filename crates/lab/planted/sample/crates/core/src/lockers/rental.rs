//! Who has a locker.

use serde::{Deserialize, Serialize};

use crate::kernel::{HoldId, OwnerName, Record, ResourceName, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(table = "locker_rentals", fixed)]
pub struct Rental {
    #[column(key)]
    pub renter: OwnerName,
    /// Has one locker of the station booked.
    pub hold: HoldId,
    pub station: ResourceName,
    pub rented_at: Timestamp,
    pub version: i64,
}
