//! `EXPIRE_HOLD`: ends a hold at its time, for callers whose scheduler says when. A task that comes early waits, so
//! that neither its id nor the hold is lost; nothing depends on it, because a lapsed hold blocks nobody.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::kernel::commands::ExpireHold;
use crate::kernel::{Command, Facts, Hold, HoldId, HoldState, Invalid, Refusal, Stop};
use crate::operations::{
    Mode, Nature, NewOperation, Operation, OperationType, Payload, Priority, RetryPolicy, StateHandler, Trouble,
    WaitingOn,
};

pub static EXPIRE_HOLD: OperationType = OperationType {
    name: "EXPIRE_HOLD",
    key: &["holdId"],
    // A hold ends once: whatever came of it, there is nothing left to do.
    mode: Mode::Once,
    priority: Priority::Normal,
    // A task may be made before the hold is placed; after two days it will not be any more.
    retry: RetryPolicy::schedule(&[60, 600, 3_600, 21_600, 86_400], 10),
    deadline_secs: 30,
    // Longer than a hold may live: waiting for its end is what the operation is for.
    stuck_after_secs: 400 * 86_400,
    recheck_secs: 3_600,
    running_max: 1_000,
    nature: Nature::State,
};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expiry {
    hold: HoldId,
}

/// The operation that expires this hold, whoever asks for it.
pub fn expire_hold(hold: HoldId) -> Result<NewOperation, Invalid> {
    let key = EXPIRE_HOLD.key(&[&hold.to_string()])?;
    Ok(NewOperation::new(&EXPIRE_HOLD, key, Payload::of(&Expiry { hold })))
}

#[derive(Debug)]
pub struct ExpireHoldOnce;

impl StateHandler for ExpireHoldOnce {
    fn kind(&self) -> &'static OperationType {
        &EXPIRE_HOLD
    }

    fn run(&self, operation: &Operation, facts: &mut Facts) -> Result<Payload, Stop<Trouble>> {
        let Expiry { hold: id } =
            operation.payload.read().map_err(|error| Trouble::permanent("malformed", error.to_string()))?;
        // The sweeper may have been faster. The command would call that a replay, which completing is not.
        let swept = facts.get::<Hold>(&id)?.is_some_and(|hold| hold.state == HoldState::Expired);
        if swept {
            return Ok(ended(id, HoldState::Expired));
        }
        match (ExpireHold { id }).decide(facts) {
            Ok(reply) => Ok(ended(id, reply.hold.state)),
            Err(Stop::Halted(halt)) => Err(halt.into()),
            Err(Stop::Refused(refusal)) => refused(id, &refusal).map_err(Stop::Refused),
        }
    }
}

fn ended(id: HoldId, state: HoldState) -> Payload {
    Payload::of(&json!({ "hold": id, "state": state }))
}

fn refused(id: HoldId, refusal: &Refusal) -> Result<Payload, Trouble> {
    match refusal {
        Refusal::HoldEnded { state } => Ok(ended(id, *state)),
        Refusal::HoldNotDue { expires_at } => {
            Err(Trouble::Wait { on: WaitingOn::new(format!("hold {id}"), "expires"), until: Some(*expires_at) })
        }
        Refusal::HoldNotFound { .. } => Err(Trouble::retry("hold-not-found", refusal.to_string())),
        // Expiring says none of these.
        Refusal::Invalid(_)
        | Refusal::TenantNotFound
        | Refusal::TenantExists
        | Refusal::IdOutsideWindow { .. }
        | Refusal::HoldIdReused { .. }
        | Refusal::LifetimeTooLong { .. }
        | Refusal::PoolNotFound { .. }
        | Refusal::PoolVersion { .. }
        | Refusal::TotalOutOfRange { .. }
        | Refusal::PoolClosed { .. }
        | Refusal::NothingBooked
        | Refusal::LinesExceedHold { .. }
        | Refusal::GrantExceeded { .. }
        | Refusal::OwnerHoldsLimit { .. }
        | Refusal::OwnerLifetimeLimit { .. }
        | Refusal::KeyNotFound { .. }
        | Refusal::KeyIdReused { .. }
        | Refusal::KeyEnded { .. }
        | Refusal::KeyExpiryPast { .. }
        | Refusal::TrackedByStock { .. }
        | Refusal::SoldOut { .. } => Err(Trouble::permanent("refused", refusal.to_string())),
    }
}
