//! Putting right what an audit found: counters that disagree with their holds, locks that nobody holds. Only what the
//! stored truth itself decides is repaired; what a person would have to decide is not.
//!
//! An audit reads outside of any turn, and holds come and go between its read and the repair. Right commands change a
//! pool's counter and its holds alike, so the *difference* that was read stays, however late it is applied; a number in
//! [`RepairRecord`], read with it, keeps it from being applied twice.
//! Imports: kernel, operations.

mod command;
mod event;
mod record;
#[cfg(test)]
mod tests;

pub use command::{OWNER_HOLDS_PER_REPAIR_MAX, Repair, RepairCommand, RepairDone, RepairRefusal};
pub use event::{RepairedThing, RepairsEvent};
pub use record::RepairRecord;

use crate::kernel::{Record, Table};

/// The tables of this module.
pub const TABLES: &[&Table] = &[RepairRecord::TABLE];
