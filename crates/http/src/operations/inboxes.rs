//! Inboxes: where a tenant lets others' webhooks arrive, and by which secret it believes them.

use axum::http::StatusCode;
use secrecy::ExposeSecret;
use surehold_connect::webhooks::Secret;
use surehold_core::operations::builtin::STANDARD_SOURCE;
use surehold_core::operations::{self, InboxName, RemoveInbox, SigningSecret};

use crate::api::{Answer, Api, Caller, IdempotencyRefused, InPath, Json, Manage, Need, Read, Reply, from_path};
use crate::describe;
use crate::problem::{Code, Problem};
use crate::wire::{Inbox, InboxPage, PAGE_ITEMS_MAX, PutInbox, ShownInbox};

from_path!(InboxName: InboxName::new);

fn shown<N: Need>(caller: &Caller<N>, inbox: operations::Inbox) -> Inbox {
    let mode = if caller.tenant.is_test() { "?mode=test" } else { "" };
    let address = format!("/webhooks/{STANDARD_SOURCE}/{}/{}{mode}", caller.slug, inbox.name);
    Inbox::new(inbox, address)
}

/// List inboxes, without their secrets
#[describe::path(get, "/v1/{tenant}/inboxes", tag = "Inbox")]
pub(super) async fn inboxes_list(api: Api, caller: Caller<Read>) -> Answer<InboxPage> {
    let inboxes = api.views().inboxes(caller.tenant, PAGE_ITEMS_MAX).await?;
    Ok(Reply::found(InboxPage { inboxes: inboxes.into_iter().map(|inbox| shown(&caller, inbox)).collect() }))
}

const NOT_REPEATABLE: &str = "a secret is shown once; choose the secret yourself, and the request is safe to repeat";

/// Make an inbox, or replace its secret
///
/// Without a secret one is made and shown, this once. The secret before stays good for `overlap_secs`; those before it
/// do not.
#[describe::path(put, "/v1/{tenant}/inboxes/{inbox}", tag = "Inbox", status(200, 201))]
pub(super) async fn inbox_put(
    api: Api,
    caller: Caller<Manage>,
    InPath(name): InPath<InboxName>,
    idempotency: IdempotencyRefused,
    Json(body): Json<PutInbox>,
) -> Answer<ShownInbox> {
    idempotency.check(NOT_REPEATABLE)?;
    let (secret, made) = if let Some(text) = &body.secret {
        let secret = Secret::parse(text).map_err(|error| Problem::new(Code::Invalid, error.to_string()))?;
        (secret, None)
    } else {
        let secret = random_secret()?;
        let text = secret.reveal().expose_secret().to_owned();
        (secret, Some(text))
    };
    let put = operations::PutInbox::new(name, SigningSecret::new(secret.key())?, body.overlap_secs)?;
    let done = api.engine().run(caller.tenant, put).await?;
    let is_new = done.reply.version == 1 && !done.replayed;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    let body = ShownInbox { secret: made, about: shown(&caller, done.reply) };
    Ok(Reply { status, replayed: done.replayed, ..Reply::found(body) })
}

fn random_secret() -> Result<Secret, Problem> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(Secret::from_bytes(&bytes).expect("as long as a secret must be"))
}

/// Remove an inbox
///
/// From then on nobody is believed there; what was received stays. Safe to repeat.
#[describe::path(delete, "/v1/{tenant}/inboxes/{inbox}", tag = "Inbox",
    responses((status = 204, description = "It is gone")))]
pub(super) async fn inbox_remove(
    api: Api,
    caller: Caller<Manage>,
    InPath(name): InPath<InboxName>,
) -> Result<StatusCode, Problem> {
    api.engine().run(caller.tenant, RemoveInbox { name }).await?;
    Ok(StatusCode::NO_CONTENT)
}
