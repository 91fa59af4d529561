//! `surehold-lab torture`: starts servers of its own, harms them while clients ask, and proves what became of every request.
//!
//! `run.rs` puts a run together; `goals.rs` says what it must reach; `folder.rs`, `progress.rs` and `page.rs` are what
//! the user sees of it.

mod findings;
mod folder;
mod goals;
mod page;
mod progress;
mod run;
mod told;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use surehold_lab::torture::environment::{FaultList, Possible};
use surehold_testkit::fixture::StoreKind;

/// Harm servers of its own while clients ask, and prove that nothing was lost, doubled or sold twice
///
/// Exits with 1 if something was found that must not be, and with 2 if it could not run.
#[derive(Args, Clone, Debug)]
pub(crate) struct Torture {
    /// What the servers keep their data in; Postgres is a private one
    #[arg(long, value_enum)]
    store: Store,
    /// How long clients ask and faults come; longer if faults were asked for that did not come yet
    #[arg(long, default_value_t = 5.0, value_parser = minutes)]
    minutes: f64,
    /// Requests at the least that are not turned away; clients go on without faults until then, for as long again at most
    #[arg(long, default_value_t = 0, value_name = "NUMBER")]
    operations: u64,
    /// Decides what clients do and which faults come when [default: another one each time]
    #[arg(long)]
    seed: Option<u64>,
    /// Clients at once
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    clients: u32,
    /// Which faults, each with the least number if wanted, as in kill=50,freeze=5,stop [default: all that are possible]
    #[arg(long, value_name = "LIST")]
    faults: Option<FaultList>,
    /// For the history, the logs and the report [default: surehold-torture/STORE-SEED]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Store {
    Sqlite,
    Postgres,
}

impl Store {
    fn name(self) -> &'static str {
        match self {
            Store::Sqlite => "sqlite",
            Store::Postgres => "postgres",
        }
    }

    fn kind(self) -> StoreKind {
        match self {
            Store::Sqlite => StoreKind::Sqlite,
            Store::Postgres => StoreKind::Postgres,
        }
    }

    /// How soon a killed server should answer a write again.
    fn recovery_goal(self) -> Duration {
        match self {
            Store::Sqlite => Duration::from_secs(1),
            Store::Postgres => Duration::from_secs(3),
        }
    }
}

fn minutes(text: &str) -> Result<f64, String> {
    let minutes: f64 = text.parse().map_err(|_| "it is not a number".to_owned())?;
    let right = minutes > 0.0 && minutes <= 7.0 * 24.0 * 60.0;
    right.then_some(minutes).ok_or_else(|| "it must be more than 0, and a week at most".to_owned())
}

/// What is about to happen.
#[derive(Clone, Debug)]
struct Plan {
    store: Store,
    duration: Duration,
    operations: u64,
    seed: u64,
    clients: usize,
    possible: Possible,
    folder: PathBuf,
}

const VIOLATED: u8 = 1;
const COULD_NOT_RUN: u8 = 2;

impl Torture {
    pub(crate) fn run(&self) -> ExitCode {
        let ran = self.plan().and_then(|plan| {
            let runtime = tokio::runtime::Runtime::new()?;
            runtime.block_on(run::run(plan))
        });
        match ran {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::from(VIOLATED),
            Err(error) => {
                eprintln!("error: {error:#}");
                ExitCode::from(COULD_NOT_RUN)
            }
        }
    }

    fn plan(&self) -> Result<Plan> {
        let wanted = self.faults.clone().unwrap_or_else(FaultList::all);
        let possible = Possible::of(&wanted, self.store.kind());
        for (kind, reason) in &possible.impossible {
            let least = wanted.0.get(kind).copied().unwrap_or(0);
            ensure!(least == 0, "{kind} is not possible here: {reason}");
        }
        // The least significant half of a random number of twice the size.
        let (_, random) = uuid::Uuid::new_v4().as_u64_pair();
        // Short enough to be typed again.
        let seed = self.seed.unwrap_or(random % 1_000_000);
        let folder = self.folder.clone();
        Ok(Plan {
            store: self.store,
            duration: Duration::from_secs_f64(self.minutes * 60.0),
            operations: self.operations,
            seed,
            clients: usize::try_from(self.clients)?,
            possible,
            folder: folder.unwrap_or_else(|| format!("surehold-torture/{}-{seed}", self.store.name()).into()),
        })
    }
}

impl Plan {
    /// What to type to do the same again.
    fn command_line(&self) -> String {
        let Plan { store, duration, operations, seed, clients, possible, .. } = self;
        let minutes = duration.as_secs_f64() / 60.0;
        let operations = if *operations > 0 { format!(" --operations {operations}") } else { String::new() };
        format!(
            "surehold-lab torture --store {} --minutes {minutes}{operations} --seed {seed} --clients {clients} --faults {}",
            store.name(),
            possible.faults
        )
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Words {
        #[command(flatten)]
        torture: Torture,
    }

    #[test]
    fn the_command_line_says_it_all() {
        let check = |typed: &str, expected: &str| {
            let words = typed.split_whitespace();
            let plan = Words::try_parse_from(words).unwrap().torture.plan().unwrap();
            assert_eq!(plan.command_line(), format!("surehold-lab torture {expected}"));
        };
        let all = "--store sqlite --minutes 1.5 --operations 30000 --seed 5 --clients 24 --faults kill=3,stop";
        check(&format!("x {all}"), all);
        let some = "--store sqlite --minutes 5 --seed 7 --clients 16 --faults none";
        check("x --store sqlite --seed 7 --faults none", some);
    }
}
