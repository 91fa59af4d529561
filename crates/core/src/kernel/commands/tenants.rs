//! Creating tenants takes two commands, because no command touches two tenants: the directory gives the slug away,
//! then the tenant is made. Both may be repeated, so a crash between them is finished by asking again.

use super::super::{
    Command, Event, Facts, HoldPolicy, Invalid, Reads, Refusal, Slug, SlugClaim, Stop, Tenant, TenantId,
};
use super::policy;

fn reserved(tenant: TenantId) -> Refusal {
    Refusal::Invalid(Invalid::TenantReserved { tenant })
}

/// Run as [`TenantId::DIRECTORY`], and refused elsewhere. The reply is who has the slug: the id given here, or the one
/// that was first.
#[derive(Clone, Debug)]
pub struct ClaimSlug {
    pub slug: Slug,
    pub claimed_by: TenantId,
}

impl Command for ClaimSlug {
    const NAME: &'static str = "claim_slug";
    type Reply = TenantId;
    type Refusal = Refusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<SlugClaim>(&self.slug);
    }

    fn decide(&self, facts: &mut Facts) -> Result<TenantId, Stop<Refusal>> {
        if facts.tenant() != TenantId::DIRECTORY {
            return Err(reserved(facts.tenant()).into());
        }
        // A slug is never given back: nobody may claim it who can never be made.
        if self.claimed_by <= TenantId::DIRECTORY {
            return Err(reserved(self.claimed_by).into());
        }
        if let Some(claim) = facts.get::<SlugClaim>(&self.slug)? {
            let claimed_by = claim.claimed_by;
            facts.mark_replayed();
            return Ok(claimed_by);
        }
        facts.insert(SlugClaim { slug: self.slug.clone(), claimed_by: self.claimed_by, version: 0 });
        facts.emit(&Event::SlugClaimed { slug: self.slug.clone(), claimed_by: self.claimed_by });
        Ok(self.claimed_by)
    }
}

/// Makes a tenant, or the test twin of one: the same slug, data of its own.
///
/// Refuses, in this order: a reserved id; tenant exists with another slug. A repeat changes nothing, not even the policy.
#[derive(Clone, Debug)]
pub struct CreateTenant {
    slug: Slug,
    policy: HoldPolicy,
}

impl CreateTenant {
    pub fn new(slug: Slug, policy: HoldPolicy) -> Result<CreateTenant, Invalid> {
        policy.check()?;
        Ok(CreateTenant { slug, policy })
    }
}

impl Command for CreateTenant {
    const NAME: &'static str = "create_tenant";
    type Reply = Tenant;
    type Refusal = Refusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Tenant>(&());
    }

    fn decide(&self, facts: &mut Facts) -> Result<Tenant, Stop<Refusal>> {
        if facts.tenant() == TenantId::DIRECTORY {
            return Err(reserved(facts.tenant()).into());
        }
        if let Some(tenant) = facts.get::<Tenant>(&())? {
            if tenant.slug != self.slug {
                return Err(Refusal::TenantExists.into());
            }
            let tenant = tenant.clone();
            facts.mark_replayed();
            return Ok(tenant);
        }
        facts.emit(&Event::TenantCreated { policy: self.policy });
        Ok(facts.insert(Tenant { slug: self.slug.clone(), policy: self.policy, version: 0 }).clone())
    }
}

/// Refuses: no such tenant.
#[derive(Clone, Debug)]
pub struct SetPolicy {
    policy: HoldPolicy,
}

impl SetPolicy {
    pub fn new(policy: HoldPolicy) -> Result<SetPolicy, Invalid> {
        policy.check()?;
        Ok(SetPolicy { policy })
    }
}

impl Command for SetPolicy {
    const NAME: &'static str = "set_policy";
    type Reply = HoldPolicy;
    type Refusal = Refusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Tenant>(&());
    }

    fn decide(&self, facts: &mut Facts) -> Result<HoldPolicy, Stop<Refusal>> {
        if policy(facts)? == self.policy {
            facts.mark_replayed();
            return Ok(self.policy);
        }
        let tenant = facts.get_mut::<Tenant>(&())?.expect("its policy was just read");
        tenant.policy = self.policy;
        facts.emit(&Event::PolicyChanged { policy: self.policy });
        Ok(self.policy)
    }
}
