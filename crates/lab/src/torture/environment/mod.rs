//! The environment of a torture run: starts what is harmed ([`Stage`]), harms it by a seeded schedule ([`torment`]),
//! heals it, and keeps the books ([`Ledger`]). Knows no domain; the one thing it asks of a server is a write in a tenant
//! of its own. To strike in the right moment it looks at the store: who has a turn, who has a lease.
//!
//! Start reading at `fault.rs` for what can be done, at `acts.rs` and `zombie.rs` for how.

mod acts;
mod clock;
mod database;
mod disk;
mod fault;
mod guard;
mod launch;
mod ledger;
mod logs;
mod memory;
mod nemesis;
mod node;
mod probe;
mod room;
mod schedule;
mod stage;
mod zombie;

pub use fault::{FaultKind, FaultList, UnknownFault};
pub use ledger::{Finding, Ledger, Recovery, Summary};
pub use logs::LogReport;
pub use nemesis::{NemesisPlan, torment};
pub use node::{Node, Role};
pub use schedule::{Schedule, Step};
pub use stage::{CONVERGE_WITHIN, FileSetting, Possible, Stage, StagePlan, TENANT};
