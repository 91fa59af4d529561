//! The types of operation that the tables and the model speak of, with handlers that do as they are told.

use surehold_core::kernel::{Facts, Stop};
use surehold_core::operations::{
    AfterRejection, Effect, EffectHandler, Mode, Nature, Operation, OperationKey, OperationType, Payload, Priority,
    RetryPolicy, StateHandler, Step, Trouble,
};

pub(crate) const WINDOW_SECS: u32 = 24 * 3_600;
pub(crate) const DEADLINE_SECS: u32 = 60;
pub(crate) const RECHECK_SECS: u32 = 30;
/// Pauses of exactly these lengths: no dice.
const PAUSES_SECS: &[u32] = &[10, 100];

const fn kind(name: &'static str, mode: Mode, nature: Nature) -> OperationType {
    OperationType {
        name,
        key: &["id"],
        mode,
        priority: Priority::Normal,
        retry: RetryPolicy::schedule(PAUSES_SECS, 0),
        deadline_secs: DEADLINE_SECS,
        stuck_after_secs: 3_600,
        recheck_secs: RECHECK_SECS,
        running_max: 10,
        nature,
    }
}

const fn effect(window_secs: Option<u32>, probe: bool) -> Nature {
    Nature::Effect { provider: "bank", window_secs, probe, calls_max: 10 }
}

/// State, once.
pub(crate) static BOOK: OperationType = kind("BOOK", Mode::Once, Nature::State);
/// State, up to date.
pub(crate) static COUNT: OperationType = kind("COUNT", Mode::Latest, Nature::State);
/// One call, with everything that a good provider has.
pub(crate) static PAY: OperationType = kind("PAY", Mode::Once, effect(Some(WINDOW_SECS), true));
/// Two calls.
pub(crate) static TRIP: OperationType = kind("TRIP", Mode::Once, effect(Some(WINDOW_SECS), true));
/// The provider cannot be asked.
pub(crate) static BLIND: OperationType = kind("BLIND", Mode::Once, effect(Some(WINDOW_SECS), false));
/// The provider knows no keys.
pub(crate) static PLAIN: OperationType = kind("PLAIN", Mode::Once, effect(None, true));
/// A call that brings something up to date.
pub(crate) static SYNC: OperationType = kind("SYNC", Mode::Latest, effect(Some(WINDOW_SECS), true));

pub(crate) static KINDS: [&OperationType; 7] = [&BOOK, &COUNT, &PAY, &TRIP, &BLIND, &PLAIN, &SYNC];

/// By its name in small letters.
pub(crate) fn kind_named(name: &str) -> &'static OperationType {
    KINDS.into_iter().find(|kind| kind.name.eq_ignore_ascii_case(name)).unwrap_or_else(|| panic!("no type {name}"))
}

pub(crate) fn kind_of(key: &OperationKey) -> &'static OperationType {
    kind_named(key.kind.as_str())
}

pub(crate) fn steps_of(kind: &OperationType) -> usize {
    if kind.name == TRIP.name { 2 } else { 1 }
}

/// What the handler is to say this time.
#[derive(Clone, Debug, Default)]
pub(crate) enum Mood {
    #[default]
    Willing,
    Troubled(Trouble),
    /// Finds that nothing need be done any more.
    Content,
}

#[derive(Debug)]
pub(crate) struct Clerk {
    pub(crate) kind: &'static OperationType,
    pub(crate) mood: Mood,
    /// What it makes of a no.
    pub(crate) accepts_rejection: bool,
}

impl Clerk {
    pub(crate) fn of(kind: &'static OperationType) -> Clerk {
        Clerk { kind, mood: Mood::Willing, accepts_rejection: false }
    }
}

fn result_of(operation: &Operation) -> Payload {
    Payload::of(&format!("did {}", operation.payload.as_str()))
}

impl StateHandler for Clerk {
    fn kind(&self) -> &'static OperationType {
        self.kind
    }

    fn run(&self, operation: &Operation, _: &mut Facts) -> Result<Payload, Stop<Trouble>> {
        match &self.mood {
            Mood::Willing | Mood::Content => Ok(result_of(operation)),
            Mood::Troubled(trouble) => Err(trouble.clone().into()),
        }
    }
}

impl EffectHandler for Clerk {
    fn kind(&self) -> &'static OperationType {
        self.kind
    }

    fn next(&self, operation: &Operation, confirmed: &[Effect], _: &mut Facts) -> Result<Step, Stop<Trouble>> {
        match &self.mood {
            Mood::Troubled(trouble) => Err(trouble.clone().into()),
            Mood::Willing if confirmed.len() < steps_of(self.kind) => {
                Ok(Step::Call { request: operation.payload.clone() })
            }
            Mood::Willing | Mood::Content => Ok(Step::Done { result: result_of(operation) }),
        }
    }

    fn rejected(&self, _: &Operation, _: &Effect, _: &mut Facts) -> Result<AfterRejection, Stop<Trouble>> {
        match &self.mood {
            Mood::Troubled(trouble) => Err(trouble.clone().into()),
            Mood::Willing | Mood::Content if self.accepts_rejection => {
                Ok(AfterRejection::Done { result: Payload::of(&"declined") })
            }
            Mood::Willing | Mood::Content => Ok(AfterRejection::Die),
        }
    }
}
