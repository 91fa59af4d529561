//! The audit of operations: silent after whatever commands did, and loud about every row that was tampered with.

use std::sync::Arc;

use surehold_core::kernel::{Command, Facts, Stop};
use surehold_core::operations::commands::{
    CancelOperation, EffectCall, EffectOutcome, EnqueueOperation, FailOperation, FinishEffect, Finished,
    RedriveOperation, RunStateOperation, SettleEffect, StartEffect, Started, StateRun, Verdict,
};
use surehold_core::operations::{
    Actor, Aggregate, Effect, EffectHandler, Mode, Nature, NewOperation, Operation, OperationKey, OperationType,
    Payload, Priority, Reason, ReconcileStuckOperation, RetryPolicy, StateHandler, Step, StuckReason, Trouble,
    WorkerId, reconciliation,
};
use surehold_engine::{AuditConfig, BoxFuture, Finding, Provider, ProviderAnswer, Registry, operation_findings};
use surehold_testkit::fixture::{Fixture, Place, connect, open_file};

use super::World;

const fn kind(name: &'static str, mode: Mode, nature: Nature) -> OperationType {
    OperationType {
        name,
        key: &["id"],
        mode,
        priority: Priority::Normal,
        retry: RetryPolicy::exponential(3, 0, 1, 0),
        deadline_secs: 60,
        stuck_after_secs: 3_600,
        recheck_secs: 30,
        running_max: 10,
        nature,
    }
}

const CALLS: Nature = Nature::Effect { provider: "bank", window_secs: Some(86_400), probe: true, calls_max: 10 };
static PAY: OperationType = kind("PAY", Mode::Once, CALLS);
static SYNC: OperationType = kind("SYNC", Mode::Latest, CALLS);
static COUNT: OperationType = kind("COUNT", Mode::Latest, Nature::State);

/// Two calls for a payment, one for anything else.
#[derive(Clone, Debug)]
struct Clerk(&'static OperationType);

impl StateHandler for Clerk {
    fn kind(&self) -> &'static OperationType {
        self.0
    }

    fn run(&self, _: &Operation, _: &mut Facts) -> Result<Payload, Stop<Trouble>> {
        Ok(Payload::null())
    }
}

impl EffectHandler for Clerk {
    fn kind(&self) -> &'static OperationType {
        self.0
    }

    fn next(&self, operation: &Operation, confirmed: &[Effect], _: &mut Facts) -> Result<Step, Stop<Trouble>> {
        let steps = if self.0.name == PAY.name { 2 } else { 1 };
        let request = operation.payload.clone();
        Ok(if confirmed.len() < steps { Step::Call { request } } else { Step::Done { result: request } })
    }
}

/// The audit asks nobody outside.
struct Nobody;

impl Provider for Nobody {
    fn account(&self, _: &EffectCall) -> smol_str::SmolStr {
        unreachable!("nobody is called")
    }

    fn call<'a>(&'a self, _: &'a EffectCall) -> BoxFuture<'a, ProviderAnswer> {
        unreachable!("nobody is called")
    }

    fn probe<'a>(&'a self, _: &'a EffectCall) -> BoxFuture<'a, ProviderAnswer> {
        unreachable!("nobody is asked")
    }
}

fn registry() -> Registry {
    Registry::default()
        .state(Clerk(&COUNT))
        .effect(Clerk(&PAY), Arc::new(Nobody))
        .effect(Clerk(&SYNC), Arc::new(Nobody))
}

fn somebody() -> (Actor, Reason) {
    (Actor::new("ann").unwrap(), Reason::new("because").unwrap())
}

fn key(kind: &OperationType, id: &str) -> OperationKey {
    kind.key(&[id]).unwrap()
}

impl World<'_> {
    async fn does<C: Command<Reply: std::fmt::Debug, Refusal: std::fmt::Debug>>(&self, command: C) -> C::Reply {
        self.engine.run(self.tenant, command).await.unwrap_or_else(|failure| panic!("{failure:?}")).reply
    }

    async fn ask(&self, kind: &'static OperationType, id: &str, content: i64) {
        let mut new = NewOperation::new(kind, key(kind, id), Payload::of(&content));
        new.aggregate = kind.nature.is_effect().then(|| Aggregate::new(&format!("p-{id}")).unwrap());
        self.does(EnqueueOperation(new)).await;
    }

    async fn start(&self, kind: &'static OperationType, id: &str) -> EffectCall {
        let (key, handler, worker) = (key(kind, id), Arc::new(Clerk(kind)), WorkerId(1));
        match self.does(StartEffect { key, handler, worker, raised_at: None }).await {
            Started::Call(call) => *call,
            other => panic!("{other:?}"),
        }
    }

    async fn tell(&self, kind: &'static OperationType, call: EffectCall, outcome: EffectOutcome) -> Finished {
        let handler = Arc::new(Clerk(kind));
        self.does(FinishEffect { call, handler, outcome, then: None, dice: 0, raised_at: None }).await
    }

    /// Through all its steps.
    async fn carry_out(&self, kind: &'static OperationType, id: &str) {
        let mut call = self.start(kind, id).await;
        loop {
            match self.tell(kind, call, confirmed()).await {
                Finished::Call(next) => call = *next,
                Finished::Done => return,
                other => panic!("{other:?}"),
            }
        }
    }

    async fn findings(&self) -> Vec<Finding> {
        operation_findings(self.engine.views(), &registry()).await.unwrap()
    }
}

