//! Ids that look like Stripe's and depend on the seed alone.

use crate::Dice;

const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const LETTERS_PER_ID: usize = 24;

#[derive(Debug)]
pub(super) struct Ids {
    objects: Dice,
    /// Apart, so that asking does not change what is made.
    requests: Dice,
}

impl Ids {
    pub(super) fn new(seed: usize) -> Ids {
        Ids { objects: Dice::new(seed), requests: Dice::new(seed.wrapping_add(7_919)) }
    }

    /// `pi_…` for `pi`.
    pub(super) fn object(&mut self, prefix: &str) -> String {
        format!("{prefix}_{}", letters(&mut self.objects))
    }

    pub(super) fn request(&mut self) -> String {
        format!("req_{}", letters(&mut self.requests))
    }
}

fn letters(dice: &mut Dice) -> String {
    (0..LETTERS_PER_ID).map(|_| char::from(LETTERS[dice.roll(LETTERS.len())])).collect()
}
