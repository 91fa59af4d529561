//! Operations whose effects can be counted: charges at the fake provider. What the tests of the operations engine ask
//! for, in the test process and in the worker processes that they kill.
//!
//! Invariant: `metadata.operation` names one step of one operation of one tenant, whatever its generation; so two
//! charges with the same name are one charge too many.

mod bank;
mod equipment;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;
use surehold_core::kernel::{Facts, Stop, TenantId};
use surehold_core::operations::{
    AfterRejection, Aggregate, Effect, EffectHandler, Mode, Nature, NewOperation, Operation, OperationKey,
    OperationState, OperationType, Payload, Priority, RetryPolicy, StateHandler, Step, Trouble, enqueue,
};
use surehold_engine::{OperationDepth, Views};

pub use bank::{Bank, told_by_call, told_by_probe};
pub use equipment::{CHARGE_TASK, FEE_PREFIX, charge_type, with_charges, with_short_beats};

/// As long as the fake provider remembers keys.
const WINDOW_SECS: u32 = crate::provider::KEY_LIFETIME_SECS;

/// One charge.
pub static CHARGE: OperationType = OperationType {
    name: "CHARGE",
    key: &["purchaseId"],
    mode: Mode::Once,
    priority: Priority::Normal,
    retry: RetryPolicy::exponential(200, 20, 2, 200),
    deadline_secs: 2,
    stuck_after_secs: 30 * 86_400,
    recheck_secs: 1,
    running_max: 100,
    nature: Nature::Effect { provider: "bank", window_secs: Some(WINDOW_SECS), probe: true, calls_max: 100 },
};

/// A charge and then its fee: two effects, the second intended in the transaction that confirms the first.
pub static CHARGE_WITH_FEE: OperationType = OperationType { name: "CHARGE_WITH_FEE", ..CHARGE };

/// What follows a charge: asked for in the transaction that completes it.
pub static NOTE_CHARGE: OperationType =
    OperationType { name: "NOTE_CHARGE", key: &["type", "purchaseId"], nature: Nature::State, ..CHARGE };

/// Takes the process down that calls the provider for it.
pub static POISON: OperationType = OperationType { name: "POISON", ..CHARGE };

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amount {
    pub amount: i64,
}

/// The body of a request, as the provider reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChargeRequest {
    pub amount: i64,
    pub metadata: BTreeMap<String, String>,
}

/// The name under which the provider knows a step of an operation.
pub fn effect_name(tenant: TenantId, operation: &OperationKey, step: u16) -> String {
    format!("{tenant}.{}.{}.{step}", operation.kind, operation.key)
}

pub fn charge(kind: &'static OperationType, purchase: &str, amount: i64) -> NewOperation {
    let key = kind.key(&[purchase]).expect("a legal key");
    NewOperation::new(kind, key, Payload::of(&Amount { amount }))
}

/// One of several that must not run at the same time.
pub fn charge_of(kind: &'static OperationType, purchase: &str, aggregate: &str) -> NewOperation {
    let aggregate = Some(Aggregate::new(aggregate).expect("a legal name"));
    NewOperation { aggregate, ..charge(kind, purchase, 100) }
}

/// Carries out any type whose payload is an [`Amount`], with as many charges as it is told.
#[derive(Clone, Copy, Debug)]
pub struct Charging {
    pub kind: &'static OperationType,
    pub steps: u16,
    /// What a declined card means: the end of the operation, or a result like another.
    pub declined_is_a_result: bool,
}

impl Charging {
    pub fn once(kind: &'static OperationType) -> Charging {
        Charging { kind, steps: 1, declined_is_a_result: false }
    }

    pub fn with_fee() -> Charging {
        Charging { kind: &CHARGE_WITH_FEE, steps: 2, declined_is_a_result: true }
    }
}

impl EffectHandler for Charging {
    fn kind(&self) -> &'static OperationType {
        self.kind
    }

    fn next(&self, operation: &Operation, confirmed: &[Effect], facts: &mut Facts) -> Result<Step, Stop<Trouble>> {
        let Amount { amount } =
            operation.payload.read().map_err(|error| Trouble::permanent("malformed", error.to_string()))?;
        let step = u16::try_from(confirmed.len()).expect("a handful of steps");
        if step < self.steps {
            let name = effect_name(facts.tenant(), &operation.key, step);
            let metadata = BTreeMap::from([("operation".to_owned(), name)]);
            return Ok(Step::Call { request: Payload::of(&ChargeRequest { amount, metadata }) });
        }
        enqueue(facts, &note(&operation.key))?;
        let charges: Vec<_> = confirmed.iter().map(|effect| effect.provider_ref.clone()).collect();
        Ok(Step::Done { result: Payload::of(&json!({ "charges": charges })) })
    }

    fn rejected(&self, _: &Operation, _: &Effect, _: &mut Facts) -> Result<AfterRejection, Stop<Trouble>> {
        Ok(if self.declined_is_a_result {
            AfterRejection::Done { result: Payload::of(&json!({ "declined": true })) }
        } else {
            AfterRejection::Die
        })
    }
}

/// The follow-up of a charge.
pub fn note(charge: &OperationKey) -> NewOperation {
    let key = NOTE_CHARGE.key(&[charge.kind.as_str(), charge.key.as_str()]).expect("a legal key");
    NewOperation::new(&NOTE_CHARGE, key, Payload::of(charge))
}

/// That it has run is all there is to it: the journal says how often.
#[derive(Clone, Copy, Debug)]
pub struct NoteCharge;

impl StateHandler for NoteCharge {
    fn kind(&self) -> &'static OperationType {
        &NOTE_CHARGE
    }

    fn run(&self, operation: &Operation, _: &mut Facts) -> Result<Payload, Stop<Trouble>> {
        Ok(operation.payload.clone())
    }
}

/// Whether every operation has ended, well or not.
pub async fn nothing_is_left(views: &Views) -> bool {
    let is_dead = |depth: &OperationDepth| depth.state == OperationState::DeadLetter;
    views.operation_depths().await.is_ok_and(|depths| depths.iter().all(is_dead))
}
