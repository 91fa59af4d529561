//! The repository's task runner: sets up real servers and runs every check.
//!
//! Knows tools and processes; knows nothing of the crates it checks. Start at [`test`].

mod account;
mod checks;
mod fuzz;
mod live_server;
mod postgres;
mod programs;
mod schemathesis;
mod torture;

use std::env;
use std::io::{self, Read};
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::postgres::PrivatePostgres;
use crate::schemathesis::Schemathesis;

const USAGE: &str = "\
usage: cargo xtask <command>

commands:
  test          start a private Postgres server, then run every check and test
  postgres      start that server, print how to reach it and wait for Ctrl-C or end of input
  fuzz          feed the readers of outside input a million times; takes targets, --seconds N and --runs N for
                each of them, --seed N, --replay FILE TARGET to see a finding again, --keep to add what was learned
                to the corpus
  schemathesis  check a live server against the description of its API; takes arguments of `schemathesis run`,
                such as --seed 7 --max-examples 1000";

fn main() -> ExitCode {
    if fuzz::compiler::is_wanted() {
        return fuzz::compiler::run().unwrap_or_else(|error| failed(&error));
    }
    let arguments: Vec<String> = env::args().skip(1).collect();
    let outcome = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["test"] => test(),
        ["postgres"] => postgres(),
        ["fuzz"] => fuzz::bounded(),
        ["fuzz", ..] => fuzz(&arguments[1..]),
        ["schemathesis", ..] => schemathesis(&arguments[1..]),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error),
    }
}

fn failed(error: &anyhow::Error) -> ExitCode {
    eprintln!("error: {error:#}");
    ExitCode::FAILURE
}

fn test() -> Result<()> {
    // What is needed comes before the quick checks: a machine without it should fail at once.
    let schemathesis = Schemathesis::find_or_install()?;
    let server = PrivatePostgres::start()?;
    checks::run_all(&server.variables(), &schemathesis)
}

fn fuzz(arguments: &[String]) -> Result<()> {
    let options = fuzz::Options::parse(arguments)?;
    let fuzz = fuzz::build()?;
    match (&options.replay, options.targets.as_slice()) {
        (Some(input), [target]) => fuzz.replay(target, input),
        (Some(_), _) => anyhow::bail!("--replay FILE needs the one target that it is for"),
        (None, _) if options.keep => fuzz.keep(&options),
        (None, _) => fuzz.run(&options).map(drop),
    }
}

fn schemathesis(arguments: &[String]) -> Result<()> {
    let schemathesis = Schemathesis::find_or_install()?;
    checks::build()?;
    schemathesis.check(arguments)
}

#[expect(clippy::print_stdout, reason = "the variables are this command's data")]
fn postgres() -> Result<()> {
    let server = PrivatePostgres::start()?;
    for (name, value) in server.variables() {
        println!("export {name}='{value}'");
    }
    eprintln!("Paste these lines into another terminal. Stop the server with Ctrl-C or end of input.");
    io::stdin().read_to_end(&mut Vec::new()).context("cannot wait for end of input")?;
    Ok(())
}
