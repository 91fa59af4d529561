//! Kept replies: a repeat is answered with what is kept, so it must be an answer, under the hash of a request.

use serde::de::IgnoredAny;
use surehold_core::kernel::{KeptReply, Record, TenantId};

use crate::audit::{Audit, Auditing, Invariant, Remedy};
use crate::views::{record_columns, select_list};
use crate::{OwnedValue, SnapshotError};

const READABLE: &str = "reply-readable";

pub(crate) const AUDIT: Audit = Audit {
    invariants: &[Invariant {
        name: READABLE,
        says: "every reply kept under an idempotency key is JSON, under a hash of 32 bytes",
    }],
    check,
};

fn check(audit: &mut Auditing<'_>) -> Result<(), SnapshotError> {
    for tenant in audit.tenants_in(KeptReply::TABLE.name)? {
        check_tenant(audit, tenant)?;
    }
    Ok(())
}

fn check_tenant(audit: &mut Auditing<'_>, tenant: TenantId) -> Result<(), SnapshotError> {
    let sql = format!("select {} from replies where tenant = $1", select_list(KeptReply::TABLE));
    let columns = record_columns(KeptReply::TABLE);
    audit.each(&sql, &[OwnedValue::Int(tenant.0)], &columns, |findings, row| {
        let remedy = Remedy::Person(
            "a repeat of that request cannot be answered; its caller must find out what became of it and use a new key",
        );
        match KeptReply::read(row) {
            Ok(kept) => {
                if let Err(error) = serde_json::from_str::<IgnoredAny>(&kept.reply) {
                    let key = || format!("{} under {}", kept.key.operation, kept.key.key);
                    findings.add(READABLE, tenant, || (key(), format!("the reply is not JSON: {error}"), remedy));
                }
            }
            Err(corrupt) => findings.add(READABLE, tenant, || ("a reply".to_owned(), corrupt.to_string(), remedy)),
        }
    })
}
