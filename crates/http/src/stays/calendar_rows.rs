//! Many rows of a calendar in one request.

use surehold_core::stays::PropertyName;

use super::properties::find_property;
use crate::api::{Answer, Api, Caller, InPath, Json, Manage, Reply};
use crate::describe;
use crate::problem::Problem;
use crate::wire::{CalendarRowsSet, PutCalendarRows, RefusedRow};

const BYTES_MAX: usize = 1 << 20;

/// Set rooms and rates from many rows
///
/// Up to 2,000 rows in up to 1 MiB, such as those of a file. All are checked before anything changes: their values, and
/// whether the property has what they name. If some cannot be used, the answer says which, and nothing is set unless
/// `skip_refused` says so; a row of the wrong shape refuses the whole request. Rows are put together before they are set:
/// each night once, to what the last row says. That is not atomic: where it turns out that a night cannot be set, its rows
/// are told too. Safe to repeat, also after `outcome-unknown`, when some of the rows may be set.
#[describe::path(put, "/v1/{tenant}/properties/{property}/calendar/rows", tag = "Properties")]
pub(super) async fn calendar_rows_put(
    api: Api,
    caller: Caller<Manage>,
    InPath(name): InPath<PropertyName>,
    Json(body): Json<PutCalendarRows, BYTES_MAX>,
) -> Answer<CalendarRowsSet> {
    let how = (body.dry_run, body.skip_refused);
    let rows = body.into_requests(&name)?;
    find_property(&api, &caller, name.clone()).await?;
    let set = api.engine().set_rows(caller.tenant, &name, rows, how).await?;
    let refused = set.refused.iter().map(|(row, why)| RefusedRow { row: *row, problem: Problem::refused(why).into() });
    Ok(Reply::found(CalendarRowsSet::new(set.rows_set, set.sets, refused.collect())))
}
