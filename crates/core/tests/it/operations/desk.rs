//! The language of the tables about operations: statements separated by `;`, of which the last one's answer is looked at.
//!
//! ```text
//! ask pay:a 7 aggregate:p after:pay:b in:60          asks for an operation with the content 7
//! run book:a                                         runs a state operation
//! start pay:a by:2 restored:-5                       takes the lease; data was put back five seconds ago
//! tell pay:a confirmed lease:3                       what came of the last call, or of that lease's
//! stuck pay:a expired                                somebody notices, and the reconciliation runs
//! redrive pay:a      cancel pay:a      hasten pay:a      settle pay:a happened step:1
//! case stuck pay:a   assign stuck pay:a ann   resolve stuck pay:a
//! clock 60           show pay:a        effects pay:a     log pay:a     wake     news
//! ```
//!
//! A handler does as the statement says: `retry`, `retry:90` (after so many seconds), `permanent`, `wait`, `wait:90`,
//! `content` (nothing to do any more). The types are those of `kinds`. `try` before a statement lets it be refused.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;

use serde_json::json;
use surehold_core::kernel::{Command, Event, Timestamp};
use surehold_core::operations::commands::{
    CancelOperation, EffectCall, EffectOutcome, EnqueueOperation, FailOperation, FinishEffect, Finished,
    HastenOperation, NotNow, RedriveOperation, RunStateOperation, SettleEffect, StartEffect, Started, StateRun,
    Verdict,
};
use surehold_core::operations::{
    Actor, Aggregate, AssignCase, Attempt, Case, CaseKey, Correlation, DeadLetter, Doubt, Effect, Enqueued, LeaseToken,
    NewOperation, Operation, OperationKey, OperationRefusal, OperationRun, OperationState, OperationsEvent, Payload,
    Reason, ReconcileStuckOperation, ResolveCase, StuckReason, Trouble, WaitingOn, WorkerId, reconciliation,
};

use super::audit;
use super::kinds::{Clerk, Mood, kind_named, kind_of};
use super::store::{Done, Store};
use crate::world::START;

#[track_caller]
pub(crate) fn check(scenario: &str, expected: &str) {
    assert_eq!(Desk::new().play(scenario), expected, "{scenario}");
}

pub(crate) struct Desk {
    pub(crate) store: Store,
    pub(crate) now: Timestamp,
    calls: BTreeMap<OperationKey, Vec<EffectCall>>,
    news: Vec<Event>,
    wake_at: Option<Timestamp>,
}

type Answer = Result<String, OperationRefusal>;

impl Desk {
    pub(crate) fn new() -> Desk {
        Desk { store: Store::default(), now: START, calls: BTreeMap::new(), news: Vec::new(), wake_at: None }
    }

    /// The answer to the last statement. All before it must be accepted, unless they say `try`.
    #[track_caller]
    pub(crate) fn play(&mut self, scenario: &str) -> String {
        let mut answer: Answer = Ok(String::new());
        for text in scenario.split(';').map(str::trim) {
            if let Err(refusal) = answer {
                panic!("{refusal} before {text:?} in {scenario:?}");
            }
            answer = match text.strip_prefix("try ") {
                Some(text) => self.obey(&Statement::parse(text)).or_else(|refusal| Ok(refusal.to_string())),
                None => self.obey(&Statement::parse(text)),
            };
        }
        answer.unwrap_or_else(|refusal| refusal.to_string())
    }

    /// Every command is audited.
    pub(crate) fn run<C: Command>(&mut self, command: &C) -> Result<Done<C::Reply>, C::Refusal> {
        let before = self.store.clone();
        let done = self.store.run(self.now, command);
        match &done {
            Ok(done) => {
                crate::codec::check_reply(&done.reply);
                self.news.clone_from(&done.events);
                self.wake_at = done.wake_at;
            }
            Err(_) => assert_eq!(self.store, before, "{} was refused and left a trace", C::NAME),
        }
        audit::check(&self.store);
        done
    }

