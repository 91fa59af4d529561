//! What may arrive from outside: sources of webhooks and kinds of tasks. A source judges who speaks, and says which
//! operation deals with it; storing and answering is the API's.

mod standard;
mod stripe;
mod tasks;

use std::sync::Arc;

use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use surehold_core::kernel::{Invalid, Record, Slug, TenantId, Timestamp};
use surehold_core::operations::{CONTENT_TYPE_BYTES_MAX, ExternalId, NewOperation, SourceName};
use surehold_engine::{BoxFuture, Fault};

use crate::Api;
use crate::keys::KeyMode;
pub use standard::StandardSource;
pub use stripe::StripeSource;
pub use tasks::{EXPIRE_HOLD_TASK, Task};

/// Somebody whose webhooks are taken, at `/webhooks/{name}/…`.
pub trait InboxSource: Send + Sync + 'static {
    /// Its word in addresses, and in metrics.
    fn name(&self) -> &'static str;

    /// Judges the signature over the bytes as they came, before anything is made of them; then says what it is.
    fn receive<'a>(&'a self, incoming: Incoming<'a>) -> BoxFuture<'a, Result<Received, SourceRefusal>>;
}

/// A webhook that nobody has believed yet.
#[derive(Clone, Copy, Debug)]
pub struct Incoming<'a> {
    /// What follows the source in the address, without the slash.
    pub path_rest: &'a str,
    /// Whether the address is that of test data.
    pub mode: KeyMode,
    pub headers: &'a HeaderMap,
    pub body: &'a [u8],
    /// By this node's clock: a signature's age is minutes.
    pub now: Timestamp,
    pub door: SenderLookup<'a>,
}

/// What a source may look up before it believes anybody.
#[derive(Clone, Copy, Debug)]
pub struct SenderLookup<'a>(pub(crate) &'a Api);

impl SenderLookup<'_> {
    pub async fn tenant(&self, slug: &Slug, mode: KeyMode) -> Result<Option<TenantId>, Fault> {
        self.0.tenant_of(slug, mode).await
    }

    pub async fn record<R: Record>(&self, tenant: TenantId, key: &R::Key) -> Result<Option<R>, Fault> {
        self.0.views().record_for_door(tenant, key).await
    }
}

/// What the sender calls the body, as far as that is worth keeping.
pub fn content_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    (value.len() <= CONTENT_TYPE_BYTES_MAX).then(|| value.to_owned())
}

/// A webhook that is believed.
#[derive(Clone, Debug)]
pub struct Received {
    pub tenant: TenantId,
    /// Within which the id is unique.
    pub source: SourceName,
    /// The same in every delivery.
    pub external_id: ExternalId,
    pub content_type: Option<String>,
    pub operation: NewOperation,
}

/// Why a webhook is not taken.
#[derive(Clone, Debug)]
pub enum SourceRefusal {
    /// The address is none of this source.
    NotFound,
    /// Not signed, wrongly signed, too old, or for nobody who is known: the sender is not told which of the last two.
    SignatureInvalid {
        why: String,
    },
    /// Believed, and yet unusable.
    Invalid(Invalid),
    Fault(Fault),
}

impl From<Fault> for SourceRefusal {
    fn from(fault: Fault) -> SourceRefusal {
        SourceRefusal::Fault(fault)
    }
}

impl From<Invalid> for SourceRefusal {
    fn from(invalid: Invalid) -> SourceRefusal {
        SourceRefusal::Invalid(invalid)
    }
}

/// The sources and the tasks that a server takes. Put together once, at the start.
#[derive(Clone)]
pub struct Inbox {
    sources: Vec<Arc<dyn InboxSource>>,
    tasks: Vec<Task>,
}

impl Default for Inbox {
    fn default() -> Inbox {
        Inbox { sources: Vec::new(), tasks: Vec::new() }.with_source(StandardSource).with_task(EXPIRE_HOLD_TASK)
    }
}

impl std::fmt::Debug for Inbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (sources, tasks) = (self.sources.iter().map(|source| source.name()), self.tasks.iter().map(|t| t.name));
        f.debug_set().entries(sources.chain(tasks)).finish()
    }
}

impl Inbox {
    #[must_use]
    pub fn with_source(mut self, source: impl InboxSource) -> Inbox {
        assert!(self.source(source.name()).is_none(), "{} is registered twice", source.name());
        self.sources.push(Arc::new(source));
        self
    }

    #[must_use]
    pub fn with_task(mut self, task: Task) -> Inbox {
        assert!(self.task(task.name).is_none(), "{} is registered twice", task.name);
        self.tasks.push(task);
        self
    }

    pub(crate) fn source(&self, name: &str) -> Option<&Arc<dyn InboxSource>> {
        self.sources.iter().find(|source| source.name() == name)
    }

    /// Also as `expire_hold`: schedulers that call functions by their names spell them so.
    pub(crate) fn task(&self, name: &str) -> Option<&Task> {
        let name = name.replace('_', "-");
        self.tasks.iter().find(|task| task.name == name)
    }

    pub(crate) fn task_names(&self) -> String {
        self.tasks.iter().map(|task| task.name).collect::<Vec<_>>().join(", ")
    }
}
