//! The repository's task runner: sets up real servers and runs tests and proofs.
//!
//! Knows tools and processes; of the crates it knows what is in `names`. Start at [`checks::test`].

mod cargo;
mod checks;
mod clients;
mod compare;
mod demo_build;
mod fuzz;
mod live_server;
mod machine;
mod names;
mod node;
mod output;
mod planted;
mod postgres;
mod programs;
mod prove;
mod python;
mod schemathesis;
mod selection;
mod summary;
mod tool_folder;
mod torture;
mod usage;
mod workspace;

use std::env;
use std::io::{self, Read};
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::prove::Proof;
use crate::selection::Selection;
use crate::usage::Usage;

const USAGE: &str = "\
usage: cargo xtask <command>

commands:
  test [--quick] [--store sqlite|postgres] [NAME…]
                format, lint, build, run all tests and then the proofs, on servers that it starts itself
                --quick  leaves the proofs out
                --store  runs tests on this store and tests of no store; with sqlite, Postgres is not needed
                NAME     a crate (http), a module (stays) or a part of a test's path; only such tests, and no proofs
  prove [PROOF [ARGUMENT…]]
                runs one proof, or all of them at the length of `test`
                torture       [--store S] and arguments of `torture`, such as --minutes 46 --seed 7
                planted       names of bugs, --seed N, --searches N to see how long each takes to find
                fuzz          targets, --minutes N for all or --seconds N for each, --runs N, --seed N,
                              --replay FILE TARGET to see a finding again, --keep to add what was learned to the corpus
                simulation    --seed N for one seed, --seeds N for so many
                clients       other people's readers of the API's description, and clients that are generated from it
                schemathesis  arguments of `schemathesis run`, such as --seed 7 --max-examples 1000
                bench         [--store S]; every bench for a moment, to see that it gives figures
  compare REVISION [--pairs N] [--seconds N] [--case NAME]…
                measures this tree beside an earlier one: the benches of both in turns, built with the profile dist;
                for an otherwise idle machine
  demo-build    measure a release build from nothing and keep the figure for the summary of `test`
  postgres      start the server of the tests, print how to reach it and wait for Ctrl-C or end of input";

fn main() -> ExitCode {
    if fuzz::compiler::is_wanted() {
        return fuzz::compiler::run().unwrap_or_else(|error| failed(&error));
    }
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments.is_empty() {
        eprintln!("{USAGE}");
        return ExitCode::from(usage::EXIT_CODE);
    }
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error),
    }
}

fn run(arguments: &[String]) -> Result<()> {
    let Some((command, rest)) = arguments.split_first() else { return Err(usage::wrong(USAGE)) };
    match (command.as_str(), rest) {
        ("test", _) => checks::test(&Selection::parse(rest)?),
        ("prove", _) => Proof::parse(rest)?.run(),
        ("compare", _) => compare::run(rest),
        ("demo-build", []) => demo_build::run(),
        ("postgres", []) => postgres(),
        ("demo-build" | "postgres", _) => Err(usage::wrong(format!("{command} takes no arguments"))),
        _ => Err(usage::wrong(format!("there is no command `{command}`\n\n{USAGE}"))),
    }
}

fn failed(error: &anyhow::Error) -> ExitCode {
    eprintln!("error: {error:#}");
    if error.is::<Usage>() { ExitCode::from(usage::EXIT_CODE) } else { ExitCode::FAILURE }
}

#[expect(clippy::print_stdout, reason = "the variables are this command's data")]
fn postgres() -> Result<()> {
    let server = postgres::start()?;
    for (name, value) in server.variables() {
        println!("export {name}='{value}'");
    }
    eprintln!("Paste these lines into another terminal. Stop the server with Ctrl-C or end of input.");
    io::stdin().read_to_end(&mut Vec::new()).context("cannot wait for end of input")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_commands() {
        let check = |text: &str, expected: &str| {
            let arguments: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            let error = run(&arguments).unwrap_err();
            assert!(error.is::<Usage>(), "{text}: {error}");
            assert!(error.to_string().starts_with(expected), "{text}: {error}");
        };
        check("", "usage: cargo xtask <command>");
        check("fuzz", "there is no command `fuzz`");
        check("schemathesis --seed 7", "there is no command `schemathesis`");
        check("compare", "compare needs the revision");
        check("demo-build now", "demo-build takes no arguments");
        check("test --fast", "test has no flag --fast");
        check("test --quick stayz_and_nights", "no crate has tests with stayz_and_nights in their paths");
        check("prove everything", "there is no proof `everything`");
    }
}
