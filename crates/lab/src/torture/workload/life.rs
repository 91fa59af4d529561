//! The life of a hold in the hands of one client: place, extend, convert or cancel; then move and give back.

use std::sync::Arc;

use anyhow::Result;
use uuid::Uuid;

use super::told::{Asked, Outcome};
use super::user::{Booked, Held, SCARCE, User};
use super::world::{STOCK, between, one_in};
use crate::torture::history::{Ask, Units};

const OWNERS: usize = 2;

impl User {
    /// Once, without tricks: the request depends on the seed alone.
    pub(super) async fn place_plainly(&mut self) -> Result<()> {
        let asked = Asked::new(self.wish());
        let told = self.ask(&asked).await?;
        self.learn(&asked.ask, &told);
        Ok(())
    }

    pub(super) async fn place(&mut self) -> Result<()> {
        let ask = self.wish();
        let Ask::Place { hold, .. } = ask else { unreachable!("a wish is to place") };
        let asked = if one_in(&mut self.dice, 10) { Asked::under(self.new_key(), ask) } else { Asked::new(ask) };
        if let Outcome::Ok(_) = self.carry(asked).await? {
            match self.dice.roll(6) {
                // Everybody may come for it now.
                0 | 1 => self.post(hold),
                // Left alone, but not by the others: at its expiry they meet. Not where little is left.
                2 if self.scarcity < SCARCE => {
                    self.post(hold);
                    self.live.retain(|held| held.hold != hold);
                }
                _ => self.keep_private(hold),
            }
        }
        Ok(())
    }

    pub(super) fn wish(&mut self) -> Ask {
        let world = Arc::clone(&self.around.world);
        let lines = world.wish(&mut self.dice, self.scarcity > SCARCE);
        let patient = one_in(&mut self.dice, 5) && self.scarcity < SCARCE;
        let (secs_min, secs_max) = if patient { (3, 20) } else { (1, 2) };
        let lifetime_secs = between(&mut self.dice, secs_min, secs_max);
        let owner = one_in(&mut self.dice, 5).then(|| format!("desk-{}", self.dice.roll(OWNERS)));
        Ask::Place { hold: self.new_id(), lines, lifetime_secs: Some(lifetime_secs), owner }
    }

    fn some_live(&mut self) -> Option<Held> {
        let count = self.live.len();
        (count > 0).then(|| self.live[self.dice.roll(count)].clone())
    }

    fn some_booked(&mut self) -> Option<Booked> {
        let count = self.booked.len();
        (count > 0).then(|| self.booked[self.dice.roll(count)].clone())
    }

    pub(super) async fn extend(&mut self) -> Result<()> {
        let Some(held) = self.some_live() else { return self.place().await };
        let asked = if one_in(&mut self.dice, 2) {
            let by_secs = Some(between(&mut self.dice, 1, 3));
            Asked::under(self.new_key(), Ask::Extend { hold: held.hold, until: None, by_secs })
        } else {
            Asked::new(self.extend_until(held.hold, held.expires_at))
        };
        self.carry(asked).await.map(drop)
    }

    /// A little later than it expires, now and then earlier, which changes nothing.
    pub(super) fn extend_until(&mut self, hold: Uuid, expires_at: i64) -> Ask {
        let until = expires_at + 1_000 * between(&mut self.dice, -200, 3_000);
        let until = jiff::Timestamp::from_microsecond(until).expect("an instant of these years");
        Ask::Extend { hold, until: Some(until.to_string()), by_secs: None }
    }

    pub(super) async fn convert(&mut self) -> Result<()> {
        let Some(held) = self.some_live() else { return self.place().await };
        let ask = self.conversion(held.hold, &held.lines);
        let asked = if one_in(&mut self.dice, 6) { Asked::under(self.new_key(), ask) } else { Asked::new(ask) };
        self.carry(asked).await.map(drop)
    }

    /// Goods leave the shelf, the rest is booked; sometimes only a part of it.
    pub(super) fn conversion(&mut self, hold: Uuid, lines: &Units) -> Ask {
        let goods = lines.keys().all(|name| name == STOCK);
        let part = one_in(&mut self.dice, 3).then(|| self.part_of(lines));
        Ask::Convert { hold, consume: goods && !one_in(&mut self.dice, 10), part }
    }

    /// At least a unit of one line.
    pub(super) fn part_of(&mut self, lines: &Units) -> Units {
        let sure = self.dice.roll(lines.len());
        let mut part = Units::new();
        for (index, (name, quantity)) in lines.iter().enumerate() {
            if index == sure || one_in(&mut self.dice, 2) {
                part.insert(name.clone(), between(&mut self.dice, 1, *quantity));
            }
        }
        part
    }

    pub(super) async fn cancel(&mut self) -> Result<()> {
        let Some(held) = self.some_live() else { return self.place().await };
        let ask = Ask::Cancel { hold: held.hold };
        let asked = if one_in(&mut self.dice, 6) { Asked::under(self.new_key(), ask) } else { Asked::new(ask) };
        self.carry(asked).await.map(drop)
    }

    /// Moves something booked: the whole stay a night on, or a part of it anywhere.
    pub(super) async fn rebook(&mut self) -> Result<()> {
        let Some(booked) = self.some_booked() else { return self.convert().await };
        let world = Arc::clone(&self.around.world);
        let later = if one_in(&mut self.dice, 2) { world.a_night_later(&booked.kept) } else { None };
        let (from, to) = if let Some(later) = later {
            (booked.kept, later)
        } else {
            let from = self.part_of(&booked.kept);
            let mut to = Units::new();
            for (name, quantity) in &from {
                *to.entry(world.alternative(name, &mut self.dice)).or_default() += quantity;
            }
            (from, to)
        };
        let asked = Asked::under(self.new_key(), Ask::Move { hold: booked.hold, from, to });
        self.carry(asked).await.map(drop)
    }

    pub(super) async fn give_back(&mut self) -> Result<()> {
        let Some(booked) = self.some_booked() else { return self.convert().await };
        let Booked { hold, kept, private, .. } = booked;
        let key = self.new_key();
        // Who gives everything back without naming it must know what it was: the answer does not say.
        let (part, booked_before) = match self.dice.roll(3) {
            0 => (Some(self.part_of(&kept)), None),
            _ if private => (None, Some(kept)),
            _ => (Some(kept), None),
        };
        self.carry(Asked { booked_before, ..Asked::under(key, Ask::GiveBack { hold, part }) }).await.map(drop)
    }
}
