//! Stores: list, look, put.

use surehold_core::kernel::TenantId;
use surehold_core::stock::{self, StockRefusal, StoreName};

use crate::api::{Answer, Api, Caller, InPath, Json, Manage, Query, Read, Reply, from_path, next_page, page_items};
use crate::describe;
use crate::problem::Problem;
use crate::wire::stock::{PutStore, Store, StorePage};

from_path!(StoreName: StoreName::new);

pub(super) async fn find_store(api: &Api, tenant: TenantId, name: StoreName) -> Result<stock::Store, Problem> {
    let found = api.views().record::<stock::Store>(tenant, &name).await?;
    found.ok_or_else(|| StockRefusal::StoreNotFound { store: name }.into())
}

#[describe::query(page after StoreName)]
pub(crate) struct ListStores {}

/// List stores
#[describe::path(get, "/v1/{tenant}/stores", tag = "Stock")]
pub(super) async fn stores_list(api: Api, caller: Caller<Read>, Query(query): Query<ListStores>) -> Answer<StorePage> {
    let limit = page_items(query.limit)?;
    let found = api.views().stores(caller.tenant, query.after.as_ref(), limit).await?;
    let next = next_page(&found, limit, |last| last.name.clone());
    Ok(Reply::found(StorePage { stores: found.into_iter().map(Store::from).collect(), next }))
}

/// Look at a store
#[describe::path(get, "/v1/{tenant}/stores/{store}", tag = "Stock")]
pub(super) async fn store_get(api: Api, caller: Caller<Read>, InPath(name): InPath<StoreName>) -> Answer<Store> {
    Ok(Reply::found(find_store(&api, caller.tenant, name).await?.into()))
}

/// Put a store
///
/// Creates it, or gives it another title; its currency stays. Safe to repeat.
#[describe::path(put, "/v1/{tenant}/stores/{store}", tag = "Stock")]
pub(super) async fn store_put(
    api: Api,
    caller: Caller<Manage>,
    InPath(name): InPath<StoreName>,
    Json(body): Json<PutStore>,
) -> Answer<Store> {
    api.run(caller.tenant, body.into_command(name), None).await
}
