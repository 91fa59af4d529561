//! Several on one hold: at the instant of its expiry, behind another's back, with two minds at once, or with the key of
//! another tenant.

use anyhow::Result;

use super::told::{Asked, Outcome};
use super::user::User;
use super::world::{between, one_in};
use crate::torture::history::Ask;

/// How far ahead clients agree to meet.
const AHEAD_MICROS: i64 = 250_000;
/// How far around the instant they strike.
const AROUND_MILLIS: i64 = 30;

impl User {
    /// Waits for the expiry of a hold that others wait for too, and strikes around that instant.
    pub(super) async fn meet_at_expiry(&mut self) -> Result<()> {
        let now = self.around.board.clock();
        let Some(posted) = self.around.board.expiring(now, now + AHEAD_MICROS) else { return self.place().await };
        let strike_at = posted.expires_at + 1_000 * between(&mut self.dice, -AROUND_MILLIS, AROUND_MILLIS);
        self.pause((strike_at - self.around.board.clock()) / 1_000).await;
        let asked = match self.dice.roll(12) {
            0..3 => Asked::new(Ask::Cancel { hold: posted.hold }),
            3..6 => Asked::new(self.conversion(posted.hold, &posted.lines)),
            6..8 => Asked::new(self.extend_until(posted.hold, posted.expires_at)),
            8..10 => {
                let by_secs = Some(1);
                Asked::under(self.new_key(), Ask::Extend { hold: posted.hold, until: None, by_secs })
            }
            10 => Asked::new(self.expire_task(posted.hold)),
            _ => Asked::new(Ask::ReadHold { hold: posted.hold }),
        };
        self.carry(asked).await?;
        // Extended: the fight goes on at its new end.
        self.post(posted.hold);
        Ok(())
    }

    /// Acts on a hold that another has just placed.
    pub(super) async fn take_from_another(&mut self) -> Result<()> {
        let Some(posted) = self.around.board.fresh(&mut self.dice) else { return self.place().await };
        let ask = match self.dice.roll(4) {
            0 => Ask::Cancel { hold: posted.hold },
            1 | 2 => self.conversion(posted.hold, &posted.lines),
            _ => self.extend_until(posted.hold, posted.expires_at),
        };
        self.carry(Asked::new(ask)).await.map(drop)
    }

    /// Asks for what is another tenant's, or would be: something that was done, something to be seen, something new.
    pub(super) async fn intrude(&mut self) -> Result<()> {
        let pool = self.around.world.pick(&mut self.dice).name.clone();
        let old = self.something_old();
        let asked = match (self.dice.roll(4), old) {
            (0 | 1, Some(asked)) => asked,
            (2, _) => Asked::new(Ask::ReadPool { pool }),
            _ => Asked::new(self.wish()),
        };
        self.asker.ask_as_stranger(&asked, self.node).await
    }

    /// Says two different things about an own hold at once, at two nodes: at most one of them ends it.
    pub(super) async fn duel(&mut self) -> Result<()> {
        let count = self.live.len();
        if count == 0 {
            return self.place().await;
        }
        let held = self.live[self.dice.roll(count)].clone();
        let one = Asked::new(self.conversion(held.hold, &held.lines));
        let two = match self.dice.roll(4) {
            0 => Asked::new(self.conversion(held.hold, &held.lines)),
            1 => Asked::new(self.extend_until(held.hold, held.expires_at)),
            _ => Asked::new(Ask::Cancel { hold: held.hold }),
        };
        let other = self.dice.roll(self.around.office.node_count());
        let swapped = one_in(&mut self.dice, 2);
        let (first, second) = if swapped { (&two, &one) } else { (&one, &two) };
        let told = tokio::join!(self.asker.ask(first, self.node), self.asker.ask(second, other));
        let (first_told, second_told) = (told.0?, told.1?);
        let first_told = self.settle(first, first_told).await?;
        let second_told = self.settle(second, second_told).await?;
        // The one who lost knows less: what the winner was told counts.
        let refused = |told: &Outcome| matches!(told, Outcome::Refused(_));
        let (lost, won) = if refused(&first_told) {
            ((first, &first_told), (second, &second_told))
        } else {
            ((second, &second_told), (first, &first_told))
        };
        self.learn(&lost.0.ask, lost.1);
        self.learn(&won.0.ask, won.1);
        Ok(())
    }
}
