//! The adapter to the simulated provider.

use std::sync::Arc;

use smol_str::SmolStr;
use surehold_core::operations::commands::EffectCall;
use surehold_engine::{BoxFuture, Provider, ProviderAnswer};
use tokio::time::sleep;

use super::shared::Shared;
use surehold_simulators::charge::{ChargeRequest, told_by_call, told_by_probe};
use surehold_simulators::provider::{Heard, Response};

pub(super) struct SimulatedBank {
    pub(super) shared: Arc<Shared>,
}

fn hung_up() -> ProviderAnswer {
    ProviderAnswer::Unanswered { code: "broken".into(), error: "the connection was closed".into() }
}

impl Provider for SimulatedBank {
    fn account(&self, _: &EffectCall) -> SmolStr {
        SmolStr::new_static("main")
    }

    fn call<'a>(&'a self, call: &'a EffectCall) -> BoxFuture<'a, ProviderAnswer> {
        Box::pin(async move {
            self.shared.require_alive().await;
            let (key, body) = (call.idempotency_key.as_str(), call.request.as_str().as_bytes());
            let response = {
                let mut state = self.shared.state();
                let now = state.elapsed();
                state.provider.charge(now, Some(key), body)
            };
            let heard = match response {
                Response::Now(heard) => heard,
                Response::Later { ticket, due } => loop {
                    let left = due.saturating_sub(self.shared.state().elapsed());
                    sleep(left).await;
                    let mut state = self.shared.state();
                    let now = state.elapsed();
                    if let Some(heard) = state.provider.collect(now, ticket) {
                        break heard;
                    }
                },
            };
            match heard {
                Heard::Answer { status, retry_after_secs, body } => told_by_call(status, retry_after_secs, &body),
                Heard::HungUp => hung_up(),
            }
        })
    }

    fn probe<'a>(&'a self, call: &'a EffectCall) -> BoxFuture<'a, ProviderAnswer> {
        Box::pin(async move {
            self.shared.require_alive().await;
            let request: ChargeRequest = call.request.read().expect("the handler wrote it");
            let name = request.metadata.get("operation").map(String::as_str).unwrap_or_default();
            let mut state = self.shared.state();
            let now = state.elapsed();
            match state.provider.list(now, name) {
                Heard::Answer { status, body, .. } => told_by_probe(status, &body),
                Heard::HungUp => hung_up(),
            }
        })
    }
}
