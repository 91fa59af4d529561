//! Live counts while a run goes on: a bar where somebody watches, else a line every few seconds.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use surehold_lab::torture::environment::Summary;

use surehold_lab::torture::workload::Tally;

const LINE_PAUSE: Duration = Duration::from_secs(10);

pub(super) struct Progress {
    bar: Option<ProgressBar>,
    begun: Instant,
    duration: Duration,
    said: Instant,
}

impl Progress {
    pub(super) fn start(duration: Duration) -> Progress {
        let style = ProgressStyle::with_template("{bar:30} {elapsed_precise} {msg}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar =
            std::io::stderr().is_terminal().then(|| ProgressBar::new(duration.as_secs().max(1)).with_style(style));
        Progress { bar, begun: Instant::now(), duration, said: Instant::now() }
    }

    /// A step between the others, on a line of its own.
    pub(super) fn say(&self, what: &str) {
        match &self.bar {
            Some(bar) => bar.println(what),
            None => eprintln!("{what}"),
        }
    }

    pub(super) fn show(&mut self, tally: Tally, summary: &Summary) {
        let elapsed = self.begun.elapsed();
        let line = counts(tally, summary);
        match &self.bar {
            Some(bar) => {
                bar.set_position(elapsed.min(self.duration).as_secs());
                bar.set_message(line);
            }
            None if self.said.elapsed() >= LINE_PAUSE => {
                self.said = Instant::now();
                eprintln!("{:>4} s of {}: {line}", elapsed.as_secs(), self.duration.as_secs());
            }
            None => {}
        }
    }

    pub(super) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn counts(tally: Tally, summary: &Summary) -> String {
    let (ok, fail, info) = (tally.ok(), tally.fail(), tally.unknown);
    let recovered = summary.recoveries.last().map(|last| format!(", back in {} ms", last.took.as_millis()));
    let found = match summary.findings.len() {
        0 => String::new(),
        1 => ", 1 VIOLATION".to_owned(),
        count => format!(", {count} VIOLATIONS"),
    };
    let (faults, kills) = (summary.faults(), summary.kills);
    format!("{ok} ok, {fail} fail, {info} info; {faults} faults, {kills} kills{}{found}", recovered.unwrap_or_default())
}
