//! Operations: look at one, list them, see everything about something as one line of time.

use surehold_core::kernel::Timestamp;
use surehold_core::operations::{Correlation, DedupeKey, OperationKey, OperationRefusal, OperationState, TypeName};
use surehold_engine::{OperationBrief, RunState};

use super::seen::{operation_seen, summary_of, timeline_seen};
use crate::api::{Answer, Api, Caller, InPath, Query, Read, Reply, from_path, malformed, next_page, page_items};
use crate::describe;
use crate::problem::Problem;
use crate::wire::{Operation, OperationPage, Timeline, described};

from_path!(TypeName: TypeName::new, DedupeKey: DedupeKey::new);
// The key is decoded once, so a `%` of its own is sent as `%25`.
from_path!(OperationKey { kind: TypeName, key: DedupeKey });

#[describe::query(page)]
pub(crate) struct ListOperations {
    /// Operations in this state. `DEAD_LETTER` lists those that nobody has dealt with, the longest dead first; the
    /// others come in the order of their keys, and `SUCCEEDED` needs a `type`. Either this or `correlation`.
    state: Option<OperationState>,
    /// Only operations of this type. With `state`.
    r#type: Option<TypeName>,
    /// Operations that have to do with this, in the order of their keys.
    #[param(value_type = Option<described::Correlation>)]
    correlation: Option<String>,
    /// With `state=DEAD_LETTER`: also those that somebody has dealt with, in the order of their keys.
    include_resolved: Option<bool>,
}

/// List operations by state, or those of a correlation
#[describe::path(get, "/v1/{tenant}/operations", tag = "Operations")]
pub(super) async fn operations_list(
    api: Api,
    caller: Caller<Read>,
    Query(query): Query<ListOperations>,
) -> Answer<OperationPage> {
    let limit = page_items(query.limit)?;
    let (operations, next) = match Asked::of(query)? {
        Asked::Runs { state, kind, after } => {
            let views = api.views();
            let page = views.operation_runs(caller.tenant, state, kind.as_ref(), after.as_ref(), limit).await?;
            (page.operations, page.next.as_ref().map(ToString::to_string))
        }
        Asked::Dead { kind, after } => {
            let views = api.views();
            let page = views.dead_letters(caller.tenant, kind.as_ref(), after.as_ref(), limit).await?;
            (page.operations, page.next.as_ref().map(ToString::to_string))
        }
        Asked::OpenDead { kind, after } => {
            let views = api.views();
            let letters = views.open_dead_letters(caller.tenant, kind.as_ref(), after.as_ref(), limit).await?;
            let next = next_page(&letters, limit, |last| format!("{} {}", last.dead_at.micros(), last.key));
            (letters.into_iter().map(OperationBrief::from).collect(), next)
        }
        Asked::Succeeded { kind, after } => {
            let views = api.views();
            let found = views.succeeded_operations(caller.tenant, &kind, after.as_ref(), limit).await?;
            let next = next_page(&found, limit, |last| last.key.to_string());
            (found, next)
        }
        Asked::Correlated { correlation, after } => {
            let views = api.views();
            let found = views.operations_of(caller.tenant, &correlation, after.as_ref(), limit).await?;
            let next = next_page(&found, limit, |last| last.key.to_string());
            (found, next)
        }
    };
    let operations = operations.into_iter().map(summary_of).collect();
    Ok(Reply::found(OperationPage { operations, next }))
}

/// The list that the parameters mean.
pub(super) enum Asked {
    Runs { state: RunState, kind: Option<TypeName>, after: Option<OperationKey> },
    Dead { kind: Option<TypeName>, after: Option<OperationKey> },
    OpenDead { kind: Option<TypeName>, after: Option<(Timestamp, OperationKey)> },
    Succeeded { kind: TypeName, after: Option<DedupeKey> },
    Correlated { correlation: Correlation, after: Option<OperationKey> },
}

