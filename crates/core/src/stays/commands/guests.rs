//! Forgetting who stayed.

use serde::{Deserialize, Serialize};

use crate::kernel::{Command, Facts, HoldId, Reads, Stop, Timestamp};
use crate::stays::{Guest, GuestDetails, StayRefusal, StaysEvent};

/// Erases the personal data of a stay; everything else stays. A repeat finds it erased.
///
/// Refuses: no such stay.
#[derive(Clone, Debug)]
pub struct EraseGuest {
    pub hold: HoldId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuestErased {
    pub hold: HoldId,
    pub erased_at: Timestamp,
}

impl Command for EraseGuest {
    const NAME: &'static str = "erase_guest";
    type Reply = GuestErased;
    type Refusal = StayRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Guest>(&self.hold);
    }

    fn decide(&self, facts: &mut Facts) -> Result<GuestErased, Stop<StayRefusal>> {
        let (hold, now) = (self.hold, facts.now());
        let known = facts.get::<Guest>(&hold)?.ok_or(StayRefusal::StayNotFound { hold })?;
        if let Some(erased_at) = known.erased_at {
            facts.mark_replayed();
            return Ok(GuestErased { hold, erased_at });
        }
        let guest = facts.get_mut::<Guest>(&hold)?.expect("just read");
        guest.details = GuestDetails::default();
        guest.erased_at = Some(now);
        facts.emit(&StaysEvent::GuestErased { hold }.into());
        Ok(GuestErased { hold, erased_at: now })
    }
}
