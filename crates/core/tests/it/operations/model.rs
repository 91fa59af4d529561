//! Workers that die anywhere, a provider at its worst, clocks that jump, data that is put back: whatever happens, the
//! provider carries each step out at most once, exactly once when the operation has succeeded, and in the end all do.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use surehold_core::kernel::Timestamp;
use surehold_core::operations::commands::{
    EffectCall, EffectOutcome, EnqueueOperation, FinishEffect, Finished, HastenOperation, RedriveOperation,
    SettleEffect, StartEffect, Started, Verdict,
};
use surehold_core::operations::{
    Actor, Case, CaseState, Doubt, Effect, EffectState, NewOperation, Operation, OperationKey, OperationRefusal,
    OperationRun, OperationState, OperationType, Outcome, Payload, Reason, StuckReason, WorkerId,
};

use super::desk::Desk;
use super::kinds::{BLIND, Clerk, DEADLINE_SECS, PAY, PLAIN, TRIP, steps_of};
use super::provider::{Fault, LATE_SECS_MAX, Provider};
use super::store::Store;

const OPERATIONS: usize = 3;
/// A worker that was held up between looking at its lease and sending.
const HELD_UP_SECS_MAX: i64 = 1_200;
const HEALING_ROUNDS_MAX: usize = 60;

#[derive(Clone, Debug)]
enum Action {
    Ask(usize),
    /// `dies`: after the intent was written, before anything was sent.
    Start {
        operation: usize,
        worker: i64,
        dies: bool,
    },
    /// Sends or asks, as the call says.
    Work {
        hand: usize,
        fault: Fault,
        then: Then,
    },
    /// Tells what came of a call, however late.
    Report {
        hand: usize,
    },
    /// Somebody thinks that the worker is gone. It may not be.
    Reap(usize),
    Redrive(usize),
    Hasten(usize),
    Advance(i64),
    BackUp,
    PutBack,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    Dies,
    ReportsLater,
    Reports,
    /// The breaker is open, or the worker stops: nothing is sent.
    Releases,
    /// The question does not get through.
    CannotAsk,
}

/// A worker in the middle of something.
#[derive(Debug)]
struct Hand {
    call: EffectCall,
    outcome: Option<EffectOutcome>,
}

struct Model {
    kind: &'static OperationType,
    desk: Desk,
    provider: Provider,
    hands: Vec<Hand>,
    backup: Option<Store>,
    raised_at: Option<Timestamp>,
    reached: BTreeSet<&'static str>,
}

fn somebody() -> (Actor, Reason) {
    (Actor::new("ann").unwrap(), Reason::new("healing").unwrap())
}

impl Model {
    fn new(kind: &'static OperationType) -> Model {
        let mut model = Model {
            kind,
            desk: Desk::new(),
            provider: Provider::of(kind),
            hands: Vec::new(),
            backup: None,
            raised_at: None,
            reached: BTreeSet::new(),
        };
        // What was asked for after the backup is asked for again after it was put back, and has no trace: where the
        // provider can neither be asked nor knows the key any more, nothing can tell. A limit, so not tried.
        if !model.has_probe() {
            (0..OPERATIONS).for_each(|operation| model.ask(operation));
        }
        model
    }

    fn has_probe(&self) -> bool {
        self.kind.name != BLIND.name
    }

    fn knows_keys(&self) -> bool {
        self.kind.name != PLAIN.name
    }

    fn key(&self, operation: usize) -> OperationKey {
        self.kind.key(&[&operation.to_string()]).unwrap()
    }

    fn keys(&self) -> Vec<OperationKey> {
        (0..OPERATIONS).map(|operation| self.key(operation)).collect()
    }

    fn now(&self) -> Timestamp {
        self.desk.now
    }

    fn act(&mut self, action: &Action) {
        match *action {
            Action::Ask(operation) => self.ask(operation),
            Action::Start { operation, worker, dies } => self.start(operation, worker, dies),
            Action::Work { hand, fault, then } => self.work(hand, fault, then),
            Action::Report { hand } => {
                if let Some(hand) = self.take_hand(hand)
                    && let Some(outcome) = hand.outcome
                {
                    self.report(&hand.call, outcome);
                }
            }
            Action::Reap(operation) => self.reap(&self.key(operation)),
            Action::Redrive(operation) => self.redrive(&self.key(operation)),
            Action::Hasten(operation) => {
                let (key, (actor, reason)) = (self.key(operation), somebody());
                let _ = self.desk.run(&HastenOperation { key, actor, reason });
            }
            Action::Advance(secs) => self.advance(secs),
            Action::BackUp => self.backup = Some(self.desk.store.clone()),
            Action::PutBack => self.put_back(),
        }
        self.check();
    }

