//! Tenants, their policy for holds, and the directory that gives a slug to one tenant only.

use serde::{Deserialize, Serialize};

use super::{Columnar, Invalid, Record, Slug, TenantId};

/// No policy allows more, and nothing is exempt.
pub(super) const LIFETIME_SECS_CEILING: i64 = 366 * 86_400;
const OWNER_HOLDS_CEILING: i64 = 1_000_000;

/// How long holds may live and how much one owner may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Columnar)]
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

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(table = "tenants", remembered)]
pub struct Tenant {
    #[column(fixed)]
    pub slug: Slug,
    pub policy: HoldPolicy,
    pub version: i64,
}

/// Who has a slug. Owned by the directory, so that two tenants cannot take one slug in their own turns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(table = "slugs", fixed)]
pub struct SlugClaim {
    #[column(key)]
    pub slug: Slug,
    pub claimed_by: TenantId,
    pub version: i64,
}
