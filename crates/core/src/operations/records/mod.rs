//! What is kept of operations. Identity (`operations`) is for ever; run state (`operation_runs`) lives only while
//! something is left to do, so that the table in which workers look for work stays small.

mod attempt;
mod case;
mod dead_letter;
mod effect;
mod inbox;
mod operation;
mod run;
mod schedule;
mod secret;
mod small;

pub use attempt::{Attempt, AttemptKey, AttemptOutcome};
pub use case::{Case, CaseKey, CaseState};
pub use dead_letter::DeadLetter;
pub use effect::{Doubt, Effect, EffectKey, EffectState};
pub use inbox::{InboxEvent, InboxKey, InboxSecret};
pub use operation::{Operation, Outcome};
pub(super) use run::PARKED;
pub use run::{Lease, OperationRun, OperationState, WaitingOn};
pub use schedule::Schedule;
pub(super) use secret::secrets_at;
pub use secret::{PreviousSecret, SigningSecret};
pub use small::{AggregateLock, CorrelatedOperation, Epoch, WorkerBeat};