    fn obey(&mut self, said: &Statement<'_>) -> Answer {
        match said.verb {
            "clock" => {
                self.now = self.now.plus_secs(said.words[0].parse().unwrap());
                Ok(String::new())
            }
            "wake" => Ok(self.wake_at.map_or_else(|| "nothing".to_owned(), |at| self.tell_instant(at))),
            "news" => Ok(self.news.iter().map(tell_event).collect::<Vec<_>>().join(", ")),
            "case" => Ok(self.tell_case(said)),
            "assign" => {
                let to = Actor::new(said.words[2]).unwrap();
                self.run(&AssignCase { case: said.case(), to }).map(|done| replayed(done, |_| "assigned".to_owned()))
            }
            "resolve" => {
                let (actor, reason) = somebody();
                let command = ResolveCase { case: said.case(), actor, reason };
                self.run(&command).map(|done| replayed(done, |case| case.state.to_string()))
            }
            "show" => Ok(self.tell_operation(&said.key())),
            "effects" => Ok(self.tell_effects(&said.key())),
            "log" => Ok(self.tell_log(&said.key())),
            "ask" => self.ask(said),
            "run" => self.run_state(said),
            "start" => self.start(said),
            "tell" => self.tell(said),
            "stuck" => Ok(self.reconcile(said)),
            "redrive" | "cancel" | "hasten" => self.operate(said),
            "settle" => self.settle(said),
            verb => panic!("no statement {verb:?}"),
        }
    }

    fn ask(&mut self, said: &Statement<'_>) -> Answer {
        let mut new = said.new_operation();
        new.run_at = said.option::<i64>("in").map(|secs| self.now.plus_secs(secs));
        let done = self.run(&EnqueueOperation(new))?;
        Ok(replayed(done, |requested| match requested.enqueued {
            Enqueued::Enqueued => "enqueued".to_owned(),
            Enqueued::Joined => "joined".to_owned(),
            Enqueued::AlreadyDone { result } => format!("done {}", result.as_str()),
            Enqueued::Dead { code, error } => format!("dead {code}: {error}"),
            Enqueued::Conflict => "conflict".to_owned(),
        }))
    }

    fn clerk(&self, said: &Statement<'_>) -> Arc<Clerk> {
        let kind = kind_of(&said.key());
        Arc::new(Clerk { kind, mood: said.mood(self.now), accepts_rejection: said.flag("declined") })
    }

    fn fail(&mut self, said: &Statement<'_>, refusal: OperationRefusal) -> Answer {
        let OperationRefusal::Trouble(trouble) = refusal else { return Err(refusal) };
        let key = said.key();
        let command = FailOperation { kind: kind_of(&key), key, trouble: trouble.clone(), dice: 0 };
        self.run(&command)?;
        Ok(trouble.to_string())
    }

    fn run_state(&mut self, said: &Statement<'_>) -> Answer {
        let command = RunStateOperation { key: said.key(), handler: self.clerk(said), found: None };
        match self.run(&command) {
            Ok(Done { reply: StateRun::Done, .. }) => Ok("done".to_owned()),
            Ok(Done { reply: StateRun::NotNow(not_now), .. }) => Ok(self.tell_not_now(&not_now)),
            Err(refusal) => self.fail(said, refusal),
        }
    }

    fn start(&mut self, said: &Statement<'_>) -> Answer {
        let raised_at = said.option::<i64>("restored").map(|secs| self.now.plus_secs(secs));
        let worker = WorkerId(said.option("by").unwrap_or(1));
        let command = StartEffect { key: said.key(), handler: self.clerk(said), worker, raised_at };
        match self.run(&command) {
            Ok(Done { reply: Started::Call(call), .. }) => Ok(self.keep(*call)),
            Ok(Done { reply: Started::Done, .. }) => Ok("done".to_owned()),
            Ok(Done { reply: Started::Undecidable, .. }) => Ok("undecidable".to_owned()),
            Ok(Done { reply: Started::NotNow(not_now), .. }) => Ok(self.tell_not_now(&not_now)),
            Err(refusal) => self.fail(said, refusal),
        }
    }

