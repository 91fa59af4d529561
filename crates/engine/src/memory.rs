//! What a lane remembers of its tenants from one batch to the next: records that need not be loaded again as long as the
//! tenant's last batch is the lane's own. The journal says so, in the turn: each change of a tenant is a row of it.

use std::collections::HashMap;

use surehold_core::kernel::{Facts, TenantId};
use uuid::Uuid;

use crate::TenantWork;

/// When there are more, all are forgotten: those that are needed are soon back.
const TENANTS_MAX: usize = 4_096;
/// Of all tenants together.
const RECORDS_MAX: usize = 16_384;

#[derive(Default)]
pub(crate) struct Memory {
    tenants: HashMap<TenantId, TenantFacts>,
    records: usize,
}

struct TenantFacts {
    /// The tenant's last batch.
    batch: Uuid,
    /// `None` if others had their turns in between: they will again, and what is remembered would be in vain.
    facts: Option<Facts>,
}

impl TenantFacts {
    fn records_count(&self) -> usize {
        self.facts.as_ref().map_or(0, Facts::records_count)
    }
}

impl Memory {
    /// What is remembered is given away: it comes back when all went well.
    pub(crate) fn recall(&mut self, tenant: TenantId) -> TenantWork {
        let Some(known) = self.tenants.remove(&tenant) else {
            return TenantWork::new(Facts::new(tenant, false), None);
        };
        self.records -= known.records_count();
        match known.facts {
            Some(facts) => TenantWork::remembering(facts, known.batch),
            None => TenantWork::new(Facts::new(tenant, false), Some(known.batch)),
        }
    }

    /// Everything was written, in this batch if there was anything to write.
    pub(crate) fn keep(&mut self, tenants: Vec<TenantWork>, written_in: Option<Uuid>) {
        for work in tenants {
            let has_changes = work.facts.has_changes();
            let Some(batch) = written_in.filter(|_| has_changes).or(work.last_batch) else { continue };
            let (tenant, is_undisturbed) = (work.tenant(), work.is_undisturbed());
            let facts = is_undisturbed.then(|| work.facts.into_remembered());
            let known = TenantFacts { batch, facts };
            self.records += known.records_count();
            // Who distrusts has not asked for what was remembered.
            let replaced = self.tenants.insert(tenant, known);
            self.records -= replaced.as_ref().map_or(0, TenantFacts::records_count);
        }
        if self.tenants.len() > TENANTS_MAX || self.records > RECORDS_MAX {
            *self = Memory::default();
        }
    }
}
