//! Lockers on the wire.

use surehold_core::kernel::{HoldId, Invalid, OwnerName, ResourceName, Timestamp};
use surehold_core::lockers;

use crate::describe::wire;

/// One locker of a station, for a renter who has none.
#[wire]
#[schema(example = json!({"id": "019a8d1e-6f00-7000-8000-000000000001", "station": "lockers-hall", "renter": "ann"}))]
pub struct RentLocker {
    /// Of your own: repeated with the same content, the request finds the same rental.
    pub id: HoldId,
    /// The pool whose units are its lockers.
    pub station: ResourceName,
    pub renter: OwnerName,
}

impl RentLocker {
    pub fn into_command(self) -> Result<lockers::RentLocker, Invalid> {
        lockers::RentLocker::new(self.id, self.station, self.renter)
    }
}

/// Who has a locker, and since when.
#[wire]
pub struct Rental {
    #[schema(example = "ann")]
    pub renter: OwnerName,
    /// The hold that has the locker booked.
    pub hold: HoldId,
    #[schema(example = "lockers-hall")]
    pub station: ResourceName,
    #[schema(example = "2026-01-01T00:00:00Z")]
    pub rented_at: Timestamp,
}

impl From<lockers::Rental> for Rental {
    fn from(rental: lockers::Rental) -> Rental {
        let lockers::Rental { renter, hold, station, rented_at, version: _ } = rental;
        Rental { renter, hold, station, rented_at }
    }
}

#[wire(page after OwnerName)]
pub struct RentalPage {
    pub rentals: Vec<Rental>,
}
