//! The textbook's transaction, measured with as many clients as ours and with as many as suit it best.

use std::time::Duration;

use anyhow::Result;
use surehold_lab::bench::Measured;

use super::figures::Rounds;

/// Some transactions per second with a number of clients.
pub(super) trait Textbook {
    async fn run(&mut self, clients: usize, duration: Duration) -> Result<Measured>;
}

pub(super) struct Rival<T> {
    textbook: T,
    clients: usize,
    best_clients: usize,
    same: Rounds,
    best: Rounds,
}

/// What was measured with a number of clients.
pub(super) struct RivalSide {
    pub(super) clients: usize,
    pub(super) rounds: Rounds,
}

impl<T: Textbook> Rival<T> {
    pub(super) fn new(textbook: T, clients: usize) -> Rival<T> {
        Rival { textbook, clients, best_clients: clients, same: Rounds::default(), best: Rounds::default() }
    }

    /// Measures each of these numbers of clients once, for `duration`.
    pub(super) async fn find_best(&mut self, tried: &[usize], duration: Duration) -> Result<()> {
        let mut best_rate = 0.0;
        for clients in tried.iter().copied().chain([self.clients]) {
            let rate = self.textbook.run(clients, duration).await?.rate_per_s();
            if rate > best_rate {
                (best_rate, self.best_clients) = (rate, clients);
            }
        }
        Ok(())
    }

    /// One round with as many clients as ours, one with the best number.
    pub(super) async fn measure(&mut self, duration: Duration) -> Result<()> {
        self.same.add(&self.textbook.run(self.clients, duration).await?);
        self.best.add(&self.textbook.run(self.best_clients, duration).await?);
        Ok(())
    }

    /// With as many clients as ours, and with the best number.
    pub(super) fn sides(self) -> [RivalSide; 2] {
        [
            RivalSide { clients: self.clients, rounds: self.same },
            RivalSide { clients: self.best_clients, rounds: self.best },
        ]
    }
}
