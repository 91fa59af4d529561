//! Tenants and keys on the wire.

use serde::{Deserialize, Serialize};
use surehold_core::kernel::{self, ApiKey, HoldPolicy, KeyMode, KeyName, KeyRef, KeyScope, Slug, TenantId, Timestamp};

use crate::describe::{ToSchema, wire};

/// How long holds may live and how much one owner may hold.
#[wire(Copy, PartialEq, Eq)]
#[serde(default)]
#[schema(example = json!({
    "lifetime_secs_default": 900, "lifetime_secs_max": 31_622_400,
    "owner_holds_max": 100, "owner_lifetime_secs_max": 2_592_000
}))]
pub struct Policy {
    #[schema(minimum = 1, maximum = 31_622_400, default = 900)]
    pub lifetime_secs_default: i64,
    /// From placing to expiry, extensions included; extensions for a payment in progress are exempt.
    #[schema(minimum = 1, maximum = 31_622_400, default = 86_400)]
    pub lifetime_secs_max: i64,
    /// Active holds of one owner at once.
    #[schema(minimum = 1, maximum = 1_000_000, default = 100)]
    pub owner_holds_max: i64,
    /// Summed over the active holds of one owner.
    #[schema(minimum = 1, maximum = 31_622_400_000_000_i64, default = 2_592_000)]
    pub owner_lifetime_secs_max: i64,
}

impl Default for Policy {
    fn default() -> Policy {
        HoldPolicy::default().into()
    }
}

impl From<HoldPolicy> for Policy {
    fn from(policy: HoldPolicy) -> Policy {
        let HoldPolicy { lifetime_secs_default, lifetime_secs_max, owner_holds_max, owner_lifetime_secs_max } = policy;
        Policy { lifetime_secs_default, lifetime_secs_max, owner_holds_max, owner_lifetime_secs_max }
    }
}

impl From<Policy> for HoldPolicy {
    fn from(policy: Policy) -> HoldPolicy {
        let Policy { lifetime_secs_default, lifetime_secs_max, owner_holds_max, owner_lifetime_secs_max } = policy;
        HoldPolicy { lifetime_secs_default, lifetime_secs_max, owner_holds_max, owner_lifetime_secs_max }
    }
}

#[wire]
#[schema(example = json!({"slug": "casa-azul", "policy": {"owner_holds_max": 100}}))]
pub struct CreateTenant {
    /// The tenant's name in addresses. A repeat finds the tenant that is there.
    pub slug: Slug,
    #[serde(default)]
    pub policy: Policy,
}

#[wire]
pub struct Tenant {
    #[schema(value_type = i64)]
    pub id: TenantId,
    pub slug: Slug,
    pub mode: KeyMode,
    pub policy: Policy,
}

#[wire(page)]
pub struct TenantPage {
    /// Slugs, in order.
    pub tenants: Vec<String>,
}

#[wire]
#[schema(example = json!({
    "tenant": "casa-azul", "name": "till", "scopes": ["read", "sell"], "mode": "live",
    "expires_at": "2099-01-01T00:00:00Z", "requests_per_s": 100
}))]
pub struct CreateKey {
    /// Whose key it is; left out for a key of the installation, which has the scope `admin` and nothing else.
    pub tenant: Option<Slug>,
    /// What it is for.
    pub name: KeyName,
    #[schema(min_items = 1)]
    pub scopes: Vec<KeyScope>,
    /// Test keys work on data of their own.
    #[serde(default = "live")]
    #[schema(default = "live")]
    pub mode: KeyMode,
    pub expires_at: Option<Timestamp>,
    /// Requests a second on each node, if not the node's default.
    #[schema(minimum = 1, maximum = 10_000_000)]
    pub requests_per_s: Option<i64>,
}

fn live() -> KeyMode {
    KeyMode::Live
}

#[wire]
#[schema(example = json!({"overlap_secs": 86_400}))]
pub struct RotateKey {
    /// How long the old key stays good.
    #[serde(default = "a_day")]
    #[schema(minimum = 0, maximum = 2_592_000, default = 86_400)]
    pub overlap_secs: i64,
}

fn a_day() -> i64 {
    86_400
}

impl Default for RotateKey {
    fn default() -> RotateKey {
        RotateKey { overlap_secs: a_day() }
    }
}

/// A key without its secret.
#[wire]
pub struct Key {
    /// Its reference: the key without `sh_` and the secret.
    pub id: KeyRef,
    pub name: KeyName,
    #[schema(value_type = Vec<KeyScope>)]
    pub scopes: kernel::KeyScopes,
    pub mode: KeyMode,
    pub requests_per_s: Option<i64>,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
    /// The key that took its place.
    pub replaced_by: Option<KeyRef>,
}

impl Key {
    pub fn new(tenant: TenantId, key: ApiKey) -> Key {
        let id = KeyRef { tenant, id: key.id };
        Key {
            id,
            name: key.name,
            scopes: key.scopes,
            mode: id.mode(),
            requests_per_s: key.requests_per_s,
            created_at: key.created_at,
            expires_at: key.expires_at,
            revoked_at: key.revoked_at,
            replaced_by: key.replaced_by.map(|id| KeyRef { tenant, id }),
        }
    }
}

/// A key with its secret: shown this once, kept nowhere.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
pub struct NewKey {
    /// The key itself.
    #[schema(example = "sh_live_1_00ff00ff00ff00ff_…")]
    pub key: String,
    #[serde(flatten)]
    pub about: Key,
}

impl std::fmt::Debug for NewKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "NewKey({:?})", self.about)
    }
}

#[wire]
pub struct KeyPage {
    pub keys: Vec<Key>,
}
