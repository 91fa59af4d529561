//! What a measurement over HTTP says, for people and for machines.

use std::time::Duration;

use anyhow::Result;
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;

use super::super::figures::{FIGURES, Figures};
use super::super::report::micros;

#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) case: &'static str,
    /// `closed`, or `open` with a rate that was asked for.
    pub(super) pace: &'static str,
    pub(super) connections: usize,
    pub(super) pools: usize,
    pub(super) nights: usize,
    pub(super) batch: usize,
    pub(super) seconds: f64,
    #[serde(flatten)]
    pub(super) ours: Figures,
    /// What one tick of the CPU clock per round comes to.
    pub(super) cpu_resolution_us: f64,
    pub(super) peak_rss_bytes: Option<u64>,
    pub(super) mean_batch: Option<f64>,
    pub(super) fdatasync_per_s: f64,
    pub(super) fdatasync_median_us: u64,
    /// p99 in medians of `fdatasync`.
    pub(super) p99_per_fdatasync: f64,
    /// How often idle and slow clients were cut off.
    pub(super) crowd_cuts: Option<u64>,
    pub(super) against: Against,
    pub(super) ratio: f64,
    pub(super) cpu_ratio: Option<f64>,
}

#[derive(Debug, Serialize)]
pub(super) struct Against {
    pub(super) name: String,
    #[serde(flatten)]
    pub(super) figures: Figures,
}

impl Report {
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
        table.add_row(self.ours.row(self.case));
        table.add_row(self.against.figures.row(&self.against.name));
        for note in self.notes() {
            table.add_row([note]);
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = vec![format!("ratio {:.2}", self.ratio)];
        notes.extend(self.cpu_ratio.map(|ratio| format!("CPU ratio {ratio:.2} (± {:.1} µs)", self.cpu_resolution_us)));
        notes.push(format!("generator CPU {:.1} µs", self.ours.generator_cpu_us));
        notes.extend(self.peak_rss_bytes.map(|bytes| format!("peak RSS {} MB", bytes / 1_000_000)));
        notes.extend(self.mean_batch.map(|mean| format!("mean batch {mean:.1}")));
        notes.push(format!("fdatasync {:.0}/s, {}", self.fdatasync_per_s, micros(self.fdatasync_median_us)));
        notes.push(format!("p99 = {:.1} × fdatasync", self.p99_per_fdatasync));
        notes.extend(self.crowd_cuts.map(|cuts| format!("{cuts} of the crowd cut off")));
        let errors = self.ours.errors_by_status.iter();
        notes.extend(errors.map(|(status, count)| format!("{count} answers {status}")));
        notes
    }
}

/// Process start to first answered request.
#[derive(Debug, Serialize)]
pub(super) struct StartReport {
    case: &'static str,
    starts_ms: Vec<f64>,
    median_ms: f64,
}

impl StartReport {
    pub(super) fn new(mut starts: Vec<Duration>) -> StartReport {
        starts.sort();
        let starts_ms: Vec<f64> = starts.iter().map(|start| start.as_secs_f64() * 1e3).collect();
        StartReport { case: "start", median_ms: starts_ms[starts_ms.len() / 2], starts_ms }
    }

    #[expect(clippy::print_stdout, reason = "the report is the data of this command")]
    pub(super) fn print(&self, json: bool) -> Result<()> {
        if json {
            println!("{}", serde_json::to_string(self)?);
        } else {
            let starts = self.starts_ms.iter().map(|start| format!("{start:.0}")).collect::<Vec<_>>().join(", ");
            println!("First answer {:.0} ms after the start (median of {starts})", self.median_ms);
        }
        Ok(())
    }
}
