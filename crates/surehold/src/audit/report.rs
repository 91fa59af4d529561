//! What `audit` says: for people, or as JSON. Needs no colour to be read.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use serde_json::{Value, json};
use surehold_api::RepairItem;
use surehold_core::kernel::TenantId;
use surehold_core::repairs::Repair;
use surehold_engine::{AuditReport, Checked, Finding, Remedy};

use super::repair::Applied;

/// Of each invariant as many are shown.
const SHOWN_MAX: usize = 100;

pub(super) struct Audited {
    pub(super) report: AuditReport,
    pub(super) took: Duration,
}

impl Audited {
    pub(super) fn for_people(&self, remedies: bool) -> String {
        let AuditReport { checked, rows_read, tenants, slugs } = &self.report;
        let mut text = String::new();
        let width = checked.iter().map(|checked| checked.invariant.name.len()).max().unwrap_or(0);
        for Checked { invariant, count, .. } in checked {
            let (mark, count) = if *count == 0 { ("✓", String::new()) } else { ("✗", format!("{count} × ")) };
            let _ = writeln!(text, "{mark} {:width$}  {count}{}", invariant.name, invariant.says);
        }
        for checked in checked.iter().filter(|checked| checked.count > 0) {
            text.push_str(&broken(checked, slugs, remedies));
        }
        let secs = self.took.as_secs_f64();
        let tenants = if *tenants == 1 { "1 tenant".to_owned() } else { format!("{tenants} tenants") };
        let _ = writeln!(text, "\nRead {rows_read} rows of {tenants} in {secs:.1} s. {}", self.verdict());
        text.push_str(&self.next_step(remedies));
        text
    }

    fn verdict(&self) -> String {
        let broken = self.report.checked.iter().filter(|checked| checked.count > 0).count();
        let findings: u64 = self.report.checked.iter().map(|checked| checked.count).sum();
        match (broken, findings) {
            (0, _) => "All is well.".to_owned(),
            (1, 1) => "1 invariant is broken, once.".to_owned(),
            (1, _) => format!("1 invariant is broken, {findings} times."),
            (_, _) => format!("{broken} invariants are broken, {findings} times in all."),
        }
    }

    fn next_step(&self, remedies: bool) -> String {
        if self.report.is_clean() {
            return String::new();
        }
        let repairable = self.report.findings().any(|finding| matches!(finding.remedy, Remedy::Repair(_)));
        match (repairable, remedies) {
            (true, true) => {
                "→ `surehold audit --repair --apply --reason …` puts right what can be repaired\n".to_owned()
            }
            (_, false) => "→ `surehold audit --repair` says what can be done about it\n".to_owned(),
            (false, true) => "→ nothing of this is repaired by itself; what to do is said above\n".to_owned(),
        }
    }

    pub(super) fn json(&self, applied: Option<&[Applied]>) -> Value {
        let AuditReport { checked, rows_read, tenants, slugs } = &self.report;
        let invariants = checked.iter().map(|checked| {
            let findings: Vec<Value> =
                checked.findings.iter().take(SHOWN_MAX).map(|one| finding_json(one, slugs)).collect();
            let (name, says) = (checked.invariant.name, checked.invariant.says);
            json!({"name": name, "says": says, "count": checked.count, "findings": findings})
        });
        let mut report = json!({
            "clean": self.report.is_clean(),
            "rows_read": rows_read,
            "tenants": tenants,
            "seconds": self.took.as_secs_f64(),
            "invariants": invariants.collect::<Vec<_>>(),
        });
        if let Some(applied) = applied {
            report["repairs"] = applied.iter().map(|applied| applied.json(slugs)).collect();
        }
        report
    }
}

pub(super) type Slugs = BTreeMap<TenantId, String>;

/// As everybody calls it; a number where it has no name.
pub(super) fn tenant_text(tenant: TenantId, slugs: &Slugs) -> String {
    match slugs.get(&tenant) {
        Some(slug) if tenant.0 < 0 => format!("{slug} (test)"),
        Some(slug) => slug.clone(),
        None => tenant.to_string(),
    }
}

fn broken(checked: &Checked, slugs: &Slugs, remedies: bool) -> String {
    let mut text = format!("\n{}: {}\n", checked.invariant.name, checked.invariant.says);
    for Finding { tenant, key, detail, remedy, .. } in checked.findings.iter().take(SHOWN_MAX) {
        let _ = writeln!(text, "  tenant {}: {key}: {detail}", tenant_text(*tenant, slugs));
        if remedies {
            let _ = writeln!(text, "    {}", remedy_text(remedy));
        }
    }
    let shown = u64::try_from(checked.findings.len().min(SHOWN_MAX)).unwrap_or(u64::MAX);
    if let Some(more @ 1..) = checked.count.checked_sub(shown) {
        let _ = writeln!(text, "  and {more} more");
    }
    text
}

fn remedy_text(remedy: &Remedy) -> String {
    match remedy {
        Remedy::Repair(proposal) => format!("repair: {}", repair_text(&proposal.repair)),
        Remedy::Person(why) => format!("not repaired: {why}"),
    }
}

fn repair_text(repair: &Repair) -> String {
    match repair {
        Repair::Pool { held_delta: 0, booked_delta: 0, .. } => "count anew what is oversold".to_owned(),
        Repair::Pool { held_delta, booked_delta, .. } => {
            format!("change held by {held_delta} and booked by {booked_delta}")
        }
        Repair::Owner { holds, .. } if holds.is_empty() => "forget the owner, who holds nothing".to_owned(),
        Repair::Owner { holds, .. } => format!("count the {} active holds", holds.len()),
        Repair::Lock { aggregate, .. } => format!("remove the lock of {aggregate}"),
    }
}

fn finding_json(finding: &Finding, slugs: &Slugs) -> Value {
    let Finding { tenant, key, detail, remedy, .. } = finding;
    let mut json = json!({"tenant": tenant.0, "slug": slugs.get(tenant), "key": key, "detail": detail});
    match remedy {
        Remedy::Repair(proposal) => json["repair"] = json!(RepairItem::of(proposal.repair.clone(), proposal.number)),
        Remedy::Person(why) => json["not_repaired"] = json!(why),
    }
    json
}
