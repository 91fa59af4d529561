//! `surehold stay import`: rooms, prices and restrictions from a CSV file. `row.rs` understands a row, `groups.rs` puts
//! rows together, `send.rs` sets them, `report.rs` says what was refused.
//!
//! Nothing is remembered between two runs: a row says how nights are to be, so that a file can be imported as often as
//! one likes, also after a run that was cut off.

mod columns;
mod groups;
mod report;
mod row;
mod send;

use std::path::PathBuf;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use surehold_api::stays;

use super::super::csv_file::{File, Refused};
use super::super::money::Money;
use super::{Desk, PropertyArgs};
use crate::client::ClientError;
use groups::{Group, grouped};
use report::Report;
use row::Known;
use send::Sent;

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

impl Import {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        if self.report.as_ref() == Some(&self.file) {
            return Err(ClientError::Usage("--report would overwrite the file that is imported".to_owned()));
        }
        let file = File::read(&self.file)?;
        let PropertyArgs { tenant, property } = &self.property;
        let money = Money::of(desk.ask(stays::property(tenant, property)).await?.currency);
        let known = self.known(desk).await?;
        let (mut good, mut refused) = (Vec::new(), Vec::new());
        for (index, record) in file.records.iter().enumerate() {
            match row::read(&file, record, money, &known) {
                Ok(request) => good.push((index, request)),
                Err(fault) => refused.push(Refused::of(index, record.line, fault)),
            }
        }
        let groups = grouped(&good)
            .ok_or_else(|| file.wrong("sets more nights than can be taken at once", "import it in parts"))?;
        let sent = if self.dry_run { Sent::default() } else { self.send(desk, groups).await? };
        refused.extend(sent.refused.iter().map(|(index, why)| Refused::later(*index, file.records[*index].line, why)));
        refused.sort_by_key(|refused| refused.index);
        let report = Report { file: &file, sent: &sent, refused: &refused, dry_run: self.dry_run };
        report.show(desk, self.report.as_deref())
    }

    /// What there is. Asked once, so that a mistyped name is told with what it may mean.
    async fn known(&self, desk: Desk<'_>) -> Result<Known, ClientError> {
        let PropertyArgs { tenant, property } = self.property.clone();
        let room_types = desk.all(stays::room_types(&tenant, &property)).await?;
        let rate_plans = desk.all(stays::rate_plans(&tenant, &property)).await?;
        Ok(Known {
            tenant,
            property,
            room_types: room_types.into_iter().map(|room_type| room_type.code).collect(),
            rate_plans: rate_plans.into_iter().map(|plan| plan.code).collect(),
        })
    }

    async fn send(&self, desk: Desk<'_>, groups: Vec<Vec<Group>>) -> Result<Sent, ClientError> {
        let nights = groups.iter().flatten().map(Group::nights).sum();
        let bar = progress(nights);
        let sent = send::all(desk, &self.property, groups, &bar).await;
        if sent.is_ok() {
            bar.finish_and_clear();
        } else {
            bar.abandon();
            desk.screen.note(&format!("{} of {nights} nights were set before this", bar.position()));
        }
        sent
    }
}

/// On standard error, and only if somebody watches.
fn progress(nights: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} nights, {eta} left");
    ProgressBar::new(nights).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

impl Report<'_> {
    fn json(&self) -> Value {
        json!({
            "rows": self.file.records.len(),
            "set": if self.dry_run { 0 } else { self.good() },
            "nights_changed": self.sent.nights_changed,
            "oversold": self.sent.oversold,
            "dry_run": self.dry_run,
            "refused": self.refused.iter().map(Refused::json).collect::<Vec<_>>(),
        })
    }
}
