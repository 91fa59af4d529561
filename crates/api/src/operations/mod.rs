//! Operations, cases, schedules, webhooks and inboxes.

mod calls;
mod case;
mod inbox;
mod operation;
mod schedule;
mod timeline;
mod webhook;

pub use calls::*;
pub use case::{AssignCase, Case, CasePage, Epoch};
pub use inbox::{Delivered, DeliveryOutcome, ExpireHoldTask, Inbox, InboxPage, PutInbox, ShownInbox};
pub use operation::{
    Act, Attempt, DeadLetter, Effect, EffectSettled, Json, Operation, OperationActed, OperationPage, OperationSummary,
    Run, SettleEffect, Verdict,
};
pub use schedule::{PutSchedule, Schedule, SchedulePage};
pub use timeline::{Timeline, TimelineEntry, TimelineFact};
pub use webhook::{
    DeliveryState, EnableWebhookEndpoint, EndpointState, NewWebhookEndpoint, PutWebhookEndpoint, ReplayEvents,
    ReplayedEvents, RotateWebhookSecret, WebhookDelivery, WebhookDeliveryPage, WebhookEndpoint, WebhookEndpointPage,
};

pub use surehold_core::operations::{AttemptOutcome, CaseState, Doubt, EffectState, OperationState};
