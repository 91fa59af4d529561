//! What can be asked about tenants, keys, pools, holds and events.

use surehold_core::kernel::{HoldId, ResourceName, Slug};

#[allow(clippy::wildcard_imports, reason = "calls name nearly all types of the module")]
use super::*;
use crate::call::{calls, lists, pages};

calls! {
    GET "/healthz" health() -> Health;
    GET "/admin/tenants" tenants() -> TenantPage;
    POST "/admin/tenants" create_tenant(; CreateTenant) -> Tenant;
    GET "/v1/{tenant}" tenant(tenant: &Slug) -> Tenant;
    PUT "/v1/{tenant}/policy" put_policy(tenant: &Slug; Policy) -> Policy;
    GET "/admin/keys" keys() -> KeyPage;
    POST "/admin/keys" create_key(; CreateKey) -> NewKey;
    POST "/admin/keys/{key}/rotate" rotate_key(key: KeyRef; RotateKey) -> NewKey;
    POST "/admin/keys/{key}/revoke" revoke_key(key: KeyRef) -> Key;
    POST "/admin/repairs" make_repairs(; MakeRepairs) -> RepairsMade;
    GET "/v1/{tenant}/pools" pools(tenant: &Slug) -> PoolPage;
    PUT "/v1/{tenant}/pools" put_pools(tenant: &Slug; PutPools) -> PoolPage;
    GET "/v1/{tenant}/pools/{resource}" pool(tenant: &Slug, resource: &ResourceName) -> Pool;
    PUT "/v1/{tenant}/pools/{resource}" put_pool(tenant: &Slug, resource: &ResourceName; PutPool) -> Pool;
    POST "/v1/{tenant}/pools/{resource}/adjust" adjust_pool(tenant: &Slug, resource: &ResourceName; AdjustPool) -> Pool;
    GET "/v1/{tenant}/pools/{resource}/explain" explain_pool(tenant: &Slug, resource: &ResourceName) -> Explanation;
    GET "/v1/{tenant}/availability" availability(tenant: &Slug) -> Availability;
    GET "/v1/{tenant}/holds" holds(tenant: &Slug) -> HoldPage;
    POST "/v1/{tenant}/holds" place_hold(tenant: &Slug; PlaceHold) -> Hold;
    GET "/v1/{tenant}/holds/{hold}" hold(tenant: &Slug, hold: HoldId) -> Hold;
    POST "/v1/{tenant}/holds/{hold}/extend" extend_hold(tenant: &Slug, hold: HoldId; ExtendHold) -> Hold;
    POST "/v1/{tenant}/holds/{hold}/convert" convert_hold(tenant: &Slug, hold: HoldId; ConvertHold) -> Hold;
    POST "/v1/{tenant}/holds/{hold}/cancel" cancel_hold(tenant: &Slug, hold: HoldId) -> Hold;
    POST "/v1/{tenant}/holds/{hold}/move" move_booked(tenant: &Slug, hold: HoldId; MoveBooked) -> Hold;
    POST "/v1/{tenant}/holds/{hold}/give-back" give_back(tenant: &Slug, hold: HoldId; GiveBack) -> Hold;
    GET "/v1/{tenant}/events" events(tenant: &Slug) -> EventPage;
}

pages! {
    TenantPage { tenants: String }
    PoolPage { pools: Pool }
    HoldPage { holds: Hold }
}

lists! {
    KeyPage { keys: Key }
}