fn confirmed() -> EffectOutcome {
    EffectOutcome::Confirmed { provider_ref: Some("ref".into()), response: Payload::null() }
}

fn unanswered() -> EffectOutcome {
    EffectOutcome::Unanswered { code: "timeout".into(), error: "no answer".into() }
}

fn rejected() -> EffectOutcome {
    EffectOutcome::Rejected { code: "no".into(), error: "never".into(), response: Payload::null() }
}

/// Something in every state: done, dead, cancelled, redriven, settled, waiting, running, lost, done again.
async fn mixed(world: &World<'_>) {
    let (actor, reason) = somebody();
    for id in ["done", "dead", "cancelled", "redriven", "unknown", "waiting", "running", "lost"] {
        world.ask(&PAY, id, 1).await;
    }
    world.carry_out(&PAY, "done").await;
    let call = world.start(&PAY, "dead").await;
    assert_eq!(world.tell(&PAY, call, rejected()).await, Finished::Dead);
    world.does(CancelOperation { key: key(&PAY, "cancelled"), actor: actor.clone(), reason: reason.clone() }).await;

    let call = world.start(&PAY, "redriven").await;
    world.tell(&PAY, call, rejected()).await;
    let redrive =
        |id| RedriveOperation { key: key(&PAY, id), kind: &PAY, actor: actor.clone(), reason: reason.clone() };
    world.does(redrive("redriven")).await;
    world.carry_out(&PAY, "redriven").await;

    for attempt in 0..3 {
        let call = world.start(&PAY, "unknown").await;
        assert_eq!(call.probe_first, attempt > 0);
        world.tell(&PAY, call, unanswered()).await;
    }
    let (settled, verdict) = (key(&PAY, "unknown"), Verdict::Happened { provider_ref: "seen".into() });
    assert_eq!(world.findings().await, [], "what is unknown is dead, and told");
    world.does(SettleEffect { key: settled, step: 0, verdict, actor: actor.clone(), reason: reason.clone() }).await;
    world.does(redrive("unknown")).await;
    world.carry_out(&PAY, "unknown").await;

    let call = world.start(&PAY, "waiting").await;
    world.tell(&PAY, call, unanswered()).await;
    let running = world.start(&PAY, "running").await;
    assert!(matches!(world.tell(&PAY, running, confirmed()).await, Finished::Call(_)));
    let lost = world.start(&PAY, "lost").await;
    let reconcile = reconciliation(&lost.operation, lost.token, StuckReason::WorkerSilent).unwrap();
    let stuck = reconcile.key.clone();
    world.does(EnqueueOperation(reconcile)).await;
    let handler = Arc::new(ReconcileStuckOperation);
    assert_eq!(world.does(RunStateOperation { key: stuck, handler, found: None }).await, StateRun::Done);

    world.ask(&SYNC, "s", 1).await;
    let call = world.start(&SYNC, "s").await;
    world.ask(&SYNC, "s", 2).await;
    assert_eq!(world.tell(&SYNC, call, confirmed()).await, Finished::Done);
    world.carry_out(&SYNC, "s").await;
    world.ask(&COUNT, "c", 1).await;
    let trouble = Trouble::retry("busy", "later");
    world.does(FailOperation { key: key(&COUNT, "c"), kind: &COUNT, trouble, dice: 0 }).await;
    world.does(RunStateOperation { key: key(&COUNT, "c"), handler: Arc::new(Clerk(&COUNT)), found: None }).await;
    world.ask(&COUNT, "c", 2).await;
}

async fn tamper(fixture: &Fixture, sql: &str) {
    match &fixture.place {
        Place::Sqlite(_) => open_file(&fixture.file()).unwrap().execute_batch(sql).unwrap(),
        Place::Postgres { url } => connect(url).await.unwrap().batch_execute(sql).await.unwrap(),
    }
}

pub(crate) async fn whatever_commands_did_is_in_order(fixture: Fixture) {
    let world = World::open(&fixture).await;
    mixed(&world).await;
    assert_eq!(world.findings().await, []);
    // Everybody's, not one tenant's.
    let neighbour = world.neighbour(2).await;
    mixed(&neighbour).await;
    assert_eq!(world.findings().await, []);
}

