//! Sends what an audit proposed to whoever writes to the store, a bounded number at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use surehold_api::kernel::{self, MakeRepairs, REPAIRS_MAX, RepairItem, RepairOutcome, RepairResult};
use surehold_core::kernel::TenantId;
use surehold_core::operations::{Actor, Reason};
use surehold_core::repairs::Repair;
use surehold_engine::{AuditReport, Proposal, Remedy};

use super::report::{Slugs, tenant_text};
use crate::client::Client;
use crate::config::Config;

/// Holds are named one by one, and a body has its limits.
const HOLDS_PER_REQUEST_MAX: usize = 3_000;

/// What became of a repair.
pub(super) struct Applied {
    tenant: TenantId,
    target: String,
    outcome: RepairOutcome,
    why: Option<String>,
}

/// What became of the repairs that were sent, and why the rest was not.
pub(super) struct Repairs {
    pub(super) applied: Vec<Applied>,
    pub(super) stopped_by: Option<anyhow::Error>,
}

impl Applied {
    pub(super) fn json(&self, slugs: &Slugs) -> Value {
        let slug = slugs.get(&self.tenant);
        json!({"tenant": self.tenant.0, "slug": slug, "target": self.target, "outcome": self.outcome, "why": self.why})
    }
}

pub(super) fn for_people(applied: &[Applied], slugs: &Slugs) -> String {
    let mut text = String::from("\nRepairs\n");
    if applied.is_empty() {
        text.push_str("  there is nothing that can be repaired\n");
    }
    for Applied { tenant, target, outcome, why } in applied {
        let why = why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        let tenant = tenant_text(*tenant, slugs);
        let _ = writeln!(text, "  tenant {tenant}: {target}: {outcome}{why}");
    }
    text
}

pub(super) async fn apply(config: &Config, report: &AuditReport, actor: &Actor, reason: &Reason) -> Result<Repairs> {
    let proposals = proposals(report);
    let mut applied = Vec::new();
    if proposals.is_empty() {
        return Ok(Repairs { applied, stopped_by: None });
    }
    let client = Client::of_folder(config).await.context("cannot reach whoever writes to the store")?;
    let parts = proposals.into_iter().flat_map(|(tenant, proposals)| {
        let parts = parts(proposals).into_iter();
        parts.map(move |part| (tenant, part))
    });
    let mut stopped_by = None;
    for (tenant, part) in parts {
        match send(&client, tenant, part, actor, reason).await {
            Ok(results) => applied.extend(results),
            Err(error) => {
                stopped_by = Some(error.context("not all repairs could be sent, and the last may or may not be done"));
                break;
            }
        }
    }
    client.close().await;
    Ok(Repairs { applied, stopped_by })
}

async fn send(
    client: &Client,
    tenant: TenantId,
    part: Vec<Proposal>,
    actor: &Actor,
    reason: &Reason,
) -> Result<Vec<Applied>> {
    let items: Vec<RepairItem> =
        part.into_iter().map(|Proposal { repair, number }| RepairItem::of(repair, number)).collect();
    let wanted = MakeRepairs { tenant: tenant.0, actor: actor.clone(), reason: reason.clone(), repairs: items };
    let made = client.send(&kernel::make_repairs(&wanted)).await?.read()?;
    let applied = |RepairResult { target, outcome, why }| Applied { tenant, target, outcome, why };
    Ok(made.results.into_iter().map(applied).collect())
}

/// Several findings may be about one thing, which is repaired once.
fn proposals(report: &AuditReport) -> BTreeMap<TenantId, Vec<Proposal>> {
    let mut known = BTreeSet::new();
    let mut proposals: BTreeMap<TenantId, Vec<Proposal>> = BTreeMap::new();
    for finding in report.findings() {
        if let Remedy::Repair(proposal) = &finding.remedy
            && known.insert((finding.tenant, proposal.repair.target()))
        {
            proposals.entry(finding.tenant).or_default().push(proposal.clone());
        }
    }
    proposals
}

fn parts(proposals: Vec<Proposal>) -> Vec<Vec<Proposal>> {
    let mut parts: Vec<Vec<Proposal>> = Vec::new();
    let mut holds_in_part = 0;
    for proposal in proposals {
        let holds = match &proposal.repair {
            Repair::Owner { holds, .. } => holds.len(),
            Repair::Pool { .. } | Repair::Lock { .. } => 0,
        };
        match parts.last_mut() {
            Some(part) if part.len() < REPAIRS_MAX && holds_in_part + holds <= HOLDS_PER_REQUEST_MAX => {
                holds_in_part += holds;
                part.push(proposal);
            }
            Some(_) | None => {
                holds_in_part = holds;
                parts.push(vec![proposal]);
            }
        }
    }
    parts
}
