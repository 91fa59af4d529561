//! The commands that speak the API: each builds requests and shows the answers. Nothing is decided here; what is
//! refused is refused by the API.
//!
//! Data goes to standard output, everything else to standard error. `screen.rs` and `view.rs` know how things look.

mod availability;
mod case;
mod completions;
mod csv_file;
mod decimal;
mod desk;
mod epoch;
mod events;
mod explain;
mod hints;
mod hold;
mod hold_actions;
mod input;
mod key;
mod migrate;
mod money;
mod op;
mod op_view;
mod pool;
mod pool_put;
mod problem;
mod schedule;
mod screen;
mod show;
mod stay;
mod stock;
mod tenant;
mod timeline_view;
mod typed;
mod view;
mod webhook;

use std::io::Write;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use surehold_engine::block_on;

use crate::client::{Client, ClientError, ConnectionArgs, Purpose};
use desk::Desk;
use hints::Hints;
use screen::Screen;

pub(crate) use completions::Completions;
pub(crate) use migrate::Migrate;
pub(crate) use problem::ProblemPage;

/// What every one of these commands takes.
#[derive(Args, Clone, Debug)]
pub(crate) struct Common {
    /// The API's JSON instead of text, on standard output; problems as JSON on standard error
    #[arg(long, global = true, display_order = 900)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArgs,
}

/// Commands that ask the API, a line each.
macro_rules! api_commands {
    ($($name:ident($command:ty)),* $(,)?) => {
        #[derive(Subcommand)]
        pub(crate) enum ApiCommand {
            $($name(Box<$command>)),*
        }

        impl ApiCommand {
            pub(crate) fn run(&self) -> ExitCode {
                match self { $(ApiCommand::$name(command) => run(command.as_ref())),* }
            }
        }

        const HINTS: &[&Hints] = &[$(&<$command as Act>::HINTS),*];
    };
}

api_commands! {
    Tenant(tenant::TenantCommand),
    Key(key::KeyCommand),
    Pool(pool::PoolCommand),
    Availability(availability::Availability),
    Hold(hold::HoldCommand),
    Stay(stay::StayCommand),
    Stock(stock::StockCommand),
    Schedule(schedule::ScheduleCommand),
    Events(events::Events),
    Op(op::OpCommand),
    Case(case::CaseCommand),
    Epoch(epoch::EpochCommand),
    Explain(explain::Explain),
    Webhook(webhook::WebhookCommand),
}

/// A command with actions on the data of a tenant. An action is the `run` of its arguments, or a function of them.
macro_rules! actions {
    (
        $(#[$about:meta])* $command:ident:
        $($(#[$attribute:meta])* $name:ident($arguments:ty) $(=> $file:ident::$function:ident $(($($more:expr),*))?)?),* $(,)?
    ) => {
        $(#[$about])*
        #[derive(clap::Args)]
        pub(crate) struct $command {
            #[command(subcommand)]
            action: Action,
            #[command(flatten)]
            mode: $crate::commands::input::TestMode,
            #[command(flatten)]
            common: $crate::commands::Common,
        }

        #[derive(clap::Subcommand)]
        enum Action {
            $($(#[$attribute])* $name($arguments)),*
        }

        impl $crate::commands::Act for $command {
            const HINTS: $crate::commands::hints::Hints = hints::HINTS;

            fn common(&self) -> &$crate::commands::Common {
                &self.common
            }

            fn test(&self) -> bool {
                self.mode.test
            }

            async fn act(&self, desk: $crate::commands::Desk<'_>) -> Result<(), $crate::client::ClientError> {
                match &self.action {
                    $(Action::$name(arguments) => {
                        $crate::commands::actions!(@call arguments, desk $(, $file::$function $(($($more),*))?)?).await
                    })*
                }
            }
        }
    };
    (@call $arguments:ident, $desk:ident) => { $arguments.run($desk) };
    (@call $arguments:ident, $desk:ident, $file:ident::$function:ident $(($($more:expr),*))?) => {
        $file::$function($arguments, $desk $($(, $more)*)?)
    };
}

pub(crate) use actions;

/// A command that asks the API.
trait Act {
    /// What it says of problems that it knows better than others.
    const HINTS: Hints = Hints::NONE;

    fn common(&self) -> &Common;

    fn purpose(&self) -> Purpose {
        Purpose::Use
    }

    /// Whether it works on the data of a tenant's test twin.
    fn test(&self) -> bool {
        false
    }

    async fn act(&self, desk: Desk<'_>) -> Result<(), ClientError>;
}

fn run(command: &impl Act) -> ExitCode {
    let json = command.common().json;
    let ran = tokio::runtime::Runtime::new().map_err(ClientError::Runtime).and_then(|runtime| {
        let ran = block_on(&runtime, act(command));
        // A stream that was left open must not keep the process.
        runtime.shutdown_background();
        ran
    });
    finish(ran, json)
}

fn finish(ran: Result<(), ClientError>, json: bool) -> ExitCode {
    let Err(error) = ran else { return ExitCode::SUCCESS };
    // Nobody is left to be told if this fails.
    let _ = std::io::stderr().write_all(error.said(json, hints::hint_for).as_bytes());
    error.exit_code()
}

async fn act(command: &impl Act) -> Result<(), ClientError> {
    let client = Client::connect(&command.common().connection, command.purpose()).await?;
    let desk = Desk::new(&client, Screen::new(command.common().json), command.test());
    let ran = tokio::select! {
        ran = command.act(desk) => ran,
        _ = tokio::signal::ctrl_c() => Err(ClientError::Interrupted),
    };
    // Also after an interruption: what the engine has begun it finishes. Who interrupts again insists.
    tokio::select! {
        () = client.close() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
    ran
}
