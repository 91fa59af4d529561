//! What goes over the wire is `surehold-api`'s. Here is what becomes of the engine's views, which that crate does not know.

mod operations_seen;
mod stays_seen;
mod stock_seen;

pub use surehold_api::*;

pub(crate) use operations_seen::{delivery_seen, operation_seen, schedule_command, summary_of, timeline_seen};
pub(crate) use stays_seen::{reservation_seen, stay_seen};
pub(crate) use stock_seen::{balance_seen, item_seen, turnover_seen};
