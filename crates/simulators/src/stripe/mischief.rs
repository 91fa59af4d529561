//! What becomes of a delivery before it is sent: nothing, twice, later, behind others, never.

use std::time::Duration;

use serde::Serialize;

use super::config::{HELD_BEHIND_MAX, Mischief};
use crate::Dice;

/// An event on its way to one endpoint.
#[derive(Clone, Debug)]
pub(super) struct Delivery {
    pub(super) event_id: String,
    pub(super) url: String,
    pub(super) secrets: Vec<String>,
    pub(super) body: String,
    pub(super) attempts: usize,
    /// The next attempt bears a signature of somebody else.
    pub(super) wrong_signature: bool,
    pub(super) wait: Duration,
    /// How many others go first.
    pub(super) behind: usize,
}

#[derive(Debug)]
pub(super) struct Troublemaker {
    mischief: Mischief,
    dice: Dice,
    pub(super) done: MischiefDone,
}

/// Deliveries that met it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MischiefDone {
    pub duplicated: u64,
    pub held_back: u64,
    pub delayed: u64,
    pub lost: u64,
    pub wrongly_signed: u64,
}

impl Delivery {
    pub(super) fn new(event_id: &str, url: String, secrets: &[String], body: &str) -> Delivery {
        Delivery {
            event_id: event_id.to_owned(),
            url,
            secrets: secrets.to_vec(),
            body: body.to_owned(),
            attempts: 0,
            wrong_signature: false,
            wait: Duration::ZERO,
            behind: 0,
        }
    }
}

impl Troublemaker {
    pub(super) fn new(mischief: Mischief) -> Troublemaker {
        let dice = Dice::new(mischief.seed);
        Troublemaker { mischief, dice, done: MischiefDone::default() }
    }

    /// What was done is still counted.
    pub(super) fn set(&mut self, mischief: Mischief) {
        self.dice = Dice::new(mischief.seed);
        self.mischief = mischief;
    }

    pub(super) fn meddle(&mut self, delivery: Delivery) -> Vec<Delivery> {
        if self.happens(self.mischief.lose_percent) {
            self.done.lost += 1;
            return Vec::new();
        }
        let mut copies = vec![delivery];
        if self.happens(self.mischief.duplicate_percent) {
            self.done.duplicated += 1;
            copies.push(copies[0].clone());
        }
        for copy in &mut copies {
            self.disturb(copy);
        }
        copies
    }

    fn disturb(&mut self, delivery: &mut Delivery) {
        if self.happens(self.mischief.hold_back_percent) {
            self.done.held_back += 1;
            delivery.behind = 1 + self.dice.roll(HELD_BEHIND_MAX);
        }
        if self.happens(self.mischief.delay_percent) {
            self.done.delayed += 1;
            let millis_max = usize::try_from(self.mischief.delay_max.as_millis()).expect("a delay is short");
            let millis = u64::try_from(self.dice.roll(millis_max + 1)).expect("a usize fits");
            delivery.wait = Duration::from_millis(millis);
        }
        if self.happens(self.mischief.wrong_signature_percent) {
            self.done.wrongly_signed += 1;
            delivery.wrong_signature = true;
        }
    }

    fn happens(&mut self, percent: usize) -> bool {
        percent > 0 && self.dice.roll(100) < percent
    }
}
