//! A payment provider whose memory outlives the processes that charge with it: prints its URL, and lives until its
//! standard input is closed.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Context, Result};
use surehold_simulators::provider::FakeProvider;
use tokio::runtime::Runtime;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let runtime = Runtime::new().context("cannot start threads")?;
    let provider = runtime.block_on(FakeProvider::start());
    writeln!(io::stdout(), "{}", provider.url()).context("cannot print the address")?;
    io::copy(&mut io::stdin(), &mut io::sink()).context("cannot wait for the end of the input")?;
    Ok(())
}
