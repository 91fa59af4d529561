//! Carries effect operations out: lease and intent, question or call, result. Each step is written down before the next.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use metrics::{counter, histogram};
use smol_str::SmolStr;
use surehold_core::kernel::{TenantId, Timestamp};
use surehold_core::operations::commands::{
    EffectCall, EffectOutcome, FailOperation, FinishEffect, Finished, NotNow, StartEffect, Started,
};
use surehold_core::operations::{
    EffectHandler, Nature, OperationKey, OperationRefusal, OperationType, Trouble, WaitingOn,
};
use tokio::time::Instant;
use tracing::{Instrument, debug, error, info_span, warn};

use super::Boundary;
use super::context::{Context, note_failure};
use super::gate::Pass;
use super::states::{settle, trouble_of};
use super::views::EVER;
use crate::{Failure, Fault, Provider, ProviderAnswer};

/// A call ends this long into its lease, so that there is time to write its result down.
const CALL_PERCENT: u32 = 90;
const FINISH_PAUSE: Duration = Duration::from_millis(500);
const FAULT_PAUSE: Duration = Duration::from_secs(1);
/// Who cannot make itself heard lets others go first.
const UNFIT_SECS: i64 = 5;

/// One effect operation on its way.
pub(super) struct EffectRun {
    pub(super) context: Arc<Context>,
    pub(super) tenant: TenantId,
    pub(super) key: OperationKey,
    pub(super) handler: Arc<dyn EffectHandler>,
    pub(super) provider: Arc<dyn Provider>,
    /// Given back at the end.
    pub(super) pass: Pass,
    pub(super) stopping: tokio_util::sync::CancellationToken,
}

