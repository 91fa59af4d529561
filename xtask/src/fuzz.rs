//! Fuzzing: builds the targets with coverage counters, runs each for a bounded time, and says how to see a finding again.
//!
//! `compiler` adds the counters, `options` reads the command line, `stats` what the engine says, `progress` shows how far
//! the targets are.

pub(crate) mod compiler;
mod options;
mod progress;
mod stats;

use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, ensure};

pub(crate) use self::options::Options;
use self::progress::Progress;
use self::stats::Stats;
use crate::cargo::{build_folder, cargo, executables};
use crate::usage::wrong;
use crate::{names, programs};

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
    // With `--examples`, dependencies have the features that they have in the tests, and are built already.
    build.args([
        "build",
        "--locked",
        "--package",
        names::FUZZ,
        "--features",
        "libfuzzer",
        "--bin",
        names::FUZZ,
        "--examples",
    ]);
    compiler::instrument(&mut build)?;
    let status = build.status().context("cannot run cargo")?;
    ensure!(status.success(), "the targets do not build, see above");
    Ok(Fuzz { program: executables()?.join(names::FUZZ), scratch: build_folder()?.join("fuzz") })
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

/// Those that are named, or all.
fn chosen(options: &Options) -> Result<Vec<String>> {
    let all = targets()?;
    match options.targets.iter().find(|name| !all.contains(name)) {
        Some(unknown) => Err(wrong(format!("there is no target `{unknown}`; there are {}", all.join(", ")))),
        None if options.targets.is_empty() => Ok(all),
        None => Ok(options.targets.clone()),
    }
}

impl Fuzz {
    /// Runs the targets side by side, one per processor, and reports what each did. How many executions that were.
    pub(crate) fn run(&self, options: &Options) -> Result<u64> {
        let chosen = chosen(options)?;
        let progress = Progress::begin(chosen.len());
        let workers = thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let options = &options.for_targets(chosen.len(), workers);
        let waiting = Mutex::new(VecDeque::from(chosen));
        let reports = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    while let Some(target) = take(&waiting) {
                        let outcome = self.fuzz(&target, options, &progress);
                        eprintln!("{}", line(&target, &outcome));
                        progress.ended(&target);
                        reports.lock().expect("no worker panics").push(outcome);
                    }
                });
            }
            scope.spawn(|| progress.show_until_the_end());
        });
        finish(&reports.into_inner().expect("no worker panics"))
    }

    fn fuzz(&self, target: &str, options: &Options, progress: &Progress) -> Result<Stats> {
        let learned = self.folder("corpus", target)?;
        let found = self.folder("found", target)?;
        let mut run = self.command(target);
        run.args(BOUNDS).args(options.engine()).arg("-print_final_stats=1").env("RUST_BACKTRACE", "0");
        run.arg(format!("-artifact_prefix={}/", found.display()));
        let seeds = self.folder("seeds", target)?;
        run.env("SUREHOLD_FUZZ_SEEDS", &seeds).arg(learned).arg(kept(target)).arg(seeds);
        run.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = run.spawn().with_context(|| format!("cannot run {run:?}"))?;
        let stderr = child.stderr.take().context("the log of the target is not piped")?;
        let log = read_log(stderr, |line| progress.said(target, line));
        let status = child.wait().with_context(|| format!("cannot wait for {run:?}"))?;
        ensure!(status.success(), "{}", finding(target, &log));
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
        for target in chosen(options)? {
            let mut run = self.command(&target);
            run.args(BOUNDS).arg("-merge=1").arg(kept(&target)).arg(self.folder("corpus", &target)?);
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
        for known in ["corpus", "seeds"] {
            let folder = self.scratch.join(known);
            match fs::remove_dir_all(&folder) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(error).with_context(|| format!("cannot remove {}", folder.display()));
                }
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
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

/// What a target prints can be any bytes.
fn read_log(from: impl Read, mut said: impl FnMut(&str)) -> String {
    let mut log = String::new();
    for line in BufReader::new(from).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        said(&line);
        log.push_str(&line);
        log.push('\n');
    }
    log
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
         hint: see it again with `cargo xtask prove fuzz --replay {input} {target}`; after the fix, keep the input in \
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

/// What `cargo xtask prove fuzz` does: without arguments, what every run of all checks does.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if arguments.is_empty() {
        return bounded();
    }
    let options = Options::parse(arguments)?;
    // Before the build, which takes minutes.
    chosen(&options)?;
    match (&options.replay, options.targets.as_slice()) {
        (Some(input), [target]) => build()?.replay(target, input),
        (Some(_), _) => Err(wrong("--replay FILE needs the one target that it is for")),
        (None, _) if options.keep => build()?.keep(&options),
        (None, _) => build()?.run(&options).map(drop),
    }
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
