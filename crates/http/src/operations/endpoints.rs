//! Webhook endpoints. A secret leaves when it is made and never again, so what makes one cannot be repeated under an
//! `Idempotency-Key` and refuses it: who lost the answer rotates the secret.

use axum::http::StatusCode;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use surehold_core::operations::OperationRefusal;
use surehold_core::operations::outbox::{
    self, EnableEndpoint, EndpointAbout, EndpointId, EndpointSecret, EventCursor, PutEndpoint, RemoveEndpoint,
    ReplayKey, RotateEndpointSecret,
};
use surehold_engine::ReplayRequest;

use super::seen::delivery_seen;
use crate::api::{Answer, Api, Caller, IdempotencyRefused, InPath, Json, Manage, Query, Reply, from_path, page_items};
use crate::describe;
use crate::problem::{Code, Problem};
use crate::wire::{
    EnableWebhookEndpoint, NewWebhookEndpoint, PAGE_ITEMS_MAX, PutWebhookEndpoint, ReplayEvents, ReplayedEvents,
    RotateWebhookSecret, WebhookDeliveryPage, WebhookEndpoint, WebhookEndpointPage, render_event,
};

/// Whoever will call the address decides.
pub type CheckWebhookUrl = fn(&str) -> Result<(), AddressRefused>;

/// Why an address may not be called, in a sentence that the tenant may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressRefused(pub String);

from_path!(EndpointId: EndpointId::new);

const SECRET_BYTES: usize = 32;
const NOT_REPEATABLE: &str = "a signing secret is shown once; repeat the request without it, or rotate the secret";

fn new_secret() -> Result<EndpointSecret, Problem> {
    let mut bytes = [0; SECRET_BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(EndpointSecret::new(&bytes)?)
}

/// As the Standard Webhooks specification writes it.
fn reveal(secret: &EndpointSecret) -> String {
    format!("whsec_{}", STANDARD.encode(secret.expose()))
}

async fn find(api: &Api, caller: &Caller<Manage>, id: &EndpointId) -> Result<outbox::WebhookEndpoint, Problem> {
    let found = api.views().record::<outbox::WebhookEndpoint>(caller.tenant, id).await?;
    found.ok_or_else(|| OperationRefusal::EndpointNotFound { endpoint: id.as_str().into() }.into())
}

/// Every event is told to each of them, so there is a bound. Requests that come together may overshoot it by a few.
const ENDPOINTS_PER_TENANT_MAX: u16 = 100;

async fn require_room(api: &Api, caller: &Caller<Manage>, id: &EndpointId) -> Result<(), Problem> {
    let known = api.views().webhook_endpoints(caller.tenant, ENDPOINTS_PER_TENANT_MAX).await?;
    if known.len() < usize::from(ENDPOINTS_PER_TENANT_MAX) || known.iter().any(|endpoint| endpoint.id == *id) {
        return Ok(());
    }
    let detail = format!("a tenant has at most {ENDPOINTS_PER_TENANT_MAX} webhook endpoints; remove one first");
    Err(Problem::new(Code::Invalid, detail))
}

/// Behind everything that has happened so far.
async fn head(api: &Api, caller: &Caller<Manage>) -> Result<EventCursor, Problem> {
    let tail = api.views().journal_tail(caller.tenant).await?;
    Ok(EventCursor::row_end(tail.newest_seq))
}

/// List webhook endpoints
#[describe::path(get, "/v1/{tenant}/webhook-endpoints", tag = "Webhooks")]
pub(super) async fn endpoints_list(api: Api, caller: Caller<Manage>) -> Answer<WebhookEndpointPage> {
    let endpoints = api.views().webhook_endpoints(caller.tenant, PAGE_ITEMS_MAX).await?;
    let endpoints = endpoints.iter().map(|endpoint| EndpointAbout::from(endpoint).into()).collect();
    Ok(Reply::found(WebhookEndpointPage { endpoints }))
}

/// Show a webhook endpoint
#[describe::path(get, "/v1/{tenant}/webhook-endpoints/{endpoint}", tag = "Webhooks")]
pub(super) async fn endpoint_get(
    api: Api,
    caller: Caller<Manage>,
    InPath(id): InPath<EndpointId>,
) -> Answer<WebhookEndpoint> {
    Ok(Reply::found(EndpointAbout::from(&find(&api, &caller, &id).await?).into()))
}

/// Have an address told what happens
///
/// From now on. The answer to the request that makes the endpoint shows its signing secret, this once.
#[describe::path(put, "/v1/{tenant}/webhook-endpoints/{endpoint}", tag = "Webhooks", status(200, 201))]
pub(super) async fn endpoint_put(
    api: Api,
    caller: Caller<Manage>,
    InPath(id): InPath<EndpointId>,
    idempotency: IdempotencyRefused,
    Json(body): Json<PutWebhookEndpoint>,
) -> Answer<NewWebhookEndpoint> {
    idempotency.check(NOT_REPEATABLE)?;
    let check = api.config().check_webhook_url;
    check(&body.url).map_err(|AddressRefused(why)| Problem::new(Code::AddressNotAllowed, why))?;
    require_room(&api, &caller, &id).await?;
    let secret = new_secret()?;
    let events = body.events.iter().map(Into::into).collect();
    let put = PutEndpoint::new(id, &body.url, events, secret.clone(), head(&api, &caller).await?)?;
    let done = api.engine().run(caller.tenant, put.replacing(body.replace)).await?;
    let created = done.reply.created;
    let secret = created.then(|| reveal(&secret));
    let status = if created { StatusCode::CREATED } else { StatusCode::OK };
    let body = NewWebhookEndpoint { secret, about: done.reply.endpoint.into() };
    Ok(Reply { status, replayed: done.replayed, ..Reply::found(body) })
}

/// Remove a webhook endpoint
///
/// What is on its way to it is not sent any more.
#[describe::path(delete, "/v1/{tenant}/webhook-endpoints/{endpoint}", tag = "Webhooks",
    responses((status = 204)))]
