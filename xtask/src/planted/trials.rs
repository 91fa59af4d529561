//! Torture finds every bug that can be planted, by a rule that is about it; and finds nothing where none is planted. Each
//! trial is a run of its own, a few at a time.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, process};

use super::catalogue::{Catalogue, Trial};
use super::options::Options;
use super::{CONTROL, Variables};

/// They wait most of the time.
const AT_ONCE: usize = 4;
/// Chance decides which requests meet. A bug that three runs do not find is not found.
const RUNS_MAX: u64 = 3;
/// As `surehold torture --help` says.
const CLEAN: i32 = 0;
const VIOLATED: i32 = 1;
/// Where the switch in the copy reads which bug servers and workers have; see the overlay of core.
const PLANTED_IN_NODES: &str = "PLANTED_IN_NODES";

pub(super) struct Chosen<'a> {
    /// None: nothing may be found.
    bug: Option<&'a str>,
    trial: &'a Trial,
}

/// The slow ones first, so that the last one does not run alone for long.
pub(super) fn chosen<'a>(catalogue: &'a Catalogue, options: &Options) -> Vec<Chosen<'a>> {
    let bugs = catalogue.bugs.iter().filter(|bug| options.wants(&bug.name));
    let mut chosen: Vec<Chosen> =
        bugs.filter_map(|bug| Some(Chosen { bug: Some(&bug.name), trial: bug.trial.as_ref()? })).collect();
    chosen.sort_by_key(|Chosen { trial, .. }| (trial.store != "postgres", trial.faults == "none"));
    if options.wants(CONTROL) {
        chosen.extend(catalogue.controls.iter().map(|trial| Chosen { bug: None, trial }));
    }
    chosen
}

/// Returns how many did not end as expected.
pub(super) fn run(chosen: &[Chosen], options: &Options, torture: &Path, variables: Variables) -> usize {
    let (next, failed, begun) = (AtomicUsize::new(0), AtomicUsize::new(0), Instant::now());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(chosen) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let attempt = Attempt { chosen, torture, variables };
                    let outcome = match options.seeds {
                        None => attempt.until_found(options.seed),
                        Some(seeds) => attempt.each_seed(options.seed, seeds),
                    };
                    match outcome {
                        Ok(line) => eprintln!("{}: {line}", chosen.name()),
                        Err(why) => {
                            failed.fetch_add(1, Ordering::Relaxed);
                            eprintln!("FAILED {}: {why}", chosen.name());
                        }
                    }
                }
            });
        }
    });
    let failed = failed.into_inner();
    eprintln!("{} of {} as expected, in {:.0?}", chosen.len() - failed, chosen.len(), begun.elapsed());
    failed
}

impl Chosen<'_> {
    fn name(&self) -> String {
        match self.bug {
            Some(bug) => bug.to_owned(),
            None => format!("{CONTROL} on {} with faults {}", self.trial.store, self.trial.faults),
        }
    }
}

struct Attempt<'a> {
    chosen: &'a Chosen<'a>,
    torture: &'a Path,
    variables: Variables<'a>,
}

impl Attempt<'_> {
    fn until_found(&self, first_seed: u64) -> Result<String, String> {
        let (mut took, mut missed) = (Duration::ZERO, String::new());
        for (seed, number) in (first_seed..).zip(1..=RUNS_MAX) {
            let run = self.run(seed)?;
            took += run.took;
            match run.verdict {
                Verdict::AsExpected(how) => {
                    let runs = if number == 1 { String::new() } else { format!(", in run {number}") };
                    return Ok(format!("{how} after {took:.1?}{runs}"));
                }
                Verdict::Missed(how) => {
                    let _ = write!(missed, "{how}; ");
                }
            }
        }
        Err(missed)
    }

    /// How long it takes. A bug that a few seeds miss is found by others; one that no seed finds is not found.
    fn each_seed(&self, first_seed: u64, seeds: u64) -> Result<String, String> {
        let (mut found, mut missed) = (Vec::new(), String::new());
        for seed in first_seed..first_seed + seeds {
            let run = self.run(seed)?;
            match run.verdict {
                Verdict::AsExpected(_) => found.push(run.took),
                Verdict::Missed(how) => {
                    let _ = write!(missed, "; seed {seed}: {how}");
                }
            }
        }
        found.sort();
        let Some(slowest) = found.last() else { return Err(missed) };
        let median = found[(found.len() - 1) / 2];
        let times = found.len();
        Ok(format!("{times} of {seeds} seeds, median {median:.1?}, slowest {slowest:.1?}{missed}"))
    }

    /// Fails if torture says neither that it found something nor that it did not.
    fn run(&self, seed: u64) -> Result<Run, String> {
        let folder = new_folder();
        let begun = Instant::now();
        let output = self.command(&folder, seed).output().map_err(|error| format!("cannot run torture: {error}"))?;
        let took = begun.elapsed();
        let page = String::from_utf8_lossy(&output.stdout);
        let verdict = match (self.chosen.bug, output.status.code()) {
            (None, Some(CLEAN)) => Verdict::AsExpected("clean".to_owned()),
            (Some(_), Some(CLEAN)) => Verdict::Missed("not found".to_owned()),
            (Some(_), Some(VIOLATED)) => self.judge(&rules(&page)),
            (None, _) | (Some(_), Some(_) | None) => {
                let page = if page.is_empty() { String::from_utf8_lossy(&output.stderr) } else { page };
                return Err(format!("{}, everything is in {}\n{page}", output.status, folder.display()));
            }
        };
        let _ = fs::remove_dir_all(&folder);
        Ok(Run { took, verdict })
    }

    fn judge(&self, found: &[&str]) -> Verdict {
        let rules = &self.chosen.trial.rules;
        match rules.iter().find(|rule| found.contains(&rule.as_str())) {
            None => Verdict::Missed(format!("found by another rule: {found:?}")),
            Some(rule) if found.len() == 1 => Verdict::AsExpected(format!("found by `{rule}`")),
            Some(rule) => Verdict::AsExpected(format!("found by `{rule}` and {} more", found.len() - 1)),
        }
    }

    fn command(&self, folder: &Path, seed: u64) -> Command {
        let Trial { store, minutes, faults, .. } = self.chosen.trial;
        let mut command = Command::new(self.torture);
        command.args(["torture", "--store", store, "--minutes", &minutes.to_string(), "--faults", faults]);
        command.args(["--seed", &seed.to_string(), "--folder"]).arg(folder);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        if let Some(bug) = self.chosen.bug {
            command.env(PLANTED_IN_NODES, bug);
        }
        command
    }
}

/// Short, because the paths of sockets in it are limited.
fn new_folder() -> PathBuf {
    static FOLDERS: AtomicUsize = AtomicUsize::new(0);
    let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
    env::temp_dir().join(format!("surehold-planted-{}-{number}", process::id()))
}

struct Run {
    took: Duration,
    verdict: Verdict,
}

enum Verdict {
    AsExpected(String),
    Missed(String),
}

/// Those that the report says were violated: `- RULE: 3 times`, or `once`.
fn rules(page: &str) -> Vec<&str> {
    let lines = page.lines().filter_map(|line| line.strip_prefix("- ")?.rsplit_once(": "));
    lines.filter(|(_, times)| *times == "once" || times.ends_with(" times")).map(|(rule, _)| rule).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn violated_rules_are_read_from_the_report() {
        let page = "# Torture\n\n- replay: 3 times\n- `surehold audit` finds nothing: once\n- seed: 7\nfeed: once\n";
        assert_eq!(rules(page), ["replay", "`surehold audit` finds nothing"]);
    }
}
