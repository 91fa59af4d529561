//! Fuzzing: builds the targets with coverage counters, runs each for a bounded time, and says how to see a finding again.
//!
//! `compiler` adds the counters, `options` reads the command line, `stats` what the engine says.

pub(crate) mod compiler;
mod options;
mod stats;

use std::collections::VecDeque;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, ensure};

pub(crate) use self::options::Options;
use self::stats::Stats;
use crate::checks::cargo;
use crate::{programs, schemathesis};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz");

/// A target that takes longer for one input, or more memory, has a finding.
const BOUNDS: [&str; 3] = ["-timeout=10", "-rss_limit_mb=1024", "-max_len=4096"];

/// The executions that a run of all checks is meant to make, at the least.
const GOAL_RUNS: u64 = 1_000_000;

pub(crate) struct Fuzz {
    program: PathBuf,
    /// What is found and learned; the corpus that is kept lies in the repository.
    scratch: PathBuf,
}

/// Builds what is needed. A missing compiler is a failure, never a skip.
pub(crate) fn build() -> Result<Fuzz> {
    programs::find_or_install_cpp()?;
    let mut build = cargo();
    // As part of the whole workspace, dependencies have the features that they have in the tests, and are built already.
    build.args(["build", "--workspace", "--features", "surehold-fuzz/libfuzzer", "--bin", "surehold-fuzz", "--locked"]);
    compiler::instrument(&mut build)?;
    let status = build.status().context("cannot run cargo")?;
    ensure!(status.success(), "the targets do not build, see above");
    Ok(Fuzz {
        program: schemathesis::programs()?.join("surehold-fuzz"),
        scratch: schemathesis::build_folder()?.join("fuzz"),
    })
}

/// Every folder of the corpus is a target; a test of theirs makes sure of it.
fn targets() -> Result<Vec<String>> {
    let corpus = Path::new(FOLDER).join("corpus");
    let entries = fs::read_dir(&corpus).with_context(|| format!("cannot read {}", corpus.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

impl Fuzz {
    /// Runs the targets side by side, one per processor, and reports what each did. How many executions that were.
    pub(crate) fn run(&self, options: &Options) -> Result<u64> {
        let all = targets()?;
        let known = options.targets.iter().find(|name| !all.contains(name));
        ensure!(known.is_none(), "there is no target `{}`; there are {}", known.map_or("", |n| n), all.join(", "));
        let chosen = if options.targets.is_empty() { all } else { options.targets.clone() };
        let waiting = Mutex::new(VecDeque::from(chosen));
        let reports = Mutex::new(Vec::new());
        let workers = thread::available_parallelism().map_or(1, std::num::NonZero::get);
        thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    while let Some(target) = take(&waiting) {
                        let outcome = self.fuzz(&target, options);
                        eprintln!("{}", line(&target, &outcome));
                        reports.lock().expect("no worker panics").push(outcome);
                    }
                });
            }
        });
        finish(&reports.into_inner().expect("no worker panics"))
    }

    fn fuzz(&self, target: &str, options: &Options) -> Result<Stats> {
        let learned = self.folder("corpus", target)?;
        let found = self.folder("found", target)?;
        let mut run = self.command(target);
        run.args(BOUNDS).args(options.engine()).arg("-print_final_stats=1").env("RUST_BACKTRACE", "0");
        run.arg(format!("-artifact_prefix={}/", found.display()));
        run.arg(learned).arg(kept(target));
        let output = run.stdout(Stdio::null()).output().with_context(|| format!("cannot run {run:?}"))?;
        let log = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{}", finding(target, &log));
        Stats::read(&log).with_context(|| format!("{target} does not say what it did:\n{log}"))
    }

    /// Runs one input, and shows everything.
    pub(crate) fn replay(&self, target: &str, input: &Path) -> Result<()> {
        let mut run = self.command(target);
        let status = run.args(BOUNDS).arg(input).env("RUST_BACKTRACE", "1").status();
        let status = status.with_context(|| format!("cannot run {run:?}"))?;
        ensure!(status.success(), "{target} fails on {}", input.display());
        Ok(())
    }

    /// Adds to the kept corpus what reaches code that it does not reach.
    pub(crate) fn keep(&self, options: &Options) -> Result<()> {
        let all = targets()?;
        let chosen = if options.targets.is_empty() { &all } else { &options.targets };
        for target in chosen {
            let mut run = self.command(target);
            run.args(BOUNDS).arg("-merge=1").arg(kept(target)).arg(self.folder("corpus", target)?);
            let output = run.output().with_context(|| format!("cannot run {run:?}"))?;
            let log = String::from_utf8_lossy(&output.stderr);
            ensure!(output.status.success(), "the corpus of {target} cannot be merged:\n{log}");
            eprintln!("{target}: {}", log.lines().rev().find(|line| line.contains("MERGE-OUTER")).unwrap_or("merged"));
        }
        Ok(())
    }

    /// With a folder of its own, beside that of those who look longer.
    fn in_scratch(self, name: &str) -> Fuzz {
        Fuzz { scratch: self.scratch.with_file_name(name), ..self }
    }

    /// What was found stays.
    fn forget_corpus(&self) -> Result<()> {
        let learned = self.scratch.join("corpus");
        match fs::remove_dir_all(&learned) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error).with_context(|| format!("cannot remove {}", learned.display())),
        }
    }

    fn command(&self, target: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.env("SUREHOLD_FUZZ_TARGET", target);
        command
    }

    fn folder(&self, what: &str, target: &str) -> Result<PathBuf> {
        let folder = self.scratch.join(what).join(target);
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        Ok(folder)
    }
}

