//! What happened to operations and to what surrounds them. Variants are only ever appended: their order is the stored
//! format. Who did it and why is in the records, which can be erased, and not here.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::kernel::Timestamp;

/// `kind` and `key` are those of the operation or of the case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OperationsEvent {
    /// `events` of the same command come right before this one.
    OperationSucceeded {
        kind: SmolStr,
        key: SmolStr,
        generation: u32,
        events: u32,
    },
    OperationDied {
        kind: SmolStr,
        key: SmolStr,
        generation: u32,
        code: SmolStr,
    },
    OperationRedriven {
        kind: SmolStr,
        key: SmolStr,
        generation: u32,
    },
    /// A person said what became of an effect in doubt.
    EffectSettled {
        kind: SmolStr,
        key: SmolStr,
        step: u16,
        confirmed: bool,
    },
    CaseOpened {
        kind: SmolStr,
        key: SmolStr,
    },
    CaseAssigned {
        kind: SmolStr,
        key: SmolStr,
    },
    CaseResolved {
        kind: SmolStr,
        key: SmolStr,
    },
    /// The installation's data was put back to an earlier state.
    EpochRaised {
        number: i64,
    },
    /// Something the outside told us was stored, and the operation that deals with it asked for.
    InboxReceived {
        source: SmolStr,
        external_id: SmolStr,
        kind: SmolStr,
        key: SmolStr,
    },
    ScheduleChanged {
        name: SmolStr,
    },
    ScheduleRemoved {
        name: SmolStr,
    },
    /// `planned_for` is the instant that the schedule names, not the one at which it was noticed. `skipped` instants
    /// before it were missed and are not made up for; they are counted up to 1,440.
    ScheduleFired {
        name: SmolStr,
        planned_for: Timestamp,
        skipped: u32,
    },
    EndpointChanged {
        endpoint: SmolStr,
    },
    EndpointDisabled {
        endpoint: SmolStr,
    },
    EndpointRemoved {
        endpoint: SmolStr,
    },
    /// Said by a schedule, or by somebody outside, for everybody who listens. `data` is JSON text.
    Announced {
        topic: SmolStr,
        data: SmolStr,
    },
}
