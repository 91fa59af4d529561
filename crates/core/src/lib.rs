//! The pure domain. Everything here is a function of its arguments: no I/O, no async, no clock, no randomness.
//!
//! Start reading at [`kernel::Command`], then [`kernel::Facts`], then the commands in `kernel/commands/`.

pub mod kernel;
pub mod operations;
pub mod repairs;
pub mod stays;
pub mod stock;

use kernel::Table;

/// The tables of each module. A new module adds a line here and one above.
const MODULES: &[&[&Table]] = &[kernel::TABLES, operations::TABLES, repairs::TABLES, stays::TABLES, stock::TABLES];

/// Every table that a store must be able to load and write.
pub const TABLES: &[&Table] = &Table::joined::<{ Table::count(MODULES) }>(MODULES);
