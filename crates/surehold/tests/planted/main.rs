//! `surehold torture` finds every bug that can be planted, by a rule that is about it; and finds nothing where none is
//! planted. Takes minutes: each bug is a run of its own, two at a time.
//!
//! `cargo test -p surehold --features sabotage --test planted`, with names of bugs behind `--` to try only these.
#![allow(clippy::unwrap_used, reason = "a test that unwraps what is not there has failed, as it should")]

mod bugs;

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bugs::{ALL, CONTROLS, ELSEWHERE, Trial};
use surehold_core::sabotage::Sabotage;
use tempfile::TempDir;

/// Mostly they wait.
const AT_ONCE: usize = 2;
/// Chance decides which requests meet; whoever is not found in three runs is not found.
const RUNS_MAX: u64 = 3;
const CLEAN: i32 = 0;
const VIOLATED: i32 = 1;

fn main() -> ExitCode {
    each_is_tried_once();
    let named: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    for name in &named {
        assert!(ALL.iter().chain(&CONTROLS).any(|trial| trial.name() == name), "`{name}` is not tried here");
    }
    let is_wanted = |trial: &&Trial| named.is_empty() || named.iter().any(|name| name == trial.name());
    let trials: Vec<&Trial> = ALL.iter().chain(&CONTROLS).filter(is_wanted).collect();
    let (next, failed, begun) = (AtomicUsize::new(0), AtomicUsize::new(0), Instant::now());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(trial) = trials.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match attempt(trial) {
                        Ok(line) => eprintln!("{line}"),
                        Err(why) => {
                            failed.fetch_add(1, Ordering::Relaxed);
                            eprintln!("FAILED {}: {why}", trial.name());
                        }
                    }
                }
            });
        }
    });
    let (failed, took) = (failed.into_inner(), begun.elapsed());
    eprintln!("{} of {} as expected, in {took:.0?}", trials.len() - failed, trials.len());
    for (sabotage, place) in ELSEWHERE {
        eprintln!("{} is found elsewhere: {place}", sabotage.name());
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A bug that is added and not tried here must not go unnoticed.
fn each_is_tried_once() {
    for sabotage in Sabotage::ALL {
        let tried = ALL.iter().filter(|trial| trial.bug == Some(sabotage)).count();
        let elsewhere = ELSEWHERE.iter().filter(|(other, _)| *other == sabotage).count();
        assert_eq!(tried + elsewhere, 1, "`{}`", sabotage.name());
    }
}

fn attempt(trial: &Trial) -> Result<String, String> {
    let mut took = Duration::ZERO;
    let mut said = String::new();
    for seed in 1..=RUNS_MAX {
        let run = Run::of(trial, seed);
        took += run.took;
        match (trial.bug, run.code) {
            (None, CLEAN) => return Ok(format!("{}: clean after {took:.1?}", trial.name())),
            (Some(_), VIOLATED) => {
                let found = run.rules();
                if let Some(rule) = trial.rules.iter().find(|rule| found.contains(rule)) {
                    let others = found.len() - 1;
                    let beside = if others == 0 { String::new() } else { format!(" and {others} more") };
                    let runs = if seed == 1 { String::new() } else { format!(", in run {seed}") };
                    return Ok(format!("{}: found after {took:.1?}{runs} by `{rule}`{beside}", trial.name()));
                }
                write!(said, "found by another rule: {found:?}; ").unwrap();
            }
            (Some(_), CLEAN) => said.push_str("not found; "),
            (None | Some(_), code) => {
                let Run { page, place, .. } = run;
                return Err(format!("exit code {code}, everything is in {}\n{page}", place.keep().display()));
            }
        }
    }
    Err(said)
}

struct Run {
    took: Duration,
    code: i32,
    page: String,
    place: TempDir,
}

impl Run {
    fn of(trial: &Trial, seed: u64) -> Run {
        let place = tempfile::tempdir().unwrap();
        let begun = Instant::now();
        let output = trial.command(&place.path().join("run"), seed).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let page = text(&output.stdout);
        let page = if page.is_empty() { text(&output.stderr) } else { page };
        Run { took: begun.elapsed(), code: output.status.code().unwrap_or(-1), page, place }
    }

    /// Those that the report says were violated: `- RULE: 3 times`, or `once`.
    fn rules(&self) -> Vec<&str> {
        let lines = self.page.lines().filter_map(|line| line.strip_prefix("- ")?.rsplit_once(": "));
        lines.filter(|(_, times)| *times == "once" || times.ends_with(" times")).map(|(rule, _)| rule).collect()
    }
}

impl Trial {
    fn name(&self) -> &'static str {
        self.bug.map_or("control", Sabotage::name)
    }

    fn command(&self, folder: &Path, seed: u64) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_surehold"));
        command.args(["torture", "--store", self.store, "--minutes", self.minutes, "--faults", self.faults]);
        command.args(["--seed", &seed.to_string(), "--folder"]).arg(folder);
        if let Some(bug) = self.bug {
            command.args(["--sabotage", bug.name()]);
        }
        command
    }
}
