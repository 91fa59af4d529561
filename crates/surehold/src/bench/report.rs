//! What a measurement says, for people and for machines.

use anyhow::Result;
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use surehold_lab::bench::Measured;

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) store: String,
    pub(crate) clients: usize,
    pub(crate) engines: usize,
    pub(crate) tenants: usize,
    pub(crate) pools: usize,
    pub(crate) nights: usize,
    pub(crate) batch: usize,
    pub(crate) prefilled: u64,
    pub(crate) seconds: f64,
    pub(crate) holds: u64,
    pub(crate) errors: u64,
    pub(crate) rate_per_s: f64,
    pub(crate) p50_us: u64,
    pub(crate) p99_us: u64,
    pub(crate) p999_us: u64,
    pub(crate) mean_batch: f64,
    pub(crate) fdatasync_per_s: f64,
    pub(crate) against: Against,
    pub(crate) ratio: f64,
}

/// What the rate is compared with.
#[derive(Debug, Serialize)]
pub(crate) struct Against {
    pub(crate) name: String,
    pub(crate) rate_per_s: f64,
    pub(crate) p99_us: Option<u64>,
    pub(crate) errors: u64,
}

impl Against {
    pub(crate) fn measured(name: &str, measured: &Measured) -> Against {
        Against {
            name: name.to_owned(),
            rate_per_s: measured.rate_per_s(),
            p99_us: Some(measured.micros_at(0.99)),
            errors: measured.errors,
        }
    }
}

impl Report {
    #[expect(clippy::print_stdout, reason = "the report is the data of this command")]
    pub(crate) fn print(&self, json: bool) -> Result<()> {
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
        table.set_header(["", "holds/s", "p50", "p99", "p99.9", "errors"]);
        table.add_row([
            format!("surehold on {}", self.store),
            format!("{:.0}", self.rate_per_s),
            micros(self.p50_us),
            micros(self.p99_us),
            micros(self.p999_us),
            self.errors.to_string(),
        ]);
        table.add_row([
            self.against.name.clone(),
            format!("{:.0}", self.against.rate_per_s),
            String::new(),
            self.against.p99_us.map(micros).unwrap_or_default(),
            String::new(),
            self.against.errors.to_string(),
        ]);
        table.add_row([format!("ratio {:.2}", self.ratio)]);
        table.add_row([format!("mean batch {:.1}", self.mean_batch)]);
        table.add_row([format!("fdatasync {:.0}/s", self.fdatasync_per_s)]);
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table
    }
}

pub(super) fn micros(micros: u64) -> String {
    match micros {
        0..10_000 => format!("{micros} µs"),
        10_000..10_000_000 => format!("{} ms", micros / 1_000),
        _ => format!("{} s", micros / 1_000_000),
    }
}
