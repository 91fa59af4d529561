//! Stores: list, look, put.

use axum::extract::State;
use serde::Deserialize;
use surehold_core::kernel::TenantId;
use surehold_core::stock::{self, StockRefusal, StoreName};

use crate::api::{Api, ApiState, Caller, Json, Manage, Query, Read, Reply, StorePath, page_items};
use crate::describe::{self, IntoParams};
use crate::problem::Problem;
use crate::wire::described;
use crate::wire::stock::{PutStore, Store, StorePage};

pub(super) async fn find_store(api: &Api, tenant: TenantId, name: StoreName) -> Result<stock::Store, Problem> {
    let found = api.views().record::<stock::Store>(tenant, &name).await?;
    found.ok_or_else(|| StockRefusal::StoreNotFound { store: name }.into())
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListStores {
    /// The `next` of the page before.
    #[param(value_type = Option<described::StoreName>)]
    after: Option<StoreName>,
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<u16>,
}

/// List stores
#[describe::path(get, path = "/v1/{tenant}/stores", tag = "Stock",
    params(("tenant" = described::Slug, Path), ListStores), responses((status = 200, body = StorePage)))]
pub(super) async fn stores_list(
    State(api): ApiState,
    caller: Caller<Read>,
    Query(query): Query<ListStores>,
) -> Result<Reply<StorePage>, Problem> {
    let limit = page_items(query.limit)?;
    let found = api.views().stores(caller.tenant, query.after.as_ref(), limit).await?;
    let full = found.len() == usize::from(limit);
    let next = found.last().filter(|_| full).map(|last| last.name.clone());
    Ok(Reply::found(StorePage { stores: found.into_iter().map(Store::from).collect(), next }))
}

/// Look at a store
#[describe::path(get, path = "/v1/{tenant}/stores/{store}", tag = "Stock",
    params(("tenant" = described::Slug, Path), ("store" = described::StoreName, Path)),
    responses((status = 200, body = Store)))]
pub(super) async fn store_get(
    State(api): ApiState,
    caller: Caller<Read>,
    StorePath(name): StorePath,
) -> Result<Reply<Store>, Problem> {
    Ok(Reply::found(find_store(&api, caller.tenant, name).await?.into()))
}

/// Put a store
///
/// Creates it, or gives it another title; its currency stays. Safe to repeat.
#[describe::path(put, path = "/v1/{tenant}/stores/{store}", tag = "Stock",
    params(("tenant" = described::Slug, Path), ("store" = described::StoreName, Path)),
    request_body = PutStore, responses((status = 200, body = Store)))]
pub(super) async fn store_put(
    State(api): ApiState,
    caller: Caller<Manage>,
    StorePath(name): StorePath,
    Json(body): Json<PutStore>,
) -> Result<Reply<Store>, Problem> {
    let done = api.engine().run(caller.tenant, body.into_command(name)).await?;
    Ok(Reply::ok(done))
}
