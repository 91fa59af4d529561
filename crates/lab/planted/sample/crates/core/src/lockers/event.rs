//! What happened to lockers. Events have nothing about renters: the journal cannot be erased.

use crate::kernel::{HoldId, events};

events! {
    pub enum LockersEvent {
        /// Its hold has been placed and converted just before.
        LockerRented = "locker_rented" { hold: HoldId };
    }
}
