//! The pure domain. Everything here is a function of its arguments: no I/O, no async, no clock, no randomness.
//!
//! Start reading at [`kernel::Command`], then [`kernel::Facts`], then the commands in `kernel/commands/`.

pub mod kernel;
pub mod operations;
