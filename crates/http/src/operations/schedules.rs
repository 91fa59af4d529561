//! Schedules: put, list, look, remove.

use axum::extract::State;
use serde::Deserialize;
use surehold_core::operations::{self, OperationRefusal, RemoveSchedule, ScheduleName};

use crate::api::{ApiState, Caller, Json, Manage, Query, Read, Reply, SchedulePath, page_items};
use crate::describe::{self, IntoParams};
use crate::problem::Problem;
use crate::wire::{PutSchedule, Schedule, SchedulePage, described, schedule_command};

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListSchedules {
    /// The `next` of the page before.
    #[param(value_type = Option<described::ScheduleName>)]
    after: Option<ScheduleName>,
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<u16>,
}

/// List schedules
#[describe::path(get, path = "/v1/{tenant}/schedules", tag = "Schedules",
    params(("tenant" = described::Slug, Path), ListSchedules), responses((status = 200, body = SchedulePage)))]
pub(super) async fn schedules_list(
    State(api): ApiState,
    caller: Caller<Read>,
    Query(query): Query<ListSchedules>,
) -> Result<Reply<SchedulePage>, Problem> {
    let limit = page_items(query.limit)?;
    let schedules = api.engine().views().schedules(caller.tenant, query.after.as_ref(), limit).await?;
    let more = schedules.len() == usize::from(limit);
    let next = schedules.last().filter(|_| more).map(|schedule| schedule.name.to_string());
    Ok(Reply::found(SchedulePage { schedules: schedules.into_iter().map(Schedule::from).collect(), next }))
}

/// Look at a schedule
#[describe::path(get, path = "/v1/{tenant}/schedules/{name}", tag = "Schedules",
    params(("tenant" = described::Slug, Path), ("name" = described::ScheduleName, Path)),
    responses((status = 200, body = Schedule)))]
pub(super) async fn schedule_get(
    State(api): ApiState,
    caller: Caller<Read>,
    SchedulePath(name): SchedulePath,
) -> Result<Reply<Schedule>, Problem> {
    let schedule = api.engine().views().record::<operations::Schedule>(caller.tenant, &name).await?;
    let schedule = schedule.ok_or_else(|| OperationRefusal::ScheduleNotFound { schedule: name.into() })?;
    Ok(Reply::found(schedule.into()))
}

/// Put a schedule
///
/// Creates or replaces it. Safe to repeat. It counts from now on: instants before it are not made up for.
#[describe::path(put, path = "/v1/{tenant}/schedules/{name}", tag = "Schedules",
    params(("tenant" = described::Slug, Path), ("name" = described::ScheduleName, Path)),
    request_body = PutSchedule, responses((status = 200, body = Schedule)))]
pub(super) async fn schedule_put(
    State(api): ApiState,
    caller: Caller<Manage>,
    SchedulePath(name): SchedulePath,
    Json(body): Json<PutSchedule>,
) -> Result<Reply<Schedule>, Problem> {
    let put = schedule_command(body, name, api.engine().registry())?;
    let done = api.engine().run(caller.tenant, put).await?;
    Ok(Reply::ok(done))
}

/// Remove a schedule
///
/// Takes no body. What it has asked for already is carried out. The answer is the schedule as it was.
#[describe::path(delete, path = "/v1/{tenant}/schedules/{name}", tag = "Schedules",
    params(("tenant" = described::Slug, Path), ("name" = described::ScheduleName, Path)),
    responses((status = 200, body = Schedule)))]
pub(super) async fn schedule_remove(
    State(api): ApiState,
    caller: Caller<Manage>,
    SchedulePath(name): SchedulePath,
) -> Result<Reply<Schedule>, Problem> {
    let mut done = api.engine().run(caller.tenant, RemoveSchedule { name }).await?;
    // It will not fire any more.
    done.reply.next_at = None;
    Ok(Reply::ok(done))
}
