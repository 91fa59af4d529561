//! A small hotel with more guests than rooms and a shelf of goods: what fault tests and crash tests fight over.

use anyhow::{Context, Result};
use surehold_core::kernel::commands::PutPool;
use surehold_core::kernel::{HoldPolicy, Line, Lines, PoolKey, ResourceName, Slot, Slug, TenantId};
use surehold_engine::Engine;
use surehold_simulators::Dice;

pub const STOCK_AT_FIRST: i64 = 1_000;
const STAY_NIGHTS_MAX: usize = 3;

#[derive(Clone, Debug)]
pub struct Hotel {
    pub tenant: TenantId,
    pub nights: usize,
    pub rooms: i64,
}

impl Hotel {
    /// Makes the tenant and its pools.
    pub async fn open(&self, engine: &Engine) -> Result<()> {
        let slug = Slug::new(&format!("hotel-{}", self.tenant))?;
        engine.create_tenant(slug, HoldPolicy::default(), self.tenant).await.context("cannot make the tenant")?;
        let rooms = (0..self.nights).map(|night| PutPool::new(self.room(night), self.rooms));
        let puts = rooms.chain([PutPool::new(self.stock(), STOCK_AT_FIRST)]).collect::<Result<_, _>>()?;
        for outcome in engine.run_all(self.tenant, puts).await {
            outcome.context("cannot make a pool")?;
        }
        Ok(())
    }

    pub fn room(&self, night: usize) -> PoolKey {
        let date = format!("2027-{:02}-{:02}", 1 + night / 28, 1 + night % 28);
        PoolKey { resource: resource("room"), slot: Slot::parse(&date).expect("a date") }
    }

    /// Goods: they come by deliveries and leave when they are sold.
    pub fn stock(&self) -> PoolKey {
        PoolKey { resource: resource("stock"), slot: Slot::NONE }
    }

    /// One room for one to three nights in a row.
    pub fn stay(&self, dice: &mut Dice) -> Lines {
        let nights = 1 + dice.roll(STAY_NIGHTS_MAX.min(self.nights));
        let first = dice.roll(self.nights + 1 - nights);
        one_of_each((first..first + nights).map(|night| self.room(night)))
    }
}

fn resource(name: &str) -> ResourceName {
    ResourceName::new(name).expect("a legal name")
}

pub fn one_of_each(pools: impl IntoIterator<Item = PoolKey>) -> Lines {
    let lines = pools.into_iter().map(|pool| Line { pool, quantity: 1 });
    Lines::new(lines.collect()).expect("a few different pools")
}