    fn keep(&mut self, call: EffectCall) -> String {
        let effect = self.effects(&call.operation)[usize::from(call.step)].clone();
        assert_eq!((&effect.idempotency_key, &effect.request), (&call.idempotency_key, &call.request));
        let how = if call.probe_first { "probe" } else { "call" };
        let told = format!("{how} step {} key {} lease {}", call.step, effect.sends, call.token);
        self.calls.entry(call.operation.clone()).or_default().push(call);
        told
    }

    fn tell(&mut self, said: &Statement<'_>) -> Answer {
        let calls = &self.calls[&said.key()];
        let call = match said.option::<i64>("lease") {
            Some(token) => calls.iter().rfind(|call| call.token == LeaseToken(token)).unwrap(),
            None => calls.last().unwrap(),
        };
        let (call, outcome) = (call.clone(), said.outcome(self.now));
        let handler = self.clerk(said);
        let mut command = FinishEffect { call, handler, outcome, then: None, dice: 0, raised_at: None };
        let mut done = self.run(&command);
        if let Err(OperationRefusal::Trouble(trouble)) = done {
            command.then = Some(trouble);
            done = self.run(&command);
        }
        Ok(match done?.reply {
            Finished::Call(call) => self.keep(*call),
            Finished::Done => "done".to_owned(),
            Finished::Postponed => "later".to_owned(),
            Finished::Dead => "dead".to_owned(),
        })
    }

    fn reconcile(&mut self, said: &Statement<'_>) -> String {
        let reason = match said.words[1] {
            "expired" => StuckReason::LeaseExpired,
            "silent" => StuckReason::WorkerSilent,
            "overdue" => StuckReason::Overdue,
            word => panic!("not a reason: {word}"),
        };
        let run = self.store.get::<OperationRun>(&said.key());
        let token = said.option("lease").map_or_else(|| run.unwrap().last_token, LeaseToken);
        self.reconcile_now(&said.key(), token, reason)
    }

    pub(crate) fn reconcile_now(&mut self, key: &OperationKey, token: LeaseToken, reason: StuckReason) -> String {
        let new = reconciliation(key, token, reason).unwrap();
        let key = new.key.clone();
        let asked = self.run(&EnqueueOperation(new)).unwrap();
        if asked.reply.enqueued == Enqueued::Enqueued {
            let command =
                RunStateOperation { key: key.clone(), handler: Arc::new(ReconcileStuckOperation), found: None };
            assert_eq!(self.run(&command).unwrap().reply, StateRun::Done);
        }
        let result: serde_json::Value = self.store.get::<Operation>(&key).unwrap().result.unwrap().read().unwrap();
        let again = if asked.replayed { "again: " } else { "" };
        format!("{again}{}", result["action"].as_str().unwrap())
    }

    fn operate(&mut self, said: &Statement<'_>) -> Answer {
        let (key, (actor, reason)) = (said.key(), somebody());
        let done = match said.verb {
            "redrive" => self.run(&RedriveOperation { kind: kind_of(&key), key, actor, reason }),
            "cancel" => self.run(&CancelOperation { key, actor, reason }),
            _ => self.run(&HastenOperation { key, actor, reason }),
        };
        Ok(replayed(done?, |state| state.to_string()))
    }

    fn settle(&mut self, said: &Statement<'_>) -> Answer {
        let (actor, reason) = somebody();
        let verdict = match said.words[1] {
            "happened" => Verdict::Happened { provider_ref: "ref".into() },
            _ => Verdict::DidNotHappen,
        };
        let step = said.option("step").unwrap_or(0);
        let done = self.run(&SettleEffect { key: said.key(), step, verdict, actor, reason })?;
        Ok(done.reply.to_string())
    }

    // What is there.

    pub(crate) fn effects(&self, key: &OperationKey) -> Vec<Effect> {
        self.store.all::<Effect>().into_iter().filter(|effect| effect.key.operation == *key).collect()
    }

