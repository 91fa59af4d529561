//! What must hold of everything that is stored, asked of one consistent read: for `surehold audit` and for tests.
//! Changes nothing. A module says what must hold of its rows in its folder; the kernel's is the largest.

pub(crate) mod findings;
pub(crate) mod rules;

use std::collections::{BTreeMap, BTreeSet};

use surehold_core::kernel::{ColumnType, Row, TenantId, Timestamp};
use surehold_core::operations::OperationType;

pub use findings::{Checked, Finding, Proposal, Remedy};

use findings::Findings;

use crate::modules::MODULES;
use crate::{OwnedValue, Snapshot, SnapshotError};

/// Something that must hold of what is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invariant {
    pub name: &'static str,
    /// In a sentence.
    pub says: &'static str,
}

/// What a module promises of its rows, and how that is looked at.
pub(crate) struct Audit {
    pub(crate) invariants: &'static [Invariant],
    pub(crate) check: fn(&mut Auditing<'_>) -> Result<(), SnapshotError>,
}

fn audits() -> impl Iterator<Item = &'static Audit> {
    MODULES.iter().flat_map(|module| module.audits)
}

/// Everything that is looked at, in the order of the report.
pub fn invariants() -> impl Iterator<Item = &'static Invariant> {
    audits().flat_map(|audit| audit.invariants)
}

#[derive(Clone, Debug)]
pub struct AuditConfig {
    /// The types of operation that are known here.
    pub kinds: Vec<&'static OperationType>,
    /// How long a hold that has expired may wait to be swept.
    pub sweep_grace_secs: i64,
    /// Instead of the store's clock, which tests turn.
    pub now: Option<Timestamp>,
}

impl Default for AuditConfig {
    fn default() -> AuditConfig {
        AuditConfig { kinds: Vec::new(), sweep_grace_secs: 300, now: None }
    }
}

/// What an audit found.
#[derive(Clone, Debug)]
pub struct AuditReport {
    /// Every invariant, broken or not.
    pub checked: Vec<Checked>,
    pub rows_read: u64,
    pub tenants: u64,
    /// Of tenants that something was found of.
    pub slugs: BTreeMap<TenantId, String>,
}

impl AuditReport {
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.checked.iter().flat_map(|checked| &checked.findings)
    }

    pub fn is_clean(&self) -> bool {
        self.checked.iter().all(|checked| checked.count == 0)
    }
}

/// Looks at everything. Blocks, for as long as it takes to read the store.
pub fn audit(snapshot: &mut dyn Snapshot, config: &AuditConfig) -> Result<AuditReport, SnapshotError> {
    let now = config.now.map_or_else(|| snapshot.clock(), Ok)?;
    let mut auditing = Auditing { snapshot, config, now, findings: Findings::default(), rows_read: 0, tenants: 0 };
    for audit in audits() {
        (audit.check)(&mut auditing)?;
    }
    let mut checked: Vec<Checked> = invariants().map(|invariant| auditing.findings.take(invariant)).collect();
    checked.extend(auditing.findings.take_unlisted());
    let found: BTreeSet<TenantId> = checked.iter().flat_map(|one| &one.findings).map(|one| one.tenant).collect();
    let slugs = auditing.slugs(&found)?;
    Ok(AuditReport { checked, rows_read: auditing.rows_read, tenants: auditing.tenants, slugs })
}

/// An audit under way.
pub(crate) struct Auditing<'a> {
    snapshot: &'a mut dyn Snapshot,
    pub(crate) config: &'a AuditConfig,
    pub(crate) now: Timestamp,
    pub(crate) findings: Findings,
    rows_read: u64,
    pub(crate) tenants: u64,
}

impl Auditing<'_> {
    pub(crate) fn each(
        &mut self,
        sql: &str,
        params: &[OwnedValue],
        columns: &[ColumnType],
        mut visit: impl FnMut(&mut Findings, &mut dyn Row),
    ) -> Result<(), SnapshotError> {
        let Auditing { snapshot, findings, rows_read, .. } = self;
        snapshot.each(sql, params, columns, &mut |row| {
            *rows_read += 1;
            visit(findings, row);
        })
    }

    /// Whose rows are in a table: one look into its primary key for each, not a scan.
    pub(crate) fn tenants_in(&mut self, table: &str) -> Result<Vec<TenantId>, SnapshotError> {
        let sql = format!(
            "with recursive found(tenant) as (select min(tenant) from {table} union all \
             select (select min(t.tenant) from {table} t where t.tenant > found.tenant) from found \
             where found.tenant is not null) select tenant from found where tenant is not null"
        );
        let mut tenants = Vec::new();
        self.each(&sql, &[], &[ColumnType::Int], |_, row| tenants.extend(row.int().ok().map(TenantId)))?;
        Ok(tenants)
    }

    fn slugs(&mut self, tenants: &BTreeSet<TenantId>) -> Result<BTreeMap<TenantId, String>, SnapshotError> {
        let mut slugs = BTreeMap::new();
        for tenant in tenants {
            let (sql, params) = ("select slug from tenants where tenant = $1", [OwnedValue::Int(tenant.0)]);
            self.each(sql, &params, &[ColumnType::Text], |_, row| {
                slugs.extend(row.text().ok().map(|slug| (*tenant, slug.to_owned())));
            })?;
        }
        Ok(slugs)
    }

    /// How often something was repaired before.
    pub(crate) fn repair_number(&mut self, tenant: TenantId, target: &str) -> Result<i64, SnapshotError> {
        let sql = "select number from repairs where tenant = $1 and target = $2";
        let params = [OwnedValue::Int(tenant.0), OwnedValue::Text(target.to_owned())];
        let mut number = 0;
        self.each(sql, &params, &[ColumnType::Int], |_, row| number = row.int().unwrap_or(0))?;
        Ok(number)
    }
}
