//! What a warehouse's measurement says, for people and for machines.

use anyhow::Result;
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use surehold_lab::bench::Measured;
use surehold_lab::bench::stock::Late;

use super::Case;
use crate::bench::report::micros;

/// A case that was not measured is absent.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    store: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hot: Option<SalesReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hundred: Option<SalesReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uniform: Option<SalesReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) deadlock: Option<DeadlockReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) replay: Option<ReplayReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) backdated: Option<BackdatedReport>,
    /// Of the cases that were measured.
    bars: Vec<Bar>,
}

/// What is promised.
#[derive(Debug, Serialize)]
struct Bar {
    what: &'static str,
    measured: f64,
    at_least: Option<f64>,
    at_most: Option<f64>,
    met: bool,
}

impl Bar {
    fn at_least(what: &'static str, measured: f64, bar: f64) -> Bar {
        Bar { what, measured, at_least: Some(bar), at_most: None, met: measured >= bar }
    }

    fn at_most(what: &'static str, measured: f64, bar: f64) -> Bar {
        Bar { what, measured, at_least: None, at_most: Some(bar), met: measured <= bar }
    }

    fn row(&self) -> String {
        let Bar { what, measured, at_least, at_most, met } = self;
        let bar = match (at_least, at_most) {
            (Some(bar), _) => format!("at least {bar}"),
            (None, Some(bar)) => format!("at most {bar}"),
            (None, None) => String::new(),
        };
        format!("{} {what}: {measured:.2}, {bar}", if *met { "✓" } else { "✗" })
    }
}

/// One side of a comparison.
#[derive(Debug, Serialize)]
pub(super) struct Side {
    name: &'static str,
    clients: usize,
    /// Documents, or holds, that were answered.
    done: u64,
    errors: u64,
    rate_per_s: f64,
    p50_us: u64,
    p99_us: u64,
    p999_us: u64,
}

impl Side {
    pub(super) fn measured(name: &'static str, clients: usize, measured: &Measured) -> Side {
        Side {
            name,
            clients,
            done: measured.holds,
            errors: measured.errors,
            rate_per_s: measured.rate_per_s(),
            p50_us: measured.micros_at(0.5),
            p99_us: measured.micros_at(0.99),
            p999_us: measured.micros_at(0.999),
        }
    }

    fn row(&self, what: &str) -> [String; 6] {
        let Side { name, clients, errors, rate_per_s, p50_us, p99_us, p999_us, .. } = self;
        [
            format!("{what}: {name}, {clients} clients"),
            format!("{rate_per_s:.0}"),
            micros(*p50_us),
            micros(*p99_us),
            micros(*p999_us),
            errors.to_string(),
        ]
    }
}

#[derive(Debug, Serialize)]
pub(super) struct SalesReport {
    products: usize,
    ours: Side,
    /// With as many clients as ours. Only Postgres has a rival.
    against: Option<Side>,
    ratio: Option<f64>,
    /// Of p99: how many times as long the textbook takes.
    p99_ratio: Option<f64>,
    /// With as many clients as suit the textbook best.
    against_best: Option<Side>,
    ratio_best: Option<f64>,
    mean_batch: f64,
    fdatasync_per_s: f64,
}

impl SalesReport {
    pub(super) fn new(
        products: usize,
        ours: Side,
        (against, against_best): (Option<Side>, Option<Side>),
        mean_batch: f64,
        fdatasync_per_s: f64,
    ) -> SalesReport {
        let ratio = |against: &Option<Side>| against.as_ref().map(|against| ours.rate_per_s / against.rate_per_s);
        let p99_ratio = against.as_ref().map(|against| times(against.p99_us, ours.p99_us));
        let (ratio, ratio_best) = (ratio(&against), ratio(&against_best));
        SalesReport { products, ours, against, ratio, p99_ratio, against_best, ratio_best, mean_batch, fdatasync_per_s }
    }

