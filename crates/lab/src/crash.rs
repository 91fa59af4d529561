//! The two ends of a crash test: a process that holds rooms until it is killed, and the reader of what it reported.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use surehold_core::kernel::commands::{CancelHold, ConvertHold, PlaceHold};
use surehold_core::kernel::{ConvertMode, HoldId, TenantId};
use surehold_engine::{Engine, EngineConfig, Failure, Store, new_hold_id};

use surehold_simulators::Dice;
use surehold_testkit::hotel::Hotel;

const CLIENTS: usize = 24;

/// Made by the parent before the first crash.
pub fn hotels() -> [Hotel; 2] {
    [1, 2].map(|tenant| Hotel { tenant: TenantId(tenant), nights: 5, rooms: 30 })
}

/// How far a hold is known to have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Report {
    /// About to be placed; nothing is known.
    Asked,
    Placed,
    /// Placed, and cancelled as far as the answer says.
    Cancelled,
    Booked,
}

impl Report {
    const ALL: [Report; 4] = [Report::Asked, Report::Placed, Report::Cancelled, Report::Booked];

    fn word(self) -> &'static str {
        match self {
            Report::Asked => "asked",
            Report::Placed => "placed",
            Report::Cancelled => "cancelled",
            Report::Booked => "booked",
        }
    }

    /// One write, so that a kill cannot tear a line that was flushed.
    pub(crate) fn tell(self, id: HoldId) -> Result<()> {
        let mut out = std::io::stdout().lock();
        out.write_all(format!("{} {id}\n", self.word()).as_bytes())?;
        Ok(out.flush()?)
    }
}

/// Reads reports up to the end; the last line may be torn.
pub fn read_reports(from: impl Read) -> Result<HashMap<HoldId, Report>> {
    let mut reports = HashMap::new();
    let mut from = BufReader::new(from);
    let mut line = String::new();
    while from.read_line(&mut line)? > 0 && line.ends_with('\n') {
        let known = line.trim_end().split_once(' ');
        let report = known.and_then(|(word, _)| Report::ALL.into_iter().find(|report| report.word() == word));
        let (Some(report), Some((_, id))) = (report, known) else { anyhow::bail!("not a report: {line:?}") };
        reports.insert(HoldId::parse(id)?, report);
        line.clear();
    }
    Ok(reports)
}

/// Ends only with an error.
pub async fn hold_forever(store: Arc<dyn Store>) -> Result<()> {
    let engine = Engine::start(store, EngineConfig::default())?;
    let mut clients = tokio::task::JoinSet::new();
    for client in 0..CLIENTS {
        let seed = client + usize::try_from(std::process::id())? * CLIENTS;
        let [first, second] = hotels();
        let hotel = if client % 2 == 0 { first } else { second };
        clients.spawn(hold_and_let_go(engine.clone(), hotel, Dice::new(seed)));
    }
    match clients.join_next().await {
        Some(ended) => ended?,
        None => Ok(()),
    }
}

async fn hold_and_let_go(engine: Engine, hotel: Hotel, mut dice: Dice) -> Result<()> {
    loop {
        let id = new_hold_id();
        Report::Asked.tell(id)?;
        match engine.run(hotel.tenant, PlaceHold::new(id, hotel.stay(&mut dice))).await {
            Ok(_) => Report::Placed.tell(id)?,
            Err(Failure::Refused(_)) => {
                tokio::time::sleep(Duration::from_millis(1)).await;
                continue;
            }
            Err(failure) => return Err(failure.into()),
        }
        // Few are booked: what is booked stays, and a full hotel places nothing.
        if dice.roll(400) == 0 {
            engine.run(hotel.tenant, ConvertHold { id, mode: ConvertMode::Book, part: None }).await?;
            Report::Booked.tell(id)?;
        } else {
            engine.run(hotel.tenant, CancelHold { id }).await?;
            Report::Cancelled.tell(id)?;
        }
    }
}
