//! Pools: put one, put many, list, look, adjust.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::Deserialize;
use surehold_core::kernel::{self, PoolKey, Refusal, ResourceName, Slot, commands};
#[cfg(test)]
use utoipa::{
    IntoParams,
    openapi::path::{Parameter, ParameterIn},
};

use crate::api::{
    Answer, Api, Caller, IdempotencyNeeded, InPath, Json, Manage, Query, Read, Reply, from_path, malformed, next_page,
    page_items,
};
use crate::describe;
use crate::problem::Problem;
use crate::wire::{AdjustPool, Pool, PoolPage, PutPool, PutPools, described};

from_path!(ResourceName: ResourceName::new);

/// The pool named by the path and, where it has one, the slot in the query.
pub(crate) struct PoolPath(pub(crate) PoolKey);

#[describe::query]
#[allow(dead_code, reason = "read through its text; here for the description")]
pub(crate) struct SlotQuery {
    /// A date; left out for things without one.
    #[param(value_type = Option<described::Slot>)]
    slot: Option<String>,
}

impl FromRequestParts<Api> for PoolPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<PoolPath, Problem> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Slotted {
            #[serde(default)]
            slot: String,
        }
        let InPath(resource) = InPath::from_request_parts(parts, api).await?;
        let Query(Slotted { slot }) = Query::from_request_parts(parts, api).await?;
        let slot = Slot::parse(&slot).map_err(|invalid| malformed(invalid.to_string()))?;
        Ok(PoolPath(PoolKey { resource, slot }))
    }
}

#[cfg(test)]
impl IntoParams for PoolPath {
    fn into_params(place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        [InPath::<ResourceName>::into_params(&place), SlotQuery::into_params(&place)].concat()
    }
}

#[describe::query(page)]
pub(crate) struct ListPools {
    /// Only pools of this resource.
    resource: Option<ResourceName>,
}

/// List pools
#[describe::path(get, "/v1/{tenant}/pools", tag = "Pools")]
pub(super) async fn pools_list(api: Api, caller: Caller<Read>, Query(query): Query<ListPools>) -> Answer<PoolPage> {
    let limit = page_items(query.limit)?;
    let after = query.after.as_deref().map(parse_cursor).transpose()?;
    let pools = api.views().pools(caller.tenant, query.resource.as_ref(), after.as_ref(), limit).await?;
    let next = next_page(&pools, limit, |pool| cursor(&pool.key));
    Ok(Reply::found(PoolPage { pools: pools.into_iter().map(Pool::from).collect(), next }))
}

/// The slot comes first: it never contains the separator, and the name may.
pub(super) fn cursor(key: &PoolKey) -> String {
    format!("{}@{}", key.slot, key.resource)
}

pub(super) fn parse_cursor(text: &str) -> Result<PoolKey, Problem> {
    let not_one = || malformed("after is not the `next` of a page of pools");
    let (slot, resource) = text.split_once('@').ok_or_else(not_one)?;
    let slot = Slot::parse(slot).map_err(|_| not_one())?;
    Ok(PoolKey { resource: ResourceName::new(resource).map_err(|_| not_one())?, slot })
}

/// Put many pools, all or none
///
/// What is left out of a pool stays as it is. Safe to repeat.
#[describe::path(put, "/v1/{tenant}/pools", tag = "Pools")]
pub(super) async fn pools_put(api: Api, caller: Caller<Manage>, Json(body): Json<PutPools>) -> Answer<PoolPage> {
    let done = api.engine().run(caller.tenant, body.into_command()?).await?;
    let pools = done.reply.into_iter().map(Pool::from).collect();
    Ok(Reply { replayed: done.replayed, ..Reply::found(PoolPage { pools, next: None }) })
}

/// Look at a pool
#[describe::path(get, "/v1/{tenant}/pools/{resource}", tag = "Pools", params(PoolPath))]
pub(super) async fn pool_get(api: Api, caller: Caller<Read>, PoolPath(key): PoolPath) -> Answer<Pool> {
    let pool = api.views().record::<kernel::Pool>(caller.tenant, &key).await?;
    let pool = pool.ok_or_else(|| Refusal::PoolNotFound { pools: vec![key] })?;
    Ok(Reply::found(pool.into()))
}

/// Put one pool
///
/// Sets what is given, creates the pool if it does not exist. Safe to repeat. With `expected_version` it changes the
/// pool only if nobody else did.
#[describe::path(put, "/v1/{tenant}/pools/{resource}", tag = "Pools", params(PoolPath))]
pub(super) async fn pool_put(
    api: Api,
    caller: Caller<Manage>,
    PoolPath(key): PoolPath,
    Json(body): Json<PutPool>,
) -> Answer<Pool> {
    api.run(caller.tenant, body.into_command(key)?, None).await
}

/// Change a pool's total by a difference
///
/// Needs an `Idempotency-Key`: a repeat could not be told from a second delivery.
#[describe::path(post, "/v1/{tenant}/pools/{resource}/adjust", tag = "Pools", params(PoolPath))]
pub(super) async fn pool_adjust(
    api: Api,
    caller: Caller<Manage>,
    PoolPath(pool): PoolPath,
    idempotency: IdempotencyNeeded,
    Json(body): Json<AdjustPool>,
) -> Answer<Pool> {
    let key = idempotency.key(&(&pool, &body))?;
    let adjust = commands::AdjustPool::new(pool, body.total_delta)?;
    api.run(caller.tenant, adjust, key).await
}
