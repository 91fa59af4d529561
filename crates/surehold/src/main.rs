//! The binary: one executable with several commands.

mod bench;
#[cfg(test)]
#[path = "../tests/it/canary.rs"]
mod canary;
#[allow(dead_code, unused_imports, reason = "`serve` reads what no other command does")]
mod config;
#[allow(dead_code, unused_imports, reason = "`serve` starts it")]
mod telemetry;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Sells things that run out, and never sells one twice.
#[derive(Parser)]
#[command(version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure, on this machine and its disk
    #[command(subcommand)]
    Bench(bench::Bench),
    Config(config::ConfigCommand),
}

fn main() -> ExitCode {
    let filter = tracing_subscriber::EnvFilter::try_from_env("SUREHOLD_LOG").unwrap_or_else(|_| "warn".into());
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    let result = match Cli::parse().command {
        Command::Bench(bench) => bench.run(),
        Command::Config(command) => command.run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            for cause in error.chain().skip(1) {
                eprintln!("  because: {cause}");
            }
            ExitCode::FAILURE
        }
    }
}
