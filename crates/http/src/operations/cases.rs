//! Cases: list, look, assign, resolve.

use axum::extract::State;
use serde::Deserialize;
use surehold_core::kernel::Timestamp;
use surehold_core::operations::{self, CaseKey, CaseState, OperationRefusal};
use surehold_engine::Options;

use super::look::parse_micros;
use crate::api::{
    ApiState, Caller, CasePath, Idempotency, Json, Manage, Query, Read, Reply, case_key, malformed, page_items,
};
use crate::describe::{self, IntoParams};
use crate::problem::Problem;
use crate::wire::{self, Act, AssignCase, Case, CasePage, described};

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListCases {
    /// `open` unless told.
    #[param(value_type = Option<wire::CaseState>)]
    state: Option<CaseState>,
    /// The `next` of the page before.
    after: Option<String>,
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<u16>,
}

/// List cases, the longest open first
#[describe::path(get, path = "/v1/{tenant}/cases", tag = "Cases", params(("tenant" = described::Slug, Path), ListCases),
    responses((status = 200, body = CasePage)))]
pub(super) async fn cases_list(
    State(api): ApiState,
    caller: Caller<Read>,
    Query(query): Query<ListCases>,
) -> Result<Reply<CasePage>, Problem> {
    let limit = page_items(query.limit)?;
    let after = query.after.as_deref().map(parse_cursor).transpose()?;
    let state = query.state.unwrap_or(CaseState::Open);
    let cases = api.engine().views().cases(caller.tenant, state, after.as_ref(), limit).await?;
    let full = cases.len() == usize::from(limit);
    let next = cases.last().filter(|_| full).map(cursor);
    Ok(Reply::found(CasePage { cases: cases.into_iter().map(Case::from).collect(), next }))
}

/// Kinds are words, so a blank ends them.
fn cursor(case: &operations::Case) -> String {
    format!("{} {} {}", case.opened_at.micros(), case.key.kind, case.key.key)
}

pub(super) fn parse_cursor(text: &str) -> Result<(Timestamp, CaseKey), Problem> {
    let parse = || {
        let (micros, case) = text.split_once(' ')?;
        let (kind, key) = case.split_once(' ')?;
        Some((parse_micros(micros)?, case_key(kind, key)?))
    };
    parse().ok_or_else(|| malformed("after is not the `next` of a page of cases"))
}

/// Look at a case
#[describe::path(get, path = "/v1/{tenant}/cases/{kind}/{key}", tag = "Cases",
    params(("tenant" = described::Slug, Path), ("kind" = described::CaseKind, Path), ("key" = described::CaseKey, Path)),
    responses((status = 200, body = Case)))]
pub(super) async fn case_get(
    State(api): ApiState,
    caller: Caller<Read>,
    CasePath(case): CasePath,
) -> Result<Reply<Case>, Problem> {
    let found = api.engine().views().record::<operations::Case>(caller.tenant, &case).await?;
    let found = found.ok_or(OperationRefusal::CaseNotFound { case })?;
    Ok(Reply::found(found.into()))
}

/// Give a case to somebody
///
/// Safe to repeat.
#[describe::path(post, path = "/v1/{tenant}/cases/{kind}/{key}/assign", tag = "Cases",
    params(("tenant" = described::Slug, Path), ("kind" = described::CaseKind, Path), ("key" = described::CaseKey, Path),
        ("Idempotency-Key" = Option<described::IdempotencyKey>, Header)),
    request_body = AssignCase, responses((status = 200, body = Case)))]
pub(super) async fn case_assign(
    State(api): ApiState,
    caller: Caller<Manage>,
    CasePath(case): CasePath,
    idempotency: Idempotency,
    Json(body): Json<AssignCase>,
) -> Result<Reply<Case>, Problem> {
    let key = idempotency.key(&(&case, &body))?;
    let command = operations::AssignCase { case, to: body.to };
    let done = api.engine().run_with(caller.tenant, command, Options { key, ..Options::default() }).await?;
    Ok(Reply::ok(done))
}

/// Resolve a case
///
/// Safe to repeat: a case that is resolved stays as it was resolved first. What happens again opens it again.
#[describe::path(post, path = "/v1/{tenant}/cases/{kind}/{key}/resolve", tag = "Cases",
    params(("tenant" = described::Slug, Path), ("kind" = described::CaseKind, Path), ("key" = described::CaseKey, Path),
        ("Idempotency-Key" = Option<described::IdempotencyKey>, Header)),
    request_body = Act, responses((status = 200, body = Case)))]
pub(super) async fn case_resolve(
    State(api): ApiState,
    caller: Caller<Manage>,
    CasePath(case): CasePath,
    idempotency: Idempotency,
    Json(body): Json<Act>,
) -> Result<Reply<Case>, Problem> {
    let key = idempotency.key(&(&case, &body))?;
    let Act { actor, reason } = body;
    let command = operations::ResolveCase { case, actor, reason };
    let done = api.engine().run_with(caller.tenant, command, Options { key, ..Options::default() }).await?;
    Ok(Reply::ok(done))
}