    fn check(&self) {
        assert!(self.provider.most_executions() <= 1, "something happened twice");
        for key in self.keys() {
            let outcome = self.desk.store.get::<Operation>(&key).and_then(|operation| operation.outcome);
            if outcome == Some(Outcome::Succeeded) {
                for step in 0..u16::try_from(steps_of(self.kind)).unwrap() {
                    assert_eq!(self.provider.executions(&key, step), 1, "{key} succeeded without step {step}");
                }
            }
        }
    }

    fn ask(&mut self, operation: usize) {
        let new = NewOperation::new(self.kind, self.key(operation), Payload::of(&operation));
        self.desk.run(&EnqueueOperation(new)).unwrap();
    }

    fn start(&mut self, operation: usize, worker: i64, dies: bool) {
        let key = self.key(operation);
        if self.desk.store.get::<Operation>(&key).is_none() {
            return;
        }
        let (handler, worker) = (Arc::new(Clerk::of(self.kind)), WorkerId(worker));
        let started = self.desk.run(&StartEffect { key, handler, worker, raised_at: self.raised_at }).unwrap().reply;
        match started {
            Started::Call(_) if dies => {}
            Started::Call(call) => self.hands.push(Hand { call: *call, outcome: None }),
            Started::Undecidable => drop(self.reached.insert("undecidable")),
            Started::Done | Started::NotNow(_) => {}
        }
    }

    fn take_hand(&mut self, hand: usize) -> Option<Hand> {
        if self.hands.is_empty() { None } else { Some(self.hands.remove(hand % self.hands.len())) }
    }

    fn has_lease(&self, call: &EffectCall) -> bool {
        let run = self.desk.store.get::<OperationRun>(&call.operation);
        run.and_then(|run| run.lease).is_some_and(|lease| lease.token == call.token)
    }

    fn work(&mut self, hand: usize, fault: Fault, then: Then) {
        let Some(hand) = self.take_hand(hand) else { return };
        if hand.outcome.is_some() {
            self.hands.push(hand);
            return;
        }
        let call = hand.call;
        let secs_max = if self.knows_keys() { HELD_UP_SECS_MAX } else { 0 };
        let too_late = call.lease_until.plus_secs(secs_max) < self.now();
        // Without keys nothing protects from a worker that sends after somebody else took over.
        if too_late || (!self.knows_keys() && !self.has_lease(&call)) {
            return;
        }
        let until = self.now().plus_secs(5);
        let outcome = match then {
            Then::Releases => EffectOutcome::Released { until, waiting_on: None },
            Then::CannotAsk if call.probe_first => {
                let (code, error) = ("down".into(), "no answer".into());
                EffectOutcome::NotAsked { code, error, retry_after_secs: None }
            }
            Then::Dies | Then::ReportsLater | Then::Reports | Then::CannotAsk => self.reach_out(&call, fault),
        };
        match then {
            Then::Dies => {}
            Then::ReportsLater => self.hands.push(Hand { call, outcome: Some(outcome) }),
            Then::Reports | Then::Releases | Then::CannotAsk => self.report(&call, outcome),
        }
    }

    fn reach_out(&mut self, call: &EffectCall, fault: Fault) -> EffectOutcome {
        if !self.has_lease(call) {
            self.reached.insert("sent after the lease was lost");
        }
        if call.probe_first {
            let outcome = self.provider.probe(call);
            self.reached.insert(if outcome == EffectOutcome::Absent { "absent" } else { "found" });
            return outcome;
        }
        self.provider.call(self.now(), call, fault)
    }

    fn report(&mut self, call: &EffectCall, outcome: EffectOutcome) {
        let held = self.has_lease(call);
        let handler = Arc::new(Clerk::of(self.kind));
        let (call, raised_at) = (call.clone(), self.raised_at);
        let command = FinishEffect { call, handler, outcome, then: None, dice: 0, raised_at };
        match self.desk.run(&command) {
            Ok(done) => {
                assert!(held, "whoever lost the lease is refused");
                if let Finished::Call(call) = done.reply {
                    let sends = self.desk.effects(&call.operation)[usize::from(call.step)].sends;
                    self.reached.insert(if sends > 1 { "a new key" } else { "went on" });
                    self.hands.push(Hand { call: *call, outcome: None });
                }
            }
            Err(OperationRefusal::LeaseLost { .. }) => {
                assert!(!held, "whoever has the lease is heard");
                self.reached.insert("a stale lease");
            }
            Err(refusal) => panic!("{refusal}"),
        }
    }