    fn add_to(&self, table: &mut Table) {
        let what = match self.products {
            1 => "one product".to_owned(),
            products => format!("{products} products"),
        };
        for side in [Some(&self.ours), self.against.as_ref(), self.against_best.as_ref()].into_iter().flatten() {
            table.add_row(side.row(&what));
        }
        if let (Some(ratio), Some(p99), Some(best)) = (self.ratio, self.p99_ratio, self.ratio_best) {
            table.add_row([format!("ratio {ratio:.2}, of p99 {p99:.1}, against its best {best:.2}")]);
        }
        table.add_row([format!("mean batch {:.1}, fdatasync {:.0}/s", self.mean_batch, self.fdatasync_per_s)]);
    }
}

#[derive(Debug, Serialize)]
pub(super) struct DeadlockReport {
    /// Products of each.
    pub(super) baskets: Vec<Vec<String>>,
    pub(super) ours: Side,
    /// As Postgres counts them.
    pub(super) ours_deadlocks: i64,
    pub(super) against: Side,
    pub(super) against_deadlocks: i64,
    /// Those that clients were told of.
    pub(super) against_deadlocks_answered: u64,
}

#[derive(Debug, Serialize)]
pub(super) struct ReplayReport {
    pub(super) rows: u64,
    pub(super) products: usize,
    pub(super) fill_seconds: f64,
    pub(super) audit_seconds: f64,
    pub(super) audit_rows_read: u64,
    pub(super) audit_peak_rss_mib: u64,
}

#[derive(Debug, Serialize)]
pub(super) struct BackdatedReport {
    later_rows: u64,
    /// Until the document was answered.
    posted_seconds: f64,
    /// Until no cost was provisional any more. The ledger was then replayed in both orders, to the last millionth.
    worked_out_seconds: f64,
    revalued_rows: u64,
    holds_before: Side,
    holds_meanwhile: Side,
    /// Of p99: how many times as long a hold takes meanwhile.
    holds_p99_ratio: f64,
}

impl BackdatedReport {
    pub(super) fn new(later_rows: u64, late: &Late, holds_before: Side, holds_meanwhile: Side) -> BackdatedReport {
        BackdatedReport {
            later_rows,
            posted_seconds: late.posted.as_secs_f64(),
            worked_out_seconds: late.worked_out.as_secs_f64(),
            revalued_rows: late.revalued_rows,
            holds_p99_ratio: times(holds_meanwhile.p99_us, holds_before.p99_us),
            holds_before,
            holds_meanwhile,
        }
    }
}

/// How many times as long.
fn times(longer_us: u64, shorter_us: u64) -> f64 {
    let float = |micros: u64| u32::try_from(micros).map_or(f64::INFINITY, f64::from);
    float(longer_us) / float(shorter_us.max(1))
}

impl Report {
    pub(super) fn new(store: &'static str) -> Report {
        let (hot, hundred, uniform) = (None, None, None);
        Report { store, hot, hundred, uniform, deadlock: None, replay: None, backdated: None, bars: Vec::new() }
    }

    pub(super) fn add_sales(&mut self, case: Case, sales: SalesReport) {
        match case {
            Case::Hot => self.hot = Some(sales),
            Case::Hundred => self.hundred = Some(sales),
            Case::Uniform => self.uniform = Some(sales),
            Case::Deadlock | Case::Replay | Case::Backdated => {}
        }
    }

