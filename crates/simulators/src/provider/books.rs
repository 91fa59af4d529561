//! What the provider remembers, and what becomes of a charge request. No I/O, and no clock but its own.
//!
//! Invariants: a charge is never changed or removed. A key that is in flight is never forgotten. A request that is
//! wrong in itself, or that is turned away in front of the idempotency layer, leaves nothing behind.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::answer::{Answer, Reaction};
use super::fault::{DeclineCode, ProviderFault, RandomFaults};
use super::report::ProviderReport;
use crate::Stage;
use crate::fault_plan::FaultPlan;

/// After it, a key is as good as new: the same request charges again.
pub const KEY_LIFETIME_SECS: u32 = 24 * 60 * 60;
const KEY_CHARS_MAX: usize = 255;
/// 2027-01-15, in seconds since 1970.
const STARTED_AT_SECS: i64 = 1_800_000_000;
const OPERATION: &str = "operation";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Charge {
    pub id: String,
    pub amount: i64,
    pub metadata: BTreeMap<String, String>,
    /// By the provider's clock, in seconds since 1970.
    pub created: i64,
}

impl Charge {
    pub fn operation(&self) -> Option<&str> {
        self.metadata.get(OPERATION).map(String::as_str)
    }
}

/// Compared field by field: the order and the blanks of the JSON do not matter.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChargeRequest {
    amount: i64,
    #[serde(default)]
    metadata: BTreeMap<String, String>,
}

#[derive(Debug)]
pub(super) struct Books {
    now_secs: i64,
    charges: Vec<Entry>,
    keys: BTreeMap<String, Kept>,
    list_lag_asks: u32,
    plan: FaultPlan<ProviderFault>,
    counts: Counts,
}

#[derive(Debug)]
struct Entry {
    charge: Charge,
    /// Lists that will not show it yet.
    hidden_asks: u32,
}

/// What is known of a key.
#[derive(Debug)]
struct Kept {
    request: ChargeRequest,
    first_at_secs: i64,
    /// `None` while the first request is in flight.
    answer: Option<Answer>,
}

#[derive(Debug, Default)]
struct Counts {
    requests: u64,
    replays: u64,
    conflicts: u64,
    mismatches: u64,
    lists: u64,
    faults: BTreeMap<String, u64>,
}

/// What happens to a charge request now.
#[derive(Debug)]
pub(super) enum Course {
    Now(Reaction),
    /// To be finished after the delay, whatever becomes of the client.
    Late {
        delay: Duration,
        admission: Admission,
    },
}

/// A charge request that has passed the idempotency layer.
#[derive(Debug)]
pub(super) enum Admission {
    Refuse(Refused),
    Replay(Answer),
    Execute(Ticket),
}

#[derive(Debug)]
pub(super) enum Refused {
    Invalid(Answer),
    OtherBody,
    InFlight,
}

#[derive(Debug)]
pub(super) struct Ticket {
    key: Option<String>,
    request: ChargeRequest,
    first_at_secs: i64,
}

/// What executing comes to.
#[derive(Clone, Copy, Debug)]
enum Verdict {
    Accept,
    AcceptThen500,
    Decline(DeclineCode),
}

impl Default for Books {
    fn default() -> Books {
        Books {
            now_secs: STARTED_AT_SECS,
            charges: Vec::new(),
            keys: BTreeMap::new(),
            list_lag_asks: 0,
            plan: FaultPlan::default(),
            counts: Counts::default(),
        }
    }
}

impl Books {
    pub(super) fn charge(&mut self, key: Option<&str>, body: &[u8]) -> Course {
        self.counts.requests += 1;
        let admission = self.admit(key, body);
        let fault = self.plan.draw(admission.stage());
        if let Some(fault) = fault {
            *self.counts.faults.entry(fault.name().to_owned()).or_default() += 1;
        }
        let reaction = match fault {
            None => Reaction::Once(self.settle(admission, Verdict::Accept)),
            Some(ProviderFault::DropBefore) => Reaction::HangUp,
            Some(ProviderFault::Unavailable) => Reaction::Once(Answer::unavailable()),
            Some(ProviderFault::Busy { retry_after_secs }) => Reaction::Once(Answer::busy(retry_after_secs)),
            Some(ProviderFault::Reject { decline }) => {
                Reaction::Once(self.settle(admission, Verdict::Decline(decline)))
            }
            Some(ProviderFault::AcceptThen500) => Reaction::Once(self.settle(admission, Verdict::AcceptThen500)),
            Some(ProviderFault::AcceptThenDrop) => {
                self.settle(admission, Verdict::Accept);
                Reaction::HangUp
            }
            Some(ProviderFault::Garbage) => {
                self.settle(admission, Verdict::Accept);
                Reaction::Once(Answer::garbage())
            }
            Some(ProviderFault::Twice) => Reaction::Twice(self.settle(admission, Verdict::Accept)),
            Some(ProviderFault::Late { delay_millis }) => {
                self.keep_in_flight(&admission);
                return Course::Late { delay: Duration::from_millis(delay_millis), admission };
            }
        };
        Course::Now(reaction)
    }

    /// The end of a late request.
    pub(super) fn finish(&mut self, admission: Admission) -> Reaction {
        Reaction::Once(self.settle(admission, Verdict::Accept))
    }

