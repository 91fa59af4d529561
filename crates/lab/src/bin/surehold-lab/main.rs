//! The executable that proves Surehold: everything that `surehold` can do, and `torture` and `bench`.

mod bench;
mod nodes;
mod torture;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use surehold::Tool;
use surehold_lab::bench::Process;

/// Names the file in which a command that ends by itself says how much memory it had, in bytes.
const PEAK_RSS_FILE: &str = "SUREHOLD_LAB_PEAK_RSS_FILE";

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Proves that Surehold keeps its promises, and measures it.
#[derive(Parser)]
#[command(name = "surehold-lab", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Torture(torture::Torture),
    /// Measure, on this machine and its disk
    #[command(subcommand)]
    Bench(bench::Bench),
    Serve(nodes::LabServe),
    #[command(name = "worker")]
    Work(nodes::LabWork),
    #[command(flatten)]
    Tool(Tool),
}

impl Cli {
    fn run(self) -> Result<ExitCode> {
        match self.command {
            Command::Torture(torture) => {
                surehold::log_to_stderr();
                Ok(torture.run())
            }
            Command::Bench(bench) => {
                surehold::log_to_stderr();
                bench.run().map(|()| ExitCode::SUCCESS)
            }
            Command::Serve(serve) => serve.run(),
            Command::Work(work) => work.run(),
            Command::Tool(tool) => {
                let code = tool.run()?;
                say_peak_rss()?;
                Ok(code)
            }
        }
    }
}

/// Nobody else can tell afterwards how much memory a process had.
fn say_peak_rss() -> Result<()> {
    if let Some(file) = std::env::var_os(PEAK_RSS_FILE) {
        std::fs::write(file, Process::myself().peak_rss_bytes()?.to_string())?;
    }
    Ok(())
}

fn main() -> ExitCode {
    surehold::execute(Cli::run)
}