    fn reap(&mut self, key: &OperationKey) {
        let Some(run) = self.desk.store.get::<OperationRun>(key) else { return };
        let Some(lease) = run.lease else { return };
        let reason = if lease.until < self.now() { StuckReason::LeaseExpired } else { StuckReason::WorkerSilent };
        if self.desk.reconcile_now(key, lease.token, reason) == "dead-lettered" {
            self.reached.insert("quarantined");
        }
    }

    fn redrive(&mut self, key: &OperationKey) {
        let (key, (actor, reason)) = (key.clone(), somebody());
        if self.desk.run(&RedriveOperation { key, kind: self.kind, actor, reason }).is_ok() {
            self.reached.insert("redriven");
        }
    }

    fn advance(&mut self, secs: i64) {
        self.desk.now = self.now().plus_secs(secs);
        self.provider.advance(self.now());
    }

    /// Everybody stops, the data is as it was, the provider is not.
    fn put_back(&mut self) {
        if let Some(backup) = &self.backup {
            self.desk.store = backup.clone();
            self.hands.clear();
            self.raised_at = Some(self.now());
            self.reached.insert("put back");
        }
    }

    /// No more faults: what is left to do gets done, and people say what they see at the provider.
    fn heal(&mut self) {
        self.hands.clear();
        self.advance(LATE_SECS_MAX + HELD_UP_SECS_MAX + i64::from(DEADLINE_SECS) + 1);
        assert!(self.provider.is_quiet());
        for operation in 0..OPERATIONS {
            self.ask(operation);
        }
        for _ in 0..HEALING_ROUNDS_MAX {
            if self.keys().iter().all(|key| self.state(key) == OperationState::Succeeded) {
                return self.check_healed();
            }
            for operation in 0..OPERATIONS {
                self.heal_one(operation);
                self.check();
            }
            self.advance(200);
        }
        let states: Vec<_> = self.keys().iter().map(|key| (self.state(key), self.desk.effects(key))).collect();
        panic!("they never end: {states:?}");
    }

    fn state(&self, key: &OperationKey) -> OperationState {
        let operation = self.desk.store.get::<Operation>(key).unwrap();
        OperationState::of(&operation, self.desk.store.get::<OperationRun>(key).as_ref())
    }

    fn heal_one(&mut self, operation: usize) {
        let key = self.key(operation);
        match self.state(&key) {
            OperationState::Running => self.reap(&key),
            OperationState::DeadLetter => {
                if !self.has_probe() {
                    self.settle(&key);
                }
                self.redrive(&key);
            }
            OperationState::Pending | OperationState::Failed | OperationState::Succeeded => {}
        }
        self.start(operation, 9, false);
        while let Some(hand) = self.hands.pop() {
            let outcome = self.reach_out(&hand.call, Fault::None);
            self.report(&hand.call, outcome);
        }
    }

    /// Somebody looks at the provider, where nothing is on its way any more.
    fn settle(&mut self, key: &OperationKey) {
        let unknown = |effect: &Effect| effect.state == EffectState::Unknown;
        let Some(effect) = self.desk.effects(key).into_iter().find(unknown) else { return };
        let step = effect.key.step;
        let verdict = match self.provider.executions(key, step) {
            0 => Verdict::DidNotHappen,
            _ => Verdict::Happened { provider_ref: "seen".into() },
        };
        let (actor, reason) = somebody();
        self.desk.run(&SettleEffect { key: key.clone(), step, verdict, actor, reason }).unwrap();
        self.reached.insert("settled");
    }

    fn check_healed(&self) {
        self.check();
        for effect in self.desk.store.all::<Effect>() {
            assert_eq!((effect.state, effect.doubt), (EffectState::Confirmed, Doubt::None), "{effect:?}");
        }
        let open = |case: &&Case| case.state == CaseState::Open;
        assert_eq!(self.desk.store.all::<Case>().iter().find(open), None, "nobody need look any more");
    }
}

fn faults() -> impl Strategy<Value = Fault> {
    prop_oneof![
        4 => Just(Fault::None),
        2 => Just(Fault::AnswerLost),
        1 => Just(Fault::RequestLost),
        2 => (1..=LATE_SECS_MAX).prop_map(Fault::Late),
        1 => Just(Fault::ErrorKept),
        1 => Just(Fault::DoneButErrorKept),
        1 => Just(Fault::TurnedAway),
        1 => Just(Fault::Rejected),
    ]
}

fn then() -> impl Strategy<Value = Then> {
    prop_oneof![
        5 => Just(Then::Reports),
        2 => Just(Then::Dies),
        2 => Just(Then::ReportsLater),
        1 => Just(Then::Releases),
        1 => Just(Then::CannotAsk),
    ]
}

