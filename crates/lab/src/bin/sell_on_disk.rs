//! Sells on a file and tells what was acknowledged, for whoever records what it does to the disk.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use surehold_lab::disk::{Plan, sell};

#[tokio::main(worker_threads = 2)]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: &[String]) -> Result<()> {
    match arguments {
        [file, seed, lives, rounds] => {
            let plan = Plan { seed: seed.parse()?, lives: lives.parse()?, rounds: rounds.parse()? };
            sell(Path::new(file), plan).await
        }
        _ => bail!("usage: sell_on_disk FILE SEED LIVES ROUNDS"),
    }
}
