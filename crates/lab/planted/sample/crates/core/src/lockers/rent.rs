//! Renting a locker.

use super::{LockersEvent, LockersRefusal, Rental};
use crate::kernel::commands::{ConvertHold, PlaceHold};
use crate::kernel::{
    Command, ConvertMode, Facts, HoldId, Invalid, Line, Lines, OwnerName, PoolKey, Reads, ResourceName, Slot, Stop,
};

/// Holds and books one locker of a station. A repeat with the same id and the same content is answered with the rental.
///
/// Refuses, in this order: the renter has a locker; then as placing a hold does.
#[derive(Clone, Debug)]
pub struct RentLocker {
    hold: HoldId,
    station: ResourceName,
    renter: OwnerName,
    place: PlaceHold,
}

impl RentLocker {
    pub fn new(hold: HoldId, station: ResourceName, renter: OwnerName) -> Result<RentLocker, Invalid> {
        let pool = PoolKey { resource: station.clone(), slot: Slot::NONE };
        let one = Lines::new(vec![Line { pool, quantity: 1 }])?;
        let place = PlaceHold::new(hold, one).owner(renter.clone());
        Ok(RentLocker { hold, station, renter, place })
    }
}

impl Command for RentLocker {
    const NAME: &'static str = "rent_locker";
    type Reply = Rental;
    type Refusal = LockersRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Rental>(&self.renter);
        self.place.reads(reads);
    }

    fn decide(&self, facts: &mut Facts) -> Result<Rental, Stop<LockersRefusal>> {
        if let Some(rental) = facts.get::<Rental>(&self.renter)? {
            if rental.hold != self.hold || rental.station != self.station {
                return Err(LockersRefusal::HasLocker { hold: rental.hold }.into());
            }
            let rental = rental.clone();
            facts.mark_replayed();
            return Ok(rental);
        }
        self.place.decide(facts)?;
        facts.begin_step();
        ConvertHold { id: self.hold, mode: ConvertMode::Book, part: None }.decide(facts)?;
        facts.emit(&LockersEvent::LockerRented { hold: self.hold }.into());
        let (renter, station) = (self.renter.clone(), self.station.clone());
        let rental = Rental { renter, hold: self.hold, station, rented_at: facts.now(), version: 0 };
        Ok(facts.insert(rental).clone())
    }
}
