//! What a measurement over HTTP says, for people and for machines.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Result;
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use surehold_lab::bench::http::HttpMeasured;
use surehold_lab::bench::{CPU_TICK, Measured};

use super::super::ROUNDS;
use super::super::report::micros;

/// All rounds of one side.
#[derive(Default)]
pub(super) struct Rounds {
    pub(super) seen: HttpMeasured,
    pub(super) server_cpu: Option<Duration>,
    pub(super) generator_cpu: Duration,
}

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

/// Per hold, where a hold is an answer as expected: in the case `sold-out`, a refusal.
#[derive(Debug, Serialize)]
pub(super) struct Figures {
    holds: u64,
    errors: u64,
    errors_by_status: BTreeMap<u16, u64>,
    reconnects: u64,
    pub(super) rate_per_s: f64,
    p50_us: u64,
    pub(super) p99_us: u64,
    p999_us: u64,
    /// Of the server.
    pub(super) cpu_us: Option<f64>,
    generator_cpu_us: f64,
    answer_bytes: u64,
}

impl Rounds {
    pub(super) fn of_disk(disk: &Measured) -> Rounds {
        Rounds { seen: HttpMeasured { measured: disk.clone(), ..HttpMeasured::default() }, ..Rounds::default() }
    }

    pub(super) fn figures(&self) -> Figures {
        let HttpMeasured { measured, errors_by_status, reconnects, answer_bytes } = &self.seen;
        let per_hold = |cpu: Duration| cpu.as_secs_f64() * 1e6 / divisor(measured.holds);
        Figures {
            holds: measured.holds,
            errors: measured.errors,
            errors_by_status: errors_by_status.clone(),
            reconnects: *reconnects,
            rate_per_s: measured.rate_per_s(),
            p50_us: measured.micros_at(0.5),
            p99_us: measured.micros_at(0.99),
            p999_us: measured.micros_at(0.999),
            cpu_us: self.server_cpu.map(per_hold),
            generator_cpu_us: per_hold(self.generator_cpu),
            answer_bytes: answer_bytes / measured.holds.max(1),
        }
    }

    pub(super) fn cpu_resolution_us(&self) -> f64 {
        (CPU_TICK * ROUNDS).as_secs_f64() * 1e6 / divisor(self.seen.measured.holds)
    }
}

/// A divisor: at least one.
fn divisor(holds: u64) -> f64 {
    u32::try_from(holds.max(1)).map_or(f64::INFINITY, f64::from)
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
        table.set_header(["", "per s", "p50", "p99", "p99.9", "errors", "CPU each", "bytes"]);
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

impl Figures {
    fn row(&self, name: &str) -> [String; 8] {
        [
            name.to_owned(),
            format!("{:.0}", self.rate_per_s),
            micros(self.p50_us),
            micros(self.p99_us),
            micros(self.p999_us),
            self.errors.to_string(),
            self.cpu_us.map(|cpu| format!("{cpu:.1} µs")).unwrap_or_default(),
            if self.answer_bytes > 0 { self.answer_bytes.to_string() } else { String::new() },
        ]
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
