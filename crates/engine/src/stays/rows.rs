//! Many rows of a calendar: checked before anything changes, put together, set.

use std::collections::BTreeMap;

use surehold_core::kernel::{Invalid, TenantId};
use surehold_core::stays::commands::{CalendarRequest, CalendarSet, RowsPart, SetCalendar, put_together};
use surehold_core::stays::{PropertyName, StayRefusal};

use crate::job::Outcome;
use crate::{Engine, Failure, Fault};

/// In one transaction; others get in between.
const COMMANDS_AT_ONCE: usize = 20;

/// What became of rows.
#[derive(Clone, Debug, Default)]
pub struct RowsSet {
    pub rows_set: usize,
    pub sets: Vec<CalendarSet>,
    /// By the numbers of rows; of several reasons the first.
    pub refused: BTreeMap<usize, StayRefusal>,
}

impl Engine {
    /// Safe to repeat, also after a failure, when some rows may be set. Unless refused rows may be skipped, they keep the
    /// others from being set.
    pub async fn set_rows(
        &self,
        tenant: TenantId,
        property: &PropertyName,
        rows: Vec<Result<CalendarRequest, Invalid>>,
        (dry_run, skip_refused): (bool, bool),
    ) -> Result<RowsSet, Failure<StayRefusal>> {
        let (views, count) = (self.views(), rows.len());
        let (room_types, rate_plans) =
            tokio::try_join!(views.room_types(tenant, property), views.rate_plans(tenant, property))?;
        let room_types = room_types.into_iter().map(|room_type| room_type.key.code).collect();
        let rate_plans = rate_plans.into_iter().map(|plan| plan.key.code).collect();
        let (mut set, mut good) = (RowsSet::default(), Vec::new());
        for (row, request) in rows.into_iter().enumerate() {
            let known = |request: CalendarRequest| request.with_known_names(&room_types, &rate_plans);
            match request.map_err(StayRefusal::from).and_then(known) {
                Ok(request) => good.push((row, request)),
                Err(refusal) => _ = set.refused.insert(row, refusal),
            }
        }
        if !dry_run && (skip_refused || set.refused.is_empty()) {
            let parts = put_together(&good).map_err(|invalid| Failure::Refused(invalid.into()))?;
            for some in parts.chunks(COMMANDS_AT_ONCE) {
                let commands = some.iter().map(|part| part.command.clone()).collect();
                set.take_in(some, self.run_all(tenant, commands).await)?;
            }
            set.rows_set = count.saturating_sub(set.refused.len());
        }
        Ok(set)
    }
}

impl RowsSet {
    fn take_in(&mut self, parts: &[RowsPart], outcomes: Vec<Outcome<SetCalendar>>) -> Result<(), Failure<StayRefusal>> {
        let nothing_is_done = self.sets.is_empty() && outcomes.iter().all(Result::is_err);
        for (part, outcome) in parts.iter().zip(outcomes) {
            match outcome {
                Ok(done) => self.sets.push(done.reply),
                Err(Failure::Refused(refusal)) => {
                    part.rows.iter().for_each(|row| _ = self.refused.entry(*row).or_insert_with(|| refusal.clone()));
                }
                Err(failure) if nothing_is_done => return Err(failure),
                Err(_) => return Err(Fault::OutcomeUnknown.into()),
            }
        }
        Ok(())
    }
}
