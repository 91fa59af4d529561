//! What becomes of an API request: who asks, whether the key knows the answer, which fault strikes, what is done.

use std::time::Duration;

use serde_json::{Value, json};

use super::answer::{Answer, ApiError};
use super::books::{Books, Cause};
use super::fault::StripeFault;
use super::form::Params;
use super::keys::{self, KeyUse};
use super::table::AccountNo;
use crate::Stage;

#[derive(Clone, Debug)]
pub(super) struct ApiRequest {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) bearer: Option<String>,
    pub(super) idempotency_key: Option<String>,
    pub(super) params: Params,
}

/// What the client meets on its connection.
#[derive(Clone, Debug)]
pub(super) enum Reaction {
    Answer(Answer),
    Close,
    Reset,
}

/// What happens to a request now.
#[derive(Debug)]
pub(super) enum Course {
    Now(Reaction),
    /// It is done; the answer takes its time.
    Answered {
        delay: Duration,
        answer: Answer,
    },
    /// To be finished after the delay, whatever becomes of the client.
    Late {
        delay: Duration,
        admission: Admission,
    },
}

/// A request that has passed the door.
#[derive(Debug)]
pub(super) enum Admission {
    Refuse(Answer),
    Replay(Answer),
    Execute(AccountNo),
}

/// What executing comes to.
#[derive(Clone, Copy, Debug)]
enum Verdict {
    Do,
    DoThen500,
    Only500,
}

impl ApiRequest {
    fn changes(&self) -> bool {
        self.method == "POST"
    }

    /// Looking needs no key, and one that comes along is ignored.
    fn key(&self) -> Option<&str> {
        self.idempotency_key.as_deref().filter(|_| self.changes())
    }
}

impl Books {
    pub(super) fn react(&mut self, request: &ApiRequest, request_id: &str) -> Course {
        self.counts.requests += 1;
        let admission = self.admit(request);
        let stage = match &admission {
            Admission::Refuse(_) => Stage::Refused,
            Admission::Execute(_) if request.changes() => Stage::Executed,
            Admission::Execute(_) | Admission::Replay(_) => Stage::Answered,
        };
        let fault = self.faults.draw(stage);
        if let Some(fault) = fault {
            *self.counts.faults.entry(fault.name().to_owned()).or_default() += 1;
        }
        self.suffer(fault, admission, request, request_id)
    }

    fn suffer(
        &mut self,
        fault: Option<StripeFault>,
        admission: Admission,
        request: &ApiRequest,
        request_id: &str,
    ) -> Course {
        let mut settle = |admission, verdict| self.conclude(admission, request, request_id, verdict);
        let reaction = match fault {
            None => Reaction::Answer(settle(admission, Verdict::Do)),
            Some(StripeFault::ResetBefore) => Reaction::Reset,
            Some(StripeFault::ErrorBefore) => Reaction::Answer(Answer::broken()),
            Some(StripeFault::Busy { retry_after_secs }) => Reaction::Answer(Answer::busy(retry_after_secs)),
            Some(StripeFault::Conflict) => {
                Reaction::Answer(ApiError::key_in_use(request.key().unwrap_or_default()).into())
            }
            Some(StripeFault::ErrorAfter) => Reaction::Answer(settle(admission, Verdict::DoThen500)),
            Some(StripeFault::ErrorInstead) => Reaction::Answer(settle(admission, Verdict::Only500)),
            Some(StripeFault::DropAfter) => {
                settle(admission, Verdict::Do);
                Reaction::Close
            }
            Some(StripeFault::ResetAfter) => {
                settle(admission, Verdict::Do);
                Reaction::Reset
            }
            Some(StripeFault::LateAnswer { delay_millis }) => {
                let answer = settle(admission, Verdict::Do);
                return Course::Answered { delay: Duration::from_millis(delay_millis), answer };
            }
            Some(StripeFault::Late { delay_millis }) => {
                self.keep_in_flight(&admission, request);
                return Course::Late { delay: Duration::from_millis(delay_millis), admission };
            }
        };
        Course::Now(reaction)
    }

