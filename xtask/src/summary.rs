//! What a run ends with: how long each part took, the slowest tests, and the budget.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::cargo::ROOT;
use crate::demo_build;

const SLOWEST_SHOWN: usize = 10;

/// What a full run may take with the modules that there are, and what one more module may add to it.
const FULL_RUN_MAX: Duration = Duration::from_mins(25);
const FULL_RUN_PER_MODULE: Duration = Duration::from_mins(2);

/// What one more module may add to the build of the demo.
const DEMO_BUILD_PER_MODULE: Duration = Duration::from_secs(15);

pub(crate) struct Summary {
    begun: Instant,
    lines: Vec<String>,
}

/// One of several that run at the same time.
pub(crate) struct Part<'a> {
    name: String,
    check: Box<dyn FnOnce() -> Result<()> + Send + 'a>,
}

impl<'a> Part<'a> {
    pub(crate) fn new(name: impl Into<String>, check: impl FnOnce() -> Result<()> + Send + 'a) -> Part<'a> {
        Part { name: name.into(), check: Box::new(check) }
    }

    /// How it ended, in a line.
    fn run(self) -> (String, Result<()>) {
        let begun = Instant::now();
        let outcome = (self.check)();
        let verdict = if outcome.is_ok() { "" } else { ": FAILED" };
        let line = format!("{} for {}{verdict}", clock(begun.elapsed()), self.name);
        eprintln!("== {line}");
        (line, outcome)
    }
}

impl Summary {
    pub(crate) fn begin() -> Summary {
        Summary { begun: Instant::now(), lines: Vec::new() }
    }

    /// Runs one part. Its name and its time are shown now and at the end.
    pub(crate) fn part(&mut self, name: &str, check: impl FnOnce() -> Result<()>) -> Result<()> {
        eprintln!("\n== {name}");
        let begun = Instant::now();
        let outcome = check();
        let elapsed = clock(begun.elapsed());
        let verdict = if outcome.is_ok() { "" } else { ": FAILED" };
        self.lines.push(format!("{elapsed:>8}  {name}{verdict}"));
        eprintln!("== {elapsed} for {name}{verdict}");
        outcome
    }

    /// Runs parts at the same time, and all of them to their ends. Each shows its own time, and the last line is that of all.
    pub(crate) fn side_by_side(&mut self, parts: Vec<Part<'_>>) -> Result<()> {
        let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
        eprintln!("\n== side by side: {}", names.join(", "));
        let begun = Instant::now();
        let ends = thread::scope(|scope| {
            let running: Vec<_> = parts.into_iter().map(|part| scope.spawn(move || part.run())).collect();
            running.into_iter().map(|part| part.join().expect("no part panics")).collect::<Vec<_>>()
        });
        let mut failure = None;
        for (line, outcome) in ends {
            self.lines.push(format!("          {line}"));
            failure = failure.or(outcome.err());
        }
        let elapsed = clock(begun.elapsed());
        self.lines.push(format!("{elapsed:>8}  these side by side"));
        eprintln!("== {elapsed} side by side");
        failure.map_or(Ok(()), Err)
    }

    pub(crate) fn left_out(&mut self, name: &str, reason: &str) {
        self.lines.push(format!(" not run  {name}: {reason}"));
    }

