//! Schedules: put, list, look, remove.

use surehold_core::operations::{self, OperationRefusal, RemoveSchedule, ScheduleName};

use super::seen::schedule_command;
use crate::api::{Answer, Api, Caller, InPath, Json, Manage, Query, Read, Reply, from_path, next_page, page_items};
use crate::describe;
use crate::wire::{PutSchedule, Schedule, SchedulePage};

from_path!(ScheduleName: ScheduleName::new);

#[describe::query(page after ScheduleName)]
pub(crate) struct ListSchedules {}

/// List schedules
#[describe::path(get, "/v1/{tenant}/schedules", tag = "Schedules")]
pub(super) async fn schedules_list(
    api: Api,
    caller: Caller<Read>,
    Query(query): Query<ListSchedules>,
) -> Answer<SchedulePage> {
    let limit = page_items(query.limit)?;
    let schedules = api.views().schedules(caller.tenant, query.after.as_ref(), limit).await?;
    let next = next_page(&schedules, limit, |schedule| schedule.name.to_string());
    Ok(Reply::found(SchedulePage { schedules: schedules.into_iter().map(Schedule::from).collect(), next }))
}

/// Look at a schedule
#[describe::path(get, "/v1/{tenant}/schedules/{name}", tag = "Schedules")]
pub(super) async fn schedule_get(
    api: Api,
    caller: Caller<Read>,
    InPath(name): InPath<ScheduleName>,
) -> Answer<Schedule> {
    let schedule = api.views().record::<operations::Schedule>(caller.tenant, &name).await?;
    let schedule = schedule.ok_or_else(|| OperationRefusal::ScheduleNotFound { schedule: name.into() })?;
    Ok(Reply::found(schedule.into()))
}

/// Put a schedule
///
/// Creates or replaces it. Safe to repeat. It counts from now on: instants before it are not made up for.
#[describe::path(put, "/v1/{tenant}/schedules/{name}", tag = "Schedules")]
pub(super) async fn schedule_put(
    api: Api,
    caller: Caller<Manage>,
    InPath(name): InPath<ScheduleName>,
    Json(body): Json<PutSchedule>,
) -> Answer<Schedule> {
    let put = schedule_command(body, name, api.engine().registry())?;
    api.run(caller.tenant, put, None).await
}

/// Remove a schedule
///
/// Takes no body. What it has asked for already is carried out. The answer is the schedule as it was.
#[describe::path(delete, "/v1/{tenant}/schedules/{name}", tag = "Schedules")]
pub(super) async fn schedule_remove(
    api: Api,
    caller: Caller<Manage>,
    InPath(name): InPath<ScheduleName>,
) -> Answer<Schedule> {
    let mut done = api.engine().run(caller.tenant, RemoveSchedule { name }).await?;
    // It will not fire any more.
    done.reply.next_at = None;
    Ok(Reply::ok(done))
}
