//! Lockers, of which a renter has one at most. The lockers of a station are units of a kernel pool, and a rented one is
//! booked by a hold; this module never counts them, it knows who has which hold.
//! Imports: kernel.

mod event;
mod refusal;
mod rent;
mod rental;

pub use event::LockersEvent;
pub use refusal::LockersRefusal;
pub use rent::RentLocker;
pub use rental::Rental;

use crate::kernel::{Record, Table};

/// The tables of this module.
pub const TABLES: &[&Table] = &[Rental::TABLE];
