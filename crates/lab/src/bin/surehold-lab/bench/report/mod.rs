//! The report of every bench: cases with figures, rivals, notes and bars, as a table and as JSON. A bench gives the rows.

mod bar;
mod table;

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::{Map, Value};

use super::build::Build;
use super::figures::Figures;

pub(super) use bar::Bar;
pub(super) use table::micros;

#[derive(Debug, Serialize)]
pub(super) struct Report {
    bench: &'static str,
    build: Build,
    #[serde(flatten)]
    fields: Map<String, Value>,
    cases: Vec<Case>,
    bars: Vec<Bar>,
}

/// Something that was measured.
#[derive(Debug, Serialize)]
pub(super) struct Case {
    name: &'static str,
    /// The first cell of its row.
    #[serde(skip)]
    title: String,
    #[serde(flatten)]
    pub(super) figures: Figures,
    #[serde(flatten)]
    fields: Map<String, Value>,
    /// Lines below its rows.
    #[serde(skip)]
    notes: Vec<String>,
    against: Vec<Against>,
    #[serde(skip)]
    bars: Vec<Bar>,
}

/// A rival, and what ours comes to beside it.
#[derive(Debug, Serialize)]
pub(super) struct Against {
    name: String,
    #[serde(flatten)]
    pub(super) figures: Figures,
    /// Our rate in rates of the rival.
    pub(super) ratio: Option<f64>,
    /// The rival's p99 in times of ours.
    pub(super) p99_ratio: Option<f64>,
    /// Our CPU per operation in those of the rival.
    pub(super) cpu_ratio: Option<f64>,
}

impl Report {
    pub(super) fn new(bench: &'static str) -> Report {
        Report { bench, build: Build::THIS, fields: Map::new(), cases: Vec::new(), bars: Vec::new() }
    }

    pub(super) fn field(mut self, name: &str, value: impl Into<Value>) -> Report {
        self.fields.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a case after those that are there.
    pub(super) fn add(&mut self, mut case: Case) {
        self.bars.append(&mut case.bars);
        self.cases.push(case);
    }

    #[expect(clippy::print_stdout, reason = "the report is the data of this command")]
    pub(super) fn print(&self, json: bool) -> Result<()> {
        if json {
            println!("{}", serde_json::to_string(self).context("the report cannot be written as JSON")?);
        } else {
            println!("{}\n{}", self.build, self.table());
        }
        Ok(())
    }
}

impl Case {
    pub(super) fn new(name: &'static str, title: impl Into<String>, figures: Figures) -> Case {
        let (fields, notes) = (Map::new(), Vec::new());
        Case { name, title: title.into(), figures, fields, notes, against: Vec::new(), bars: Vec::new() }
    }

    /// A field of the JSON alone.
    pub(super) fn field(mut self, name: &str, value: impl Into<Value>) -> Case {
        self.fields.insert(name.to_owned(), value.into());
        self
    }

    /// A line of the table alone.
    pub(super) fn note(self, note: String) -> Case {
        self.notes([note])
    }

    pub(super) fn notes(mut self, notes: impl IntoIterator<Item = String>) -> Case {
        self.notes.extend(notes);
        self
    }

    /// A field and its line; the field of what was not measured is null.
    pub(super) fn value(self, name: &str, value: Option<f64>, note: impl FnOnce(f64) -> String) -> Case {
        let case = self.field(name, value);
        match value {
            Some(value) => case.note(note(value)),
            None => case,
        }
    }

    pub(super) fn mean_batch(self, mean: Option<f64>) -> Case {
        self.value("mean_batch", mean, |mean| format!("mean batch {mean:.1}"))
    }

    pub(super) fn fdatasync_per_s(self, rate: f64) -> Case {
        self.value("fdatasync_per_s", Some(rate), |rate| format!("fdatasync {rate:.0}/s"))
    }