pub(super) async fn endpoint_remove(
    api: Api,
    caller: Caller<Manage>,
    InPath(id): InPath<EndpointId>,
) -> Result<StatusCode, Problem> {
    api.engine().run(caller.tenant, RemoveEndpoint { id }).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Replace the signing secret
///
/// The answer shows the new one, this once. The old one signs too for `overlap_secs`.
#[describe::path(post, "/v1/{tenant}/webhook-endpoints/{endpoint}/rotate-secret", tag = "Webhooks")]
pub(super) async fn endpoint_rotate_secret(
    api: Api,
    caller: Caller<Manage>,
    InPath(id): InPath<EndpointId>,
    idempotency: IdempotencyRefused,
    Json(body): Json<RotateWebhookSecret>,
) -> Answer<NewWebhookEndpoint> {
    idempotency.check(NOT_REPEATABLE)?;
    let secret = new_secret()?;
    let rotate = RotateEndpointSecret::new(id, secret.clone(), body.overlap_secs)?;
    let done = api.engine().run(caller.tenant, rotate).await?;
    Ok(Reply::found(NewWebhookEndpoint { secret: Some(reveal(&secret)), about: done.reply.into() }))
}

/// Enable a webhook endpoint
///
/// It is told what happened since it was disabled, unless `from_now`. Safe to repeat.
#[describe::path(post, "/v1/{tenant}/webhook-endpoints/{endpoint}/enable", tag = "Webhooks")]
pub(super) async fn endpoint_enable(
    api: Api,
    caller: Caller<Manage>,
    InPath(id): InPath<EndpointId>,
    Json(body): Json<EnableWebhookEndpoint>,
) -> Answer<WebhookEndpoint> {
    let skip_to = if body.from_now { Some(head(&api, &caller).await?) } else { None };
    api.run(caller.tenant, EnableEndpoint { id, skip_to }, None).await
}

/// Have events told again
///
/// Those between `from` and `to` that the endpoint wants and that are still kept. Messages bear the ids that they had.
#[describe::path(post, "/v1/{tenant}/webhook-endpoints/{endpoint}/replay", tag = "Webhooks")]
pub(super) async fn endpoint_replay(
    api: Api,
    caller: Caller<Manage>,
    InPath(endpoint): InPath<EndpointId>,
    Json(body): Json<ReplayEvents>,
) -> Answer<ReplayedEvents> {
    let cursor = |text: &str| {
        let detail = format!("{text:?} is no cursor; it looks like 12-0 and comes from an event");
        EventCursor::parse(text).ok_or_else(|| Problem::new(Code::Invalid, detail))
    };
    let (from, to) = (cursor(&body.from)?, cursor(&body.to)?);
    if to < from {
        return Err(Problem::new(Code::Invalid, "`to` is before `from`"));
    }
    let request = ReplayRequest { endpoint, from, to, key: ReplayKey::new(&body.key)? };
    let replayed = api.engine().replay_events(caller.tenant, &request, render_event).await?;
    let next = replayed.next.map(|next| next.to_string());
    Ok(Reply::found(ReplayedEvents { deliveries: replayed.deliveries, complete: replayed.complete, next }))
}

#[describe::query]
pub(crate) struct ListDeliveries {
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<u16>,
}

/// What became of the messages
///
/// Those about the newest events first.
#[describe::path(get, "/v1/{tenant}/webhook-endpoints/{endpoint}/deliveries", tag = "Webhooks")]
pub(super) async fn endpoint_deliveries(
    api: Api,
    caller: Caller<Manage>,
    InPath(id): InPath<EndpointId>,
    Query(query): Query<ListDeliveries>,
) -> Answer<WebhookDeliveryPage> {
    let limit = page_items(query.limit)?;
    find(&api, &caller, &id).await?;
    let deliveries = api.views().webhook_deliveries(caller.tenant, &id, limit).await?;
    Ok(Reply::found(WebhookDeliveryPage { deliveries: deliveries.into_iter().map(delivery_seen).collect() }))
}
