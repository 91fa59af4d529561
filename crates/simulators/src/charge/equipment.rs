//! What a node of a lab has beside its own: charges at the fake provider, and a task that asks for them.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use surehold_core::operations::{BreakerPolicy, NewOperation, OperationType, Payload};
use surehold_engine::{Registry, WorkerConfig};
use surehold_http::inbox::Task;
use surehold_http::problem::{Code, Problem};

use super::{Amount, Bank, CHARGE, CHARGE_WITH_FEE, Charging, NoteCharge};

/// A purchase whose name begins so is charged with a fee: [`CHARGE_WITH_FEE`] instead of [`CHARGE`].
pub const FEE_PREFIX: &str = "fee";

/// Which operation a purchase becomes; its key is the purchase.
pub fn charge_type(purchase: &str) -> &'static OperationType {
    if purchase.starts_with(FEE_PREFIX) { &CHARGE_WITH_FEE } else { &CHARGE }
}

#[must_use]
pub fn with_charges(registry: Registry, provider: SocketAddr) -> Registry {
    let bank = Arc::new(Bank::at(provider));
    registry.state(NoteCharge).effect(Charging::once(&CHARGE), bank.clone()).effect(Charging::with_fee(), bank)
}

/// Everything happens sooner, and every fault of the provider is met.
#[must_use]
pub fn with_short_beats(config: WorkerConfig) -> WorkerConfig {
    WorkerConfig {
        poll_pause: Duration::from_millis(200),
        watch_pause: Duration::from_millis(500),
        breaker: BreakerPolicy { failures_max: u16::MAX, open_secs: 1, open_secs_max: 1, probe_secs_max: 5 },
        ..config
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChargeTask {
    purchase: String,
    amount: i64,
}

/// `{"purchase": "p1", "amount": 100}`
pub const CHARGE_TASK: Task = Task { name: "charge", read: read_task };

fn read_task(body: &[u8]) -> Result<NewOperation, Problem> {
    let ChargeTask { purchase, amount } =
        serde_json::from_slice(body).map_err(|error| Problem::new(Code::Invalid, error.to_string()))?;
    let kind = charge_type(&purchase);
    let key = kind.key(&[&purchase]).map_err(|invalid| Problem::new(Code::Invalid, invalid.to_string()))?;
    Ok(NewOperation::new(kind, key, Payload::of(&Amount { amount })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn purchases_become_operations() {
        let check = |body: &str, expected: Option<(&str, &str)>| {
            let read = (CHARGE_TASK.read)(body.as_bytes()).ok();
            let read = read.as_ref().map(|asked| (asked.key.kind.as_str(), asked.key.key.as_str()));
            assert_eq!(read, expected, "{body}");
        };
        check(r#"{"purchase":"p1","amount":100}"#, Some(("CHARGE", "p1")));
        check(r#"{"purchase":"fee-1","amount":100}"#, Some(("CHARGE_WITH_FEE", "fee-1")));
        check(r#"{"purchase":"p1"}"#, None);
        check(r#"{"purchase":"p1","amount":1,"x":1}"#, None);
        check(r#"{"purchase":"","amount":1}"#, None);
    }
}
