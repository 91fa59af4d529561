//! One guest: visit after visit. What it rolls depends on the seed alone; what it does depends on that and on what it is
//! told. Whoever got a room gives it up in the end, so that there is always something to race for.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use jiff::civil::Date;
use uuid::Uuid;

use super::RATE_PLANS;
use crate::torture::stays::book::{GuestAnswer, GuestAsk, Nights, ReservationSeen};
use crate::torture::workload::caller::{Caller, PATIENCE};
use crate::torture::workload::front::Front;
use crate::torture::workload::world::one_in;
use surehold_simulators::stripe::{Method, Settlement, StripeSim};

const DICE_FACTOR: usize = 1_000_033;
const PAUSE: Duration = Duration::from_millis(150);
/// How often a guest looks whether something has come of it, before it goes on to other things.
const LOOKS_MAX: usize = 20;
const STAY_NIGHTS_MAX: usize = 3;
/// Stays that a guest has not seen the end of.
const LOOSE_MAX: usize = 12;
/// Whoever never comes back has a room for no longer.
const SHORT_LIFE_SECS: i64 = 2;

#[derive(Debug)]
pub(super) struct Guest {
    caller: Caller,
    stripe: Arc<StripeSim>,
    days: Arc<[Date]>,
    /// Stays whose end is not known: money may be on its way.
    loose: Vec<Uuid>,
}

impl Guest {
    pub(super) fn new(number: usize, seed: u64, stripe: Arc<StripeSim>, front: Arc<Front>, days: Arc<[Date]>) -> Guest {
        Guest { caller: Caller::new(number, seed, DICE_FACTOR, front), stripe, days, loose: Vec::new() }
    }

    /// Until the run is stopped.
    pub(super) async fn live(mut self) -> Result<()> {
        while !self.caller.is_stopped() {
            if self.loose.len() > LOOSE_MAX || (!self.loose.is_empty() && one_in(&mut self.caller.dice, 3)) {
                let hold = self.loose.remove(0);
                self.see_to_the_end(hold).await?;
            } else if one_in(&mut self.caller.dice, 6) {
                self.walk_in().await?;
            } else {
                self.visit().await?;
            }
            self.caller.pause().await;
        }
        Ok(())
    }

    fn new_id() -> Uuid {
        Uuid::now_v7()
    }

    /// Half of them arrive today.
    fn some_nights(&mut self) -> Nights {
        let last = self.days.len() - 1;
        let first = if one_in(&mut self.caller.dice, 2) { 0 } else { self.caller.dice.roll(last) };
        let nights = 1 + self.caller.dice.roll(STAY_NIGHTS_MAX.min(last - first));
        Nights { checkin: self.days[first].to_string(), checkout: self.days[first + nights].to_string() }
    }

    fn some_plan(&mut self) -> String {
        RATE_PLANS[self.caller.dice.roll(RATE_PLANS.len())].0.to_owned()
    }

    async fn look(&mut self, hold: Uuid) -> Result<Option<GuestAnswer>> {
        self.caller.ask(GuestAsk::ReadStay { hold }).await
    }

    async fn visit(&mut self) -> Result<()> {
        let quote = Guest::new_id();
        let nights = self.some_nights();
        let Some(quoted) = self.caller.ask(GuestAsk::Quote { quote, nights }).await? else { return Ok(()) };
        let Some(option) = quoted.options.checked_sub(1).map(|last| 1 + self.caller.dice.roll(last + 1)) else {
            return Ok(());
        };
        let option = u64::try_from(option).expect("options are few");
        let (hold, what) = (Guest::new_id(), self.caller.dice.roll(16));
        let lifetime_secs = (what == 0).then_some(SHORT_LIFE_SECS);
        if self.caller.ask(GuestAsk::Stay { hold, quote, option, lifetime_secs }).await?.is_none() {
            return Ok(());
        }
        match what {
            // Never comes back.
            0 => Ok(()),
            1 => self.cancel(hold).await,
            2 => {
                if self.caller.ask(GuestAsk::Confirm { hold }).await?.is_some() {
                    return self.see_to_the_end(hold).await;
                }
                Ok(())
            }
            _ => self.pay(hold, what).await,
        }
    }

    async fn cancel(&mut self, hold: Uuid) -> Result<()> {
        self.caller.ask(GuestAsk::CancelStay { hold }).await.map(drop)
    }

    /// A page, once it is there.
    async fn page(&mut self, hold: Uuid) -> Result<Option<(String, String)>> {
        for _ in 0..LOOKS_MAX {
            let Some(answer) = self.caller.ask(GuestAsk::Checkout { hold }).await? else { return Ok(None) };
            if let (Some(session), Some(page)) = (answer.session, answer.page) {
                return Ok(Some((session, page)));
            }
        }
        Ok(None)
    }

