//! Everything that is stored at the end of a run.

use surehold_core::kernel::{Hold, KeptReply, Owner, Pool, TenantId};
use surehold_core::operations::{AggregateLock, Case, Effect, Operation, OperationRun};
use surehold_engine::{Engine, Fault, JournalRow, operation_findings};

use super::script::TENANTS;

const JOURNAL_PAGE_ROWS: u16 = 1_000;

#[derive(Debug)]
pub(super) struct Dump {
    pub(super) tenants: Vec<TenantDump>,
    pub(super) findings: Vec<String>,
}

#[derive(Debug)]
pub(super) struct TenantDump {
    pub(super) tenant: TenantId,
    pub(super) pools: Vec<Pool>,
    pub(super) holds: Vec<Hold>,
    pub(super) owners: Vec<Owner>,
    pub(super) replies: Vec<KeptReply>,
    pub(super) journal: Vec<JournalRow>,
    pub(super) operations: Vec<Operation>,
    pub(super) runs: Vec<OperationRun>,
    pub(super) effects: Vec<Effect>,
    pub(super) locks: Vec<AggregateLock>,
    pub(super) cases: Vec<Case>,
}

impl Dump {
    pub(super) async fn of(engine: &Engine) -> Result<Dump, Fault> {
        let mut tenants = Vec::new();
        for tenant in TENANTS {
            tenants.push(TenantDump::of(engine, tenant).await?);
        }
        let findings = operation_findings(engine.views(), engine.registry()).await?;
        let findings = findings.iter().map(|finding| format!("{}: {}", finding.invariant, finding.detail)).collect();
        Ok(Dump { tenants, findings })
    }
}

impl TenantDump {
    async fn of(engine: &Engine, tenant: TenantId) -> Result<TenantDump, Fault> {
        let views = engine.views();
        let mut journal: Vec<JournalRow> = Vec::new();
        loop {
            let after_seq = journal.last().map_or(0, |row| row.seq);
            let page = views.journal(tenant, after_seq, JOURNAL_PAGE_ROWS).await?;
            let last = page.len() < usize::from(JOURNAL_PAGE_ROWS);
            journal.extend(page);
            if last {
                break;
            }
        }
        Ok(TenantDump {
            tenant,
            pools: views.all_records(tenant).await?,
            holds: views.all_records(tenant).await?,
            owners: views.all_records(tenant).await?,
            replies: views.all_records(tenant).await?,
            journal,
            operations: views.all_records(tenant).await?,
            runs: views.all_records(tenant).await?,
            effects: views.all_records(tenant).await?,
            locks: views.all_records(tenant).await?,
            cases: views.all_records(tenant).await?,
        })
    }
}
