//! Operations: durable, deduplicated work that is carried out after the command that asked for it. State operations
//! change our own records; effect operations reach outside, and leave a trace before they do.
//! Knows nothing of what any module's operations mean. Start reading at `enqueue.rs`, then `ending.rs`.
//! Imports: kernel.

mod breaker;
pub mod builtin;
mod cases;
pub mod commands;
mod cron;
mod ending;
mod enqueue;
mod event;
mod handlers;
mod inbox;
mod invalid;
mod lint;
mod names;
pub mod outbox;
mod overdue;
mod payload;
mod reconcile;
mod records;
mod retry;
mod schedules;
mod trouble;
mod types;
mod zone;

pub use breaker::{Admission, Breaker, BreakerPolicy, Standing, Ticket};
pub use cases::{AssignCase, ResolveCase};
pub(crate) use cases::{NewCase, close_case, open_case};
pub use cron::{CRON_BYTES_MAX, Cron, CronError, CronField};
pub use enqueue::{Enqueued, NewOperation, enqueue};
pub use event::{OperationName, OperationsEvent};
pub use handlers::{AfterRejection, EffectHandler, StateHandler, Step};
pub use inbox::{
    CONTENT_TYPE_BYTES_MAX, INBOX_BODY_BYTES_MAX, INBOX_OVERLAP_SECS_MAX, Inbox, InboxRefusal, PutInbox, ReceiveEvent,
    Received, RemoveInbox,
};
pub use invalid::OperationInvalid;
pub use lint::lint;
pub use names::{
    Actor, Aggregate, CORRELATIONS_MAX, Correlation, DedupeKey, ExternalId, InboxName, LeaseToken, OperationKey,
    Reason, ScheduleName, SourceName, TypeName, WorkerId,
};
pub use overdue::SKIPPED_COUNTED_MAX;
pub use payload::{PAYLOAD_BYTES_MAX, Payload};
pub use reconcile::{LOST_LEASES_MAX, RECONCILE_STUCK_OPERATION, ReconcileStuckOperation, StuckReason, reconciliation};
use records::secrets_at;
pub use records::{
    AggregateLock, Attempt, AttemptKey, AttemptOutcome, Case, CaseKey, CaseState, CorrelatedOperation, DeadLetter,
    Doubt, Effect, EffectKey, EffectState, Epoch, InboxEvent, InboxKey, InboxSecret, Lease, Operation, OperationRun,
    OperationState, Outcome, PreviousSecret, Schedule, SigningSecret, WaitingOn, WorkerBeat,
};
pub use retry::{Backoff, Pause, RETRY_AFTER_SECS_MAX, RetryPolicy};
pub use schedules::{
    FireSchedules, FiredSchedule, PutSchedule, RemoveSchedule, SCHEDULE_PAYLOAD_BYTES_MAX, SchedulesFired,
    is_schedulable,
};
pub use trouble::{OperationRefusal, Trouble};
pub use types::{FOR_EVER, Mode, Nature, OperationType, Priority};
pub use zone::TimeZoneName;

use crate::kernel::{Record, Table};
use outbox::{WebhookEndpoint, WebhookTail};

/// The tables of this module.
pub const TABLES: &[&Table] = &[
    Operation::TABLE,
    OperationRun::TABLE,
    Effect::TABLE,
    Attempt::TABLE,
    CorrelatedOperation::TABLE,
    DeadLetter::TABLE,
    AggregateLock::TABLE,
    Case::TABLE,
    WorkerBeat::TABLE,
    Epoch::TABLE,
    InboxEvent::TABLE,
    InboxSecret::TABLE,
    Schedule::TABLE,
    WebhookEndpoint::TABLE,
    WebhookTail::TABLE,
];
