//! What is done beside selling: totals are lowered under promises and raised again, goods are delivered, tasks too;
//! somebody looks, somebody uses an identity twice.

use std::sync::Arc;

use anyhow::Result;
use uuid::Uuid;

use super::told::{Asked, Outcome};
use super::user::User;
use super::world::{Kind, STOCK, between, one_in};
use crate::torture::history::{Answer, Ask, PoolSeen, Units};

impl User {
    /// Takes away what was promised, or closes a pool, or changes it only as it was seen.
    pub(super) async fn disturb(&mut self) -> Result<()> {
        let world = Arc::clone(&self.around.world);
        let plan = world.pick(&mut self.dice);
        if plan.kind == Kind::Stock {
            return self.deliver_stock().await;
        }
        let pool = plan.name.clone();
        let fewer = (plan.total - between(&mut self.dice, 1, 4)).max(0);
        let put = |total: Option<i64>, closed: Option<bool>, expected_version: Option<i64>| Ask::PutPool {
            pool: pool.clone(),
            total,
            closed,
            expected_version,
        };
        let asked = match self.dice.roll(8) {
            0..3 => Asked::new(put(Some(fewer), None, None)),
            3 => Asked::new(put(None, Some(true), None)),
            4 | 5 => {
                let total_delta = between(&mut self.dice, -2, 2);
                Asked::under(self.new_key(), Ask::Adjust { pool: pool.clone(), total_delta })
            }
            _ => match self.read_pool(&pool).await? {
                Some(seen) => Asked::new(put(Some(fewer), None, Some(seen.version))),
                None => return Ok(()),
            },
        };
        self.carry(asked).await?;
        self.disturbed.push(pool);
        Ok(())
    }

    /// As it was planned to be.
    pub(super) async fn put_right(&mut self) -> Result<()> {
        let Some(pool) = self.disturbed.pop() else { return Ok(()) };
        let total = self.around.world.pool(&pool).map(|plan| plan.total);
        let put = Asked::new(Ask::PutPool { pool: pool.clone(), total, closed: Some(false), expected_version: None });
        if !matches!(self.carry(put).await?, Outcome::Ok(_)) {
            self.disturbed.push(pool);
        }
        Ok(())
    }

    /// Looks at the shelf and fills it up to where it was at first.
    pub(super) async fn deliver_stock(&mut self) -> Result<()> {
        self.stock_is_short = false;
        let Some(seen) = self.read_pool(STOCK).await? else { return Ok(()) };
        let full = self.around.world.pool(STOCK).map_or(0, |plan| plan.total);
        let total_delta = full - seen.total + between(&mut self.dice, -5, 5);
        let asked = Asked::under(self.new_key(), Ask::Adjust { pool: STOCK.to_owned(), total_delta });
        self.carry(asked).await.map(drop)
    }

    async fn read_pool(&mut self, pool: &str) -> Result<Option<PoolSeen>> {
        match self.ask(&Asked::new(Ask::ReadPool { pool: pool.to_owned() })).await? {
            Outcome::Ok(Answer::Pool { pool, .. }) => Ok(Some(pool)),
            Outcome::Ok(Answer::Hold { .. } | Answer::Absent | Answer::Task { .. })
            | Outcome::Refused(_)
            | Outcome::TurnedAway(_)
            | Outcome::Unknown(_) => Ok(None),
        }
    }

    pub(super) async fn look(&mut self) -> Result<()> {
        let known: Vec<Uuid> =
            self.live.iter().map(|held| held.hold).chain(self.booked.iter().map(|b| b.hold)).collect();
        if known.is_empty() || one_in(&mut self.dice, 2) {
            let pool = self.around.world.pick(&mut self.dice).name.clone();
            return self.read_pool(&pool).await.map(drop);
        }
        let hold = known[self.dice.roll(known.len())];
        // Now and then one that never was.
        let hold = if one_in(&mut self.dice, 20) { self.new_id() } else { hold };
        self.look_at(hold).await
    }

    async fn look_at(&mut self, hold: Uuid) -> Result<()> {
        let asked = Asked::new(Ask::ReadHold { hold });
        let told = self.ask(&asked).await?;
        self.learn(&asked.ask, &told);
        Ok(())
    }

    /// Nobody knows what became of it: whoever finds it booked gives it back in time.
    pub(super) async fn look_after_a_lost_one(&mut self) -> Result<()> {
        match self.around.board.find() {
            Some(hold) => self.look_at(hold).await,
            None => self.place().await,
        }
    }

    pub(super) fn expire_task(&mut self, hold: Uuid) -> Ask {
        Ask::ExpireTask { task: format!("t-{}", self.new_id().simple()), hold }
    }

    /// A task, often delivered twice.
    pub(super) async fn deliver_task(&mut self) -> Result<()> {
        let ask = if self.around.charges && one_in(&mut self.dice, 2) {
            let id = self.new_id().simple();
            let amount = between(&mut self.dice, 1, 500);
            Ask::ChargeTask { task: format!("t-{id}"), purchase: format!("p-{id}"), amount }
        } else {
            let posted = self.around.board.fresh(&mut self.dice).map(|posted| posted.hold);
            let Some(hold) = self.live.first().map(|held| held.hold).or(posted) else { return self.place().await };
            self.expire_task(hold)
        };
        let asked = Asked::new(ask);
        self.carry(asked.clone()).await?;
        if one_in(&mut self.dice, 2) {
            self.ask(&asked).await?;
        }
        Ok(())
    }

    /// Says something else under an identity that is taken.
    pub(super) async fn misuse(&mut self) -> Result<()> {
        let Some(asked) = self.something_old() else { return self.place().await };
        let Some(ask) = self.something_else(&asked) else { return self.look().await };
        // Nothing comes of it, so there is nothing to learn.
        self.ask(&Asked { ask, booked_before: None, ..asked }).await.map(drop)
    }

    /// The same kind of request about the same hold with another content, where the identity forbids it.
    fn something_else(&mut self, asked: &Asked) -> Option<Ask> {
        let more = |lines: &Units| lines.iter().map(|(name, quantity)| (name.clone(), quantity + 1)).collect();
        match (&asked.ask, &asked.key) {
            (Ask::Place { hold, lines, lifetime_secs, owner }, _) => {
                let (lifetime_secs, owner) = (*lifetime_secs, owner.clone());
                Some(Ask::Place { hold: *hold, lines: more(lines), lifetime_secs, owner })
            }
            (Ask::Extend { hold, by_secs: Some(secs), .. }, Some(_)) => {
                Some(Ask::Extend { hold: *hold, until: None, by_secs: Some(secs + 1) })
            }
            (Ask::Move { hold, from, to }, Some(_)) => Some(Ask::Move { hold: *hold, from: more(from), to: more(to) }),
            (Ask::GiveBack { hold, part: Some(part) }, Some(_)) => {
                Some(Ask::GiveBack { hold: *hold, part: Some(more(part)) })
            }
            (Ask::Adjust { pool, total_delta }, Some(_)) => {
                Some(Ask::Adjust { pool: pool.clone(), total_delta: total_delta + 1 })
            }
            (Ask::Cancel { .. }, Some(_)) => Some(Ask::Cancel { hold: self.new_id() }),
            (
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
                | Ask::ChargeTask { .. },
                _,
            ) => None,
        }
    }
}