    pub(super) fn against(mut self, name: impl Into<String>, figures: Figures) -> Case {
        let (name, ours) = (name.into(), &self.figures);
        self.against.push(Against {
            name,
            ratio: quotient(ours.rate_per_s, figures.rate_per_s),
            p99_ratio: times(figures.p99_us, ours.p99_us),
            cpu_ratio: quotient(ours.cpu_us, figures.cpu_us),
            figures,
        });
        self
    }

    /// The rival that was given first.
    pub(super) fn rival(&self) -> Option<&Against> {
        self.against.first()
    }

    pub(super) fn bar(self, bar: impl Into<Option<Bar>>) -> Case {
        self.bars(bar.into())
    }

    pub(super) fn bars(mut self, bars: impl IntoIterator<Item = Bar>) -> Case {
        self.bars.extend(bars);
        self
    }
}

fn quotient(ours: Option<f64>, theirs: Option<f64>) -> Option<f64> {
    ours.zip(theirs).map(|(ours, theirs)| ours / theirs).filter(|quotient| quotient.is_finite())
}

/// How many times as long. A time below a microsecond counts as one.
pub(super) fn times(longer_us: Option<u64>, shorter_us: Option<u64>) -> Option<f64> {
    let float = |micros: u64| u32::try_from(micros.max(1)).map_or(f64::INFINITY, f64::from);
    quotient(longer_us.map(float), shorter_us.map(float))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_time_below_a_microsecond_is_no_division_by_zero() {
        let check = |longer: Option<u64>, shorter: Option<u64>, expected: Option<f64>| {
            assert_eq!(times(longer, shorter), expected, "{longer:?} {shorter:?}");
        };
        check(Some(500), Some(100), Some(5.0));
        check(Some(500), Some(0), Some(500.0));
        check(None, Some(1), None);
        check(Some(1), None, None);
    }

    fn side(rate: f64, p99_us: u64, cpu_us: f64) -> Figures {
        let (rate_per_s, p99_us, cpu_us) = (Some(rate), Some(p99_us), Some(cpu_us));
        Figures { rate_per_s, p99_us, cpu_us, ..Figures::default() }
    }

    fn report() -> Report {
        let case = Case::new("holds", "holds on sqlite", side(2_000.0, 50, 30.0))
            .against("bare", side(4_000.0, 25, 10.0))
            .field("nights", 3)
            .mean_batch(Some(7.25))
            .value("peak_rss_bytes", None, |_| unreachable!("it was not measured"))
            .bar(Bar::at_least("ratio", 0.5, 0.4));
        let mut report = Report::new("http").field("store", "sqlite");
        report.add(case);
        report
    }

    #[test]
    fn json() {
        let report = serde_json::to_value(report()).unwrap();
        assert_eq!((&report["bench"], &report["store"]), (&json!("http"), &json!("sqlite")));
        assert_eq!(report["build"]["debug_assertions"], cfg!(debug_assertions));
        let case = &report["cases"][0];
        let expected = json!({ "name": "holds", "rate_per_s": 2_000.0, "p99_us": 50, "cpu_us": 30.0, "nights": 3,
            "mean_batch": 7.25, "peak_rss_bytes": null });
        for (field, value) in expected.as_object().unwrap() {
            assert_eq!(&case[field], value, "{field}");
        }
        let against = &case["against"][0];
        let expected =
            json!({ "name": "bare", "rate_per_s": 4_000.0, "ratio": 0.5, "p99_ratio": 0.5, "cpu_ratio": 3.0 });
        for (field, value) in expected.as_object().unwrap() {
            assert_eq!(&against[field], value, "{field}");
        }
        assert_eq!(report["bars"][0]["met"], true);
    }

    #[test]
    fn table() {
        let table = report().table().to_string();
        for part in ["holds on sqlite", "bare", "2000", "50 µs", "30.0 µs", "0.50", "3.00", "mean batch 7.2", "✓ ratio"]
        {
            assert!(table.contains(part), "{part} in {table}");
        }
        for absent in ["bytes", "errors", "each round", "peak"] {
            assert!(!table.contains(absent), "{absent} in {table}");
        }
    }
}
