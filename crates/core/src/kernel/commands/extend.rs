//! Giving a live hold more time.

use super::super::tenant::{LIFETIME_SECS_CEILING, check_lifetime};
use super::super::{Command, Event, Facts, Hold, HoldId, Invalid, Owner, Reads, Refusal, Stop, Tenant, Timestamp};
use super::{HoldReply, live_hold, policy, update_hold};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extension {
    /// Safe to repeat.
    Until(Timestamp),
    /// From the present expiry: repeat it only under an idempotency key.
    BySecs(i64),
}

/// A hold is never shortened: an earlier expiry than the present one changes nothing.
///
/// Refuses, in this order: no such tenant; no such hold; the hold has ended; lifetime above the ceiling; the owner's
/// limit. While a payment is in progress, only the ceiling of all policies applies.
#[derive(Clone, Debug)]
pub struct ExtendHold {
    id: HoldId,
    extension: Extension,
    for_payment: bool,
}

impl ExtendHold {
    pub fn new(id: HoldId, extension: Extension) -> Result<ExtendHold, Invalid> {
        if let Extension::BySecs(secs) = extension {
            check_lifetime(secs)?;
        }
        Ok(ExtendHold { id, extension, for_payment: false })
    }

    pub fn id(&self) -> HoldId {
        self.id
    }

    #[must_use]
    pub fn for_payment(mut self) -> ExtendHold {
        self.for_payment = true;
        self
    }
}

impl Command for ExtendHold {
    const NAME: &'static str = "extend_hold";
    type Reply = HoldReply;
    type Refusal = Refusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Tenant>(&());
        reads.record::<Hold>(&self.id);
    }

    fn decide(&self, facts: &mut Facts) -> Result<HoldReply, Stop<Refusal>> {
        let policy = policy(facts)?;
        let hold = live_hold(facts, self.id)?;
        let expires_at = match self.extension {
            Extension::Until(instant) => instant,
            Extension::BySecs(secs) => hold.expires_at.plus_secs(secs),
        };
        if expires_at <= hold.expires_at {
            facts.mark_replayed();
            return Ok(HoldReply { hold, pool_versions: Vec::new() });
        }
        let secs = expires_at.secs_since(hold.placed_at);
        let secs_max = if self.for_payment { LIFETIME_SECS_CEILING } else { policy.lifetime_secs_max };
        if secs > secs_max {
            return Err(Refusal::LifetimeTooLong { secs, max: secs_max }.into());
        }
        if let Some(name) = &hold.owner {
            let owner = facts.get::<Owner>(name)?.expect("an owner with active holds is counted");
            let added_secs = secs.strict_sub(hold.granted_lifetime_secs());
            let (owner_secs, secs_max) = (owner.lifetime_secs.strict_add(added_secs), policy.owner_lifetime_secs_max);
            if !self.for_payment && owner_secs > secs_max {
                facts.require_no_lapsed_holds()?;
                return Err(Refusal::OwnerLifetimeLimit { secs: owner_secs, max: secs_max }.into());
            }
            if let Some(owner) = facts.get_mut::<Owner>(name)? {
                owner.lifetime_secs = owner_secs;
            }
        }
        let hold = update_hold(facts, self.id, |hold| hold.expires_at = expires_at)?;
        facts.emit(&Event::HoldExtended { hold: self.id, expires_at });
        Ok(HoldReply { hold, pool_versions: Vec::new() })
    }
}
