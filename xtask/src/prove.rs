//! `cargo xtask prove`: the checks that look for trouble at random, alone and as long as the caller wants.

use std::process::Command;

use anyhow::Result;

use crate::cargo::{build_executables, is_installed, linting_cargo, run as run_cargo};
use crate::clients::Clients;
use crate::machine::Machine;
use crate::output::Output;
use crate::schemathesis::Schemathesis;
use crate::selection::{Selection, Store};
use crate::summary::{Part, Summary, forget_earlier_tests};
use crate::usage::{number, wrong};
use crate::workspace::Workspace;
use crate::{fuzz, names, planted, torture};

/// Bounded, so that it takes a minute or two. The seed is fixed: an unchanged tree must not begin to fail.
const SCHEMATHESIS: &str = "--seed 3 --max-examples 40";

const NAMES: &str = "torture, planted, fuzz, simulation, clients, schemathesis and bench";

type Variables<'a> = &'a [(&'static str, String)];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// Each as long as in `cargo xtask test`.
    All,
    Torture {
        stores: Vec<Store>,
        arguments: Vec<String>,
    },
    Planted(Vec<String>),
    Fuzz(Vec<String>),
    Simulation(Option<(&'static str, u64)>),
    Clients,
    Schemathesis(Vec<String>),
    Bench(Option<Store>),
}

impl Proof {
    pub(crate) fn parse(arguments: &[String]) -> Result<Proof> {
        let Some((name, rest)) = arguments.split_first() else { return Ok(Proof::All) };
        match name.as_str() {
            "torture" => parse_torture(rest),
            "planted" => planted::check(rest).map(|()| Proof::Planted(rest.to_vec())),
            "fuzz" => fuzz::Options::parse(rest).map(|_| Proof::Fuzz(rest.to_vec())),
            "simulation" => parse_simulation(rest),
            "clients" if rest.is_empty() => Ok(Proof::Clients),
            "clients" => Err(wrong("clients takes no arguments")),
            "schemathesis" => Ok(Proof::Schemathesis(rest.to_vec())),
            "bench" => parse_bench(rest),
            other => Err(wrong(format!("there is no proof `{other}`; there are {NAMES}"))),
        }
    }

    pub(crate) fn run(&self) -> Result<()> {
        let mut summary = Summary::begin();
        let outcome = self.run_parts(&mut summary);
        summary.end(false);
        outcome
    }

    fn run_parts(&self, summary: &mut Summary) -> Result<()> {
        forget_earlier_tests()?;
        let machine = self.machine()?;
        let variables = &machine.variables();
        match self {
            Proof::All => {
                let tools = Tools::find_or_install()?;
                summary.part("build and lint", build_executables)?;
                summary.part("simulation", || simulate(None))?;
                summary.part("benches", || bench(None, variables))?;
                bounded(&tools, None, variables, summary)
            }
            Proof::Torture { stores, arguments } => {
                summary.part("build and lint", build_executables)?;
                for store in stores {
                    let arguments = if arguments.is_empty() { &torture::bounded(*store) } else { arguments };
                    run_torture(*store, arguments, variables, summary)?;
                }
                Ok(())
            }
            Proof::Planted(arguments) => summary.part("planted bugs", || planted::run(arguments, variables)),
            Proof::Fuzz(arguments) => summary.part("fuzz", || fuzz::run(arguments)),
            Proof::Simulation(setting) => summary.part("simulation", || simulate(*setting)),
            Proof::Clients => {
                let clients = Clients::find_or_install()?;
                summary.part("build and lint", build_executables)?;
                summary.part("clients", || clients.check(Output::Own))
            }
            Proof::Schemathesis(arguments) => {
                let schemathesis = Schemathesis::find_or_install()?;
                summary.part("build and lint", build_executables)?;
                summary.part("schemathesis", || schemathesis.check(&arguments_or_bounded(arguments), Output::Own))
            }
            Proof::Bench(store) => summary.part("benches", || bench(*store, variables)),
        }
    }

    /// Only those that use them wait for programs and servers.
    fn machine(&self) -> Result<Machine> {
        match self {
            Proof::All | Proof::Planted(_) => Machine::prepare(true),
            Proof::Torture { stores, .. } => Machine::prepare(stores.contains(&Store::Postgres)),
            Proof::Bench(store) => Machine::prepare(*store != Some(Store::Sqlite)),
            Proof::Fuzz(_) | Proof::Simulation(_) | Proof::Clients | Proof::Schemathesis(_) => Ok(Machine::empty()),
        }
    }
}

fn parse_torture(arguments: &[String]) -> Result<Proof> {
    let mut stores = vec![Store::Sqlite, Store::Postgres];
    let mut rest = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--store" => stores = vec![Store::parse(words.next())?],
            other => rest.push(other.to_owned()),
        }
    }
    Ok(Proof::Torture { stores, arguments: rest })
}

fn parse_simulation(arguments: &[String]) -> Result<Proof> {
    let setting = match arguments {
        [] => None,
        [flag, value] if flag == "--seed" => Some(("SUREHOLD_SIMULATION_SEED", number(flag, Some(value))?)),
        [flag, value] if flag == "--seeds" => Some(("SUREHOLD_SIMULATION_SEEDS", number(flag, Some(value))?)),
        _ => return Err(wrong("simulation takes --seed N, which runs this one, or --seeds N, which runs so many")),
    };
    Ok(Proof::Simulation(setting))
}

fn parse_bench(arguments: &[String]) -> Result<Proof> {
    match arguments {
        [] => Ok(Proof::Bench(None)),
        [flag, ..] if flag == "--store" && arguments.len() <= 2 => {
            Ok(Proof::Bench(Some(Store::parse(arguments.get(1))?)))
        }
        _ => Err(wrong("bench takes --store sqlite or --store postgres")),
    }
}

/// What proofs need that others wrote and that no package of the system has.
pub(crate) struct Tools {
    clients: Clients,
    schemathesis: Schemathesis,
}

impl Tools {
    pub(crate) fn find_or_install() -> Result<Tools> {
        Ok(Tools { clients: Clients::find_or_install()?, schemathesis: Schemathesis::find_or_install()? })
    }
}

/// What every `cargo xtask test` does behind its tests, on all stores or on one.
pub(crate) fn bounded(
    Tools { clients, schemathesis }: &Tools,
    store: Option<Store>,
    variables: Variables,
    summary: &mut Summary,
) -> Result<()> {
    // These wait for time to pass and for one another; each has servers of its own.
    let name = format!("schemathesis {SCHEMATHESIS}");
    let mut parts = vec![
        Part::new(name, || schemathesis.check(&arguments_or_bounded(&[]), Output::Labelled("schemathesis"))),
        Part::new("clients", || clients.check(Output::Labelled("clients"))),
    ];
    for one in [Store::Sqlite, Store::Postgres].into_iter().filter(|one| store.is_none_or(|only| only == *one)) {
        let arguments = torture::bounded(one);
        parts.push(Part::new(torture_name(one, &arguments), move || {
            torture::run(one, &arguments, variables, Output::Labelled(one.name()))
        }));
    }
    summary.side_by_side(parts)?;
    summary.part("fuzz, a million executions", fuzz::bounded)?;
    if store.is_none() {
        summary.part("planted bugs", || planted::run(&[], variables))
    } else {
        summary.left_out("planted bugs", "they need both stores");
        Ok(())
    }
}

fn run_torture(store: Store, arguments: &[String], variables: Variables, summary: &mut Summary) -> Result<()> {
    summary.part(&torture_name(store, arguments), || torture::run(store, arguments, variables, Output::Own))
}

fn torture_name(store: Store, arguments: &[String]) -> String {
    format!("torture --store {} {}", store.name(), arguments.join(" "))
}

fn arguments_or_bounded(arguments: &[String]) -> Vec<String> {
    if arguments.is_empty() { SCHEMATHESIS.split_whitespace().map(str::to_owned).collect() } else { arguments.to_vec() }
}

fn simulate(setting: Option<(&'static str, u64)>) -> Result<()> {
    let variables: Vec<(&'static str, String)> =
        setting.into_iter().map(|(name, value)| (name, value.to_string())).collect();
    let mut tests = tests()?;
    tests.args(["--workspace", "--exclude", names::XTASK, "--test", names::SIMULATION, "--no-capture"]);
    run_cargo(tests, "", &variables)
}

/// The tests that measure for a moment each and look whether figures come out.
fn bench(store: Option<Store>, variables: Variables) -> Result<()> {
    let mut tests = tests()?;
    tests.args(Selection::nextest_within(store, &Workspace::read()?, "bench", names::BENCH_TESTS)?);
    run_cargo(tests, "", variables)
}

fn tests() -> Result<Command> {
    anyhow::ensure!(
        is_installed("nextest"),
        "cargo-nextest is needed\nhint: run `cargo install --locked cargo-nextest`"
    );
    let mut command = linting_cargo();
    command.args(["nextest", "run", "--locked"]);
    Ok(command)
}

#[cfg(test)]
mod tests;
