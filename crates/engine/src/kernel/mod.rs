//! The kernel's records beside the lanes: tenants, pools, holds, the journal.
//! Imports: repairs.

mod audit;
mod retention;
mod sweeper;
mod tenants;
mod views;

pub use views::{JournalRow, JournalTail, TenantRow};

use crate::module::Module;

pub(crate) const MODULE: Module = Module {
    audits: &[audit::tenants::AUDIT, audit::AUDIT, audit::replies::AUDIT],
    background: &[sweeper::BACKGROUND, retention::BACKGROUND],
    preparers: &[],
    register: |registry| registry,
};
