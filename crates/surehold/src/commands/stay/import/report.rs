//! What became of a file: counts, and the rows that were refused, for people, for machines and for the next import.

use std::collections::BTreeMap;
use std::path::Path;

use super::super::super::view::{table, text};
use super::super::Desk;
use super::super::view::counted;
use super::columns::Column;
use super::file::File;
use super::row::Fault;
use super::send::Sent;
use crate::client::ClientError;

/// More are not read on a screen.
const SHOWN_MAX: usize = 20;

/// A row that was not set.
#[derive(Clone, Debug)]
pub(super) struct Refused {
    /// Its place among the rows of the file.
    pub(super) index: usize,
    pub(super) line: u64,
    pub(super) column: Option<&'static str>,
    pub(super) reason: String,
}

impl Refused {
    pub(super) fn of(index: usize, line: u64, fault: Fault) -> Refused {
        Refused { index, line, column: fault.column.map(Column::name), reason: fault.reason }
    }

    /// By the server.
    pub(super) fn later(index: usize, line: u64, why: &str) -> Refused {
        Refused { index, line, column: None, reason: why.to_owned() }
    }
}

pub(super) struct Report<'a> {
    pub(super) file: &'a File,
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
            self.keep(path)?;
        }
        let (refused, rows, report) = (self.refused.len(), self.file.records.len(), keep_in.map(Path::to_owned));
        Err(ClientError::RowsRefused { refused, rows, report })
    }

    /// How many rows can be used, or were.
    pub(super) fn good(&self) -> usize {
        self.file.records.len().saturating_sub(self.refused.len())
    }

    fn summary(&self) -> String {
        let rows = counted(count(self.file.records.len()), "row", "rows");
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
        for night in self.sent.oversold.iter().take(SHOWN_MAX) {
            let (room_type, date) = (text(&night["room_type"]), text(&night["night"]));
            let rooms = counted(night["rooms"].as_i64().unwrap_or(0), "room", "rooms");
            desk.screen.note(&format!("oversold: {rooms} of {room_type} more promised on {date} than there are"));
        }
        if self.refused.is_empty() {
            return;
        }
        let alike = self.alike();
        let row = |(refused, rows): &(&Refused, usize)| {
            let column = refused.column.unwrap_or_default().to_owned();
            vec![refused.line.to_string(), rows.to_string(), column, refused.reason.clone()]
        };
        let shown = table(&["LINE", "ROWS", "COLUMN", "WHY"], &[0, 1], alike.iter().take(SHOWN_MAX).map(row));
        desk.screen.keep(shown.trim_end());
        let more: usize = alike.iter().skip(SHOWN_MAX).map(|(_, rows)| rows).sum();
        if more > 0 {
            desk.screen.keep(&format!("… and {}", counted(count(more), "more row", "more rows")));
        }
    }

    /// The first row of each reason, and how many have it: a mistyped name is on hundreds of them.
    fn alike(&self) -> Vec<(&Refused, usize)> {
        let mut places = BTreeMap::new();
        let mut alike: Vec<(&Refused, usize)> = Vec::new();
        for refused in self.refused {
            let place = *places.entry((refused.column, refused.reason.as_str())).or_insert(alike.len());
            match alike.get_mut(place) {
                Some((_, rows)) => *rows += 1,
                None => alike.push((refused, 1)),
            }
        }
        alike
    }

    /// The refused rows as they were, with the reason behind them.
    fn keep(&self, path: &Path) -> Result<(), ClientError> {
        let cannot = |error: csv::Error| ClientError::File {
            what: format!("{} cannot be written: {error}", path.display()),
            hint: "choose another --report".to_owned(),
        };
        let mut writer =
            csv::WriterBuilder::new().delimiter(self.file.delimiter).flexible(true).from_path(path).map_err(cannot)?;
        let reason = self.file.columns.place(Column::Reason);
        let mut write = |cells: &csv::ByteRecord, why: &str| {
            let old = cells.iter().enumerate().filter(|(place, _)| Some(*place) != reason).map(|(_, cell)| cell);
            writer.write_record(old.chain([why.as_bytes()]))
        };
        write(&self.file.header, Column::Reason.name()).map_err(cannot)?;
        for refused in self.refused {
            let why = match refused.column {
                Some(column) => format!("{column}: {}", refused.reason),
                None => refused.reason.clone(),
            };
            write(&self.file.records[refused.index].cells, &why).map_err(cannot)?;
        }
        writer.flush().map_err(|error| cannot(error.into()))
    }
}

fn count(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}
