//! Tenants and their test twins are made in more than one command.

use surehold_core::kernel::commands::{ClaimSlug, CreateTenant};
use surehold_core::kernel::{HoldPolicy, Invalid, Refusal, Slug, Tenant, TenantId};

use crate::{Engine, Failure};

impl Engine {
    /// Finds or makes the tenant with this slug. Safe to repeat, also after a crash halfway.
    pub async fn create_tenant(
        &self,
        slug: Slug,
        policy: HoldPolicy,
        candidate: TenantId,
    ) -> Result<TenantId, Failure<Refusal>> {
        let create = CreateTenant::new(slug.clone(), policy).map_err(|e: Invalid| Failure::Refused(e.into()))?;
        // A tenant that exists under another name must not take this one away from everybody.
        let known = self.views().record::<Tenant>(candidate, &()).await?;
        if known.is_some_and(|tenant| tenant.slug != slug) {
            return Err(Failure::Refused(Refusal::TenantExists));
        }
        let claim = self.run(TenantId::DIRECTORY, ClaimSlug { slug, claimed_by: candidate }).await?;
        self.run(claim.reply, create).await?;
        Ok(claim.reply)
    }

    /// Makes the tenant's test twin unless it exists, with the tenant's policy. Safe to repeat.
    pub async fn create_test_twin(&self, tenant: TenantId) -> Result<TenantId, Failure<Refusal>> {
        let live = self.views().record::<Tenant>(tenant, &()).await?;
        let live = live.ok_or(Failure::Refused(Refusal::TenantNotFound))?;
        let create = CreateTenant::new(live.slug, live.policy).map_err(|e: Invalid| Failure::Refused(e.into()))?;
        self.run(tenant.twin(), create).await?;
        Ok(tenant.twin())
    }
}