/// Seconds, minutes, the border of the window, and beyond it.
fn leaps() -> impl Strategy<Value = i64> {
    prop_oneof![
        4 => 1_i64..120,
        2 => 300_i64..1_200,
        1 => Just(22 * 3_600),
        1 => 80_000_i64..90_000,
        1 => Just(26 * 3_600),
    ]
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let operation = || 0..OPERATIONS;
    let action = prop_oneof![
        2 => operation().prop_map(Action::Ask),
        6 => (operation(), 1_i64..4, prop::bool::weighted(0.15))
            .prop_map(|(operation, worker, dies)| Action::Start { operation, worker, dies }),
        8 => (0_usize..8, faults(), then()).prop_map(|(hand, fault, then)| Action::Work { hand, fault, then }),
        2 => (0_usize..8).prop_map(|hand| Action::Report { hand }),
        3 => operation().prop_map(Action::Reap),
        2 => operation().prop_map(Action::Redrive),
        2 => operation().prop_map(Action::Hasten),
        5 => leaps().prop_map(Action::Advance),
        1 => Just(Action::BackUp),
        1 => Just(Action::PutBack),
    ];
    prop::collection::vec(action, 0..80)
}

fn play(kind: &'static OperationType, actions: &[Action]) -> BTreeSet<&'static str> {
    let mut model = Model::new(kind);
    for action in actions {
        model.act(action);
    }
    model.heal();
    model.reached
}

fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig { cases: default.cases.max(384), failure_persistence: None, max_shrink_iters: 20_000, ..default }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn with_keys_and_questions(actions in actions()) {
        play(&PAY, &actions);
    }

    #[test]
    fn with_two_steps(actions in actions()) {
        play(&TRIP, &actions);
    }

    /// What cannot be asked about is not guessed: it stays unknown until somebody says.
    #[test]
    fn without_questions(actions in actions()) {
        play(&BLIND, &actions);
    }

    #[test]
    fn without_keys(actions in actions()) {
        play(&PLAIN, &actions);
    }
}

/// A model in which nothing goes wrong proves nothing.
#[test]
fn the_model_reaches_everything() {
    let common = ["a stale lease", "redriven", "quarantined", "put back"];
    for (kind, special) in [
        (&PAY, &["absent", "found", "a new key", "sent after the lease was lost"][..]),
        (&TRIP, &["absent", "found", "went on", "sent after the lease was lost"]),
        (&BLIND, &["undecidable", "settled", "sent after the lease was lost"]),
        (&PLAIN, &["absent", "found"]),
    ] {
        let mut runner = TestRunner::deterministic();
        let mut reached = BTreeSet::new();
        for _ in 0..200 {
            reached.extend(play(kind, &actions().new_tree(&mut runner).unwrap().current()));
        }
        for outcome in common.iter().chain(special) {
            assert!(reached.contains(outcome), "{} never reached: {outcome} ({reached:?})", kind.name);
        }
    }
}

/// Sent again just before its key is forgotten and held up on the way, a request must not come in addition to the next.
#[test]
fn a_request_held_up_at_the_border_of_the_window() {
    let mut model = Model::new(&PAY);
    let send = |fault| [Action::Work { hand: 0, fault: Fault::None, then: Then::Reports }, work(fault)];
    let start = Action::Start { operation: 0, worker: 1, dies: false };
    let mut actions = vec![Action::Ask(0), start.clone(), work(Fault::RequestLost), Action::Advance(23 * 3_600 - 60)];
    actions.push(start.clone());
    actions.extend(send(Fault::Late(LATE_SECS_MAX)));
    actions.extend([Action::Advance(100), start]);
    actions.extend(send(Fault::None));
    actions.push(Action::Advance(LATE_SECS_MAX));
    for action in &actions {
        model.act(action);
    }
    assert_eq!(model.state(&model.key(0)), OperationState::Succeeded);
}

/// Turned away after the provider was asked, a request is asked about again: the first may have come meanwhile.
#[test]
fn turned_away_while_the_first_is_on_its_way() {
    let mut model = Model::new(&PAY);
    let start = Action::Start { operation: 0, worker: 1, dies: false };
    let ask = Action::Work { hand: 0, fault: Fault::None, then: Then::Reports };
    for action in [
        Action::Ask(0),
        start.clone(),
        work(Fault::Late(LATE_SECS_MAX)),
        Action::Advance(10),
        start.clone(),
        ask.clone(),
        work(Fault::TurnedAway),
        Action::Advance(26 * 3_600),
        start,
        ask,
        work(Fault::None),
    ] {
        model.act(&action);
    }
    assert_eq!(model.state(&model.key(0)), OperationState::Succeeded);
}

fn work(fault: Fault) -> Action {
    Action::Work { hand: 0, fault, then: Then::Reports }
}
