//! `cargo xtask test`: the checks in the order they run, cheap ones first, and nothing after the first failure.

use std::num::NonZero;
use std::thread;

use anyhow::{Result, ensure};

use crate::cargo::{cargo, is_installed, linting_cargo, run};
use crate::machine::Machine;
use crate::names;
use crate::prove;
use crate::selection::{Selection, Store};
use crate::summary::{Summary, forget_earlier_tests};
use crate::workspace::Workspace;

/// Advisories are left out: they need the network, and new ones would fail an unchanged tree.
const DENY: &str = "deny check licenses bans sources";

/// The only crate that is checked and built apart: its executable runs now, and must not be replaced.
const LINT_XTASK: &str = "clippy --package xtask --all-targets --locked -- -D warnings";
const TEST_XTASK: &str = "test --package xtask --locked --quiet";

/// Where nextest is not installed.
const TEST_ALL: &str = "test --workspace --exclude xtask --locked --tests";

/// nextest runs no documentation tests.
const TEST_DOC: &str = "test --doc --workspace --locked --quiet";

pub(crate) fn test(selection: &Selection) -> Result<()> {
    // Wrong names fail before anything starts.
    let nextest = selection.nextest(&Workspace::read()?)?;
    let mut summary = Summary::begin();
    let outcome = run_until_failure(selection, &nextest, &mut summary);
    summary.end(selection.is_full());
    outcome
}

fn run_until_failure(selection: &Selection, nextest: &[String], summary: &mut Summary) -> Result<()> {
    forget_earlier_tests()?;
    summary.part("cargo fmt --all --check", || run(cargo(), "fmt --all --check", &[]))?;
    let mut tools = None;
    let mut machine = Machine::empty();
    // A machine that lacks something should fail before the long parts.
    summary.part("programs and servers", || {
        if selection.has_proofs() {
            tools = Some(prove::Tools::find_or_install()?);
        }
        // Tests that are named and lack a tool say so themselves; most need none.
        if selection.has(Store::Postgres) || selection.is_unnamed() {
            machine = Machine::prepare(selection.has(Store::Postgres))?;
        }
        Ok(())
    })?;
    let variables = machine.variables();
    if selection.is_unnamed() {
        check_without_build(summary)?;
    }
    if selection.is_only(names::XTASK) {
        check_xtask(summary)?;
    } else {
        run_tests(selection, nextest, &variables, summary)?;
    }
    if let Some(tools) = tools {
        prove::bounded(&tools, selection.store, &variables, summary)?;
    } else if selection.is_unnamed() {
        summary.left_out("proofs", "`cargo xtask prove` runs them");
    }
    Ok(())
}

/// What needs nothing that is built, or little.
fn check_without_build(summary: &mut Summary) -> Result<()> {
    if is_installed("deny") {
        summary.part(&format!("cargo {DENY}"), || run(cargo(), DENY, &[]))?;
    } else {
        summary.left_out(&format!("cargo {DENY}"), "`cargo install --locked cargo-deny` adds it");
    }
    check_xtask(summary)
}

fn check_xtask(summary: &mut Summary) -> Result<()> {
    summary.part("lints and tests of xtask", || {
        run(cargo(), LINT_XTASK, &[])?;
        run(cargo(), TEST_XTASK, &[])
    })
}

/// One more than processors: many tests wait for a disk, a server or a moment.
fn tests_at_once() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get) + 1
}

fn run_tests(
    selection: &Selection,
    nextest: &[String],
    variables: &[(&'static str, String)],
    summary: &mut Summary,
) -> Result<()> {
    if is_installed("nextest") {
        let command = || {
            let mut command = linting_cargo();
            command.args(["nextest", "run", "--locked"]).args(nextest);
            command
        };
        summary.part("build and lint", || run(command(), "--no-run", &[]))?;
        let at_once = format!("--no-fail-fast --test-threads {}", tests_at_once());
        summary.part("tests", || run(command(), &at_once, variables))?;
    } else {
        ensure!(
            selection.is_full(),
            "cargo-nextest is needed to choose tests\nhint: run `cargo install --locked cargo-nextest`"
        );
        summary.part("build and lint", || run(linting_cargo(), &format!("{TEST_ALL} --no-run"), &[]))?;
        summary.part("tests", || run(linting_cargo(), TEST_ALL, variables))?;
    }
    if selection.is_unnamed() {
        summary.part("documentation tests", || run(linting_cargo(), TEST_DOC, variables))?;
    }
    Ok(())
}
