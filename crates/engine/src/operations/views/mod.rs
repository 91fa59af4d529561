//! Operations, cases, schedules, inboxes and webhook endpoints, for people and for workers.

mod cases;
mod inbox;
mod operations;
mod queue;
mod schedules;
mod timeline;
mod webhooks;

pub use operations::{OperationBrief, OperationDepth, OperationPage, OperationView, RunState};
pub(crate) use queue::EVER;
pub use queue::{QueuePlace, StuckOperation};
pub use timeline::{TIMELINE_ENTRIES_MAX, TIMELINE_OPERATIONS_MAX, Timeline, TimelineEntry, TimelineFact};
pub(crate) use webhooks::EndpointPlace;
pub use webhooks::WebhookDelivery;
