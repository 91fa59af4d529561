//! Webhooks in: no API key, the signature is the key. An answer says that the event is kept, not that it was dealt with.
//!
//! Anybody may send anything here. What it can cost: one body of 256 KiB per connection, of which the listener has a
//! limited number; [`KIBIBYTES_AT_ONCE`] of memory; and, only for what is signed recently and in the right form, two
//! lookups on the connections that admit callers.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use metrics::counter;
use surehold_core::kernel::TenantId;
use surehold_core::operations::{ExternalId, ReceiveEvent};
use tokio::sync::OwnedSemaphorePermit;
use tracing::warn;

use super::inbox::{InboxSource, Incoming, Received, SenderLookup, SourceRefusal};
use crate::api::{Answer, Api, BODY_BYTES_MAX, InPath, Query, Reply, Room, Text, read_bytes};
use crate::describe;
use crate::keys::{KeyMode, now};
use crate::problem::{Code, Problem};
use crate::wire::Delivered;

/// Events that are read and stored at once, by the size of what was sent.
const KIBIBYTES_AT_ONCE: usize = 64 << 10;

#[derive(Clone)]
pub(super) struct InboxRoom(Room);

impl Default for InboxRoom {
    fn default() -> InboxRoom {
        InboxRoom(Room::new(KIBIBYTES_AT_ONCE))
    }
}

/// The source named in the path, and what follows it.
pub(crate) struct SourcePath {
    source: Arc<dyn InboxSource>,
    rest: String,
}

impl FromRequestParts<Api> for SourcePath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<SourcePath, Problem> {
        let InPath((Text(name), Text(rest))) = InPath::from_request_parts(parts, api).await?;
        let source = api.config().inbox.source(&name).map(Arc::clone).ok_or_else(no_such_inbox)?;
        Ok(SourcePath { source, rest })
    }
}

fn no_such_inbox() -> Problem {
    Problem::new(Code::NotFound, "no webhooks are taken at this address; /docs lists what there is")
}

#[describe::query]
pub(crate) struct WebhookQuery {
    /// Whether it is about the tenant's live or its test data; `live` unless told.
    mode: Option<KeyMode>,
}

/// Receive a webhook
///
/// `standard/{tenant}/{inbox}` takes Standard Webhooks, signed with the inbox's secret; `stripe/{account}` takes
/// Stripe's events, signed with a secret of the account. Needs no key: the signature is the key. A repeat is answered
/// like the first delivery and changes nothing. The body may be anything of up to 256 KiB.
#[describe::path(post, "/webhooks/{source}/{*rest}", tag = "Inbox", security(()),
    params(("source" = String, Path, example = "standard"), ("rest" = String, Path, example = "casa-azul/orders")),
    status(202))]
pub(super) async fn webhook_receive(
    api: Api,
    SourcePath { source, rest }: SourcePath,
    Query(query): Query<WebhookQuery>,
    request: Request,
) -> Answer<Delivered> {
    let _room = room_for(&api, request.headers())?;
    let headers = request.headers().clone();
    let body = read_bytes(request, BODY_BYTES_MAX).await?;
    let mode = query.mode.unwrap_or(KeyMode::Live);
    let incoming =
        Incoming { path_rest: &rest, mode, headers: &headers, body: &body, now: now(), door: SenderLookup(&api) };
    let received = source.receive(incoming).await.map_err(|refusal| refused(source.name(), refusal))?;
    let Received { tenant, source: event_source, external_id, content_type, operation } = received;
    let event = ReceiveEvent::new(event_source, external_id, content_type.as_deref(), &body, operation)?;
    let delivered = take(&api, tenant, source.name(), event).await?;
    Ok(Reply { status: StatusCode::ACCEPTED, ..Reply::found(delivered) })
}

fn refused(source: &'static str, refusal: SourceRefusal) -> Problem {
    match refusal {
        SourceRefusal::NotFound => no_such_inbox(),
        SourceRefusal::SignatureInvalid { why } => {
            counter!("surehold_inbox_unbelieved_total", "source" => source).increment(1);
            Problem::new(Code::SignatureInvalid, why)
        }
        SourceRefusal::Invalid(invalid) => invalid.into(),
        SourceRefusal::Fault(fault) => fault.into(),
    }
}

pub(super) fn room_for(api: &Api, headers: &HeaderMap) -> Result<OwnedSemaphorePermit, Problem> {
    let busy = "other events are being received; nothing was kept, send it again later";
    api.state::<InboxRoom>().0.take(headers, BODY_BYTES_MAX, busy)
}

/// Keeps the event, or finds it kept.
pub(super) async fn take(
    api: &Api,
    tenant: TenantId,
    source: &'static str,
    event: ReceiveEvent,
) -> Result<Delivered, Problem> {
    let external_id: ExternalId = event.external_id().clone();
    let done = api.engine().run(tenant, event).await?;
    let repeated = if done.replayed { "true" } else { "false" };
    counter!("surehold_inbox_events_total", "source" => source, "repeated" => repeated).increment(1);
    if done.reply.body_differs {
        counter!("surehold_inbox_body_differs_total", "source" => source).increment(1);
        warn!(%tenant, source, %external_id, "Event {external_id} was repeated with another body; the first one counts");
    }
    Ok(Delivered::new(done.reply, done.replayed))
}
