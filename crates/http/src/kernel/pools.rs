//! Pools: put one, put many, list, look, adjust.

use axum::extract::State;
use serde::Deserialize;
use surehold_core::kernel::{self, PoolKey, Refusal, ResourceName, Slot, commands};
use surehold_engine::Options;

use crate::api::{
    ApiState, Caller, Idempotency, Json, Manage, PoolPath, Query, Read, Reply, SlotQuery, malformed, page_items,
};
use crate::describe::{self, IntoParams};
use crate::problem::Problem;
use crate::wire::{AdjustPool, Pool, PoolPage, PutPool, PutPools, described};

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListPools {
    /// Only pools of this resource.
    #[param(value_type = Option<described::Name>)]
    resource: Option<ResourceName>,
    /// The `next` of the page before.
    after: Option<String>,
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<u16>,
}

/// List pools
#[describe::path(get, path = "/v1/{tenant}/pools", tag = "Pools", params(("tenant" = described::Slug, Path), ListPools),
    responses((status = 200, body = PoolPage)))]
pub(super) async fn pools_list(
    State(api): ApiState,
    caller: Caller<Read>,
    Query(query): Query<ListPools>,
) -> Result<Reply<PoolPage>, Problem> {
    let limit = page_items(query.limit)?;
    let after = query.after.as_deref().map(parse_cursor).transpose()?;
    let pools = api.engine().views().pools(caller.tenant, query.resource.as_ref(), after.as_ref(), limit).await?;
    let more = pools.len() == usize::from(limit);
    let next = pools.last().filter(|_| more).map(|pool| cursor(&pool.key));
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
#[describe::path(put, path = "/v1/{tenant}/pools", tag = "Pools", params(("tenant" = described::Slug, Path)),
    request_body = PutPools, responses((status = 200, body = PoolPage)))]
pub(super) async fn pools_put(
    State(api): ApiState,
    caller: Caller<Manage>,
    Json(body): Json<PutPools>,
) -> Result<Reply<PoolPage>, Problem> {
    let done = api.engine().run(caller.tenant, body.into_command()?).await?;
    let pools = done.reply.into_iter().map(Pool::from).collect();
    Ok(Reply { replayed: done.replayed, ..Reply::found(PoolPage { pools, next: None }) })
}

/// Look at a pool
#[describe::path(get, path = "/v1/{tenant}/pools/{resource}", tag = "Pools",
    params(("tenant" = described::Slug, Path), ("resource" = described::Name, Path), SlotQuery), responses((status = 200, body = Pool)))]
pub(super) async fn pool_get(
    State(api): ApiState,
    caller: Caller<Read>,
    PoolPath(key): PoolPath,
) -> Result<Reply<Pool>, Problem> {
    let pool = api.engine().views().record::<kernel::Pool>(caller.tenant, &key).await?;
    let pool = pool.ok_or_else(|| Refusal::PoolNotFound { pools: vec![key] })?;
    Ok(Reply::found(pool.into()))
}

/// Put one pool
///
/// Sets what is given, creates the pool if it does not exist. Safe to repeat. With `expected_version` it changes the
/// pool only if nobody else did.
#[describe::path(put, path = "/v1/{tenant}/pools/{resource}", tag = "Pools",
    params(("tenant" = described::Slug, Path), ("resource" = described::Name, Path), SlotQuery),
    request_body = PutPool, responses((status = 200, body = Pool)))]
pub(super) async fn pool_put(
    State(api): ApiState,
    caller: Caller<Manage>,
    PoolPath(key): PoolPath,
    Json(body): Json<PutPool>,
) -> Result<Reply<Pool>, Problem> {
    let done = api.engine().run(caller.tenant, body.into_command(key)?).await?;
    Ok(Reply::ok(done))
}

/// Change a pool's total by a difference
///
/// Needs an `Idempotency-Key`: a repeat could not be told from a second delivery.
#[describe::path(post, path = "/v1/{tenant}/pools/{resource}/adjust", tag = "Pools",
    params(("tenant" = described::Slug, Path), ("resource" = described::Name, Path), SlotQuery,
        ("Idempotency-Key" = described::IdempotencyKey, Header)),
    request_body = AdjustPool, responses((status = 200, body = Pool)))]
pub(super) async fn pool_adjust(
    State(api): ApiState,
    caller: Caller<Manage>,
    PoolPath(pool): PoolPath,
    idempotency: Idempotency,
    Json(body): Json<AdjustPool>,
) -> Result<Reply<Pool>, Problem> {
    let key = idempotency.needed_key(&(&pool, &body), "")?;
    let adjust = commands::AdjustPool::new(pool, body.total_delta)?;
    let done = api.engine().run_with(caller.tenant, adjust, Options { key, ..Options::default() }).await?;
    Ok(Reply::ok(done))
}