    async fn pay(&mut self, hold: Uuid, what: usize) -> Result<()> {
        let Some((session, page)) = self.page(hold).await? else { return self.cancel(hold).await };
        let method = if one_in(&mut self.caller.dice, 2) { Method::Boleto } else { Method::Pix };
        match what {
            3 => self.caller.front.press(&page, "decline", PATIENCE).await,
            // Money for a room that was given up meanwhile.
            4..=6 => {
                self.caller.front.press(&page, "card", PATIENCE).await;
                self.cancel(hold).await?;
            }
            // A slow payment, for a room that is given up before it comes.
            7..=9 => {
                self.press_slow(&page, method).await;
                self.wait(hold, |stay| stay.awaiting_payment).await?;
                self.cancel(hold).await?;
                self.caller.pause().await;
                self.settle(&session, Settlement::Success);
            }
            10 => {
                self.press_slow(&page, method).await;
                self.settle(&session, Settlement::Failure);
            }
            11 => {
                self.press_slow(&page, method).await;
                self.wait(hold, |stay| stay.awaiting_payment).await?;
                self.settle(&session, Settlement::Success);
            }
            // On the page and at the desk.
            12 => {
                self.caller.front.press(&page, "card", PATIENCE).await;
                self.caller.ask(GuestAsk::Confirm { hold }).await?;
            }
            _ => self.caller.front.press(&page, "card", PATIENCE).await,
        }
        self.see_to_the_end(hold).await
    }

    async fn press_slow(&self, page: &str, method: Method) {
        let button = match method {
            Method::Card => "card",
            Method::Boleto => "boleto",
            Method::Pix => "pix",
        };
        self.caller.front.press(page, button, PATIENCE).await;
    }

    fn settle(&self, session: &str, end: Settlement) {
        // Nothing is on its way if the page was gone before.
        let _ = self.stripe.settle(session, end);
    }

    /// Looks until it is so, the hold has ended, or it has taken too long.
    async fn wait(&mut self, hold: Uuid, is_so: impl Fn(&GuestAnswer) -> bool) -> Result<Option<GuestAnswer>> {
        for _ in 0..LOOKS_MAX {
            let Some(stay) = self.look(hold).await? else { return Ok(None) };
            if is_so(&stay) || stay.reservation.is_some() {
                return Ok(Some(stay));
            }
            if self.caller.is_stopped() {
                return Ok(None);
            }
            tokio::time::sleep(PAUSE).await;
        }
        Ok(None)
    }

    /// Does something with a reservation, if there is one, and gives it up. What may still come is looked at later.
    async fn see_to_the_end(&mut self, hold: Uuid) -> Result<()> {
        let has_ended = |stay: &GuestAnswer| matches!(stay.state.as_deref(), Some("cancelled" | "expired"));
        let Some(stay) = self.wait(hold, has_ended).await? else {
            self.loose.push(hold);
            return Ok(());
        };
        let Some(reservation) = stay.reservation else {
            // It may have been paid, and be booked anew.
            if stay.session.is_some() && one_in(&mut self.caller.dice, 2) {
                self.loose.push(hold);
            }
            return Ok(());
        };
        self.give_up(hold, &reservation).await
    }

    async fn give_up(&mut self, hold: Uuid, reservation: &ReservationSeen) -> Result<()> {
        if reservation.state != "confirmed" {
            return Ok(());
        }
        if one_in(&mut self.caller.dice, 3) {
            // Other nights are sold out, mostly; another price can always be had.
            let is_other_nights = one_in(&mut self.caller.dice, 2);
            let nights = if is_other_nights { self.some_nights() } else { reservation.nights() };
            let (rate_plan, refund_excess) = (self.some_plan(), one_in(&mut self.caller.dice, 2));
            self.caller.ask(GuestAsk::ChangeReservation { hold, nights, rate_plan, refund_excess }).await?;
        }
        if one_in(&mut self.caller.dice, 4) && self.caller.ask(GuestAsk::NoShow { hold }).await?.is_some() {
            return Ok(());
        }
        self.caller.ask(GuestAsk::CancelReservation { hold }).await.map(drop)
    }

    async fn walk_in(&mut self) -> Result<()> {
        let (hold, nights, rate_plan) = (Guest::new_id(), self.some_nights(), self.some_plan());
        let came = self.caller.ask(GuestAsk::WalkIn { hold, nights, rate_plan }).await?;
        match came.and_then(|answer| answer.reservation) {
            Some(reservation) => self.give_up(hold, &reservation).await,
            None => Ok(()),
        }
    }
}
