//! Operations to look at: two small types, and somebody who brings them into any state by hand, without a worker.

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use serde_json::json;
use surehold_core::kernel::{Command, Facts, Stop, TenantId};
use surehold_core::operations::commands::{
    EffectCall, EffectOutcome, EnqueueOperation, FailOperation, FinishEffect, Finished, RunStateOperation, StartEffect,
    Started, StateRun,
};
use surehold_core::operations::{
    Correlation, Effect, EffectHandler, Mode, Nature, NewOperation, Operation, OperationKey, OperationType,
    OperationsEvent, Payload, Priority, RECONCILE_STUCK_OPERATION, ReconcileStuckOperation, RetryPolicy, StateHandler,
    Step, StuckReason, Trouble, WorkerId, reconciliation,
};
use surehold_engine::{BoxFuture, Engine, Failure, Provider, ProviderAnswer, Registry};

/// Changes nothing but its own state, and says twice that it did.
pub static COUNT_SHEEP: OperationType = OperationType {
    name: "COUNT_SHEEP",
    key: &["flock"],
    mode: Mode::Once,
    priority: Priority::Normal,
    retry: RetryPolicy::exponential(3, 60_000, 2, 600_000),
    deadline_secs: 30,
    stuck_after_secs: 600,
    recheck_secs: 30,
    running_max: 10,
    nature: Nature::State,
};

/// Two calls to a bank that keeps no keys and answers no questions.
pub static SEND_MONEY: OperationType = OperationType {
    name: "SEND_MONEY",
    key: &["payment", "part"],
    mode: Mode::Once,
    priority: Priority::Urgent,
    retry: RetryPolicy::exponential(3, 60_000, 2, 600_000),
    deadline_secs: 30,
    stuck_after_secs: 600,
    recheck_secs: 30,
    running_max: 10,
    nature: Nature::Effect { provider: "bank", window_secs: None, probe: false, calls_max: 10 },
};

const SEND_MONEY_STEPS: usize = 2;

#[derive(Debug)]
pub struct CountSheep;

impl StateHandler for CountSheep {
    fn kind(&self) -> &'static OperationType {
        &COUNT_SHEEP
    }

    fn run(&self, operation: &Operation, facts: &mut Facts) -> Result<Payload, Stop<Trouble>> {
        for topic in ["sheep.counted", "sheep.asleep"] {
            let data = operation.payload.as_str().into();
            facts.emit(&OperationsEvent::Announced { topic: topic.into(), data }.into());
        }
        Ok(Payload::of(&json!({ "sheep": 7 })))
    }
}

#[derive(Debug)]
pub struct SendMoney;

impl EffectHandler for SendMoney {
    fn kind(&self) -> &'static OperationType {
        &SEND_MONEY
    }

    fn next(&self, operation: &Operation, confirmed: &[Effect], _: &mut Facts) -> Result<Step, Stop<Trouble>> {
        if confirmed.len() == SEND_MONEY_STEPS {
            return Ok(Step::Done { result: Payload::of(&json!({ "sent": true })) });
        }
        let request = json!({ "payment": operation.key.key.as_str(), "step": confirmed.len() });
        Ok(Step::Call { request: Payload::of(&request) })
    }
}

/// Nobody is at the bank: whoever calls it by hand says what it told.
struct NoBank;

impl Provider for NoBank {
    fn account(&self, _: &EffectCall) -> smol_str::SmolStr {
        "ours".into()
    }

    fn call<'a>(&'a self, _: &'a EffectCall) -> BoxFuture<'a, ProviderAnswer> {
        Box::pin(async { ProviderAnswer::Unanswered { code: "closed".into(), error: "nobody is there".into() } })
    }

    fn probe<'a>(&'a self, _: &'a EffectCall) -> BoxFuture<'a, ProviderAnswer> {
        Box::pin(async { ProviderAnswer::Undecidable { error: "nobody is there".into() } })
    }
}

/// The installation's own types and these two.
pub fn registry() -> Registry {
    Registry::default().state(CountSheep).effect(SendMoney, Arc::new(NoBank))
}

/// Does by hand what a worker does.
#[derive(Clone, Debug)]
pub struct ByHand {
    pub engine: Engine,
    pub tenant: TenantId,
}

