//! What became of a file: counts, and the rows that were refused, for people, for machines and for the next import.

use std::path::Path;

use serde_json::{Value, json};
use surehold_api::Problem;
use surehold_api::stays::{CalendarRowsSet, OversoldRooms, RatePlan, RoomType};

use super::super::super::csv_file::Refused;
use super::super::super::view::counted;
use super::super::Desk;
use super::columns::Column;
use super::row::{Fault, File};
use crate::client::ClientError;
use crate::config::Nearest;

/// More are not read on a screen.
const SHOWN_MAX: usize = 20;

/// What the property has. Asked once, so that a mistyped name is told with what it may mean.
pub(super) struct Known {
    pub(super) room_types: Vec<RoomType>,
    pub(super) rate_plans: Vec<RatePlan>,
}

impl Known {
    /// The column that a problem is about, and what may be meant there.
    fn fault(&self, problem: Problem) -> Fault {
        let room_types = self.room_types.iter().map(|room_type| room_type.code.to_string());
        let rate_plans = self.rate_plans.iter().map(|plan| plan.code.to_string());
        let (column, named, known): (_, Option<String>, Vec<_>) = match problem.code.as_ref() {
            "room-type-not-found" => (Column::RoomType, problem.member("room_type"), room_types.collect()),
            "rate-plan-not-found" => (Column::RatePlan, problem.member("rate_plan"), rate_plans.collect()),
            _ => return Fault { column: None, reason: problem.detail },
        };
        let nearest = Nearest::to(&named.unwrap_or_default(), known);
        Fault { column: Some(column), reason: format!("{}; {nearest}", problem.detail) }
    }
}

pub(super) struct Report<'a> {
    file: &'a File,
    dry_run: bool,
    nights_changed: usize,
    oversold: Vec<OversoldRooms>,
    refused: Vec<Refused>,
}

impl Report<'_> {
    pub(super) fn new(file: &File, dry_run: bool) -> Report<'_> {
        Report { file, dry_run, nights_changed: 0, oversold: Vec::new(), refused: Vec::new() }
    }

    pub(super) fn refuse(&mut self, index: usize, fault: Fault) {
        self.refused.push(Refused::of(index, self.file.records[index].line, fault));
    }

    /// What was said of rows with these places in the file.
    pub(super) fn add(&mut self, set: CalendarRowsSet, places: &[usize], known: &Known) {
        self.nights_changed += set.nights_changed;
        self.oversold.extend(set.oversold);
        for refused in set.refused {
            if let Some(index) = places.get(refused.row) {
                self.refuse(*index, known.fault(refused.problem));
            }
        }
    }

    /// Fails if anything was refused: a script must notice.
    pub(super) fn show(mut self, desk: Desk<'_>, keep_in: Option<&Path>) -> Result<(), ClientError> {
        self.refused.sort_by_key(|refused| refused.index);
        if desk.screen.json {
            desk.screen.print(&self.json().to_string())?;
        } else {
            desk.screen.print(&self.summary())?;
            self.warn(desk);
        }
        if self.refused.is_empty() {
            return Ok(());
        }
        if let Some(path) = keep_in {
            Refused::keep(&self.refused, self.file, path)?;
        }
        let (refused, rows, report) = (self.refused.len(), self.file.records.len(), keep_in.map(Path::to_owned));
        Err(ClientError::RowsRefused { refused, rows, report })
    }

    /// How many rows can be used, or were.
    fn good(&self) -> usize {
        self.file.records.len().saturating_sub(self.refused.len())
    }

    fn json(&self) -> Value {
        json!({
            "rows": self.file.records.len(),
            "set": if self.dry_run { 0 } else { self.good() },
            "nights_changed": self.nights_changed,
            "oversold": self.oversold,
            "dry_run": self.dry_run,
            "refused": self.refused.iter().map(Refused::json).collect::<Vec<_>>(),
        })
    }

    fn summary(&self) -> String {
        let rows = counted(self.file.records.len(), "row", "rows");
        let (good, refused) = (self.good(), self.refused.len());
        let refused = if refused == 0 { String::new() } else { format!(", {refused} refused") };
        if self.dry_run {
            return format!("{}: {rows}, {good} can be set{refused}; nothing was changed\n", self.file.name());
        }
        let nights = match self.nights_changed {
            0 => "nothing was different".to_owned(),
            nights => format!("{} changed", counted(nights, "night", "nights")),
        };
        format!("{}: {rows}, {good} set{refused}; {nights}\n", self.file.name())
    }

    fn warn(&self, desk: Desk<'_>) {
        for OversoldRooms { room_type, night, rooms } in self.oversold.iter().take(SHOWN_MAX) {
            let rooms = counted(*rooms, "room", "rooms");
            desk.screen.note(&format!("oversold: {rooms} of {room_type} more promised on {night} than there are"));
        }
        Refused::tell(&self.refused, desk.screen);
    }
}
