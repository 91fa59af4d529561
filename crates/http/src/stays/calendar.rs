//! What the nights of a property cost and how many rooms they have: read over a range, set over many ranges.

use axum::http::StatusCode;
use axum::response::Response;
use surehold_core::stays::commands::SetCalendar;
use surehold_core::stays::{
    NIGHTS_PER_CALENDAR_MAX, NightRange, Property, PropertyName, RoomType, RoomTypeCode, StayRefusal,
};

use super::properties::find_property;
use crate::api::{Answer, Api, Caller, InPath, Json, Manage, Query, Read, Reply, json_bytes, malformed};
use crate::describe;
use crate::problem::{Code, Problem};
use crate::wire::{Calendar, CalendarOutcome, CalendarPart, CalendarSet, Day, PutCalendar};

#[describe::query]
pub(crate) struct AskCalendar {
    /// The first night.
    from: Day,
    /// The night after the last one, at most 400 nights later.
    #[param(example = "2026-12-27")]
    until: Day,
    /// Only this room type.
    #[param(example = "double")]
    room_type: Option<RoomTypeCode>,
}

impl AskCalendar {
    pub(super) fn range(&self) -> Result<NightRange, Problem> {
        let (from, until) = (self.from.0, self.until.0);
        if until.duration_since(from).as_hours() / 24 > NIGHTS_PER_CALENDAR_MAX {
            let detail = format!("a calendar has at most {NIGHTS_PER_CALENDAR_MAX} nights");
            return Err(Problem::new(Code::RangeTooWide, detail));
        }
        NightRange::new(from, until).map_err(|invalid| malformed(invalid.to_string()))
    }
}

async fn find_room_types(
    api: &Api,
    caller: &Caller<Read>,
    property: &Property,
    wanted: Option<&RoomTypeCode>,
) -> Result<Vec<RoomType>, Problem> {
    let mut room_types = api.views().room_types(caller.tenant, &property.name).await?;
    if let Some(wanted) = wanted {
        room_types.retain(|room_type| room_type.key.code == *wanted);
        if room_types.is_empty() {
            let (property, room_type) = (property.name.clone(), wanted.clone());
            return Err(StayRefusal::RoomTypeNotFound { property, room_type }.into());
        }
    }
    Ok(room_types)
}

/// Rooms and rates over a range of nights
///
/// In columns: each list has one entry for each night from `from` on. Holds that lapsed less than a moment ago may still
/// count as held; placing one looks again.
#[describe::path(get, "/v1/{tenant}/properties/{property}/calendar", tag = "Properties",
    responses((status = 200, body = Calendar)))]
pub(super) async fn calendar_get(
    api: Api,
    caller: Caller<Read>,
    InPath(name): InPath<PropertyName>,
    Query(query): Query<AskCalendar>,
) -> Result<Response, Problem> {
    let range = query.range()?;
    let property = find_property(&api, &caller, name).await?;
    let wanted = query.room_type.as_ref();
    let (room_types, found) = tokio::try_join!(find_room_types(&api, &caller, &property, wanted), async {
        Ok::<_, Problem>(api.views().calendar(caller.tenant, &property.name, wanted, range).await?)
    })?;
    // A large calendar must not keep a thread from answering everybody else.
    let written = tokio::task::spawn_blocking(move || {
        let calendar = Calendar::new(&property, range, room_types, &found.pools, &found.months);
        serde_json::to_vec(&calendar).expect("calendars are plain data")
    });
    let written = written.await.map_err(|_| Problem::new(Code::Defect, "the calendar could not be written"))?;
    Ok(json_bytes(StatusCode::OK, written))
}

/// Set rooms and rates over ranges of nights
///
/// Carried out in parts, one after the other: each is one room type over at most 400 nights, and is all or nothing. The
/// whole is not atomic; the answer says what became of each part. Safe to repeat. A change of the wrong shape, or more than
/// 1,000 parts, refuses the whole request and nothing is changed then.
#[describe::path(put, "/v1/{tenant}/properties/{property}/calendar", tag = "Properties")]
pub(super) async fn calendar_put(
    api: Api,
    caller: Caller<Manage>,
    InPath(name): InPath<PropertyName>,
    Json(body): Json<PutCalendar>,
) -> Answer<CalendarSet> {
    let commands = body.into_commands(&name)?;
    find_property(&api, &caller, name).await?;
    let mut parts = Vec::with_capacity(commands.len());
    let mut in_trouble = false;
    for (change, command) in commands {
        let part = CalendarPart::of(change, &command);
        parts.push(if in_trouble { part } else { carry_out(&api, &caller, part, command).await });
        in_trouble |= parts.last().is_some_and(is_trouble);
    }
    let complete = parts.iter().all(|part| part.outcome == CalendarOutcome::Done);
    Ok(Reply::found(CalendarSet { complete, parts }))
}

async fn carry_out(api: &Api, caller: &Caller<Manage>, part: CalendarPart, command: SetCalendar) -> CalendarPart {
    match api.engine().run(caller.tenant, command).await {
        Ok(done) => part.done(done.reply),
        Err(failure) => part.refused(Problem::from(failure).into()),
    }
}

/// What is not the request's fault would befall the next part too.
fn is_trouble(part: &CalendarPart) -> bool {
    part.problem.as_ref().is_some_and(|problem| problem.status >= 500)
}
