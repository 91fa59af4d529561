//! Files that are imported: `columns.rs` reads the header, `file.rs` the rows, `refused.rs` tells and keeps those that
//! cannot be used. What cells mean is for each import to say.

mod columns;
mod file;
mod refused;

#[cfg(test)]
pub(super) use columns::Columns;
pub(super) use columns::{Column, column_names};
pub(super) use file::{File, Record, read_bytes};
pub(super) use refused::{Fault, Refused};
