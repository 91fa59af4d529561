//! No row belongs to a tenant that does not exist, and names, tenants and twins agree about each other.
//!
//! A slug that is claimed by a tenant that does not exist is no violation: a tenant is made in two commands, and whoever
//! was interrupted between them asks again.

use surehold_core::TABLES;
use surehold_core::kernel::{Record, Tenant, TenantId};

use crate::SnapshotError;
use crate::audit::rules::Rule;
use crate::audit::{Audit, Auditing, Invariant, Remedy};

const KNOWN: &str = "row-has-tenant";
const SLUG: &str = "slug-belongs-to-tenant";
const TWIN: &str = "twin-has-tenant";

pub(crate) const AUDIT: Audit = Audit {
    invariants: &[
        Invariant { name: KNOWN, says: "every row belongs to a tenant that exists" },
        Invariant { name: SLUG, says: "a tenant's slug is claimed by that tenant, and by no other" },
        Invariant { name: TWIN, says: "a test twin has the slug of its tenant" },
    ],
    check,
};

fn check(audit: &mut Auditing<'_>) -> Result<(), SnapshotError> {
    let known = audit.tenants_in(Tenant::TABLE.name)?;
    audit.tenants = u64::try_from(known.len()).unwrap_or(u64::MAX);
    for table in TABLES.iter().map(|table| table.name).chain(["journal"]) {
        let strangers = audit.tenants_in(table)?.into_iter();
        // The directory is the installation's own place.
        for tenant in strangers.filter(|tenant| *tenant != TenantId::DIRECTORY && known.binary_search(tenant).is_err())
        {
            let remedy = Remedy::Person("find out whose rows these are; they were not written by Surehold");
            let detail = || format!("has rows of tenant {tenant}, which does not exist");
            audit.findings.add(KNOWN, tenant, || (format!("table {table}"), detail(), remedy));
        }
    }
    for rule in [slug_of_another(), slug_unclaimed(), twin_alone()] {
        rule.check(audit)?;
    }
    Ok(())
}

fn slug_of_another() -> Rule {
    let sql = "select s.claimed_by, 'slug', s.slug from slugs s join tenants t on t.tenant = s.claimed_by \
               where t.slug <> s.slug";
    Rule::new(SLUG, "is claimed by a tenant with another slug", "decide which of the two names is right", sql)
}

fn slug_unclaimed() -> Rule {
    let sql = "select t.tenant, 'tenant', t.slug from tenants t where t.tenant > 0 and not exists \
               (select 1 from slugs s where s.tenant = 0 and s.slug = t.slug and s.claimed_by = t.tenant)";
    Rule::new(SLUG, "has a slug that it did not claim", "nobody finds this tenant by its name: decide whose it is", sql)
}

fn twin_alone() -> Rule {
    let sql = "select w.tenant, 'twin', w.slug from tenants w where w.tenant < 0 and not exists \
               (select 1 from tenants t where t.tenant = -w.tenant and t.slug = w.slug)";
    Rule::new(TWIN, "has no tenant of that name", "its data are a rehearsal; find out what became of the tenant", sql)
}
