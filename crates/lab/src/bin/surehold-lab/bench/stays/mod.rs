//! `surehold-lab bench stays`: this process is the load generator and the textbook's client, the server is its child.

mod cases;

use std::path::PathBuf;

use anyhow::{Result, bail, ensure};
use clap::{Args, ValueEnum};
use surehold_lab::bench::stays::BenchHotel;
use tokio::signal::unix::{SignalKind, signal};

use super::report::Report;
use super::servers::Server;
use super::stores::StoreKind;
use super::timing::Timing;

/// Everything is on: keys, metrics, journal, idempotency by id, full durability.
#[derive(Args)]
pub(crate) struct Stays {
    /// What to measure; everything by default
    #[arg(long, value_enum)]
    case: Vec<Case>,
    #[arg(long, value_enum, default_value = "sqlite")]
    store: StoreKind,
    /// The Postgres database: an empty one, it keeps what is measured
    #[arg(long)]
    url: Option<String>,
    /// The folder whose disk is measured, and where the data folder is put
    #[arg(long, default_value = ".")]
    dir: PathBuf,
    #[command(flatten)]
    timing: Timing,
    /// Guests who hold rooms, each waiting for the answer before the next; quotes and calendars are asked for one at a time
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    clients: u32,
    /// Room types that are quoted; all holds are for the cheapest one
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100))]
    room_types: u32,
    /// Rate plans of each room type
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=9))]
    rate_plans: u32,
    /// Nights of each quote
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=90))]
    quote_nights: u32,
    /// Nights of each hold
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=90))]
    nights: u32,
    /// Room types of the calendar
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100))]
    calendar_room_types: u32,
    /// Nights of the calendar
    #[arg(long, default_value_t = 365, value_parser = clap::value_parser!(u32).range(1..=400))]
    calendar_nights: u32,
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Case {
    /// Quotes over all room types and plans
    Quotes,
    /// The calendar of a larger hotel
    Calendar,
    /// Holds from quotes that were made beforehand, each used once; the rival is the textbook's transaction on
    /// the same Postgres, without HTTP
    Holds,
}

impl Stays {
    pub(crate) async fn run(self) -> Result<()> {
        // Dropping the measurement ends the server; leaving without that would not.
        let mut terminated = signal(SignalKind::terminate())?;
        tokio::select! {
            done = self.measure() => done,
            _ = tokio::signal::ctrl_c() => bail!("interrupted; the server is stopped"),
            _ = terminated.recv() => bail!("terminated; the server is stopped"),
        }
    }

    async fn measure(&self) -> Result<()> {
        let server = Server::serve(&self.dir, self.postgres()?).await?;
        let mut report = Report::new("stays").field("store", self.store.name());
        let nights = self.quote_nights.max(self.nights) + 1;
        let hotel = BenchHotel::new("inn", self.room_types, self.rate_plans, nights).endless();
        if self.measures(Case::Quotes) || self.measures(Case::Holds) {
            hotel.open(&server.target).await?;
        }
        if self.measures(Case::Quotes) {
            report.add(self.quotes(&server, &hotel).await?);
        }
        if self.measures(Case::Calendar) {
            report.add(self.calendar(&server).await?);
        }
        if self.measures(Case::Holds) {
            report.add(self.holds(&server, &hotel).await?);
        }
        report.print(self.json)
    }

    fn measures(&self, case: Case) -> bool {
        self.case.is_empty() || self.case.contains(&case)
    }

    fn postgres(&self) -> Result<Option<&str>> {
        let needed = self.store == StoreKind::Postgres;
        ensure!(
            needed == self.url.is_some(),
            "--store postgres needs --url postgres://user@host/database (an empty database), and no other store does"
        );
        Ok(self.url.as_deref())
    }
}