fn finding(target: &str, log: &str) -> String {
    let input = log.lines().find_map(|line| line.split("Test unit written to ").nth(1)).unwrap_or("no input");
    let said: Vec<&str> = log.lines().skip_while(|line| !line.contains("panicked at")).take(8).collect();
    // Without a panic it took too long, or too much memory.
    let said = if said.is_empty() {
        log.lines().rev().find(|line| line.contains("ERROR")).unwrap_or("")
    } else {
        &said.join("\n")
    };
    format!(
        "{target} fails on {input}\n{said}\n\
         hint: see it again with `cargo xtask fuzz --replay {input} {target}`; after the fix, keep the input in \
         fuzz/corpus/{target}/ under a name that says what it is"
    )
}

fn kept(target: &str) -> PathBuf {
    Path::new(FOLDER).join("corpus").join(target)
}

fn take(waiting: &Mutex<VecDeque<String>>) -> Option<String> {
    waiting.lock().expect("no worker panics").pop_front()
}

fn line(target: &str, outcome: &Result<Stats>) -> String {
    match outcome {
        Ok(stats) => format!("{target:>14}  {stats}"),
        Err(error) => format!("{target:>14}  FAILED\n{error:#}"),
    }
}

fn finish(reports: &[Result<Stats>]) -> Result<u64> {
    let failed = reports.iter().filter(|report| report.is_err()).count();
    let runs: u64 = reports.iter().flatten().map(|stats| stats.runs).sum();
    eprintln!("{:>14}  {runs} executions of {} targets", "in total", reports.len());
    ensure!(failed == 0, "{failed} of {} targets have findings, see above", reports.len());
    Ok(runs)
}

/// What every run of all checks does. The seed is fixed and nothing is known from earlier runs: an unchanged tree must
/// not begin to fail.
pub(crate) fn bounded() -> Result<()> {
    let per_target = GOAL_RUNS.div_ceil(u64::try_from(targets()?.len())?);
    let fuzz = build()?.in_scratch("fuzz-bounded");
    fuzz.forget_corpus()?;
    let runs = fuzz.run(&Options { runs: Some(per_target), seconds: 300, seed: Some(3), ..Options::default() })?;
    ensure!(runs >= GOAL_RUNS, "{runs} executions within the time; {GOAL_RUNS} are wanted");
    Ok(())
}
