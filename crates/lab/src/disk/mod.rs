//! A disk that forgets: what a file can look like after the power went, worked out from what its writer really did.
//!
//! [`record`] runs a writer under `strace` and keeps every call that changes or syncs a file of its folder, in order,
//! with what the writer said in between. [`Disk`] plays the calls: what was synced is there for good, what was not may
//! be there, absent, torn or in another order. Neither knows SQLite, except that shared memory is not on the disk.
//!
//! What is believed of the disk: a sync that has returned has happened; a write harms no byte beside it (SQLite's
//! "powersafe overwrite"); the names in a folder change in order, each name by itself.

mod parse;
mod recording;
mod state;
mod writer;

pub use recording::{Call, Moment, Recording, record};
pub use state::{Disk, Fate, Files, Syncs, write_files};
pub use writer::{Plan, hotels, sell};
