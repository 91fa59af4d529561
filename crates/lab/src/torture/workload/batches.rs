//! Many commands in one request: new holds, own ones, those of others, sometimes the same twice.

use anyhow::Result;
use uuid::Uuid;

use super::told::Outcome;
use super::user::{User, hold_of};
use super::world::one_in;
use crate::torture::history::Ask;

const COMMANDS_MIN: usize = 2;
const COMMANDS_MAX: usize = 20;
/// As many repeats as a batch without an answer gets; what is still unknown then is left to the auditor.
const REPEATS_MAX: usize = 6;

impl User {
    pub(super) async fn ask_many(&mut self) -> Result<()> {
        // Small ones more often: a large one has a taste for everything that is left.
        let commands_max = if one_in(&mut self.dice, 5) { COMMANDS_MAX } else { 6 };
        let count = COMMANDS_MIN + self.dice.roll(commands_max + 1 - COMMANDS_MIN);
        let mut asks: Vec<Ask> = Vec::with_capacity(count);
        while asks.len() < count {
            let ask = self.command(&asks);
            asks.push(ask);
        }
        // What was refused the first time may be had the second time.
        for _ in 0..if one_in(&mut self.dice, 8) { 2 } else { 1 } {
            let told = self.batch_until_known(&asks).await?;
            for (ask, told) in asks.iter().zip(&told) {
                self.learn(ask, told);
            }
        }
        for hold in placed(&asks) {
            if one_in(&mut self.dice, 4) {
                self.post(hold);
            }
        }
        Ok(())
    }

    fn command(&mut self, before: &[Ask]) -> Ask {
        let own = self.live.len();
        match self.dice.roll(10) {
            0..3 if own > 0 => {
                let held = self.live[self.dice.roll(own)].clone();
                match self.dice.roll(3) {
                    0 => Ask::Cancel { hold: held.hold },
                    1 => self.conversion(held.hold, &held.lines),
                    _ => self.extend_until(held.hold, held.expires_at),
                }
            }
            // One that this very batch places.
            3..6 => match placed(before).last() {
                Some(hold) if one_in(&mut self.dice, 3) => Ask::Convert { hold, consume: false, part: None },
                Some(hold) => Ask::Cancel { hold },
                None => self.wish(),
            },
            6 => match self.around.board.fresh(&mut self.dice) {
                Some(posted) => Ask::Cancel { hold: posted.hold },
                None => self.wish(),
            },
            _ => self.wish(),
        }
    }

    /// The whole batch again as long as nobody knows what became of a part of it.
    async fn batch_until_known(&mut self, asks: &[Ask]) -> Result<Vec<Outcome>> {
        let mut told = self.asker.ask_batch(asks, self.node).await?;
        self.catch_breath(worst(&told)).await;
        for _ in 0..REPEATS_MAX {
            let unknown = told.iter().any(|told| matches!(told, Outcome::Unknown(_)));
            if !unknown || self.is_stopped() {
                break;
            }
            for ask in asks {
                self.not_alone(hold_of(ask));
            }
            let again = self.asker.ask_batch(asks, self.node).await?;
            self.catch_breath(worst(&again)).await;
            for (known, again) in told.iter_mut().zip(again) {
                // To be turned away says nothing about the first request.
                if matches!(known, Outcome::Unknown(_)) && matches!(again, Outcome::Ok(_) | Outcome::Refused(_)) {
                    *known = again;
                }
            }
        }
        Ok(told)
    }
}

fn placed(asks: &[Ask]) -> impl Iterator<Item = Uuid> {
    asks.iter().filter_map(|ask| match ask {
        Ask::Place { hold, .. } => Some(*hold),
        Ask::Extend { .. }
        | Ask::Convert { .. }
        | Ask::Cancel { .. }
        | Ask::Move { .. }
        | Ask::GiveBack { .. }
        | Ask::PutPool { .. }
        | Ask::Adjust { .. }
        | Ask::ReadHold { .. }
        | Ask::ReadPool { .. }
        | Ask::ExpireTask { .. }
        | Ask::ChargeTask { .. } => None,
    })
}

/// What says most about the node that was asked.
fn worst(told: &[Outcome]) -> &Outcome {
    let poor = |told: &&Outcome| matches!(told, Outcome::TurnedAway(_) | Outcome::Unknown(_));
    told.iter().find(poor).unwrap_or(&told[0])
}
