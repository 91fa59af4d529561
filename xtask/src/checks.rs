//! The checks in the order they run: quick ones first, and nothing after the first failure.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::schemathesis::Schemathesis;
use crate::{fuzz, torture};

/// Advisories are left out: they need the network, and new ones would fail an unchanged tree.
const DENY: &str = "deny check licenses bans sources";

/// Bounded, so that it takes a minute or two. The seed is fixed: an unchanged tree must not begin to fail.
const SCHEMATHESIS: &str = "--seed 3 --max-examples 40";

/// Bugs that are planted must be found, by each harness.
const PLANTED: [&str; 2] = [
    "test --package surehold-lab --features sabotage --locked --test sabotage --test simulation_planted",
    "test --package surehold --features sabotage --locked --test planted",
];

/// For torture and planted bugs together, builds included. Not required: machines differ.
const PROOF_GOAL: Duration = Duration::from_mins(12);

type Variables<'a> = &'a [(&'static str, String)];

pub(crate) fn run_all(variables: Variables, schemathesis: &Schemathesis) -> Result<()> {
    let mut report = Vec::new();
    let outcome = run_until_failure(variables, schemathesis, &mut report);
    eprintln!("\n== Summary (minutes:seconds)");
    for line in &report {
        eprintln!("{line}");
    }
    outcome
}

fn run_until_failure(variables: Variables, schemathesis: &Schemathesis, report: &mut Vec<String>) -> Result<()> {
    let mut checks = vec!["fmt --all --check", "clippy --workspace --all-targets --locked -- -D warnings"];
    if is_installed("nextest") {
        // nextest runs no documentation tests.
        checks.extend(["nextest run --workspace --locked", "test --doc --workspace --locked"]);
    } else {
        checks.push("test --workspace --locked");
    }
    let deny_installed = is_installed("deny");
    if deny_installed {
        // Quick, and needs nothing that is built.
        checks.insert(1, DENY);
    }
    for check in checks {
        run_one(check, variables, report)?;
    }
    // The tests have built the program that this starts.
    let arguments: Vec<String> = SCHEMATHESIS.split_whitespace().map(str::to_owned).collect();
    timed(&format!("schemathesis run {SCHEMATHESIS}"), report, || schemathesis.check(&arguments))?;
    let since = Instant::now();
    for arguments in torture::RUNS {
        timed(&format!("surehold torture {arguments}"), report, || torture::run(arguments, variables))?;
    }
    let tortured = since.elapsed();
    timed("fuzz, a million executions", report, fuzz::bounded)?;
    // Last: the program that these build can be sabotaged, and takes the place of the other.
    let since = Instant::now();
    for check in PLANTED {
        run_one(check, variables, report)?;
    }
    let together = minutes_and_seconds(tortured + since.elapsed());
    let goal = minutes_and_seconds(PROOF_GOAL);
    report.push(format!("{together:>8}  of these, torture and planted bugs; the goal is {goal}"));
    if !deny_installed {
        report.push(format!(" not run  cargo {DENY}: `cargo install --locked cargo-deny` adds it"));
    }
    Ok(())
}

fn run_one(check: &str, variables: Variables, report: &mut Vec<String>) -> Result<()> {
    timed(&format!("cargo {check}"), report, || {
        let status = cargo()
            .args(check.split_whitespace())
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .status()
            .with_context(|| format!("cannot run `cargo {check}`"))?;
        ensure!(
            status.success(),
            "`cargo {check}` failed\nhint: its output is above; `cargo xtask postgres` helps to run one test by hand"
        );
        Ok(())
    })
}

fn timed(name: &str, report: &mut Vec<String>, check: impl FnOnce() -> Result<()>) -> Result<()> {
    eprintln!("\n== {name}");
    let started_at = Instant::now();
    let outcome = check();
    let elapsed = minutes_and_seconds(started_at.elapsed());
    let verdict = if outcome.is_ok() { "" } else { ": FAILED" };
    report.push(format!("{elapsed:>8}  {name}{verdict}"));
    if outcome.is_ok() {
        eprintln!("== took {elapsed}");
    }
    outcome
}

pub(crate) fn build() -> Result<()> {
    let status = cargo().args(["build", "--package", "surehold", "--locked"]).status().context("cannot run cargo")?;
    ensure!(status.success(), "the program does not build, see above");
    Ok(())
}

fn is_installed(subcommand: &str) -> bool {
    let version = cargo().args([subcommand, "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}

pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    // `cargo run` describes this package to this process. Passed on, that would make
    // build scripts that watch these variables run again on every change of caller.
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(&*name);
        }
    }
    cargo
}

fn minutes_and_seconds(elapsed: Duration) -> String {
    format!("{}:{:02}", elapsed.as_secs() / 60, elapsed.as_secs() % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_as_minutes_and_seconds() {
        let check = |secs: u64, expected: &str| assert_eq!(minutes_and_seconds(Duration::from_secs(secs)), expected);
        check(0, "0:00");
        check(7, "0:07");
        check(60, "1:00");
        check(754, "12:34");
    }
}