/// What is done behind the engine's back, what the audit says, and how it is put right again.
const TAMPERINGS: &[(&str, &str, &str)] = &[
    (
        "update operations set outcome = null, finished_at = null where key = 'done'",
        "operation-has-run-or-outcome: PAY done has not ended, and nothing will run it",
        "update operations set outcome = 'SUCCEEDED', finished_at = created_at where key = 'done'",
    ),
    (
        "update operations set outcome = 'SUCCEEDED', finished_at = created_at where key = 'c'",
        "operation-has-run-or-outcome: COUNT c has a run, and has ended or never existed",
        "update operations set outcome = null, finished_at = null where key = 'c'",
    ),
    (
        "update operation_effects set key = 'nobody' where key = 'dead'",
        "effect-has-operation: PAY nobody has an effect and does not exist",
        "update operation_effects set key = 'dead' where key = 'nobody'",
    ),
    (
        "update operation_effects set step = 7 where key = 'done' and step = 1",
        "effect-steps-without-gap: PAY done has an effect whose step before is missing",
        "update operation_effects set step = 1 where key = 'done' and step = 7",
    ),
    (
        "update operation_effects set lease_token = 99 where key = 'done' and step = 1",
        "effect-token-was-granted: PAY done has an effect under a lease that was never granted",
        "update operation_effects set lease_token = 1 where key = 'done' and step = 1",
    ),
    (
        "update operation_effects set lease_token = 99 where key = 'running' and step = 1",
        "effect-token-was-granted: PAY running has an effect under a lease that was never granted",
        "update operation_effects set lease_token = 1 where key = 'running' and step = 1",
    ),
    (
        "update operation_attempts set outcome = 'lost', ended_at = started_at where key = 'done'",
        "effect-token-was-held: PAY done has an effect that was confirmed under a lease lost before",
        "update operation_attempts set outcome = 'succeeded' where key = 'done'",
    ),
    (
        "update operation_dead_letters set generation = 7 where key = 'dead'",
        "dead-letter-iff-dead: PAY dead died, and no letter of that generation says so",
        "update operation_dead_letters set generation = 1 where key = 'dead'",
    ),
    (
        "update operation_dead_letters set resolved_at = null where key = 'redriven'",
        "dead-letter-iff-dead: PAY redriven has an unresolved dead letter and is not dead",
        "update operation_dead_letters set resolved_at = dead_at where key = 'redriven'",
    ),
    (
        "update aggregate_locks set token = 7 where key = 'running'",
        "lock-belongs-to-lease: PAY running locks an aggregate and does not run",
        "update aggregate_locks set token = 1 where key = 'running'",
    ),
    (
        "update aggregate_locks set aggregate = 'q' where key = 'running'",
        "lock-belongs-to-lease: PAY running runs without the lock of its aggregate",
        "update aggregate_locks set aggregate = 'p-running' where key = 'running'",
    ),
    (
        "update operation_effects set state = 'INTENT', doubt = 'unanswered' where key = 'dead'",
        "ended-without-doubt: PAY dead has ended, and one of its effects may or may not have happened",
        "update operation_effects set state = 'REJECTED', doubt = 'none' where key = 'dead'",
    ),
    (
        "update operation_effects set state = 'UNKNOWN' where key = 'done' and step = 1",
        "ended-without-doubt: PAY done has ended, and one of its effects may or may not have happened",
        "update operation_effects set state = 'CONFIRMED' where key = 'done' and step = 1",
    ),
    (
        "update operation_effects set state = 'UNKNOWN' where key = 's'",
        "ended-without-doubt: SYNC s has ended, and one of its effects may or may not have happened",
        // Of what brings something up to date only the present generation counts.
        "update operation_effects set generation = 1 where key = 's'",
    ),
    (
        "update operations set attempts = 4 where key = 'dead'",
        "attempts-within-bounds: PAY dead has spent more attempts than its type allows",
        "update operations set attempts = 3 where key = 'dead'",
    ),
    (
        "update operation_runs set attempts = 3 where key = 'lost'",
        "attempts-within-bounds: PAY lost has spent more attempts than its type allows",
        "update operation_runs set attempts = 2 where key = 'lost'",
    ),
    (
        "update operation_effects set idempotency_key = 'x' \
         where key = 'dead' or key = 'lost'",
        "effect-key-unique: PAY dead shares an idempotency key with another effect; \
         effect-key-unique: PAY lost shares an idempotency key with another effect",
        "update operation_effects set idempotency_key = 'y' where key = 'dead'",
    ),
];

pub(crate) async fn whatever_was_tampered_with_is_found(fixture: Fixture) {
    let world = World::open(&fixture).await;
    mixed(&world).await;
    for (harm, expected, repair) in TAMPERINGS {
        tamper(&fixture, harm).await;
        let found = world.findings().await;
        let told = found.iter().map(|found| format!("{}: {} {}", found.invariant, found.key, found.detail));
        assert_eq!(told.collect::<Vec<_>>().join("; "), *expected, "{harm}");
        // The audit of everything says the same.
        let config = AuditConfig { kinds: registry().kinds().collect(), ..AuditConfig::default() };
        let full = fixture.audit(config).await.unwrap();
        for Finding { invariant, key, .. } in &found {
            let is_told = full.findings().any(|told| told.invariant == *invariant && told.key == *key);
            assert!(is_told, "{harm}: {invariant} of {key}");
        }
        tamper(&fixture, repair).await;
    }
    assert_eq!(world.findings().await, []);
}
