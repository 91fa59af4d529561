//! Placing a hold: the one command that everything else is measured by.

use super::super::tenant::check_lifetime;
use super::super::{
    Command, Event, Facts, Hold, HoldId, HoldPolicy, HoldState, Invalid, LINES_MAX, Lines, Metadata, Owner, OwnerName,
    Pool, Reads, Reference, Refusal, Stop, Tenant,
};
use super::{Decision, HoldReply, change_pools, policy, require_available, require_open_pools};

/// Ended holds are kept at least this long; an older id could be one whose hold was purged.
pub const ID_AGE_SECS_MAX: i64 = 30 * 86_400;
/// Clocks differ; an id from further ahead would outlive the retention of its hold.
pub const ID_AHEAD_SECS_MAX: i64 = 86_400;

/// A repeat with the same id and the same content is answered with the hold as it is now.
///
/// Refuses, in this order: no such tenant; id outside its window; id used with other content; lifetime above the
/// ceiling; pools that do not exist; pools that are closed; the owner's limits; every line that is short.
#[derive(Clone, Debug)]
pub struct PlaceHold {
    id: HoldId,
    lines: Lines,
    lifetime_secs: Option<i64>,
    owner: Option<OwnerName>,
    reference: Option<Reference>,
    metadata: Option<Metadata>,
}

impl PlaceHold {
    pub fn new(id: HoldId, lines: Lines) -> PlaceHold {
        PlaceHold { id, lines, lifetime_secs: None, owner: None, reference: None, metadata: None }
    }

    pub fn lifetime_secs(mut self, secs: i64) -> Result<PlaceHold, Invalid> {
        check_lifetime(secs)?;
        self.lifetime_secs = Some(secs);
        Ok(self)
    }

    #[must_use]
    pub fn owner(mut self, owner: OwnerName) -> PlaceHold {
        self.owner = Some(owner);
        self
    }

    #[must_use]
    pub fn reference(mut self, reference: Reference) -> PlaceHold {
        self.reference = Some(reference);
        self
    }

    #[must_use]
    pub fn metadata(mut self, metadata: Metadata) -> PlaceHold {
        self.metadata = Some(metadata);
        self
    }

    pub fn id(&self) -> HoldId {
        self.id
    }

    fn is_request_of(&self, hold: &Hold) -> bool {
        self.lines == hold.lines
            && self.lifetime_secs == hold.lifetime_secs
            && self.owner == hold.owner
            && self.reference == hold.reference
            && self.metadata == hold.metadata
    }

    fn check_id_window(&self, facts: &Facts) -> Result<(), Refusal> {
        let made_after = facts.now().plus_secs(ID_AGE_SECS_MAX.strict_neg());
        let made_before = facts.now().plus_secs(ID_AHEAD_SECS_MAX);
        let made_at = self.id.made_at();
        let inside = made_after <= made_at && made_at <= made_before;
        if inside { Ok(()) } else { Err(Refusal::IdOutsideWindow { hold: self.id, made_after, made_before }) }
    }

    fn hold_units(&self, facts: &mut Facts) -> Decision<Vec<i64>> {
        require_available(facts, self.lines.iter().map(|line| (&line.pool, line.quantity)))?;
        change_pools(facts, &self.lines, Pool::hold)
    }

    fn count_for_owner(&self, facts: &mut Facts, policy: &HoldPolicy, lifetime_secs: i64) -> Decision<()> {
        let Some(name) = &self.owner else { return Ok(()) };
        let (holds, secs) = facts.get::<Owner>(name)?.map_or((0, 0), |owner| (owner.holds, owner.lifetime_secs));
        let (holds, secs) = (holds.strict_add(1), secs.strict_add(lifetime_secs));
        if holds > policy.owner_holds_max {
            facts.require_no_lapsed_holds()?;
            return Err(Refusal::OwnerHoldsLimit { max: policy.owner_holds_max }.into());
        }
        if secs > policy.owner_lifetime_secs_max {
            facts.require_no_lapsed_holds()?;
            let secs_max = policy.owner_lifetime_secs_max;
            return Err(Refusal::OwnerLifetimeLimit { secs, max: secs_max }.into());
        }
        match facts.get_mut::<Owner>(name)? {
            Some(owner) => (owner.holds, owner.lifetime_secs) = (holds, secs),
            None => {
                facts.insert(Owner { name: name.clone(), holds, lifetime_secs: secs, version: 0 });
            }
        }
        Ok(())
    }
}

impl Command for PlaceHold {
    const NAME: &'static str = "place_hold";
    type Reply = HoldReply;
    type Refusal = Refusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Tenant>(&());
        reads.expect_absent::<Hold>(&self.id);
        for pool in self.lines.pools() {
            reads.record::<Pool>(pool);
        }
        if let Some(owner) = &self.owner {
            reads.record::<Owner>(owner);
        }
    }

    fn decide(&self, facts: &mut Facts) -> Result<HoldReply, Stop<Refusal>> {
        let policy = policy(facts)?;
        if self.lines.is_empty() {
            return Err(Refusal::Invalid(Invalid::LineCount { lines: 0, lines_max: LINES_MAX }).into());
        }
        self.check_id_window(facts)?;
        let now = facts.now();
        if let Some(hold) = facts.expect_absent::<Hold>(&self.id)? {
            if !self.is_request_of(hold) {
                return Err(Refusal::HoldIdReused { hold: self.id }.into());
            }
            let hold = hold.as_of(now);
            facts.mark_replayed();
            return Ok(HoldReply { hold, pool_versions: Vec::new() });
        }
        let secs = self.lifetime_secs.unwrap_or(policy.lifetime_secs_default);
        if secs > policy.lifetime_secs_max {
            return Err(Refusal::LifetimeTooLong { secs, max: policy.lifetime_secs_max }.into());
        }
        require_open_pools(facts, &self.lines, |_| true)?;
        self.count_for_owner(facts, &policy, secs)?;
        let pool_versions = self.hold_units(facts)?;
        facts.emit(&Event::HoldPlaced { hold: self.id, versions: pool_versions.clone() });
        let hold = facts.insert(Hold {
            id: self.id,
            state: HoldState::Active,
            lines: self.lines.clone(),
            kept: None,
            owner: self.owner.clone(),
            reference: self.reference.clone(),
            metadata: self.metadata.clone(),
            lifetime_secs: self.lifetime_secs,
            placed_at: now,
            expires_at: now.plus_secs(secs),
            ended_at: None,
            version: 0,
        });
        Ok(HoldReply { hold: hold.clone(), pool_versions })
    }
}
