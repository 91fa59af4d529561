//! What the executable `surehold` is made of. Other executables that start nodes link it, and add [`Equipment`].

#![expect(missing_debug_implementations, reason = "commands are parsed and run, never shown")]

mod accounts;
mod audit;
#[cfg(test)]
#[path = "../tests/it/canary.rs"]
mod canary;
mod client;
mod commands;
mod config;
mod doctor;
mod equipment;
mod installation;
mod serve;
mod telemetry;
mod worker;

use std::io::IsTerminal;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

pub use equipment::{Equipment, NoEquipment};
pub use serve::Serve;
pub use worker::Work;

/// Sells things that run out, and never sells one twice.
#[derive(Parser)]
#[command(version, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Serve(Serve),
    #[command(name = "worker")]
    Work(Work),
    #[command(flatten)]
    Tool(Tool),
}

/// Every command that starts no node.
#[derive(Subcommand)]
#[expect(private_interfaces, reason = "an executable passes these on and looks into none of them")]
pub enum Tool {
    Config(config::ConfigCommand),
    Doctor(doctor::Doctor),
    Audit(audit::Audit),
    Migrate(commands::Migrate),
    #[command(flatten)]
    Api(Box<commands::ApiCommand>),
    Problem(commands::ProblemPage),
    Completions(commands::Completions),
}

impl Cli {
    pub fn run(self) -> Result<ExitCode> {
        match self.command {
            Command::Serve(serve) => serve.run(&NoEquipment),
            Command::Work(work) => work.run(&NoEquipment),
            Command::Tool(tool) => tool.run(),
        }
    }
}

impl Tool {
    pub fn run(self) -> Result<ExitCode> {
        log_to_stderr();
        match self {
            Tool::Config(command) => command.run().map(|()| ExitCode::SUCCESS),
            Tool::Doctor(doctor) => doctor.run(),
            Tool::Audit(audit) => Ok(audit.run()),
            Tool::Migrate(migrate) => Ok(migrate.run()),
            Tool::Api(command) => Ok(command.run()),
            Tool::Problem(page) => Ok(page.run()),
            Tool::Completions(completions) => Ok(completions.run()),
        }
    }
}

/// Parses the command line, runs it, and shows why it failed.
pub fn execute<C: Parser>(run: impl FnOnce(C) -> Result<ExitCode>) -> ExitCode {
    // Libraries that speak TLS ask for the process's choice; without one they refuse to work.
    let _ = rustls::crypto::ring::default_provider().install_default();
    match run(C::parse()) {
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

/// For commands that are no servers: warnings, unless `SUREHOLD_LOG` asks for more.
pub fn log_to_stderr() {
    let asked = std::env::var("SUREHOLD_LOG").ok().and_then(|text| config::targets(&text));
    let filter = asked.unwrap_or_else(|| Targets::new().with_default(LevelFilter::WARN));
    let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
    let lines = tracing_subscriber::fmt::layer().with_ansi(colours).with_writer(std::io::stderr);
    tracing_subscriber::registry().with(lines.with_filter(filter)).init();
}
