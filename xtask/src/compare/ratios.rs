//! What the pairs of runs come to. A ratio is taken within a pair, because the machine changes from pair to pair.

use std::fmt;

use anyhow::{Context, Result};
use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Figures {
    pub(super) rate_per_s: f64,
    /// Per operation.
    pub(super) cpu_us: f64,
}

impl Figures {
    /// Those of the first case of a bench's report.
    pub(super) fn read(report: &[u8]) -> Result<Figures> {
        let report: Value = serde_json::from_slice(report).context("the report is not JSON")?;
        let figure = |name: &str| {
            report["cases"][0][name].as_f64().with_context(|| format!("the report's first case has no `{name}`"))
        };
        Ok(Figures { rate_per_s: figure("rate_per_s")?, cpu_us: figure("cpu_us")? })
    }
}

pub(super) struct Sides<T> {
    pub(super) before: T,
    pub(super) after: T,
}

#[derive(Default)]
pub(super) struct Pairs(Vec<Sides<Figures>>);

impl Pairs {
    pub(super) fn add(&mut self, pair: Sides<Figures>) {
        self.0.push(pair);
    }

    /// Of this tree.
    pub(super) fn rate_per_s(&self) -> f64 {
        Spread::of(self.0.iter().map(|pair| pair.after.rate_per_s)).median
    }

    pub(super) fn rate_ratio(&self) -> Spread {
        Spread::of(self.0.iter().map(|pair| pair.after.rate_per_s / pair.before.rate_per_s))
    }

    pub(super) fn cpu_ratio(&self) -> Spread {
        Spread::of(self.0.iter().map(|pair| pair.after.cpu_us / pair.before.cpu_us))
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    median: f64,
    least: f64,
    most: f64,
}

impl Spread {
    fn of(values: impl Iterator<Item = f64>) -> Spread {
        let mut sorted: Vec<f64> = values.collect();
        sorted.sort_by(f64::total_cmp);
        let at = |place: usize| sorted.get(place).copied().unwrap_or(f64::NAN);
        let last = sorted.len().saturating_sub(1);
        let median = f64::midpoint(at(last / 2), at(last.div_ceil(2)));
        Spread { median, least: at(0), most: at(last) }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} ({:.2} to {:.2})", self.median, self.least, self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_taken_within_pairs() {
        let mut pairs = Pairs::default();
        for (before, after) in [(100.0, 110.0), (10.0, 12.0), (50.0, 50.0)] {
            let figures = |rate_per_s: f64| Figures { rate_per_s, cpu_us: 1.0 / rate_per_s };
            pairs.add(Sides { before: figures(before), after: figures(after) });
        }
        assert_eq!(pairs.rate_ratio().to_string(), "1.100 (1.00 to 1.20)");
        assert_eq!(pairs.cpu_ratio().to_string(), "0.909 (0.83 to 1.00)");
        let check = |values: &[f64], expected: f64| {
            assert!((Spread::of(values.iter().copied()).median - expected).abs() < 1e-9, "{values:?}");
        };
        check(&[2.0], 2.0);
        check(&[4.0, 2.0], 3.0);
        check(&[9.0, 1.0, 4.0], 4.0);
    }

    #[test]
    fn a_report_without_figures_is_an_error() {
        let check = |report: &str, expected: Option<Figures>| {
            assert_eq!(Figures::read(report.as_bytes()).ok(), expected, "{report}");
        };
        let figures = Figures { rate_per_s: 2.0, cpu_us: 3.0 };
        check(r#"{"cases": [{"name": "a", "rate_per_s": 2.0, "cpu_us": 3.0}, {"name": "b"}]}"#, Some(figures));
        check(r#"{"cases": [{"name": "a", "rate_per_s": 2.0, "cpu_us": null}]}"#, None);
        check(r#"{"cases": []}"#, None);
        check("late", None);
    }
}