    /// Says which promises are kept.
    pub(super) fn finish(mut self) -> Report {
        let errors = |side: &Side| u32::try_from(side.errors).map_or(f64::INFINITY, f64::from);
        let mut bars = Vec::new();
        if let Some(hot) = &self.hot {
            bars.extend(hot.ratio.map(|ratio| Bar::at_least("one product, times the textbook", ratio, 10.0)));
            bars.extend(hot.p99_ratio.map(|ratio| Bar::at_least("one product, p99 of the textbook", ratio, 5.0)));
            bars.push(Bar::at_most("one product, errors", errors(&hot.ours), 0.0));
        }
        if let Some(uniform) = &self.uniform {
            bars.extend(uniform.ratio.map(|ratio| Bar::at_least("1,000 products, times the textbook", ratio, 2.0)));
            bars.push(Bar::at_most("1,000 products, errors", errors(&uniform.ours), 0.0));
        }
        if let Some(trap) = &self.deadlock {
            let count = |deadlocks: i64| i32::try_from(deadlocks).map_or(f64::INFINITY, f64::from);
            bars.push(Bar::at_most("trap, deadlocks", count(trap.ours_deadlocks), 0.0));
            bars.push(Bar::at_most("trap, errors", errors(&trap.ours), 0.0));
            bars.push(Bar::at_least("trap, deadlocks of the textbook", count(trap.against_deadlocks), 1.0));
        }
        if let Some(replay) = &self.replay {
            bars.push(Bar::at_most("audit, seconds", replay.audit_seconds, 15.0));
        }
        if let Some(late) = &self.backdated {
            bars.push(Bar::at_most("late document, seconds", late.worked_out_seconds, 5.0));
            bars.push(Bar::at_most("late document, times the p99 of holds", late.holds_p99_ratio, 5.0));
            let both = errors(&late.holds_before) + errors(&late.holds_meanwhile);
            bars.push(Bar::at_most("late document, errors of holds", both, 0.0));
        }
        self.bars = bars;
        self
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
        table.set_header([&format!("on {}", self.store), "per s", "p50", "p99", "p99.9", "errors"]);
        for sales in [&self.hot, &self.hundred, &self.uniform].into_iter().flatten() {
            sales.add_to(&mut table);
        }
        if let Some(trap) = &self.deadlock {
            for (side, deadlocks) in [(&trap.ours, trap.ours_deadlocks), (&trap.against, trap.against_deadlocks)] {
                table.add_row(side.row("trap"));
                table.add_row([format!("{} documents, {deadlocks} deadlocks", side.done)]);
            }
        }
        if let Some(ReplayReport { rows, audit_seconds, audit_rows_read, audit_peak_rss_mib, .. }) = &self.replay {
            let read = format!("{audit_rows_read} read with documents and all else");
            table.add_row([format!("audit of {rows} rows ({read}): {audit_seconds:.1} s, {audit_peak_rss_mib} MiB")]);
        }
        if let Some(late) = &self.backdated {
            table.add_row(late.holds_before.row("late document"));
            table.add_row(late.holds_meanwhile.row("late document"));
            table.add_row([late.sentence()]);
        }
        for bar in &self.bars {
            table.add_row([bar.row()]);
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table
    }
}

impl BackdatedReport {
    fn sentence(&self) -> String {
        let BackdatedReport { later_rows, posted_seconds, worked_out_seconds, revalued_rows, .. } = self;
        format!(
            "{later_rows} later rows: answered in {posted_seconds:.2} s, {revalued_rows} worked out in {worked_out_seconds:.2} s"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars() {
        let check = |bar: Bar, met: bool, row: &str| assert_eq!((bar.met, bar.row().as_str()), (met, row));
        check(Bar::at_least("ratio", 10.0, 10.0), true, "✓ ratio: 10.00, at least 10");
        check(Bar::at_least("ratio", 9.9, 10.0), false, "✗ ratio: 9.90, at least 10");
        check(Bar::at_most("errors", 0.0, 0.0), true, "✓ errors: 0.00, at most 0");
        check(Bar::at_most("seconds", 15.5, 15.0), false, "✗ seconds: 15.50, at most 15");
    }

    #[test]
    fn p99_that_was_not_measured_is_no_division() {
        assert!((times(500, 100) - 5.0).abs() < 1e-9);
        assert!((times(500, 0) - 500.0).abs() < 1e-9);
    }
}
