//! Flags that several commands take, checked before anything is sent. Single words are read in `typed.rs`.

use surehold_api::{Act, Call};
use surehold_core::kernel::Slug;
use surehold_core::operations::{Actor, Reason};
use uuid::Uuid;

use super::screen::Screen;
pub(super) use super::typed::{
    check_segment, core_instant, currency, date, duration_secs, hold_id, id, instant, line, new_id, object,
    operation_key, resource, shown, slot, titled,
};
use crate::client::ClientError;

/// Under which a request is carried out once, however often it is sent.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct IdempotencyKey {
    /// Repeat an earlier request under its key; without one, a new key is made and told on standard error
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
}

impl IdempotencyKey {
    /// Tells a new key before the request is sent: afterwards may be too late.
    pub(super) fn put_on<T>(&self, call: Call<T>, screen: Screen) -> Call<T> {
        let key = self.idempotency_key.clone().unwrap_or_else(|| {
            let key = Uuid::now_v7().to_string();
            screen.keep(&format!("idempotency key: {key}"));
            key
        });
        call.idempotency_key(&key)
    }
}

/// Who does something by hand, and why; both are kept.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Acting {
    /// Why; it is kept
    #[arg(long)]
    reason: Reason,
    /// Who does it [default: $USER]
    #[arg(long, value_name = "NAME")]
    actor: Option<Actor>,
}

impl Acting {
    pub(super) fn act(&self) -> Result<Act, ClientError> {
        let actor = self.actor.clone().map_or_else(this_user, Ok)?;
        Ok(Act { actor, reason: self.reason.clone() })
    }
}

/// Whoever the environment says that we are.
pub(super) fn this_user() -> Result<Actor, ClientError> {
    std::env::var("USER").ok().and_then(|user| Actor::new(&user).ok()).ok_or(ClientError::NoUser)
}

/// Names a tenant.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct TenantArgs {
    /// The tenant's slug
    pub(super) tenant: Slug,
}

/// Whose data: the tenant's, or that of its test twin.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(super) struct TestMode {
    /// Work on the tenant's test data; a tenant's own key says by itself which it is for
    #[arg(long, global = true, display_order = 800)]
    pub(super) test: bool,
}
