//! `surehold stay import`: rooms, prices and restrictions from a CSV file. `row.rs` reads a row, `report.rs` says what
//! became of the file; the server checks rows, puts them together and sets them.
//!
//! Nothing is remembered between two runs: a row says how nights are to be, so that a file can be imported as often as
//! one likes, also after a run that was cut off.

mod columns;
mod report;
mod row;

use std::path::PathBuf;

use clap::Args;
use surehold_api::stays::{self, CALENDAR_ROWS_MAX, CALENDAR_ROWS_NIGHTS_MAX, CalendarChange, PutCalendarRows};

use super::super::money::Money;
use super::super::screen::progress;
use super::{Desk, PropertyArgs};
use crate::client::ClientError;
use report::{Known, Report};
use row::File;

/// Set rooms, prices and restrictions from a CSV file; safe to run again
///
/// The first line names the columns: `room_type`, `date` or `from` and `until`, `weekdays`, `rooms`, `overbook`, `closed`,
/// `rate_plan`, `price`, `min_stay`, `max_stay`, `closed_to_arrival`, `closed_to_departure`, `stop_sell`,
/// `min_advance_days`, `max_advance_days`. A row says how its nights are to be; an empty cell leaves as it is what is
/// there, `none` takes a price or a limit away. Rows that cannot be used are told, and the others are set.
#[derive(Args)]
pub(super) struct Import {
    #[command(flatten)]
    property: PropertyArgs,
    /// The file, separated by commas, semicolons or tabs
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Check everything, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Where refused rows are kept with the reason, to be mended and imported again
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

/// A row, and its place in the file.
type Row = (usize, CalendarChange);

impl Import {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        if self.report.as_ref() == Some(&self.file) {
            return Err(ClientError::Usage("--report would overwrite the file that is imported".to_owned()));
        }
        let file = File::read(&self.file)?;
        let PropertyArgs { tenant, property } = &self.property;
        let money = Money::of(desk.ask(stays::property(tenant, property)).await?.currency);
        let room_types = desk.all(stays::room_types(tenant, property)).await?;
        let known = Known { room_types, rate_plans: desk.all(stays::rate_plans(tenant, property)).await? };
        let (mut report, mut rows) = (Report::new(&file, self.dry_run), Vec::new());
        for (index, record) in file.records.iter().enumerate() {
            match row::read(&file, record, money) {
                Ok(row) => rows.push((index, row)),
                Err(fault) => report.refuse(index, fault),
            }
        }
        let (bar, count) = (progress(rows.len(), "rows"), rows.len());
        for request in requests(rows) {
            let (places, rows): (Vec<usize>, _) = request.into_iter().unzip();
            let put = PutCalendarRows { rows, dry_run: self.dry_run, skip_refused: true };
            let set = desk.insist(&stays::put_calendar_rows(tenant, property, &put)).await.inspect_err(|_| {
                bar.abandon();
                desk.screen.note(&format!("{} of {count} rows were sent before this", bar.position()));
            })?;
            report.add(set, &places, &known);
            bar.inc(u64::try_from(places.len()).unwrap_or(0));
        }
        bar.finish_and_clear();
        report.show(desk, self.report.as_deref())
    }
}

/// One for each room type, unless it has more rows than a request takes: what is said of a night is put together there.
fn requests(mut rows: Vec<Row>) -> Vec<Vec<Row>> {
    rows.sort_by(|(_, one), (_, other)| one.room_types.cmp(&other.room_types));
    let (mut requests, mut nights) = (Vec::<Vec<Row>>::new(), 0_usize);
    for row in rows {
        nights = nights.saturating_add(row.1.nights());
        let room_types = &row.1.room_types;
        let fits = |last: &[Row]| last[0].1.room_types == *room_types && last.len() < CALENDAR_ROWS_MAX;
        match requests.last_mut() {
            Some(last) if fits(last) && nights <= CALENDAR_ROWS_NIGHTS_MAX => last.push(row),
            _ => {
                nights = row.1.nights();
                requests.push(vec![row]);
            }
        }
    }
    requests
}
