//! Operations: durable, deduplicated work that is carried out after the command that asked for it. State operations
//! change our own records; effect operations reach outside, and leave a trace before they do.
//! Knows nothing of what any module's operations mean. Start reading at `enqueue.rs`, then `ending.rs`.

mod breaker;
mod cases;
pub mod commands;
mod cron;
mod ending;
mod enqueue;
mod event;
mod handlers;
mod lint;
mod names;
pub mod outbox;
mod payload;
mod reconcile;
mod records;
mod retry;
mod trouble;
mod types;
mod zone;

pub use breaker::{Admission, Breaker, BreakerPolicy, Standing, Ticket};
pub use cases::{AssignCase, ResolveCase};
pub use cron::{CRON_BYTES_MAX, Cron, CronError, CronField};
pub use enqueue::{Enqueued, NewOperation, enqueue};
pub use event::OperationsEvent;
pub use handlers::{AfterRejection, EffectHandler, StateHandler, Step};
pub use lint::lint;
pub use names::{
    Actor, Aggregate, CORRELATIONS_MAX, Correlation, DedupeKey, LeaseToken, OperationKey, Reason, TypeName, WorkerId,
};
pub use payload::{PAYLOAD_BYTES_MAX, Payload};
pub use reconcile::{LOST_LEASES_MAX, RECONCILE_STUCK_OPERATION, ReconcileStuckOperation, StuckReason, reconciliation};
pub use records::{
    AggregateLock, Attempt, AttemptKey, AttemptOutcome, Case, CaseKey, CaseState, CorrelatedOperation, DeadLetter,
    Doubt, Effect, EffectKey, EffectState, Epoch, JsonList, Lease, Operation, OperationRun, OperationState, Outcome,
    WaitingOn, WorkerBeat,
};
pub use retry::{Backoff, Pause, RETRY_AFTER_SECS_MAX, RetryPolicy};
pub use trouble::{OperationRefusal, Trouble};
pub use types::{Mode, Nature, OperationType, Priority};
pub use zone::TimeZoneName;
