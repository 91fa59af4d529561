//! The binary: one executable with several commands.

mod accounts;
mod audit;
mod bench;
#[cfg(test)]
#[path = "../tests/it/canary.rs"]
mod canary;
mod client;
mod commands;
mod config;
mod doctor;
mod installation;
mod lab;
mod serve;
mod telemetry;
mod torture;
mod worker;

use std::io::IsTerminal;
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
    #[command(name = "worker")]
    Work(worker::Work),
    /// Measure, on this machine and its disk
    #[command(subcommand)]
    Bench(bench::Bench),
    Config(config::ConfigCommand),
    Doctor(doctor::Doctor),
    Audit(audit::Audit),
    Torture(torture::Torture),
    Migrate(commands::Migrate),
    #[command(flatten)]
    Api(Box<commands::ApiCommand>),
    Problem(commands::ProblemPage),
    Completions(commands::Completions),
}

fn main() -> ExitCode {
    // Libraries that speak TLS ask for the process's choice; without one they refuse to work.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let command = Cli::parse().command;
    if !matches!(command, Command::Serve(_) | Command::Work(_)) {
        log_to_stderr();
    }
    let result = match command {
        Command::Serve(serve) => serve.run(),
        Command::Work(work) => work.run(),
        Command::Bench(bench) => bench.run().map(|()| ExitCode::SUCCESS),
        Command::Config(command) => command.run().map(|()| ExitCode::SUCCESS),
        Command::Doctor(doctor) => doctor.run(),
        Command::Audit(audit) => Ok(audit.run()),
        Command::Torture(torture) => Ok(torture.run()),
        Command::Migrate(migrate) => Ok(migrate.run()),
        Command::Api(command) => Ok(command.run()),
        Command::Problem(page) => Ok(page.run()),
        Command::Completions(completions) => Ok(completions.run()),
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
    let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
    tracing_subscriber::fmt().with_env_filter(filter).with_ansi(colours).with_writer(std::io::stderr).init();
}
