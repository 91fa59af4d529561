//! Tenants, their policy for holds, and the directory that gives a slug to one tenant only.

use serde::{Deserialize, Serialize};

use super::record::{Column, ColumnType, Columns, Corrupt, Record, Row, Table, Value};
use super::{Invalid, Slug, TenantId};

/// No policy allows more, and nothing is exempt.
pub(super) const LIFETIME_SECS_CEILING: i64 = 366 * 86_400;
const OWNER_HOLDS_CEILING: i64 = 1_000_000;

/// How long holds may live and how much one owner may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HoldPolicy {
    pub lifetime_secs_default: i64,
    /// From placing to expiry, extensions included; extensions for a payment in progress are exempt.
    pub lifetime_secs_max: i64,
    /// Active holds of one owner at once.
    pub owner_holds_max: i64,
    /// Summed over the active holds of one owner.
    pub owner_lifetime_secs_max: i64,
}

impl Default for HoldPolicy {
    fn default() -> HoldPolicy {
        HoldPolicy {
            lifetime_secs_default: 900,
            lifetime_secs_max: 86_400,
            owner_holds_max: 100,
            owner_lifetime_secs_max: 30 * 86_400,
        }
    }
}

impl HoldPolicy {
    pub fn check(&self) -> Result<(), Invalid> {
        for secs in [self.lifetime_secs_default, self.lifetime_secs_max] {
            check_lifetime(secs)?;
        }
        if self.lifetime_secs_default > self.lifetime_secs_max {
            return Err(Invalid::PolicyContradictory);
        }
        let owner_lifetime_max = LIFETIME_SECS_CEILING.strict_mul(OWNER_HOLDS_CEILING);
        for (what, units, units_max) in [
            ("owner_holds_max", self.owner_holds_max, OWNER_HOLDS_CEILING),
            ("owner_lifetime_secs_max", self.owner_lifetime_secs_max, owner_lifetime_max),
        ] {
            if !(1..=units_max).contains(&units) {
                return Err(Invalid::Units { what: what.to_owned(), units, units_min: 1, units_max });
            }
        }
        Ok(())
    }
}

/// A lifetime that any policy could allow.
pub(super) fn check_lifetime(secs: i64) -> Result<(), Invalid> {
    let sane = (1..=LIFETIME_SECS_CEILING).contains(&secs);
    if sane { Ok(()) } else { Err(Invalid::Lifetime { secs, secs_max: LIFETIME_SECS_CEILING }) }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tenant {
    pub slug: Slug,
    pub policy: HoldPolicy,
    pub version: i64,
}

impl Record for Tenant {
    const TABLE: &'static Table = &Table {
        name: "tenants",
        columns: &[
            Column::fixed("slug", ColumnType::Text),
            Column::changing("lifetime_secs_default", ColumnType::Int),
            Column::changing("lifetime_secs_max", ColumnType::Int),
            Column::changing("owner_holds_max", ColumnType::Int),
            Column::changing("owner_lifetime_secs_max", ColumnType::Int),
        ],
        key_columns: 0,
        due: None,
    };

    const IS_REMEMBERED: bool = true;

    /// A tenant owns exactly one of these.
    type Key = ();

    fn key(&self) {}

    fn write_key<'a>((): &'a (), _out: &mut dyn Columns<'a>) {}

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(self.slug.as_str()));
        out.put(Value::Int(self.policy.lifetime_secs_default));
        out.put(Value::Int(self.policy.lifetime_secs_max));
        out.put(Value::Int(self.policy.owner_holds_max));
        out.put(Value::Int(self.policy.owner_lifetime_secs_max));
    }

    fn read(row: &mut dyn Row) -> Result<Tenant, Corrupt> {
        Ok(Tenant {
            slug: Slug::new(row.text()?).map_err(|invalid| Corrupt::new(invalid.to_string()))?,
            policy: HoldPolicy {
                lifetime_secs_default: row.int()?,
                lifetime_secs_max: row.int()?,
                owner_holds_max: row.int()?,
                owner_lifetime_secs_max: row.int()?,
            },
            version: row.int()?,
        })
    }

    fn version(&self) -> i64 {
        self.version
    }

    fn set_version(&mut self, version: i64) {
        self.version = version;
    }
}

/// Who has a slug. Owned by the directory, so that two tenants cannot take one slug in their own turns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlugClaim {
    pub slug: Slug,
    pub claimed_by: TenantId,
    pub version: i64,
}

impl Record for SlugClaim {
    const TABLE: &'static Table = &Table {
        name: "slugs",
        columns: &[Column::fixed("slug", ColumnType::Text), Column::fixed("claimed_by", ColumnType::Int)],
        key_columns: 1,
        due: None,
    };

    type Key = Slug;

    fn key(&self) -> Slug {
        self.slug.clone()
    }

    fn write_key<'a>(slug: &'a Slug, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(slug.as_str()));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(self.slug.as_str()));
        out.put(Value::Int(self.claimed_by.0));
    }

    fn read(row: &mut dyn Row) -> Result<SlugClaim, Corrupt> {
        Ok(SlugClaim {
            slug: Slug::new(row.text()?).map_err(|invalid| Corrupt::new(invalid.to_string()))?,
            claimed_by: TenantId(row.int()?),
            version: row.int()?,
        })
    }

    fn version(&self) -> i64 {
        self.version
    }

    fn set_version(&mut self, version: i64) {
        self.version = version;
    }
}
