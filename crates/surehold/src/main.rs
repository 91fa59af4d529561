//! The binary: one executable with several commands.

mod bench;
#[cfg(test)]
#[path = "../tests/it/canary.rs"]
mod canary;
mod config;
mod doctor;
mod installation;
mod serve;
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
    Serve(serve::Serve),
    /// Measure, on this machine and its disk
    #[command(subcommand)]
    Bench(bench::Bench),
    Config(config::ConfigCommand),
    Doctor(doctor::Doctor),
}

fn main() -> ExitCode {
    // Libraries that speak TLS ask for the process's choice; without one they refuse to work.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let command = Cli::parse().command;
    if !matches!(command, Command::Serve(_)) {
        log_to_stderr();
    }
    let result = match command {
        Command::Serve(serve) => serve.run(),
        Command::Bench(bench) => bench.run().map(|()| ExitCode::SUCCESS),
        Command::Config(command) => command.run().map(|()| ExitCode::SUCCESS),
        Command::Doctor(doctor) => doctor.run(),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            for cause in error.chain().skip(1) {
                eprintln!("  because: {cause}");
            }
            ExitCode::FAILURE
        }
    }
}

/// For commands that are no servers: warnings, unless told otherwise.
fn log_to_stderr() {
    let filter = tracing_subscriber::EnvFilter::try_from_env("SUREHOLD_LOG").unwrap_or_else(|_| "warn".into());
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
}
