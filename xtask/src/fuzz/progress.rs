//! How far the targets are: a line every few seconds, from what the engine prints.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_secs(15);

pub(super) struct Progress {
    begun: Instant,
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    targets: usize,
    ended: usize,
    /// Of targets that ended.
    runs: u64,
    /// Executions of those that run now. The engine says them at powers of two and when it learns something.
    running: BTreeMap<String, u64>,
}

impl Progress {
    pub(super) fn begin(targets: usize) -> Progress {
        let state = State { targets, ..State::default() };
        Progress { begun: Instant::now(), state: Mutex::new(state), ended: Condvar::new() }
    }

    pub(super) fn said(&self, target: &str, line: &str) {
        if let Some(runs) = executions(line) {
            self.state.lock().expect("no worker panics").running.insert(target.to_owned(), runs);
        }
    }

    pub(super) fn ended(&self, target: &str) {
        let mut state = self.state.lock().expect("no worker panics");
        state.runs += state.running.remove(target).unwrap_or(0);
        state.ended += 1;
        self.ended.notify_all();
    }

    /// Returns when all targets have ended.
    pub(super) fn show_until_the_end(&self) {
        let mut shown = Instant::now();
        let mut state = self.state.lock().expect("no worker panics");
        while state.ended < state.targets {
            let left = PAUSE.saturating_sub(shown.elapsed());
            state = self.ended.wait_timeout(state, left).expect("no worker panics").0;
            if shown.elapsed() >= PAUSE {
                shown = Instant::now();
                eprintln!("{}", state.line(self.begun.elapsed()));
            }
        }
    }
}

impl State {
    fn line(&self, elapsed: Duration) -> String {
        let State { targets, ended, runs, running } = self;
        let now: Vec<String> = running.iter().map(|(target, runs)| format!("{target} at {runs}")).collect();
        let runs = runs + running.values().sum::<u64>();
        format!("{:>4} s: {ended} of {targets} targets, {runs} executions; {}", elapsed.as_secs(), now.join(", "))
    }
}

/// Lines such as `#1024 pulse cov: 8 ft: 8` begin with the number of executions.
fn executions(line: &str) -> Option<u64> {
    line.strip_prefix('#')?.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_engine() {
        let check = |line: &str, expected: Option<u64>| assert_eq!(executions(line), expected, "{line}");
        check("#1024\tpulse  cov: 8 ft: 8 corp: 1/1b", Some(1_024));
        check("#2\tINITED cov: 8", Some(2));
        check("INFO: Seed: 3", None);
        check("# comment", None);
        check("", None);
    }

    #[test]
    fn a_line_says_how_far_all_are() {
        let progress = Progress::begin(20);
        progress.said("cron", "#1000\tDONE");
        progress.ended("cron");
        progress.said("names", "#512\tpulse");
        progress.said("dates", "#64\tNEW");
        let line = progress.state.lock().unwrap().line(Duration::from_secs(45));
        assert_eq!(line, "  45 s: 1 of 20 targets, 1576 executions; dates at 64, names at 512");
    }

    #[test]
    fn it_ends_with_the_last_target() {
        let progress = Progress::begin(1);
        progress.ended("cron");
        progress.show_until_the_end();
    }
}
