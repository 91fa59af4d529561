//! What `bench operations` says, for people and for machines.

use std::time::Duration;

use anyhow::Result;
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;

use super::operations::Case;
use super::report::micros;

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Rate {
    pub(super) count: u64,
    pub(super) secs: f64,
}

impl Rate {
    pub(super) fn of(count: u32, elapsed: Duration) -> Rate {
        Rate { count: u64::from(count), secs: elapsed.as_secs_f64() }
    }

    fn per_s(&self) -> f64 {
        u32::try_from(self.count).map_or(f64::MAX, f64::from) / self.secs.max(f64::EPSILON)
    }
}

#[derive(Debug, Serialize)]
pub(super) struct Report {
    store: &'static str,
    case: Case,
    operations: u32,
    tenants: u32,
    /// In the order in which they were first measured.
    measured: Vec<Series>,
    /// Sorted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) start_us: Option<Vec<u64>>,
}

#[derive(Debug, Serialize)]
struct Series {
    name: String,
    rounds_per_s: Vec<f64>,
    median_per_s: f64,
}

impl Report {
    pub(super) fn new(store: &'static str, case: Case, operations: u32, tenants: u32) -> Report {
        Report { store, case, operations, tenants, measured: Vec::new(), start_us: None }
    }

    pub(super) fn add(&mut self, name: &str, rate: Rate) {
        let position = self.measured.iter().position(|series| series.name == name).unwrap_or_else(|| {
            self.measured.push(Series { name: name.to_owned(), rounds_per_s: Vec::new(), median_per_s: 0.0 });
            self.measured.len() - 1
        });
        let series = &mut self.measured[position];
        series.rounds_per_s.push(rate.per_s());
        let mut sorted = series.rounds_per_s.clone();
        sorted.sort_by(f64::total_cmp);
        series.median_per_s = sorted[sorted.len() / 2];
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
        table.set_header([&format!("{} operations on {}", self.operations, self.store), "per second", "each round"]);
        for series in &self.measured {
            let rounds: Vec<String> = series.rounds_per_s.iter().map(|rate| format!("{rate:.0}")).collect();
            table.add_row([series.name.clone(), format!("{:.0}", series.median_per_s), rounds.join(" ")]);
        }
        if let Some(starts) = self.start_us.as_ref().filter(|starts| !starts.is_empty()) {
            let at = |percent: usize| micros(starts[(starts.len() - 1) * percent / 100]);
            table.set_header(["from asking to running", "median", "p99"]);
            table.add_row([format!("idle, on {}", self.store), at(50), at(99)]);
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table
    }
}
