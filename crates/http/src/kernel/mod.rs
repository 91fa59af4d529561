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

use surehold_core::kernel::Refusal;

use crate::api::Module;
pub(crate) use crate::kernel::holds::parse_expiry;
use crate::problem::refusals;
use crate::routes::{Routes, routes};

refusals!("Tenants, pools, holds and keys": Refusal);

fn public() -> Routes {
    Routes::new()
        .routes(routes!(tenants::tenant_get))
        .routes(routes!(tenants::policy_put))
        .routes(routes!(pools::pools_list, pools::pools_put))
        .routes(routes!(pools::pool_get, pools::pool_put))
        .routes(routes!(pools::pool_adjust))
        .routes(routes!(explain::pool_explain))
        .routes(routes!(availability::availability))
        .routes(routes!(holds::holds_list, holds::hold_place))
        .routes(routes!(holds::hold_get))
        .routes(routes!(holds::hold_extend))
        .routes(routes!(holds::hold_convert))
        .routes(routes!(holds::hold_cancel))
        .routes(routes!(holds::hold_move))
        .routes(routes!(holds::hold_give_back))
        .routes(routes!(batch::holds_batch))
        .routes(routes!(events::events))
}

fn admin() -> Routes {
    Routes::new()
        .routes(routes!(tenants::tenants_list, tenants::tenant_create))
        .routes(routes!(keys::keys_list, keys::key_create))
        .routes(routes!(keys::key_rotate))
        .routes(routes!(keys::key_revoke))
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