impl ByHand {
    async fn run<C: Command>(&self, command: C) -> Result<C::Reply>
    where
        C::Refusal: std::fmt::Debug,
    {
        match self.engine.run(self.tenant, command).await {
            Ok(done) => Ok(done.reply),
            Err(Failure::Refused(refusal)) => bail!("{} was refused: {refusal:?}", C::NAME),
            Err(failure) => bail!("{} failed: {failure:?}", C::NAME),
        }
    }

    async fn ask(&self, kind: &'static OperationType, parts: &[&str], about: &[&str]) -> Result<OperationKey> {
        let key = kind.key(parts)?;
        let payload = Payload::of(&json!({ "parts": parts }));
        let correlations = about.iter().map(|text| Correlation::parse(text)).collect::<Result<_, _>>()?;
        let new = NewOperation { correlations, ..NewOperation::new(kind, key.clone(), payload) };
        self.run(EnqueueOperation(new)).await?;
        Ok(key)
    }

    /// Waits to be run.
    pub async fn ask_sheep(&self, flock: &str, about: &[&str]) -> Result<OperationKey> {
        self.ask(&COUNT_SHEEP, &[flock], about).await
    }

    pub async fn ask_money(&self, payment: &str, about: &[&str]) -> Result<OperationKey> {
        self.ask(&SEND_MONEY, &[payment, "1"], about).await
    }

    /// Asks for a look at an operation that takes too long; this type is known to every installation.
    pub async fn ask_reconciliation(&self, of: &OperationKey) -> Result<OperationKey> {
        let run = self.engine.views().record::<surehold_core::operations::OperationRun>(self.tenant, of).await?;
        let token = run.context("it has ended")?.last_token;
        let new = reconciliation(of, token, StuckReason::Overdue)?;
        let key = new.key.clone();
        self.run(EnqueueOperation(new)).await?;
        Ok(key)
    }

    pub async fn run_state(&self, key: &OperationKey) -> Result<StateRun> {
        let key = key.clone();
        let handler: Arc<dyn StateHandler> = if key.kind.as_str() == COUNT_SHEEP.name {
            Arc::new(CountSheep)
        } else {
            Arc::new(ReconcileStuckOperation)
        };
        self.run(RunStateOperation { key, handler, found: None }).await
    }

    pub async fn fail(&self, key: &OperationKey, trouble: Trouble) -> Result<StateRun> {
        let kinds = [&COUNT_SHEEP, &SEND_MONEY, &RECONCILE_STUCK_OPERATION];
        let kind = kinds.into_iter().find(|kind| kind.name == key.kind.as_str()).context("a type of ours")?;
        self.run(FailOperation { key: key.clone(), kind, trouble, dice: u64::MAX }).await
    }

    /// Takes the lease and says what to send.
    pub async fn start(&self, key: &OperationKey) -> Result<EffectCall> {
        let handler = Arc::new(SendMoney);
        match self.run(StartEffect { key: key.clone(), handler, worker: WorkerId(7), raised_at: None }).await? {
            Started::Call(call) => Ok(*call),
            other => bail!("there is no call to make: {other:?}"),
        }
    }

    pub async fn finish(&self, call: EffectCall, outcome: EffectOutcome) -> Result<Finished> {
        let handler = Arc::new(SendMoney);
        self.run(FinishEffect { call, handler, outcome, then: None, dice: u64::MAX, raised_at: None }).await
    }

    pub async fn confirm(&self, call: EffectCall) -> Result<Finished> {
        let provider_ref = Some(format!("tr_{}", call.step).into());
        self.finish(call, EffectOutcome::Confirmed { provider_ref, response: Payload::of(&json!({ "ok": true })) })
            .await
    }

    /// Both steps, to the end.
    pub async fn send(&self, key: &OperationKey) -> Result<()> {
        let mut call = self.start(key).await?;
        while let Finished::Call(next) = self.confirm(call).await? {
            call = *next;
        }
        Ok(())
    }

    /// Sent, and nobody can tell whether it arrived: dead, with a case.
    pub async fn lose(&self, key: &OperationKey) -> Result<()> {
        let call = self.start(key).await?;
        self.finish(call, EffectOutcome::Undecidable { error: "the bank does not say".into() }).await.map(drop)
    }
}
