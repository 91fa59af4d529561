//! Torture finds every bug that can be planted, by a rule that is about it; and finds nothing where none is planted. Each
//! trial is a run of its own, a few at a time.

use std::cmp::Reverse;
use std::fmt::{Display, Formatter, Write};
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
/// Chance decides which requests meet. A bug is missed if it is not found in so many times the slowest search that was
/// measured.
const SLOWEST_TIMES: u32 = 5;
/// On a machine that does other things too, a run takes longer; fewer than so many say nothing.
const RUNS_MIN: u32 = 3;
/// No search that is measured needs more; they share no seed.
const SEEDS_OF_A_SEARCH: u64 = 1_000;
const MEASURED_MAX: Duration = Duration::from_mins(15);
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
    if options.wants(CONTROL) {
        chosen.extend(catalogue.controls.iter().map(|trial| Chosen { bug: None, trial }));
    }
    chosen.sort_by_key(|chosen| Reverse(chosen.slowest()));
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
                    let outcome = match options.searches {
                        None => attempt.search(options.seed, chosen.limit()).map(|search| search.to_string()),
                        Some(searches) => attempt.measure(options.seed, searches),
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
    /// As measured; a run without a bug takes its time.
    fn slowest(&self) -> Duration {
        let measured = self.trial.slowest_secs.map(Duration::from_secs);
        measured.unwrap_or_else(|| Duration::from_secs_f64(60.0 * self.trial.minutes))
    }

    fn limit(&self) -> Duration {
        SLOWEST_TIMES * self.slowest()
    }

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
    /// Runs with one seed after the other, until one ends as expected or the time is over.
    fn search(&self, first_seed: u64, limit: Duration) -> Result<Search, String> {
        let (mut took, mut missed) = (Duration::ZERO, String::new());
        for (seed, runs) in (first_seed..).zip(1..) {
            let run = self.run(seed)?;
            took += run.took;
            match run.verdict {
                Verdict::AsExpected(how) => return Ok(Search { took, runs, how }),
                Verdict::Missed(how) => {
                    let _ = write!(missed, "{how} with seed {seed}; ");
                }
            }
            if took >= limit && runs >= RUNS_MIN {
                break;
            }
        }
        Err(format!("{missed}{took:.0?} of {limit:.0?} are over"))
    }

    /// How long searches take that have nothing to do with each other.
    fn measure(&self, first_seed: u64, searches: u64) -> Result<String, String> {
        let firsts = (0..searches).map(|number| first_seed + number * SEEDS_OF_A_SEARCH);
        let mut done = Vec::new();
        for seed in firsts {
            let search = self.search(seed, MEASURED_MAX)?;
            eprintln!("{} from seed {seed}: {search}", self.chosen.name());
            done.push(search);
        }
        done.sort_by_key(|search| search.took);
        let (median, slowest) = (&done[(done.len() - 1) / 2], done.last().expect("at least one"));
        let again = done.iter().filter(|search| search.runs > 1).count();
        Ok(format!(
            "{searches} searches, {again} with more than one run, median {:.1?}, slowest {:.1?} in {} runs",
            median.took, slowest.took, slowest.runs
        ))
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

/// That found what it had to find.
struct Search {
    took: Duration,
    runs: u32,
    how: String,
}

impl Display for Search {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} after {:.1?}", self.how, self.took)?;
        if self.runs > 1 {
            write!(f, ", in run {}", self.runs)?;
        }
        Ok(())
    }
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
