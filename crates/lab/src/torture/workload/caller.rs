//! One of a crowd as a client of the API: it asks until there is an answer, at one node or another.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use surehold_simulators::Dice;

use super::front::{Ask, Front, Outcome};
use super::world::between;

/// Longer than the server's deadline: it has an answer by then.
pub(crate) const PATIENCE: Duration = Duration::from_secs(15);
const PAUSE_MILLIS_MIN: i64 = 10;
const PAUSE_MILLIS_MAX: i64 = 120;

#[derive(Debug)]
pub(crate) struct Caller {
    pub(crate) dice: Dice,
    pub(crate) front: Arc<Front>,
    /// Another one after every request without an answer.
    process: u64,
    node: usize,
}

impl Caller {
    /// What it rolls depends on seed, factor and number alone. The factor keeps the rolls of crowds apart.
    pub(crate) fn new(number: usize, seed: u64, factor: usize, front: Arc<Front>) -> Caller {
        let seed = usize::try_from(seed).unwrap_or(usize::MAX);
        Caller {
            dice: Dice::new(seed.wrapping_mul(factor).wrapping_add(number)),
            process: front.new_process(),
            node: number % front.node_count(),
            front,
        }
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.front.stop.is_cancelled()
    }

    pub(crate) async fn pause(&mut self) {
        let millis = between(&mut self.dice, PAUSE_MILLIS_MIN, PAUSE_MILLIS_MAX);
        let pause = Duration::from_millis(u64::try_from(millis).expect("not below zero"));
        let _ = self.front.stop.run_until_cancelled(tokio::time::sleep(pause)).await;
    }

    /// Every request may be repeated. `None`: the request was refused, or the run is over.
    pub(crate) async fn ask<A: Ask>(&mut self, ask: A) -> Result<Option<A::Answer>> {
        loop {
            match self.front.ask(&ask, self.process, self.node, PATIENCE).await? {
                Outcome::Ok(answer) => return Ok(Some(*answer)),
                Outcome::Refused(_) => return Ok(None),
                Outcome::Unknown(_) => self.process = self.front.new_process(),
                Outcome::TurnedAway(_) => {}
            }
            if self.is_stopped() {
                return Ok(None);
            }
            self.node = self.dice.roll(self.front.node_count());
            self.pause().await;
        }
    }
}
