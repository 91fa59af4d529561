//! Work that is done later or outside: operations, cases, schedules, and webhooks and tasks both ways.
//! Start at `look.rs`; `inbox/` says whose webhooks are believed.
//! Imports: nothing.

mod acts;
mod cases;
mod endpoints;
mod epoch;
#[cfg(feature = "fuzz")]
pub(crate) mod fuzz;
pub mod inbox;
mod inboxes;
mod look;
mod schedules;
mod seen;
mod tasks;
mod webhooks;

use surehold_core::operations::{InboxRefusal, OperationRefusal};

use crate::api::Module;
pub use crate::operations::endpoints::{AddressRefused, CheckWebhookUrl};
use crate::problem::refusals;
use crate::routes::{Routes, routes};
use crate::wire::CaseName;
use crate::wire::described::{CaseKey, CaseKind};

refusals!("Operations": OperationRefusal, "Inbox": InboxRefusal);

fn public() -> Routes {
    routes! {
        schedules: schedules_list, schedule_get, schedule_put, schedule_remove;
        look: operations_list, operation_get, timeline;
        acts: operation_retry, operation_cancel, operation_redrive, operation_settle;
        cases: cases_list, case_get, case_assign, case_resolve;
        endpoints: endpoints_list, endpoint_get, endpoint_put, endpoint_remove, endpoint_rotate_secret,
            endpoint_enable, endpoint_replay, endpoint_deliveries;
        inboxes: inboxes_list, inbox_put, inbox_remove;
        tasks: task_deliver, task_deliver_to_own;
        webhooks: webhook_receive;
    }
    .group("Inbox", "What the outside tells: webhooks and tasks, taken once")
    .group("Operations", "Work that is done after the request that asked for it, and what became of it")
    .group("Cases", "What a person must look at")
    .group("Schedules", "What is asked for again and again, by the clock on the wall")
    .group("Webhooks", "What happened, told to addresses of your choice")
    .describes::<CaseKind>()
    .describes::<CaseKey>()
    .describes::<CaseName>()
}

fn admin() -> Routes {
    routes! {
        epoch: epoch_get, epoch_raise;
    }
}

pub(crate) const MODULE: Module = Module {
    public,
    admin,
    state: |state| {
        state.insert(webhooks::InboxRoom::default());
    },
    refusals: REFUSALS,
    #[cfg(feature = "fuzz")]
    readers: fuzz::READERS,
};