impl Asked {
    pub(super) fn of(query: ListOperations) -> Result<Asked, Problem> {
        let ListOperations { state, r#type: kind, correlation, include_resolved, after, limit: _ } = query;
        let resolved = include_resolved.unwrap_or(false);
        let after_key = || after.as_deref().map(parse_key).transpose();
        match (state, correlation) {
            (Some(_), Some(_)) | (None, None) => Err(malformed("ask for a state=…, or for a correlation=kind=value")),
            (None, Some(_)) if kind.is_some() => Err(malformed("type goes with state, not with correlation")),
            (state, _) if resolved && state != Some(OperationState::DeadLetter) => {
                Err(malformed("include_resolved goes with state=DEAD_LETTER"))
            }
            (None, Some(correlation)) => {
                Ok(Asked::Correlated { correlation: parse_correlation(&correlation)?, after: after_key()? })
            }
            (Some(state), None) => match state {
                OperationState::Pending => Ok(Asked::Runs { state: RunState::Pending, kind, after: after_key()? }),
                OperationState::Running => Ok(Asked::Runs { state: RunState::Running, kind, after: after_key()? }),
                OperationState::Failed => Ok(Asked::Runs { state: RunState::Failed, kind, after: after_key()? }),
                OperationState::DeadLetter if resolved => Ok(Asked::Dead { kind, after: after_key()? }),
                OperationState::DeadLetter => {
                    let after = after.as_deref().map(parse_dead).transpose()?;
                    Ok(Asked::OpenDead { kind, after })
                }
                OperationState::Succeeded => {
                    let kind = kind.ok_or_else(|| malformed("state=SUCCEEDED needs a type"))?;
                    Ok(Asked::Succeeded { kind, after: after_key()?.map(|after| after.key) })
                }
            },
        }
    }
}

fn not_a_cursor() -> Problem {
    malformed("after is not the `next` of a page of operations")
}

/// `TYPE KEY`: a type has no blank.
pub(super) fn parse_key(text: &str) -> Result<OperationKey, Problem> {
    let (kind, key) = text.split_once(' ').ok_or_else(not_a_cursor)?;
    let kind = TypeName::new(kind).map_err(|_| not_a_cursor())?;
    Ok(OperationKey { kind, key: DedupeKey::new(key).map_err(|_| not_a_cursor())? })
}

pub(super) fn parse_dead(text: &str) -> Result<(Timestamp, OperationKey), Problem> {
    let (micros, key) = text.split_once(' ').ok_or_else(not_a_cursor)?;
    Ok((parse_micros(micros).ok_or_else(not_a_cursor)?, parse_key(key)?))
}

/// An instant between the years 1970 and 9999, which every store can be asked for.
pub(super) fn parse_micros(text: &str) -> Option<Timestamp> {
    const YEAR_10000_MICROS: i64 = 253_402_300_800_000_000;
    text.parse().ok().filter(|micros| (0..YEAR_10000_MICROS).contains(micros)).map(Timestamp::from_micros)
}

fn parse_correlation(text: &str) -> Result<Correlation, Problem> {
    Correlation::parse(text).map_err(|invalid| malformed(invalid.to_string()))
}

/// Look at an operation
///
/// With its content, its calls to the outside and its history.
#[describe::path(get, "/v1/{tenant}/operations/{type}/{key}", tag = "Operations")]
pub(super) async fn operation_get(
    api: Api,
    caller: Caller<Read>,
    InPath(key): InPath<OperationKey>,
) -> Answer<Operation> {
    let view = api.views().operation(caller.tenant, &key).await?;
    let view = view.ok_or(OperationRefusal::OperationNotFound { operation: key })?;
    Ok(Reply::found(operation_seen(view)))
}

impl Api {
    /// Whether there is such an operation.
    pub(super) async fn require_operation(
        &self,
        caller_tenant: surehold_core::kernel::TenantId,
        key: &OperationKey,
    ) -> Result<(), Problem> {
        let known = self.engine().views().record::<surehold_core::operations::Operation>(caller_tenant, key).await?;
        known.map(drop).ok_or_else(|| OperationRefusal::OperationNotFound { operation: key.clone() }.into())
    }
}

#[describe::query]
pub(crate) struct AskTimeline {
    /// What it is about.
    #[param(value_type = described::Correlation)]
    correlation: String,
}

/// Everything about something, as one line of time
///
/// Its operations, what was tried, what was sent, and what the journal says about them, in the order of time.
#[describe::path(get, "/v1/{tenant}/timeline", tag = "Operations")]
pub(super) async fn timeline(api: Api, caller: Caller<Read>, Query(query): Query<AskTimeline>) -> Answer<Timeline> {
    let correlation = parse_correlation(&query.correlation)?;
    let timeline = api.views().timeline(caller.tenant, &correlation).await?;
    Ok(Reply::found(timeline_seen(&correlation, timeline)))
}