    /// Shows everything. The budget is that of a full run, so it is compared with nothing else.
    pub(crate) fn end(&self, is_full: bool) {
        let total = self.begun.elapsed();
        let slowest = slowest(&fs::read_to_string(junit()).unwrap_or_default());
        if !slowest.is_empty() {
            eprintln!("\n== Slowest tests (seconds)");
        }
        for (secs, name) in slowest {
            eprintln!("{secs:>8.1}  {name}");
        }
        eprintln!("\n== Summary (minutes:seconds)");
        for line in &self.lines {
            eprintln!("{line}");
        }
        eprintln!("{:>8}  in total", clock(total));
        if is_full {
            eprintln!("full run {}", full_run_budget(total));
        }
        eprintln!("demo build {}", demo_build_budget(demo_build::last()));
    }
}

fn full_run_budget(total: Duration) -> String {
    format!("{} of {} + {} per module", clock(total), clock(FULL_RUN_MAX), clock(FULL_RUN_PER_MODULE))
}

fn demo_build_budget(last: Option<demo_build::Measured>) -> String {
    match last {
        Some(demo_build::Measured { took, commit }) => {
            format!("{} at {commit} + {} per module", clock(took), clock(DEMO_BUILD_PER_MODULE))
        }
        None => "not measured here: cargo xtask demo-build".to_owned(),
    }
}

/// Where nextest writes what it did, as `.config/nextest.toml` says: also if the build folder is another.
fn junit() -> PathBuf {
    Path::new(ROOT).join("target/nextest/default/junit.xml")
}

/// Times of an earlier run must not be shown as those of this one.
pub(crate) fn forget_earlier_tests() -> Result<()> {
    let path = junit();
    match fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Seconds and names, longest first.
fn slowest(junit: &str) -> Vec<(f64, String)> {
    let mut tests: Vec<(f64, String)> = junit.split("<testcase ").skip(1).filter_map(test_case).collect();
    tests.sort_by(|one, other| other.0.total_cmp(&one.0));
    tests.truncate(SLOWEST_SHOWN);
    tests
}

fn test_case(element: &str) -> Option<(f64, String)> {
    let head = element.split('>').next()?;
    let attribute = |name: &str| head.split_once(&format!("{name}=\"")).and_then(|(_, rest)| rest.split('"').next());
    let secs = attribute(" time")?.parse().ok()?;
    // The first attribute is the name, so it has no space before it.
    let name = head.strip_prefix("name=\"").and_then(|rest| rest.split('"').next())?;
    Some((secs, format!("{} {name}", attribute(" classname")?)))
}

pub(crate) fn clock(elapsed: Duration) -> String {
    format!("{}:{:02}", elapsed.as_secs() / 60, elapsed.as_secs() % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_as_minutes_and_seconds() {
        let check = |secs: u64, expected: &str| assert_eq!(clock(Duration::from_secs(secs)), expected);
        check(0, "0:00");
        check(7, "0:07");
        check(60, "1:00");
        check(754, "12:34");
    }

    #[test]
    fn budgets() {
        assert_eq!(full_run_budget(Duration::from_secs(1_450)), "24:10 of 25:00 + 2:00 per module");
        let measured = demo_build::Measured { took: Duration::from_secs(383), commit: "c2d29eb".to_owned() };
        assert_eq!(demo_build_budget(Some(measured)), "6:23 at c2d29eb + 0:15 per module");
        assert_eq!(demo_build_budget(None), "not measured here: cargo xtask demo-build");
    }

    #[test]
    fn parts_side_by_side_all_run_and_the_first_failure_counts() {
        let meeting = std::sync::Barrier::new(3);
        let part = |name: &str, failure: Option<&'static str>| {
            let meeting = &meeting;
            Part::new(name, move || {
                // None comes to an end before all have begun.
                meeting.wait();
                failure.map_or(Ok(()), |text| Err(anyhow::anyhow!(text)))
            })
        };
        let mut summary = Summary::begin();
        let outcome = summary.side_by_side(vec![part("one", None), part("two", Some("x")), part("three", Some("y"))]);
        assert_eq!(outcome.unwrap_err().to_string(), "x");
        let lines = ["0:00 for one", "0:00 for two: FAILED", "0:00 for three: FAILED", "0:00  these side by side"];
        assert_eq!(summary.lines.iter().map(|line| line.trim()).collect::<Vec<_>>(), lines);
    }

    #[test]
    fn the_slowest_come_first() {
        let case = |name: &str, secs: &str| {
            format!(
                "<testcase name=\"{name}\" classname=\"surehold::it\" timestamp=\"2026-11-18T00:36:17+00:00\" \
                 time=\"{secs}\">\n</testcase>\n"
            )
        };
        let junit = format!(
            "<testsuites name=\"nextest-run\" tests=\"2\" time=\"9\">{}{}",
            case("torture::a", "1.250"),
            case("bench::b", "34.004")
        );
        let expected = [(34.004, "surehold::it bench::b".to_owned()), (1.25, "surehold::it torture::a".to_owned())];
        assert_eq!(slowest(&junit), expected);
        let many: String = (0..30).map(|number| case("one", &number.to_string())).collect();
        assert_eq!(slowest(&many).len(), SLOWEST_SHOWN);
        assert!(slowest("").is_empty());
    }
}
