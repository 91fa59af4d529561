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

refusals!("Operations": OperationRefusal, "Inbox": InboxRefusal);

fn public() -> Routes {
    Routes::new()
        .routes(routes!(schedules::schedules_list))
        .routes(routes!(schedules::schedule_get, schedules::schedule_put, schedules::schedule_remove))
        .routes(routes!(look::operations_list))
        .routes(routes!(look::operation_get))
        .routes(routes!(look::timeline))
        .routes(routes!(acts::operation_retry))
        .routes(routes!(acts::operation_cancel))
        .routes(routes!(acts::operation_redrive))
        .routes(routes!(acts::operation_settle))
        .routes(routes!(cases::cases_list))
        .routes(routes!(cases::case_get))
        .routes(routes!(cases::case_assign))
        .routes(routes!(cases::case_resolve))
        .routes(routes!(endpoints::endpoints_list))
        .routes(routes!(endpoints::endpoint_get, endpoints::endpoint_put, endpoints::endpoint_remove))
        .routes(routes!(endpoints::endpoint_rotate_secret))
        .routes(routes!(endpoints::endpoint_enable))
        .routes(routes!(endpoints::endpoint_replay))
        .routes(routes!(endpoints::endpoint_deliveries))
        .routes(routes!(inboxes::inboxes_list))
        .routes(routes!(inboxes::inbox_put, inboxes::inbox_remove))
        .routes(routes!(tasks::task_deliver))
        .routes(routes!(tasks::task_deliver_to_own))
        .routes(routes!(webhooks::webhook_receive))
}

fn admin() -> Routes {
    Routes::new().routes(routes!(epoch::epoch_get, epoch::epoch_raise))
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
