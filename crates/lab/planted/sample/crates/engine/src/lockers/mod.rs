//! Lockers: who has one, and whether each rental has a locker booked.
//! Imports: kernel.

mod audit;
mod views;

use crate::module::Module;

pub(crate) const MODULE: Module =
    Module { audits: &[audit::AUDIT], background: &[], preparers: &[], register: |registry| registry };
