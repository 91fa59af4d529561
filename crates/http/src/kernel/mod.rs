//! Pools and holds, the tenants that own them, the keys that open them, and the feed of what happened.
//! Start at `holds.rs`.
//! Imports: nothing.

mod availability;
mod batch;
mod events;
mod explain;
#[cfg(feature = "fuzz")]
pub(crate) mod fuzz;
mod holds;
mod keys;
mod pools;
mod tenants;

use surehold_core::kernel::{KeyId, Refusal};

use crate::api::Module;
pub(crate) use crate::kernel::holds::parse_expiry;
use crate::problem::refusals;
use crate::routes::{Routes, routes};
use crate::wire::PoolName;
use crate::wire::described::IdempotencyKey;

refusals!("Tenants, pools, holds and keys": Refusal);

fn public() -> Routes {
    routes! {
        tenants: tenant_get, policy_put;
        pools: pools_list, pools_put, pool_get, pool_put, pool_adjust;
        explain: pool_explain;
        availability: availability;
        holds: holds_list, hold_place, hold_get, hold_extend, hold_convert, hold_cancel, hold_move, hold_give_back;
        batch: holds_batch;
        events: events;
    }
    .group("Holds", "Timed claims on pools, all or nothing")
    .group("Pools", "What can be sold, and how much of it is left")
    .group("Events", "What happened, in order and without gaps")
    .group("Tenants", "Whose data it is")
    .describes::<IdempotencyKey>()
    .describes::<KeyId>()
    .describes::<PoolName>()
}

fn admin() -> Routes {
    routes! {
        tenants: tenants_list, tenant_create;
        keys: keys_list, key_create, key_rotate, key_revoke;
    }
    .group("Administration", "Tenants, keys and epochs; needs a key of the installation")
}

pub(crate) const MODULE: Module = Module {
    public,
    admin,
    state: |state| {
        state.insert(batch::BatchRoom::default());
        state.insert(events::OpenStreams::default());
    },
    refusals: REFUSALS,
    #[cfg(feature = "fuzz")]
    readers: fuzz::READERS,
};
