//! Cases: list, look, assign, resolve.

use surehold_core::kernel::Timestamp;
use surehold_core::operations::{self, CaseKey, CaseState, OperationRefusal};
#[cfg(test)]
use utoipa::openapi::{RefOr, Schema};

use super::look::parse_micros;
use crate::api::{
    Answer, Api, Caller, FromPath, Idempotency, InPath, Json, Manage, Query, Read, Reply, Segments, malformed,
    next_page, page_items,
};
use crate::describe;
#[cfg(test)]
use crate::openapi::parameters::mention;
use crate::problem::Problem;
use crate::wire::{Act, AssignCase, Case, CasePage, described};

const CASE_KIND_BYTES_MAX: usize = 64;
const CASE_KEY_BYTES_MAX: usize = 500;

/// Names that no case can have are not looked up: not every store can be asked for them.
fn case_key(kind: &str, key: &str) -> Option<CaseKey> {
    let good = |text: &str, bytes_max: usize| {
        let sized = !text.is_empty() && text.len() <= bytes_max;
        sized && text.trim() == text && !text.chars().any(char::is_control)
    };
    let named = good(kind, CASE_KIND_BYTES_MAX) && good(key, CASE_KEY_BYTES_MAX);
    named.then(|| CaseKey { kind: kind.into(), key: key.into() })
}

impl FromPath for CaseKey {
    fn from_path(segments: &mut Segments<'_>) -> Result<CaseKey, Problem> {
        let kind = segments.text().to_owned();
        let not_one = || {
            malformed(format!(
                "a case has a kind of up to {CASE_KIND_BYTES_MAX} bytes and a key of up to {CASE_KEY_BYTES_MAX}, \
                 without control characters or blanks at their ends"
            ))
        };
        case_key(&kind, segments.text()).ok_or_else(not_one)
    }

    #[cfg(test)]
    fn schemas() -> Vec<RefOr<Schema>> {
        vec![mention::<described::CaseKind>(), mention::<described::CaseKey>()]
    }
}

#[describe::query(page)]
pub(crate) struct ListCases {
    /// `open` unless told.
    state: Option<CaseState>,
}

/// List cases, the longest open first
#[describe::path(get, "/v1/{tenant}/cases", tag = "Cases")]
pub(super) async fn cases_list(api: Api, caller: Caller<Read>, Query(query): Query<ListCases>) -> Answer<CasePage> {
    let limit = page_items(query.limit)?;
    let after = query.after.as_deref().map(parse_cursor).transpose()?;
    let state = query.state.unwrap_or(CaseState::Open);
    let cases = api.views().cases(caller.tenant, state, after.as_ref(), limit).await?;
    let next = next_page(&cases, limit, cursor);
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
#[describe::path(get, "/v1/{tenant}/cases/{kind}/{key}", tag = "Cases")]
pub(super) async fn case_get(api: Api, caller: Caller<Read>, InPath(case): InPath<CaseKey>) -> Answer<Case> {
    let found = api.views().record::<operations::Case>(caller.tenant, &case).await?;
    let found = found.ok_or(OperationRefusal::CaseNotFound { case })?;
    Ok(Reply::found(found.into()))
}

/// Give a case to somebody
///
/// Safe to repeat.
#[describe::path(post, "/v1/{tenant}/cases/{kind}/{key}/assign", tag = "Cases")]
pub(super) async fn case_assign(
    api: Api,
    caller: Caller<Manage>,
    InPath(case): InPath<CaseKey>,
    idempotency: Idempotency,
    Json(body): Json<AssignCase>,
) -> Answer<Case> {
    let key = idempotency.key(&(&case, &body))?;
    let command = operations::AssignCase { case, to: body.to };
    api.run(caller.tenant, command, key).await
}

/// Resolve a case
///
/// Safe to repeat: a case that is resolved stays as it was resolved first. What happens again opens it again.
#[describe::path(post, "/v1/{tenant}/cases/{kind}/{key}/resolve", tag = "Cases")]
pub(super) async fn case_resolve(
    api: Api,
    caller: Caller<Manage>,
    InPath(case): InPath<CaseKey>,
    idempotency: Idempotency,
    Json(body): Json<Act>,
) -> Answer<Case> {
    let key = idempotency.key(&(&case, &body))?;
    let Act { actor, reason } = body;
    let command = operations::ResolveCase { case, actor, reason };
    api.run(caller.tenant, command, key).await
}
