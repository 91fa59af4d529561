//! Tenants and their policy.

use axum::http::StatusCode;
use surehold_core::kernel::{self, Slug, TenantId, commands};
use surehold_engine::Views;

use crate::api::{Admin, Answer, Api, Caller, Json, Manage, Query, Read, Reply, next_page, no_such_tenant, page_items};
use crate::describe;
use crate::keys::{KeyMode, Secret};
use crate::problem::Problem;
use crate::wire::{CreateTenant, Policy, Tenant, TenantPage};

/// The tenant and its policy
#[describe::path(get, "/v1/{tenant}", tag = "Tenants")]
pub(super) async fn tenant_get(api: Api, caller: Caller<Read>) -> Answer<Tenant> {
    let tenant = read(api.views(), caller.tenant).await?;
    Ok(Reply::found(tenant))
}

async fn read(views: &Views, id: TenantId) -> Result<Tenant, Problem> {
    let kernel::Tenant { slug, policy, .. } = views.record(id, &()).await?.ok_or_else(no_such_tenant)?;
    let mode = if id.is_test() { KeyMode::Test } else { KeyMode::Live };
    Ok(Tenant { id, slug, mode, policy: policy.into() })
}

/// Change the tenant's policy for holds
///
/// What is left out takes its default. Safe to repeat; holds that are there keep their expiry.
#[describe::path(put, "/v1/{tenant}/policy", tag = "Tenants")]
pub(super) async fn policy_put(api: Api, caller: Caller<Manage>, Json(body): Json<Policy>) -> Answer<Policy> {
    api.run(caller.tenant, commands::SetPolicy::new(body.into())?, None).await
}

#[describe::query(page after Slug)]
pub(crate) struct ListTenants {}

/// List tenants
#[describe::path(get, "/admin/tenants", tag = "Administration")]
pub(super) async fn tenants_list(api: Api, _: Admin, Query(query): Query<ListTenants>) -> Answer<TenantPage> {
    let limit = page_items(query.limit)?;
    let tenants = api.views().tenants(query.after.as_ref().map_or("", Slug::as_str), limit).await?;
    let tenants: Vec<String> = tenants.into_iter().map(|tenant| tenant.slug).collect();
    let next = next_page(&tenants, limit, String::clone);
    Ok(Reply::found(TenantPage { tenants, next }))
}

/// Create a tenant
///
/// The slug is its identity: a repeat finds the tenant that is there, with the policy that it has.
#[describe::path(post, "/admin/tenants", tag = "Administration", status(201))]
pub(super) async fn tenant_create(api: Api, _: Admin, Json(body): Json<CreateTenant>) -> Answer<Tenant> {
    let CreateTenant { slug, policy } = body;
    let id = create(&api, slug, policy).await?;
    let tenant = read(api.views(), id).await?;
    Ok(Reply { status: StatusCode::CREATED, ..Reply::found(tenant) })
}

async fn create(api: &Api, slug: Slug, policy: Policy) -> Result<TenantId, Problem> {
    // Random, so that two nodes that create tenants at once do not choose the same; 48 bits, so that it stays readable.
    let bytes = Secret::random()?.hash();
    let number = bytes.iter().take(6).fold(0_i64, |number, byte| number << 8 | i64::from(*byte));
    Ok(api.engine().create_tenant(slug, policy.into(), TenantId(number.max(1))).await?)
}