impl EffectRun {
    fn kind(&self) -> &'static OperationType {
        self.handler.kind()
    }

    pub(super) async fn carry_out(self) {
        let span = info_span!("operation", tenant = %self.tenant, r#type = %self.key.kind, key = %self.key.key);
        self.steps().instrument(span).await;
        drop(self.pass);
    }

    async fn steps(&self) {
        self.at(Boundary::EffectFound);
        let begun = Instant::now();
        let Some(mut call) = self.start().await else { return };
        let lease = Duration::from_secs(u64::from(self.kind().deadline_secs));
        let call_until = begun + lease * CALL_PERCENT / 100;
        loop {
            self.at(Boundary::EffectStarted);
            let outcome = self.ask_or_call(&call, call_until).await;
            let Some(finished) = self.finish(&call, outcome, begun + lease).await else { return };
            self.at(Boundary::EffectFinished);
            match finished {
                Finished::Call(next) => call = *next,
                Finished::Done => return self.count_success(begun),
                Finished::Postponed => return self.count("failed", begun),
                Finished::Dead => return self.count("dead", begun),
            }
        }
    }

    fn at(&self, boundary: Boundary) {
        (self.context.config.on_boundary)(boundary);
    }

    fn count(&self, outcome: &'static str, begun: Instant) {
        let kind = self.kind().name;
        counter!("surehold_operations_total", "type" => kind, "outcome" => outcome).increment(1);
        histogram!("surehold_operation_seconds", "type" => kind).record(begun.elapsed().as_secs_f64());
    }

    fn count_success(&self, begun: Instant) {
        let kind = self.kind().name;
        self.context.count_succeeded(kind, 1);
        histogram!("surehold_operation_seconds", "type" => kind).record(begun.elapsed().as_secs_f64());
    }

    /// Takes the lease and writes the intent.
    async fn start(&self) -> Option<EffectCall> {
        let command = StartEffect {
            key: self.key.clone(),
            handler: Arc::clone(&self.handler),
            worker: self.context.pulse.worker,
            raised_at: self.context.pulse.raised_at(),
        };
        match self.context.engine.run(self.tenant, command).await {
            Ok(done) => match done.reply {
                Started::Call(call) => Some(*call),
                Started::Done => {
                    self.count_success(Instant::now());
                    None
                }
                Started::Undecidable => {
                    error!("Nobody can tell whether `{}` happened; a case was opened", self.key);
                    self.count("dead", Instant::now());
                    None
                }
                Started::NotNow(why) => {
                    if let NotNow::Locked { by } = &why {
                        self.context.gate.block(self.tenant, &self.key, by);
                    }
                    debug!(?why, "`{}` is not run now", self.key);
                    None
                }
            },
            Err(Failure::Fault(fault)) => {
                debug!(%fault, "`{}` cannot be started", self.key);
                // It is still due, and nobody else says so.
                tokio::time::sleep(FAULT_PAUSE).await;
                self.context.engine.wakeups().wake(self.tenant, EVER);
                None
            }
            Err(failure) => {
                let trouble = trouble_of(failure)?;
                let (key, kind) = (self.key.clone(), self.kind());
                settle(
                    &self.context,
                    self.tenant,
                    vec![FailOperation { key, kind, trouble, dice: (self.context.config.dice)() }],
                )
                .await;
                None
            }
        }
    }

    async fn clock(&self) -> Result<Timestamp, Fault> {
        self.context.engine.views().clock().await
    }

    /// Asks the provider if there is any doubt, else calls it; neither if it should not be called now.
    async fn ask_or_call(&self, call: &EffectCall, until: Instant) -> EffectOutcome {
        let provider = match self.kind().nature {
            Nature::Effect { provider, .. } => provider,
            Nature::State => "",
        };
        let Ok(now) = self.clock().await else {
            // The store cannot be asked, so nothing could be written down either.
            return EffectOutcome::Released { until: call.lease_until, waiting_on: None };
        };
        if self.stopping.is_cancelled() {
            return EffectOutcome::Released { until: now, waiting_on: None };
        }
        let account = self.account(call);
        let ticket = match self.context.gate.admit(provider, &account, now) {
            Ok(ticket) => ticket,
            Err(until) => {
                let waiting_on = Some(WaitingOn::new(format!("{provider} {account}"), "answers again"));
                return EffectOutcome::Released { until, waiting_on };
            }
        };
        // Looked at last: from here on others must not be able to have taken the lease.
        if !self.context.pulse.is_fit() || Instant::now() >= until {
            self.context.gate.abandon(provider, &account, ticket);
            warn!("`{}` is not called: this worker has been too slow, or could not say that it is alive", self.key);
            return EffectOutcome::Released { until: now.plus_secs(UNFIT_SECS), waiting_on: None };
        }
        let told = self.hear(call, until).await;
        self.at(if call.probe_first { Boundary::ProbeAnswered } else { Boundary::CallAnswered });
        let now = self.clock().await.unwrap_or(now);
        self.context.gate.report(provider, &account, ticket, &told, now);
        self.log(call, &told);
        if call.probe_first { after_question(told) } else { after_call(told) }
    }

    fn account(&self, call: &EffectCall) -> SmolStr {
        let account = std::panic::catch_unwind(AssertUnwindSafe(|| self.provider.account(call)));
        account.unwrap_or_else(|_panic| {
            error!(defect = true, "The adapter of `{}` panicked", self.key);
            SmolStr::default()
        })
    }

    /// Neither slowness nor a panic of the provider's adapter gets out of here.
    async fn hear(&self, call: &EffectCall, until: Instant) -> ProviderAnswer {
        // Inside, so that an adapter that panics before it returns its future is caught too.
        let asked =
            async { if call.probe_first { self.provider.probe(call).await } else { self.provider.call(call).await } };
        let asked = AssertUnwindSafe(asked).catch_unwind();
        match tokio::time::timeout_at(until, asked).await {
            Ok(Ok(told)) => told,
            Ok(Err(_panic)) => {
                error!(defect = true, "The adapter of `{}` panicked", self.key);
                ProviderAnswer::Unanswered { code: "panic".into(), error: "the provider's adapter failed".into() }
            }
            Err(_elapsed) => ProviderAnswer::Unanswered {
                code: "timeout".into(),
                error: "no answer within the operation's deadline".into(),
            },
        }
    }

    fn log(&self, call: &EffectCall, told: &ProviderAnswer) {
        let (code, error) = match told {
            ProviderAnswer::Done { .. } | ProviderAnswer::Absent => return,
            ProviderAnswer::Undecidable { error } => ("undecidable", error),
            ProviderAnswer::Rejected { code, error, .. }
            | ProviderAnswer::NotDone { code, error, .. }
            | ProviderAnswer::Unanswered { code, error }
            | ProviderAnswer::ErrorKept { code, error } => (code.as_str(), error),
        };
        note_failure(self.kind(), &self.key, &call.correlations, call.attempt, (code, error));
    }

    /// Writes down what came of it. A store that cannot be reached is asked again as long as the lease lasts.
    async fn finish(&self, call: &EffectCall, outcome: EffectOutcome, lease_until: Instant) -> Option<Finished> {
        let mut then: Option<Trouble> = None;
        let mut doubtful = false;
        loop {
            let command = FinishEffect {
                call: call.clone(),
                handler: Arc::clone(&self.handler),
                outcome: outcome.clone(),
                then: then.clone(),
                dice: (self.context.config.dice)(),
                raised_at: self.context.pulse.raised_at(),
            };
            match self.context.engine.run(self.tenant, command).await {
                Ok(done) => return Some(done.reply),
                Err(Failure::Refused(OperationRefusal::LeaseLost { .. })) => {
                    // After an answer that did not come, this says that the result was written the first time.
                    if !doubtful {
                        counter!("surehold_operations_stale_total", "type" => self.kind().name).increment(1);
                        warn!("The lease of `{}` was lost; its result is not written", self.key);
                    }
                    return None;
                }
                Err(Failure::Fault(fault)) => {
                    doubtful |= fault == Fault::OutcomeUnknown;
                    if Instant::now() >= lease_until {
                        warn!(%fault, "Cannot write down what came of `{}`; its lease has ended", self.key);
                        return None;
                    }
                    tokio::time::sleep(FINISH_PAUSE).await;
                }
                // Going on from the result failed; the result itself stands.
                Err(failure) if then.is_none() => then = trouble_of(failure),
                Err(failure) => {
                    error!(defect = true, ?failure, "What came of `{}` cannot be written", self.key);
                    return None;
                }
            }
        }
    }
}

