//! Sells rooms and goods on a file, in a few lives with an orderly end, and tells every answer as it comes.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use surehold_core::kernel::commands::{CancelHold, ConvertHold, PlaceHold};
use surehold_core::kernel::{ConvertMode, TenantId};
use surehold_engine::{Engine, EngineConfig, Failure, new_hold_id};
use surehold_sqlite::SqliteStore;

use crate::crash::Report;
use surehold_simulators::Dice;
use surehold_testkit::hotel::{Hotel, one_of_each};

const CLIENTS: usize = 8;

pub fn hotels() -> [Hotel; 2] {
    [1, 2].map(|tenant| Hotel { tenant: TenantId(tenant), nights: 6, rooms: 300 })
}

/// How much is sold: each client does so many rounds in each life.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub seed: usize,
    pub lives: usize,
    pub rounds: usize,
}

pub async fn sell(file: &Path, plan: Plan) -> Result<()> {
    for life in 0..plan.lives {
        let store = Arc::new(SqliteStore::open(file)?);
        let config =
            EngineConfig { sweep_pause: None, schedule_pause: None, outbox_pause: None, ..EngineConfig::default() };
        let engine = Engine::start(store, config)?;
        let mut clients = tokio::task::JoinSet::new();
        for hotel in hotels() {
            if life == 0 {
                hotel.open(&engine).await?;
            }
            for client in 0..CLIENTS {
                let dice = Dice::new(plan.seed + (life * CLIENTS + client) * 2 + usize::try_from(hotel.tenant.0)?);
                clients.spawn(sell_rounds(engine.clone(), hotel.clone(), dice, plan.rounds));
            }
        }
        for ended in clients.join_all().await {
            ended?;
        }
        engine.stop().await;
    }
    Ok(())
}

async fn sell_rounds(engine: Engine, hotel: Hotel, mut dice: Dice, rounds: usize) -> Result<()> {
    for _ in 0..rounds {
        let id = new_hold_id();
        let goods = dice.roll(4) == 0;
        let lines = if goods { one_of_each([hotel.stock()]) } else { hotel.stay(&mut dice) };
        Report::Asked.tell(id)?;
        match engine.run(hotel.tenant, PlaceHold::new(id, lines)).await {
            Ok(_) => Report::Placed.tell(id)?,
            Err(Failure::Refused(_)) => continue,
            Err(failure) => return Err(failure.into()),
        }
        match dice.roll(4) {
            0 => {}
            1 => {
                let mode = if goods { ConvertMode::Consume } else { ConvertMode::Book };
                engine.run(hotel.tenant, ConvertHold { id, mode, part: None }).await?;
                Report::Booked.tell(id)?;
            }
            _ => {
                engine.run(hotel.tenant, CancelHold { id }).await?;
                Report::Cancelled.tell(id)?;
            }
        }
    }
    Ok(())
}