    fn tell_operation(&self, key: &OperationKey) -> String {
        let Some(operation) = self.store.get::<Operation>(key) else { return "unknown".to_owned() };
        let run = self.store.get::<OperationRun>(key);
        let state = OperationState::of(&operation, run.as_ref());
        let mut told = vec![format!("{state} {} generation {}", operation.payload.as_str(), operation.generation)];
        if let Some(run) = run {
            let due = if run.is_parked() { "parked".to_owned() } else { self.tell_instant(run.run_at) };
            told.push(format!("attempts {} due {due}", run.attempts));
            let flags = [(run.rerun, "rerun"), (run.lost > 0, "lost"), (run.stuck_told, "told")];
            told.extend(flags.into_iter().filter(|(flag, _)| *flag).map(|(_, word)| word.to_owned()));
            told.extend(run.waiting_on.map(|on| format!("waiting on: {on}")));
        } else {
            told.push(format!("attempts {}", operation.attempts));
            told.extend(operation.result.map(|result| result.as_str().to_owned()));
        }
        if let Some(letter) = self.store.get::<DeadLetter>(key) {
            let resolved = if letter.resolved_at.is_some() { "resolved " } else { "" };
            told.push(format!("({resolved}{})", letter.code));
        }
        told.join(" ")
    }

    fn tell_effects(&self, key: &OperationKey) -> String {
        let told = self.effects(key).into_iter().map(|effect| {
            let doubt = if effect.doubt == Doubt::None { String::new() } else { format!(" {}", effect.doubt) };
            format!("{}{doubt} key {}", effect.state, effect.sends)
        });
        told.collect::<Vec<_>>().join(", ")
    }

    fn tell_log(&self, key: &OperationKey) -> String {
        let attempts = self.store.all::<Attempt>().into_iter().filter(|attempt| attempt.key.operation == *key);
        attempts.map(|attempt| format!("{} {}", attempt.key.number, attempt.outcome)).collect::<Vec<_>>().join(", ")
    }

    fn tell_case(&self, said: &Statement<'_>) -> String {
        let Some(case) = self.store.get::<Case>(&said.case()) else { return "none".to_owned() };
        let assigned = case.assigned_to.map(|to| format!(" for {to}")).unwrap_or_default();
        format!("{} reports {}{assigned}", case.state, case.reports)
    }

    /// In seconds from now.
    fn tell_instant(&self, at: Timestamp) -> String {
        let micros = at.micros() - self.now.micros();
        // Drawn by lot.
        if micros % 1_000_000 != 0 {
            return "soon".to_owned();
        }
        if micros == 0 { "now".to_owned() } else { format!("{:+}s", micros / 1_000_000) }
    }

    fn tell_not_now(&self, not_now: &NotNow) -> String {
        match not_now {
            NotNow::Ended => "ended".to_owned(),
            NotNow::Running => "running".to_owned(),
            NotNow::NotDue { run_at } if self.now.plus_secs(86_400 * 365) < *run_at => "not due".to_owned(),
            NotNow::NotDue { run_at } => format!("due {}", self.tell_instant(*run_at)),
            NotNow::Locked { by } => format!("locked by {by}"),
        }
    }
}

fn somebody() -> (Actor, Reason) {
    (Actor::new("ann").unwrap(), Reason::new("asked by \"the boss\" 🙂").unwrap())
}

fn replayed<T>(done: Done<T>, tell: impl FnOnce(T) -> String) -> String {
    let again = if done.replayed { "again: " } else { "" };
    format!("{again}{}", tell(done.reply))
}

fn tell_event(event: &Event) -> String {
    let Event::Operations(event) = event else { panic!("{event:?}") };
    match event {
        OperationsEvent::OperationSucceeded { operation, generation, .. } => {
            format!("succeeded {} {generation}", operation.key)
        }
        OperationsEvent::OperationDied { operation, generation, code } => {
            format!("died {} {generation} {code}", operation.key)
        }
        OperationsEvent::OperationRedriven { operation, generation } => {
            format!("redriven {} {generation}", operation.key)
        }
        OperationsEvent::EffectSettled { operation, step, confirmed } => {
            format!("settled {} {step} {confirmed}", operation.key)
        }
        OperationsEvent::CaseOpened { case } => format!("opened {}", case.kind),
        OperationsEvent::CaseAssigned { case } => format!("assigned {}", case.kind),
        OperationsEvent::CaseResolved { case } => format!("resolved {}", case.kind),
        other => panic!("{other:?}"),
    }
}

