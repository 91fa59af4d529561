//! What owners hold. Both sides are first compared by a sum over hashes, which needs no memory; only if the sums differ
//! is everybody counted.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, RandomState};

use surehold_core::kernel::{ColumnType, HoldId, Owner, OwnerName, Record, Row, TenantId};
use surehold_core::repairs::{OWNER_HOLDS_PER_REPAIR_MAX, Repair};
use uuid::Uuid;

use super::{NOT_TRUSTED, OWNER_COUNTS, ROW_READABLE};
use crate::audit::findings::KEPT_MAX;
use crate::audit::{Auditing, Proposal, Remedy};
use crate::views::{record_columns, select_list};
use crate::{OwnedValue, SnapshotError};

/// Two sums that are the same for the same owners with the same counts, whatever their order. The hashes are keyed by
/// chance, so that no two sides differ and agree.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnersPrint {
    keys: [RandomState; 2],
    sums: [u64; 2],
}

impl OwnersPrint {
    pub(super) fn hash(&self, owner: &str) -> [u64; 2] {
        [self.keys[0].hash_one(owner), self.keys[1].hash_one(owner)]
    }

    pub(super) fn add(&mut self, [one, two]: [u64; 2], holds: i64, lifetime_secs: i64) {
        self.sums[0] = self.sums[0].wrapping_add(one.wrapping_mul(holds.cast_unsigned()));
        self.sums[1] = self.sums[1].wrapping_add(two.wrapping_mul(lifetime_secs.cast_unsigned()));
    }

    fn of_nobody(&self) -> OwnersPrint {
        OwnersPrint { keys: self.keys.clone(), sums: [0; 2] }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    holds: i64,
    lifetime_secs: i64,
}

/// What is stored of an owner, and what its holds say.
#[derive(Debug)]
struct Wrong {
    stored: Count,
    version: i64,
    counted: Count,
    holds: Vec<HoldId>,
}

pub(super) fn check(
    audit: &mut Auditing<'_>,
    tenant: TenantId,
    trusted: bool,
    by_holds: &OwnersPrint,
) -> Result<(), SnapshotError> {
    let mut stored = by_holds.of_nobody();
    each_owner(audit, tenant, true, |owner| {
        stored.add(stored.hash(owner.name.as_str()), owner.holds, owner.lifetime_secs);
    })?;
    if stored.sums == by_holds.sums {
        return Ok(());
    }
    let (mut wrong, more) = count(audit, tenant)?;
    name_holds(audit, tenant, &mut wrong)?;
    for (name, wrong) in wrong {
        let remedy = wrong.remedy(audit, tenant, &name, trusted)?;
        let Wrong { stored, counted, .. } = wrong;
        let detail = format!(
            "is counted with {} holds of {} s; there are {} active ones of {} s",
            stored.holds, stored.lifetime_secs, counted.holds, counted.lifetime_secs
        );
        audit.findings.add(OWNER_COUNTS, tenant, || (format!("owner {name}"), detail, remedy));
    }
    audit.findings.add_uncounted(OWNER_COUNTS, more);
    Ok(())
}

fn each_owner(
    audit: &mut Auditing<'_>,
    tenant: TenantId,
    report: bool,
    mut visit: impl FnMut(Owner),
) -> Result<(), SnapshotError> {
    let sql = format!("select {} from owners where tenant = $1", select_list(Owner::TABLE));
    let columns = record_columns(Owner::TABLE);
    audit.each(&sql, &[OwnedValue::Int(tenant.0)], &columns, |findings, row| match Owner::read(row) {
        Ok(owner) => visit(owner),
        Err(corrupt) if report => findings.add(ROW_READABLE, tenant, || {
            ("an owner".to_owned(), corrupt.to_string(), Remedy::Person("remove the row: it is none of Surehold's"))
        }),
        Err(_) => {}
    })
}

const ACTIVE: &str = "select owner, id, placed_at, expires_at from holds \
                      where tenant = $1 and state = 'active' and owner is not null";

fn each_active_hold(
    audit: &mut Auditing<'_>,
    tenant: TenantId,
    mut visit: impl FnMut(&str, Uuid, i64),
) -> Result<(), SnapshotError> {
    use ColumnType::{Text, Time, Uuid};
    let mut owner = String::new();
    audit.each(ACTIVE, &[OwnedValue::Int(tenant.0)], &[Text, Uuid, Time, Time], |_, row: &mut dyn Row| {
        let mut read = || {
            owner.clear();
            owner.push_str(row.text()?);
            let (id, placed_at) = (row.uuid()?, row.time()?);
            Ok::<_, surehold_core::kernel::Corrupt>((id, row.time()?.secs_since(placed_at)))
        };
        // What cannot be read has been told before.
        if let Ok((id, secs)) = read() {
            visit(&owner, id, secs);
        }
    })
}

/// Everybody who is counted wrong, as far as they are kept, and how many more there are.
fn count(audit: &mut Auditing<'_>, tenant: TenantId) -> Result<(BTreeMap<String, Wrong>, u64), SnapshotError> {
    let mut counts: HashMap<String, Count> = HashMap::new();
    each_active_hold(audit, tenant, |owner, _, secs| {
        if !counts.contains_key(owner) {
            counts.insert(owner.to_owned(), Count::default());
        }
        if let Some(count) = counts.get_mut(owner) {
            count.holds += 1;
            count.lifetime_secs = count.lifetime_secs.saturating_add(secs);
        }
    })?;
    let (mut wrong, mut more) = (BTreeMap::new(), 0);
    let mut add = |name: String, found: Wrong| {
        if wrong.len() < KEPT_MAX {
            wrong.insert(name, found);
        } else {
            more += 1;
        }
    };
    each_owner(audit, tenant, false, |Owner { name, holds, lifetime_secs, version }| {
        let stored = Count { holds, lifetime_secs };
        let counted = counts.remove(name.as_str()).unwrap_or_default();
        if stored != counted {
            add(name.to_string(), Wrong { stored, version, counted, holds: Vec::new() });
        }
    })?;
    for (name, counted) in counts {
        add(name, Wrong { stored: Count::default(), version: 0, counted, holds: Vec::new() });
    }
    Ok((wrong, more))
}

fn name_holds(
    audit: &mut Auditing<'_>,
    tenant: TenantId,
    wrong: &mut BTreeMap<String, Wrong>,
) -> Result<(), SnapshotError> {
    each_active_hold(audit, tenant, |owner, id, _| {
        if let Some((wrong, id)) = wrong.get_mut(owner).zip(HoldId::new(id).ok())
            && wrong.holds.len() <= OWNER_HOLDS_PER_REPAIR_MAX
        {
            wrong.holds.push(id);
        }
    })
}

impl Wrong {
    fn remedy(
        &self,
        audit: &mut Auditing<'_>,
        tenant: TenantId,
        name: &str,
        trusted: bool,
    ) -> Result<Remedy, SnapshotError> {
        if !trusted {
            return Ok(Remedy::Person(NOT_TRUSTED));
        }
        if self.holds.len() > OWNER_HOLDS_PER_REPAIR_MAX {
            return Ok(Remedy::Person("has more than 1,000 active holds: wait until there are fewer, and audit again"));
        }
        let Ok(owner) = OwnerName::new(name) else {
            return Ok(Remedy::Person("its name is none that Surehold takes: find out who wrote it"));
        };
        let repair = Repair::Owner { owner, owner_version: self.version, holds: self.holds.clone() };
        let number = audit.repair_number(tenant, &repair.target())?;
        Ok(Remedy::Repair(Proposal { repair, number }))
    }
}
