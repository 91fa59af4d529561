//! What became of a file: counts, and the rows that were refused, for people, for machines and for the next import.

use std::path::Path;

use super::super::super::csv_file::{File, Refused};
use super::super::super::view::counted;
use super::super::Desk;
use super::columns::Column;
use super::send::{Oversold, Sent};
use crate::client::ClientError;

/// More are not read on a screen.
const SHOWN_MAX: usize = 20;

pub(super) struct Report<'a> {
    pub(super) file: &'a File<Column>,
    pub(super) sent: &'a Sent,
    pub(super) refused: &'a [Refused],
    pub(super) dry_run: bool,
}

impl Report<'_> {
    /// Fails if anything was refused: a script must notice.
    pub(super) fn show(&self, desk: Desk<'_>, keep_in: Option<&Path>) -> Result<(), ClientError> {
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
            Refused::keep(self.refused, self.file, path)?;
        }
        let (refused, rows, report) = (self.refused.len(), self.file.records.len(), keep_in.map(Path::to_owned));
        Err(ClientError::RowsRefused { refused, rows, report })
    }

    /// How many rows can be used, or were.
    pub(super) fn good(&self) -> usize {
        self.file.records.len().saturating_sub(self.refused.len())
    }

    fn summary(&self) -> String {
        let rows = counted(self.file.records.len(), "row", "rows");
        let (good, refused) = (self.good(), self.refused.len());
        let refused = if refused == 0 { String::new() } else { format!(", {refused} refused") };
        if self.dry_run {
            return format!("{}: {rows}, {good} can be set{refused}; nothing was changed\n", self.file.name());
        }
        let nights = match self.sent.nights_changed {
            0 => "nothing was different".to_owned(),
            nights => format!("{} changed", counted(nights, "night", "nights")),
        };
        format!("{}: {rows}, {good} set{refused}; {nights}\n", self.file.name())
    }

    fn warn(&self, desk: Desk<'_>) {
        for Oversold { room_type, night, rooms } in self.sent.oversold.iter().take(SHOWN_MAX) {
            let rooms = counted(*rooms, "room", "rooms");
            desk.screen.note(&format!("oversold: {rooms} of {room_type} more promised on {night} than there are"));
        }
        Refused::tell(self.refused, desk.screen);
    }
}