    /// The idempotency layer. Changes nothing yet.
    fn admit(&self, key: Option<&str>, body: &[u8]) -> Admission {
        let request = match read(key, body) {
            Ok(request) => request,
            Err(answer) => return Admission::Refuse(Refused::Invalid(answer)),
        };
        let kept = key.and_then(|key| self.keys.get(key)).filter(|kept| self.remembers(kept));
        match kept {
            None => Admission::Execute(Ticket { key: key.map(str::to_owned), request, first_at_secs: self.now_secs }),
            Some(kept) if kept.request != request => Admission::Refuse(Refused::OtherBody),
            Some(Kept { answer: None, .. }) => Admission::Refuse(Refused::InFlight),
            Some(Kept { answer: Some(answer), .. }) => Admission::Replay(answer.clone().again()),
        }
    }

    fn remembers(&self, kept: &Kept) -> bool {
        kept.answer.is_none() || self.now_secs - kept.first_at_secs < i64::from(KEY_LIFETIME_SECS)
    }

    fn settle(&mut self, admission: Admission, verdict: Verdict) -> Answer {
        match admission {
            Admission::Refuse(Refused::Invalid(answer)) => answer,
            Admission::Refuse(Refused::OtherBody) => {
                self.counts.mismatches += 1;
                Answer::other_body()
            }
            Admission::Refuse(Refused::InFlight) => {
                self.counts.conflicts += 1;
                Answer::in_flight()
            }
            Admission::Replay(answer) => {
                self.counts.replays += 1;
                answer
            }
            Admission::Execute(ticket) => self.execute(ticket, verdict),
        }
    }

    fn execute(&mut self, ticket: Ticket, verdict: Verdict) -> Answer {
        let Ticket { key, request, first_at_secs } = ticket;
        let answer = match verdict {
            Verdict::Accept => Answer::json(self.make(&request)),
            Verdict::AcceptThen500 => {
                self.make(&request);
                Answer::broken()
            }
            Verdict::Decline(decline) => Answer::declined(decline),
        };
        if let Some(key) = key {
            self.keys.insert(key, Kept { request, first_at_secs, answer: Some(answer.clone()) });
        }
        answer
    }

    fn make(&mut self, request: &ChargeRequest) -> &Charge {
        let charge = Charge {
            id: format!("ch_{}", self.charges.len() + 1),
            amount: request.amount,
            metadata: request.metadata.clone(),
            created: self.now_secs,
        };
        &self.charges.push_mut(Entry { charge, hidden_asks: self.list_lag_asks }).charge
    }

    fn keep_in_flight(&mut self, admission: &Admission) {
        let Admission::Execute(Ticket { key: Some(key), request, first_at_secs }) = admission else { return };
        let kept = Kept { request: request.clone(), first_at_secs: *first_at_secs, answer: None };
        self.keys.insert(key.clone(), kept);
    }

    /// Of this operation, or all; the newest first. Being asked for is what brings a hidden charge to light.
    pub(super) fn list(&mut self, operation: Option<&str>) -> Answer {
        self.counts.lists += 1;
        let mut shown = Vec::new();
        for entry in self.charges.iter_mut().rev() {
            if operation.is_some() && entry.charge.operation() != operation {
                continue;
            }
            match entry.hidden_asks.checked_sub(1) {
                Some(hidden_asks) => entry.hidden_asks = hidden_asks,
                None => shown.push(&entry.charge),
            }
        }
        Answer::json(&json!({ "object": "list", "data": shown, "has_more": false }))
    }

    pub(super) fn find(&self, id: &str) -> Answer {
        let entry = self.charges.iter().find(|entry| entry.charge.id == id);
        entry.map_or_else(|| Answer::not_found("no such charge"), |entry| Answer::json(&entry.charge))
    }

    pub(super) fn advance_secs(&mut self, secs: u32) {
        self.now_secs += i64::from(secs);
    }

    pub(super) fn queue_faults(&mut self, faults: &[ProviderFault]) {
        self.plan.queue(faults);
    }

    pub(super) fn set_random_faults(&mut self, random: &RandomFaults) {
        self.plan.set_random(random);
    }

    pub(super) fn set_list_lag(&mut self, asks: u32) {
        self.list_lag_asks = asks;
    }

    pub(super) fn report(&self, waiting: u64) -> ProviderReport {
        let charges: Vec<Charge> = self.charges.iter().map(|entry| entry.charge.clone()).collect();
        let mut charges_per_operation = BTreeMap::new();
        for operation in charges.iter().filter_map(Charge::operation) {
            *charges_per_operation.entry(operation.to_owned()).or_default() += 1;
        }
        let charges_per_operation_max = charges_per_operation.values().copied().max().unwrap_or(0);
        ProviderReport {
            now_secs: self.now_secs,
            charges,
            charges_per_operation,
            charges_per_operation_max,
            requests: self.counts.requests,
            replays: self.counts.replays,
            conflicts: self.counts.conflicts,
            mismatches: self.counts.mismatches,
            lists: self.counts.lists,
            faults: self.counts.faults.clone(),
            faults_queued: u64::try_from(self.plan.queued()).expect("a usize fits"),
            waiting,
        }
    }
}

impl Admission {
    fn stage(&self) -> Stage {
        match self {
            Admission::Refuse(_) => Stage::Refused,
            Admission::Replay(_) => Stage::Answered,
            Admission::Execute(_) => Stage::Executed,
        }
    }
}

fn read(key: Option<&str>, body: &[u8]) -> Result<ChargeRequest, Answer> {
    if key.is_some_and(|key| key.is_empty() || key.chars().count() > KEY_CHARS_MAX) {
        return Err(Answer::invalid("idempotency_key_invalid", "an idempotency key has 1 to 255 characters"));
    }
    let request: ChargeRequest =
        serde_json::from_slice(body).map_err(|error| Answer::invalid("parameter_invalid", &error.to_string()))?;
    if request.amount < 1 {
        return Err(Answer::invalid("parameter_invalid_integer", "`amount` is at least 1"));
    }
    Ok(request)
}