struct Statement<'a> {
    verb: &'a str,
    words: Vec<&'a str>,
}

/// `type:id`.
fn key(word: &str) -> OperationKey {
    let (kind, id) = word.split_once(':').unwrap_or_else(|| panic!("{word:?} is not type:id"));
    kind_named(kind).key(&[id]).unwrap()
}

impl<'a> Statement<'a> {
    fn parse(text: &'a str) -> Statement<'a> {
        let mut words = text.split(' ');
        Statement { verb: words.next().unwrap(), words: words.collect() }
    }

    fn key(&self) -> OperationKey {
        key(self.words[0])
    }

    fn case(&self) -> CaseKey {
        let kind = match self.words[0] {
            "stuck" => "operation-stuck",
            _ => "effect-unknown",
        };
        CaseKey { kind: kind.into(), key: key(self.words[1]).to_string().into() }
    }

    fn flag(&self, name: &str) -> bool {
        self.words.contains(&name)
    }

    fn text(&self, name: &str) -> Option<&'a str> {
        self.words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix(':'))
    }

    fn option<T: FromStr<Err: Display>>(&self, name: &str) -> Option<T> {
        self.text(name).map(|text| text.parse().unwrap_or_else(|error| panic!("{name}:{text}: {error}")))
    }

    fn new_operation(&self) -> NewOperation {
        let content: i64 = self.words.get(1).and_then(|word| word.parse().ok()).unwrap_or(1);
        let named = self.key();
        let mut new = NewOperation::new(kind_of(&named), named, Payload::new(&json!(content)).unwrap());
        new.aggregate = self.text("aggregate").map(|name| Aggregate::new(name).unwrap());
        new.after = self.text("after").map(key);
        let about = self.words.iter().filter_map(|word| word.strip_prefix("about:"));
        new.correlations = about.map(|value| Correlation::new("order", value).unwrap()).collect();
        new
    }

    fn mood(&self, now: Timestamp) -> Mood {
        let trouble = if let Some(secs) = self.option("retry") {
            let (code, error) = ("busy".into(), "try later".into());
            Trouble::Retry { code, error, retry_after_secs: Some(secs) }
        } else if self.flag("retry") {
            Trouble::retry("busy", "try later")
        } else if self.flag("permanent") {
            Trouble::permanent("wrong", "never")
        } else if let Some(secs) = self.option::<i64>("wait") {
            Trouble::Wait { on: WaitingOn::new("order 1", "paid"), until: Some(now.plus_secs(secs)) }
        } else if self.flag("wait") {
            Trouble::wait(WaitingOn::new("order 1", "paid"))
        } else {
            return if self.flag("content") { Mood::Content } else { Mood::Willing };
        };
        Mood::Troubled(trouble)
    }

    fn outcome(&self, now: Timestamp) -> EffectOutcome {
        let (word, secs) = self.words[1].split_once(':').unwrap_or((self.words[1], ""));
        let retry_after_secs = secs.parse().ok();
        let (code, error) = ("e".into(), "it \"failed\" \0 so".into());
        match word {
            "confirmed" => {
                EffectOutcome::Confirmed { provider_ref: Some("ref\0".into()), response: Payload::of(&"ok") }
            }
            "rejected" => EffectOutcome::Rejected { code, error, response: Payload::of(&"no") },
            "notdone" => EffectOutcome::NotDone { code, error, retry_after_secs },
            "unanswered" => EffectOutcome::Unanswered { code, error },
            "kept" => EffectOutcome::ErrorKept { code, error },
            "absent" => EffectOutcome::Absent,
            "notasked" => EffectOutcome::NotAsked { code, error, retry_after_secs },
            "undecidable" => EffectOutcome::Undecidable { error },
            "released" => EffectOutcome::Released { until: now.plus_secs(secs.parse().unwrap_or(5)), waiting_on: None },
            word => panic!("no outcome {word}"),
        }
    }
}