    fn keep_in_flight(&mut self, admission: &Admission, request: &ApiRequest) {
        if let (Admission::Execute(account), Some(key)) = (admission, request.key()) {
            let now_secs = self.clock.now_secs();
            self.accounts[*account].keys.begin(key, &request.path, &request.params, now_secs);
        }
    }

    /// The end of a late request.
    pub(super) fn finish(&mut self, admission: Admission, request: &ApiRequest, request_id: &str) -> Answer {
        self.conclude(admission, request, request_id, Verdict::Do)
    }

    fn admit(&mut self, request: &ApiRequest) -> Admission {
        let account = match request.bearer.as_deref() {
            None => return Admission::Refuse(ApiError::no_key().into()),
            Some(key) => match self.account(key) {
                None => return Admission::Refuse(ApiError::wrong_key(key).into()),
                Some(account) => account,
            },
        };
        let Some(key) = request.key() else { return Admission::Execute(account) };
        if let Err(error) = keys::check(key) {
            return Admission::Refuse(error.into());
        }
        match self.accounts[account].keys.look(key, &request.path, &request.params, self.clock.now_secs()) {
            KeyUse::New => Admission::Execute(account),
            KeyUse::Replay(answer) => Admission::Replay(answer),
            KeyUse::OtherUse(error) => {
                self.counts.mismatches += 1;
                Admission::Refuse(error.into())
            }
            KeyUse::InFlight(error) => {
                self.counts.conflicts += 1;
                Admission::Refuse(error.into())
            }
        }
    }

    fn conclude(&mut self, admission: Admission, request: &ApiRequest, request_id: &str, verdict: Verdict) -> Answer {
        match admission {
            Admission::Refuse(answer) => answer,
            Admission::Replay(answer) => {
                self.counts.replays += 1;
                answer
            }
            Admission::Execute(account) => {
                self.cause = Cause {
                    request_id: Some(request_id.to_owned()),
                    idempotency_key: request.key().map(str::to_owned),
                };
                let answer = self.execute(account, request, verdict);
                self.cause = Cause::default();
                answer
            }
        }
    }

    fn execute(&mut self, account: AccountNo, request: &ApiRequest, verdict: Verdict) -> Answer {
        let (answer, kept) = match verdict {
            Verdict::Do => judged(self.perform(account, request)),
            Verdict::DoThen500 => match judged(self.perform(account, request)) {
                (_, true) => (Answer::broken(), true),
                refused => refused,
            },
            Verdict::Only500 => (Answer::broken(), true),
        };
        if let Some(key) = request.key() {
            let now_secs = self.clock.now_secs();
            let keys = &mut self.accounts[account].keys;
            keys.begin(key, &request.path, &request.params, now_secs);
            keys.end(key, kept.then(|| answer.clone()));
        }
        answer
    }

    fn perform(&mut self, account: AccountNo, request: &ApiRequest) -> Result<Value, ApiError> {
        let ApiRequest { method, path, params, .. } = request;
        let words: Vec<&str> = path.trim_start_matches("/v1/").split('/').collect();
        match (method.as_str(), words.as_slice()) {
            ("POST", ["checkout", "sessions"]) => self.create_session(account, params),
            ("GET", ["checkout", "sessions"]) => self.list_sessions(account, params),
            ("GET", ["checkout", "sessions", id]) => self.get_session(account, id, params),
            ("POST", ["checkout", "sessions", id, "expire"]) => self.expire_by_request(account, id, params),
            ("GET", ["payment_intents", id]) => self.get_intent(account, id, params),
            ("GET", ["charges", id]) => self.get_charge(account, id, params),
            ("POST", ["refunds"]) => self.create_refund(account, params),
            ("GET", ["refunds"]) => self.list_refunds(account, params),
            ("GET", ["refunds", id]) => self.get_refund(account, id, params),
            ("GET", ["events"]) => self.list_events(account, params),
            ("GET", ["events", id]) => self.get_event(account, id, params),
            ("GET", ["account"]) => Ok(json!({ "id": self.accounts[account].id, "object": "account" })),
            _ => Err(ApiError::no_route(method, path)),
        }
    }
}

/// The answer, and whether the key keeps it.
fn judged(result: Result<Value, ApiError>) -> (Answer, bool) {
    let kept = result.as_ref().map_or_else(|error| error.kept, |_| true);
    (Answer::from(result), kept)
}
