//! A provider as it can be at its worst: it does what it was asked and does not say so, keeps errors under keys, carries
//! requests out after the caller gave up, and forgets keys. What it did it never undoes.
//!
//! Two limits are those of the protocol, and not tried here. A request is on its way for at most [`LATE_SECS_MAX`]
//! after the lease under which it was sent. And where the provider knows no keys, a request that is still on its way
//! when the provider is asked cannot be told from one that never came: there, what is sent arrives at once or never.

use std::collections::BTreeMap;

use surehold_core::kernel::Timestamp;
use surehold_core::operations::commands::{EffectCall, EffectOutcome};
use surehold_core::operations::{Nature, OperationKey, OperationType, Payload};

use super::kinds::WINDOW_SECS;

pub(crate) const LATE_SECS_MAX: i64 = 1_200;

/// What goes wrong with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// Carried out; the answer is lost.
    AnswerLost,
    /// Never arrives.
    RequestLost,
    /// Arrives after so many seconds; nobody waits for the answer.
    Late(i64),
    /// Not carried out, and the error is kept under the key.
    ErrorKept,
    /// Carried out, and yet an error is kept under the key.
    DoneButErrorKept,
    /// Turned away before keys are looked at.
    TurnedAway,
    Rejected,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Done,
    Error,
    Rejected,
    TurnedAway,
}

#[derive(Clone, Debug)]
struct Request {
    key: String,
    target: (OperationKey, u16),
}

#[derive(Debug)]
pub(crate) struct Provider {
    knows_keys: bool,
    executions: BTreeMap<(OperationKey, u16), u32>,
    answers: BTreeMap<String, (Timestamp, Answer)>,
    on_the_way: Vec<(Timestamp, Request)>,
}

impl Provider {
    pub(crate) fn of(kind: &OperationType) -> Provider {
        let Nature::Effect { window_secs, .. } = kind.nature else { panic!("{} calls nobody", kind.name) };
        let knows_keys = window_secs.is_some();
        Provider { knows_keys, executions: BTreeMap::new(), answers: BTreeMap::new(), on_the_way: Vec::new() }
    }

    pub(crate) fn executions(&self, operation: &OperationKey, step: u16) -> u32 {
        self.executions.get(&(operation.clone(), step)).copied().unwrap_or(0)
    }

    pub(crate) fn most_executions(&self) -> u32 {
        self.executions.values().copied().max().unwrap_or(0)
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.on_the_way.is_empty()
    }

    /// What was on its way until now arrives.
    pub(crate) fn advance(&mut self, now: Timestamp) {
        self.on_the_way.sort_by_key(|(at, _)| *at);
        while self.on_the_way.first().is_some_and(|(at, _)| *at <= now) {
            let (at, request) = self.on_the_way.remove(0);
            self.arrive(at, &request, Fault::None);
        }
    }

    pub(crate) fn call(&mut self, now: Timestamp, call: &EffectCall, fault: Fault) -> EffectOutcome {
        let target = (call.operation.clone(), call.step);
        let request = Request { key: call.idempotency_key.to_string(), target };
        let unanswered = EffectOutcome::Unanswered { code: "timeout".into(), error: "no answer".into() };
        match fault {
            Fault::RequestLost => return unanswered,
            Fault::Late(secs) if self.knows_keys => {
                self.on_the_way.push((now.plus_secs(secs), request));
                return unanswered;
            }
            Fault::AnswerLost => {
                self.arrive(now, &request, Fault::None);
                return unanswered;
            }
            _ => {}
        }
        let (code, error) = ("e".into(), "error".into());
        match self.arrive(now, &request, fault) {
            Answer::Done => EffectOutcome::Confirmed { provider_ref: None, response: Payload::null() },
            Answer::Error => EffectOutcome::ErrorKept { code, error },
            Answer::Rejected => EffectOutcome::Rejected { code, error, response: Payload::null() },
            Answer::TurnedAway => EffectOutcome::NotDone { code, error, retry_after_secs: None },
        }
    }

    fn arrive(&mut self, now: Timestamp, request: &Request, fault: Fault) -> Answer {
        if fault == Fault::TurnedAway {
            return Answer::TurnedAway;
        }
        let window_secs = i64::from(WINDOW_SECS);
        if let Some((at, answer)) = self.answers.get(&request.key)
            && now < at.plus_secs(window_secs)
        {
            return *answer;
        }
        let (executed, answer) = match fault {
            Fault::ErrorKept => (false, Answer::Error),
            Fault::DoneButErrorKept => (true, Answer::Error),
            Fault::Rejected => (false, Answer::Rejected),
            _ => (true, Answer::Done),
        };
        if executed {
            *self.executions.entry(request.target.clone()).or_default() += 1;
        }
        if self.knows_keys {
            self.answers.insert(request.key.clone(), (now, answer));
        }
        answer
    }

    /// Asked about the operation, not about a key: a request under an earlier key is found too.
    pub(crate) fn probe(&self, call: &EffectCall) -> EffectOutcome {
        if self.executions(&call.operation, call.step) > 0 {
            EffectOutcome::Confirmed { provider_ref: None, response: Payload::null() }
        } else {
            EffectOutcome::Absent
        }
    }
}
