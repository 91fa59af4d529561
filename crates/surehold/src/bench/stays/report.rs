//! What a hotel's measurement says, for people and for machines.

use anyhow::Result;
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;

use super::super::figures::{FIGURES, Figures};
use super::super::report::{Against, micros};

/// A case that was not measured is absent.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    store: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) quotes: Option<QuotesReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) calendar: Option<CalendarReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) holds: Option<HoldsReport>,
}

#[derive(Debug, Serialize)]
pub(super) struct QuotesReport {
    pub(super) nights: u32,
    pub(super) room_types: u32,
    pub(super) rate_plans: u32,
    pub(super) options: usize,
    /// Here `holds` are quotes that were answered.
    #[serde(flatten)]
    pub(super) figures: Figures,
}

#[derive(Debug, Serialize)]
pub(super) struct CalendarReport {
    pub(super) nights: u32,
    pub(super) room_types: u32,
    pub(super) rate_plans: u32,
    /// Here `holds` are calendars that were read.
    #[serde(flatten)]
    pub(super) figures: Figures,
}

#[derive(Debug, Serialize)]
pub(super) struct HoldsReport {
    pub(super) clients: u32,
    pub(super) nights: u32,
    /// Of each quote.
    pub(super) options: usize,
    pub(super) seconds: f64,
    #[serde(flatten)]
    pub(super) figures: Figures,
    pub(super) mean_batch: f64,
    /// How fast the quotes were made, by 16 guests at a time.
    pub(super) quotes_per_s: f64,
    pub(super) fdatasync_per_s: f64,
    /// With as many clients as ours. Only Postgres has a rival.
    pub(super) against: Option<Against>,
    pub(super) ratio: Option<f64>,
    /// With as many clients as suit the textbook best.
    pub(super) against_best: Option<Against>,
    pub(super) ratio_best: Option<f64>,
}

impl Report {
    pub(super) fn new(store: &'static str) -> Report {
        Report { store, quotes: None, calendar: None, holds: None }
    }

    #[expect(clippy::print_stdout, reason = "the report is the data of this command")]
    pub(super) fn print(&self, json: bool) -> Result<()> {
        if json {
            println!("{}", serde_json::to_string(self)?);
        } else {
            println!("{}", self.table());
        }
        Ok(())
    }

    fn table(&self) -> Table {
        let mut table = Table::new();
        table.load_style(presets::UTF8_HORIZONTAL_ONLY);
        table.set_header(FIGURES);
        if let Some(QuotesReport { nights, room_types, rate_plans, figures, .. }) = &self.quotes {
            table
                .add_row(figures.row(&format!("quotes: {nights} nights, {room_types} room types, {rate_plans} plans")));
        }
        if let Some(CalendarReport { nights, room_types, rate_plans, figures }) = &self.calendar {
            let name = format!("calendar: {nights} nights, {room_types} room types, {rate_plans} plans");
            table.add_row(figures.row(&name));
        }
        if let Some(holds) = &self.holds {
            holds.add_to(&mut table, self.store);
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table
    }
}

impl HoldsReport {
    fn add_to(&self, table: &mut Table, store: &str) {
        let HoldsReport { clients, nights, options, .. } = self;
        let name = format!("holds on {store}: {nights} nights, {options} options a quote, {clients} clients");
        table.add_row(self.figures.row(&name));
        for Against { name, rate_per_s, p99_us, errors } in self.against.iter().chain(&self.against_best) {
            let p99 = p99_us.map(micros).unwrap_or_default();
            table.add_row([name, &format!("{rate_per_s:.0}"), "", &p99, "", &errors.to_string()]);
        }
        if let (Some(ratio), Some(best)) = (self.ratio, self.ratio_best) {
            table.add_row([format!("ratio {ratio:.2}, against its best {best:.2}")]);
        }
        table.add_row([format!("mean batch {:.1}", self.mean_batch)]);
        table.add_row([format!("quotes made beforehand {:.0}/s", self.quotes_per_s)]);
        table.add_row([format!("fdatasync {:.0}/s", self.fdatasync_per_s)]);
        for (status, count) in &self.figures.errors_by_status {
            table.add_row([format!("{count} answers {status}")]);
        }
    }
}
