//! What was asked, how often, and what was answered: all that the clients know.

use std::collections::BTreeMap;

use surehold_core::kernel::commands::HoldReply;
use surehold_core::kernel::{Command, HoldId, HoldState, Lines, Refusal, TenantId, Timestamp};
use surehold_core::operations::{NewOperation, OperationRefusal};
use surehold_engine::{Done, Failure, Fault};

use super::deed::{Deed, Reply, Subject};

/// One wish of a client, under one identity: asking again is another call of the same request.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) tenant: TenantId,
    pub(super) ask: Ask,
    pub(super) key: Option<String>,
    /// Asking again does no harm.
    pub(super) repeatable: bool,
    pub(super) calls: Vec<Call>,
}

#[derive(Clone, Debug)]
pub(super) enum Ask {
    Deed { deed: Deed, subject: Subject },
    Task(Box<NewOperation>),
}

/// Between two points of the list of attempts, which bound when it was decided.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) from: usize,
    pub(super) to: Option<usize>,
    pub(super) verdict: Verdict,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Done {
        reply: Reply,
        replayed: bool,
        at: Timestamp,
    },
    TaskKept,
    Refused(Refusal),
    TaskRefused(OperationRefusal),
    KeyReused,
    /// For another reason; nothing was changed.
    Nothing,
    /// Nothing was changed either, and the product says that it was wrong.
    Defect,
    Unknown,
}

impl Request {
    pub(super) fn text(&self) -> String {
        match &self.ask {
            Ask::Deed { deed, .. } => format!("{deed:?}"),
            Ask::Task(task) => task.key.to_string(),
        }
    }

    /// Nobody knows whether it happened.
    pub(super) fn is_open(&self) -> bool {
        let settled = |call: &Call| match call.verdict {
            Verdict::Unknown | Verdict::Nothing | Verdict::Defect => false,
            Verdict::Done { .. }
            | Verdict::TaskKept
            | Verdict::Refused(_)
            | Verdict::TaskRefused(_)
            | Verdict::KeyReused => true,
        };
        self.calls.iter().any(|call| call.verdict == Verdict::Unknown) && !self.calls.iter().any(settled)
    }
}

fn of_fault(fault: Fault) -> Verdict {
    match fault {
        Fault::OutcomeUnknown => Verdict::Unknown,
        Fault::Busy | Fault::NotExecuted | Fault::Unavailable | Fault::Corrupt | Fault::Stopping => Verdict::Nothing,
    }
}

pub(super) fn of_deed(outcome: Result<Done<Reply>, Failure<Refusal>>) -> Verdict {
    match outcome {
        Ok(Done { reply, replayed, at }) => Verdict::Done { reply, replayed, at },
        Err(Failure::Refused(refusal)) => Verdict::Refused(refusal),
        Err(Failure::KeyReused) => Verdict::KeyReused,
        Err(Failure::Fault(fault)) => of_fault(fault),
        Err(Failure::Defect) => Verdict::Defect,
    }
}

pub(super) fn of_task<C: Command<Refusal = OperationRefusal>>(
    outcome: Result<Done<C::Reply>, Failure<OperationRefusal>>,
) -> Verdict {
    match outcome {
        Ok(_) => Verdict::TaskKept,
        Err(Failure::Refused(refusal)) => Verdict::TaskRefused(refusal),
        Err(Failure::KeyReused) => Verdict::KeyReused,
        Err(Failure::Fault(fault)) => of_fault(fault),
        Err(Failure::Defect) => Verdict::Defect,
    }
}

/// What the clients believe about a hold: for choosing what to ask next, not for judging.
#[derive(Clone, Debug)]
pub(super) struct BelievedHold {
    pub(super) tenant: TenantId,
    pub(super) id: HoldId,
    pub(super) lines: Lines,
    pub(super) expires_at: Option<Timestamp>,
    pub(super) state: Option<HoldState>,
    pub(super) booked: Option<Lines>,
}

#[derive(Debug, Default)]
pub(super) struct Notebook {
    pub(super) requests: Vec<Request>,
    pub(super) holds: Vec<BelievedHold>,
    by_id: BTreeMap<HoldId, usize>,
}

impl Notebook {
    pub(super) fn add_hold(&mut self, tenant: TenantId, id: HoldId, lines: Lines) {
        self.by_id.insert(id, self.holds.len());
        self.holds.push(BelievedHold { tenant, id, lines, expires_at: None, state: None, booked: None });
    }

    pub(super) fn open_call(&mut self, request: usize, from: usize) -> (usize, usize) {
        let calls = &mut self.requests[request].calls;
        calls.push(Call { from, to: None, verdict: Verdict::Unknown });
        (request, calls.len() - 1)
    }

    pub(super) fn answer(&mut self, (request, call): (usize, usize), to: usize, verdict: Verdict) {
        if let Verdict::Done { reply: Reply::Hold(reply), .. } = &verdict {
            self.learn(reply);
        }
        let call = &mut self.requests[request].calls[call];
        // What is unknown may still be carried out.
        call.to = (verdict != Verdict::Unknown).then_some(to);
        call.verdict = verdict;
    }

    fn learn(&mut self, reply: &HoldReply) {
        let Some(index) = self.by_id.get(&reply.hold.id) else { return };
        let known = &mut self.holds[*index];
        known.expires_at = Some(reply.hold.expires_at);
        known.state = Some(reply.hold.state);
        known.booked = reply.hold.kept.as_ref().map(|kept| kept.lines.clone()).filter(|lines| !lines.is_empty());
    }

    /// The process is gone: what was under way is not any more.
    pub(super) fn close_calls(&mut self, to: usize) {
        for call in self.requests.iter_mut().flat_map(|request| &mut request.calls) {
            call.to.get_or_insert(to);
        }
    }
}
