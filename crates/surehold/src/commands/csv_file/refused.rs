//! Rows that cannot be used: told with line, column and reason, and kept to be mended.

use std::collections::BTreeMap;
use std::path::Path;

use super::super::screen::Screen;
use super::super::view::{counted, table};
use super::columns::Column;
use super::file::File;
use crate::client::ClientError;

/// More are not read on a screen.
const SHOWN_MAX: usize = 20;
/// Of those that are told one by one.
const EACH_SHOWN_MAX: usize = 1_000;

/// What cannot be used. Says what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Fault<C> {
    pub(in super::super) column: Option<C>,
    pub(in super::super) reason: String,
}

/// A row that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Refused {
    /// Its place among the rows of the file.
    pub(in super::super) index: usize,
    pub(in super::super) line: u64,
    pub(in super::super) column: Option<&'static str>,
    pub(in super::super) reason: String,
}

impl Refused {
    pub(in super::super) fn of<C: Column>(index: usize, line: u64, fault: Fault<C>) -> Refused {
        Refused { index, line, column: fault.column.map(Column::name), reason: fault.reason }
    }

    pub(in super::super) fn json(&self) -> serde_json::Value {
        serde_json::json!({"line": self.line, "column": self.column, "reason": self.reason})
    }

    /// For people; what many rows have in common is told once.
    pub(in super::super) fn tell(refused: &[Refused], screen: Screen) {
        if refused.is_empty() {
            return;
        }
        let alike = alike(refused);
        let row = |(refused, rows): &(&Refused, usize)| {
            let column = refused.column.unwrap_or_default().to_owned();
            vec![refused.line.to_string(), rows.to_string(), column, refused.reason.clone()]
        };
        let shown = table(&["LINE", "ROWS", "COLUMN", "WHY"], &[0, 1], alike.iter().take(SHOWN_MAX).map(row));
        screen.keep(shown.trim_end());
        let more: usize = alike.iter().skip(SHOWN_MAX).map(|(_, rows)| rows).sum();
        if more > 0 {
            screen.keep(&format!("… and {}", counted(more, "more row", "more rows")));
        }
    }

    /// For people, line by line.
    pub(in super::super) fn tell_each(refused: &[Refused], screen: Screen) {
        let row = |refused: &Refused| {
            let column = refused.column.unwrap_or_default().to_owned();
            vec![refused.line.to_string(), column, refused.reason.clone()]
        };
        let shown = table(&["LINE", "COLUMN", "WHY"], &[0], refused.iter().take(EACH_SHOWN_MAX).map(row));
        screen.keep(shown.trim_end());
        if let Some(more @ 1..) = refused.len().checked_sub(EACH_SHOWN_MAX) {
            screen.keep(&format!("… and {}; --report FILE keeps all", counted(more, "more line", "more lines")));
        }
    }

    /// The refused rows as they were, with the reason behind them.
    pub(in super::super) fn keep<C: Column>(
        refused: &[Refused],
        file: &File<C>,
        path: &Path,
    ) -> Result<(), ClientError> {
        let cannot = |error: csv::Error| ClientError::File {
            what: format!("{} cannot be written: {error}", path.display()),
            hint: "choose another --report".to_owned(),
        };
        let mut writer =
            csv::WriterBuilder::new().delimiter(file.delimiter).flexible(true).from_path(path).map_err(cannot)?;
        let reason = file.columns.place(C::REASON);
        let mut write = |cells: &csv::ByteRecord, why: &str| {
            let old = cells.iter().enumerate().filter(|(place, _)| Some(*place) != reason).map(|(_, cell)| cell);
            writer.write_record(old.chain([why.as_bytes()]))
        };
        write(&file.header, C::REASON.name()).map_err(cannot)?;
        for refused in refused {
            let why = match refused.column {
                Some(column) => format!("{column}: {}", refused.reason),
                None => refused.reason.clone(),
            };
            write(&file.records[refused.index].cells, &why).map_err(cannot)?;
        }
        writer.flush().map_err(|error| cannot(error.into()))
    }
}

/// The first row of each reason, and how many have it: a mistyped name is on hundreds of them.
fn alike(refused: &[Refused]) -> Vec<(&Refused, usize)> {
    let mut places = BTreeMap::new();
    let mut alike: Vec<(&Refused, usize)> = Vec::new();
    for refused in refused {
        let place = *places.entry((refused.column, refused.reason.as_str())).or_insert(alike.len());
        match alike.get_mut(place) {
            Some((_, rows)) => *rows += 1,
            None => alike.push((refused, 1)),
        }
    }
    alike
}
