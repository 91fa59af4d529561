//! Tenants and their policy.

use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use surehold_core::kernel::{self, Slug, TenantId, commands};
use surehold_engine::Views;

use crate::api::{
    Admin, Api, ApiState, Caller, Json, Manage, Query, Read, Reply, no_randomness, no_such_tenant, page_items,
};
use crate::describe::{self, IntoParams};
use crate::keys::{KeyMode, Secret};
use crate::problem::{Code, Problem};
use crate::wire::{CreateTenant, Policy, Tenant, TenantPage, described};

/// The tenant and its policy
#[describe::path(get, path = "/v1/{tenant}", tag = "Tenants", params(("tenant" = described::Slug, Path)),
    responses((status = 200, body = Tenant)))]
pub(super) async fn tenant_get(State(api): ApiState, caller: Caller<Read>) -> Result<Reply<Tenant>, Problem> {
    let tenant = read(api.engine().views(), caller.tenant).await?;
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
#[describe::path(put, path = "/v1/{tenant}/policy", tag = "Tenants", params(("tenant" = described::Slug, Path)),
    request_body = Policy, responses((status = 200, body = Policy)))]
pub(super) async fn policy_put(
    State(api): ApiState,
    caller: Caller<Manage>,
    Json(body): Json<Policy>,
) -> Result<Reply<Policy>, Problem> {
    let done = api.engine().run(caller.tenant, commands::SetPolicy::new(body.into())?).await?;
    Ok(Reply::ok(done))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListTenants {
    /// The `next` of the page before.
    #[param(value_type = Option<String>)]
    after: Option<Slug>,
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<u16>,
}

/// List tenants
#[describe::path(get, path = "/admin/tenants", tag = "Administration", params(ListTenants),
    responses((status = 200, body = TenantPage)))]
pub(super) async fn tenants_list(
    State(api): ApiState,
    _: Admin,
    Query(query): Query<ListTenants>,
) -> Result<Reply<TenantPage>, Problem> {
    let limit = page_items(query.limit)?;
    let tenants = api.engine().views().tenants(query.after.as_ref().map_or("", Slug::as_str), limit).await?;
    let tenants: Vec<String> = tenants.into_iter().map(|tenant| tenant.slug).collect();
    let next = tenants.last().filter(|_| tenants.len() == usize::from(limit)).cloned();
    Ok(Reply::found(TenantPage { tenants, next }))
}

/// Create a tenant
///
/// The slug is its identity: a repeat finds the tenant that is there, with the policy that it has.
#[describe::path(post, path = "/admin/tenants", tag = "Administration", request_body = CreateTenant,
    responses((status = 201, body = Tenant)))]
pub(super) async fn tenant_create(
    State(api): ApiState,
    _: Admin,
    Json(body): Json<CreateTenant>,
) -> Result<Reply<Tenant>, Problem> {
    let CreateTenant { slug, policy } = body;
    let id = create(&api, slug, policy).await?;
    let tenant = read(api.engine().views(), id).await?;
    Ok(Reply { status: StatusCode::CREATED, ..Reply::found(tenant) })
}

async fn create(api: &Api, slug: Slug, policy: Policy) -> Result<TenantId, Problem> {
    // Random, so that two nodes that create tenants at once do not choose the same; 48 bits, so that it stays readable.
    let bytes = Secret::random().map_err(|_| no_randomness())?.hash();
    let number = bytes.iter().take(6).fold(0_i64, |number, byte| number << 8 | i64::from(*byte));
    Ok(api.engine().create_tenant(slug, policy.into(), TenantId(number.max(1))).await?)
}