fn after_call(told: ProviderAnswer) -> EffectOutcome {
    match told {
        ProviderAnswer::Done { provider_ref, response } => EffectOutcome::Confirmed { provider_ref, response },
        ProviderAnswer::Rejected { code, error, response } => EffectOutcome::Rejected { code, error, response },
        ProviderAnswer::NotDone { code, error, retry_after_secs } => {
            EffectOutcome::NotDone { code, error, retry_after_secs }
        }
        ProviderAnswer::Unanswered { code, error } => EffectOutcome::Unanswered { code, error },
        ProviderAnswer::ErrorKept { code, error } => EffectOutcome::ErrorKept { code, error },
        // No answer to a call; whatever it was, it may have happened.
        ProviderAnswer::Absent => unexpected("absent"),
        ProviderAnswer::Undecidable { .. } => unexpected("undecidable"),
    }
}

fn unexpected(what: &str) -> EffectOutcome {
    let error = format!("the provider's adapter answered `{what}` to a call").into();
    EffectOutcome::Unanswered { code: "unexpected".into(), error }
}

fn after_question(told: ProviderAnswer) -> EffectOutcome {
    match told {
        ProviderAnswer::Done { provider_ref, response } => EffectOutcome::Confirmed { provider_ref, response },
        ProviderAnswer::Rejected { code, error, response } => EffectOutcome::Rejected { code, error, response },
        ProviderAnswer::Absent => EffectOutcome::Absent,
        ProviderAnswer::Undecidable { error } => EffectOutcome::Undecidable { error },
        ProviderAnswer::NotDone { code, error, retry_after_secs } => {
            EffectOutcome::NotAsked { code, error, retry_after_secs }
        }
        ProviderAnswer::Unanswered { code, error } | ProviderAnswer::ErrorKept { code, error } => {
            EffectOutcome::NotAsked { code, error, retry_after_secs: None }
        }
    }
}
