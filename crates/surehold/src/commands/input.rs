//! Flags that several commands take, checked before anything is sent. Single words are read in `typed.rs`.

use serde_json::{Value, json};
use surehold_core::operations::{Actor, Reason};
use uuid::Uuid;

use super::screen::Screen;
pub(super) use super::typed::{
    Line, cron, currency, date, duration_secs, hold_id, instant, lines_json, operation_key, resource, schedule_name,
    shown, slug, zone,
};
use crate::client::{ClientError, Request};

/// Under which a request is carried out once, however often it is sent.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct IdempotencyKey {
    /// Repeat an earlier request under its key; without one, a new key is made and told on standard error
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
}

impl IdempotencyKey {
    /// Tells a new key before the request is sent: afterwards may be too late.
    pub(super) fn put_on(&self, request: Request, screen: Screen) -> Request {
        let key = self.idempotency_key.clone().unwrap_or_else(|| {
            let key = Uuid::now_v7().to_string();
            screen.keep(&format!("idempotency key: {key}"));
            key
        });
        request.header("idempotency-key", key.clone()).repeat_with(format!("--idempotency-key {key}"))
    }
}

/// Who does something by hand, and why; both are kept.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Acting {
    /// Why; it is kept
    #[arg(long, value_parser = reason)]
    reason: String,
    /// Who does it [default: $USER]
    #[arg(long, value_name = "NAME", value_parser = actor)]
    actor: Option<String>,
}

fn reason(text: &str) -> Result<String, String> {
    Reason::new(text).map(|reason| reason.to_string()).map_err(|invalid| invalid.to_string())
}

fn actor(text: &str) -> Result<String, String> {
    Actor::new(text).map(|actor| actor.to_string()).map_err(|invalid| invalid.to_string())
}

impl Acting {
    pub(super) fn json(&self) -> Result<Value, ClientError> {
        let actor = self.actor.clone().map_or_else(this_user, Ok)?;
        Ok(json!({"actor": actor, "reason": self.reason}))
    }
}

/// Whoever the environment says that we are.
pub(super) fn this_user() -> Result<String, ClientError> {
    std::env::var("USER").ok().filter(|user| actor(user).is_ok()).ok_or(ClientError::NoUser)
}

/// Whose data: the tenant's, or that of its test twin.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(super) struct TestMode {
    /// Work on the tenant's test data; a tenant's own key says by itself which it is for
    #[arg(long, global = true, display_order = 800)]
    pub(super) test: bool,
}
