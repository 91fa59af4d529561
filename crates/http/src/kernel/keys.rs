//! Keys: give out, list, replace, take back. The secret leaves once and is kept nowhere, so making a key cannot be
//! repeated under an `Idempotency-Key` and refuses one: who lost an answer revokes the key and makes another one.

use axum::http::StatusCode;
use surehold_core::kernel::{KeyId, KeyScopes, Slug, TenantId, commands};

use crate::api::{Admin, Answer, Api, IdempotencyRefused, InPath, Json, Query, Reply, from_path};
use crate::describe;
use crate::keys::{KeyMode, KeyRef, Secret};
use crate::problem::{Code, Problem};
use crate::wire::{CreateKey, Key, KeyPage, NewKey, PAGE_ITEMS_MAX, RotateKey};

#[describe::query]
pub(crate) struct ListKeys {
    /// Whose keys; left out for those of the installation.
    tenant: Option<Slug>,
    /// `live` unless told.
    mode: Option<KeyMode>,
}

from_path!(KeyRef: KeyRef::parse);

async fn whose(api: &Api, tenant: Option<&Slug>, mode: KeyMode) -> Result<TenantId, Problem> {
    match tenant {
        None => Ok(TenantId::DIRECTORY),
        Some(slug) => Ok(api.find_tenant(slug.as_str(), mode).await?.0),
    }
}

/// List keys, newest first
#[describe::path(get, "/admin/keys", tag = "Administration")]
pub(super) async fn keys_list(api: Api, _: Admin, Query(query): Query<ListKeys>) -> Answer<KeyPage> {
    let tenant = whose(&api, query.tenant.as_ref(), query.mode.unwrap_or(KeyMode::Live)).await?;
    let keys = api.views().keys(tenant, PAGE_ITEMS_MAX).await?;
    Ok(Reply::found(KeyPage { keys: keys.into_iter().map(|key| Key::new(tenant, key)).collect() }))
}

const NOT_REPEATABLE: &str = "a key is shown once and kept nowhere: list the keys, revoke what was made, make another";

fn new_key(tenant: TenantId) -> Result<(KeyRef, Secret), Problem> {
    let id = Secret::random()?.hash();
    let id = id.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    let secret = Secret::random()?;
    Ok((KeyRef { tenant, id: KeyId::new(id) }, secret))
}

/// Create a key
///
/// The answer shows the key, this once. It is usable at once on every node.
#[describe::path(post, "/admin/keys", tag = "Administration", status(201))]
pub(super) async fn key_create(
    api: Api,
    _: Admin,
    idempotency: IdempotencyRefused,
    Json(body): Json<CreateKey>,
) -> Answer<NewKey> {
    idempotency.check(NOT_REPEATABLE)?;
    let scopes = body.scopes;
    let scopes = KeyScopes::new(&scopes)?;
    let live = whose(&api, body.tenant.as_ref(), KeyMode::Live).await?;
    let tenant = match body.mode {
        KeyMode::Live => live,
        KeyMode::Test if body.tenant.is_some() => api.engine().create_test_twin(live).await?,
        KeyMode::Test => {
            let detail = "a key of the installation is live; with Surehold-Mode: test it works on test data";
            return Err(Problem::new(Code::Invalid, detail));
        }
    };
    let (key, secret) = new_key(tenant)?;
    let mut create = commands::CreateKey::new(key.id, body.name, scopes, secret.hash());
    if let Some(expires_at) = body.expires_at {
        create = create.expires_at(expires_at);
    }
    if let Some(requests) = body.requests_per_s {
        create = create.requests_per_s(requests)?;
    }
    let done = api.engine().run(tenant, create).await?;
    Ok(created(key, &secret, done.reply))
}

fn created(key: KeyRef, secret: &Secret, record: surehold_core::kernel::ApiKey) -> Reply<NewKey> {
    let body = NewKey { key: secret.key_text(key), about: Key::new(key.tenant, record) };
    Reply { status: StatusCode::CREATED, ..Reply::found(body) }
}

/// Replace a key
///
/// The new key has the same name, scopes, limits and lifetime; the old one stays good for `overlap_secs`.
#[describe::path(post, "/admin/keys/{key}/rotate", tag = "Administration", status(201))]
pub(super) async fn key_rotate(
    api: Api,
    _: Admin,
    InPath(old): InPath<KeyRef>,
    idempotency: IdempotencyRefused,
    Json(body): Json<RotateKey>,
) -> Answer<NewKey> {
    idempotency.check(NOT_REPEATABLE)?;
    let (key, secret) = new_key(old.tenant)?;
    let rotate = commands::RotateKey::new(old.id, key.id, secret.hash(), body.overlap_secs)?;
    let done = api.engine().run(old.tenant, rotate).await?;
    Ok(created(key, &secret, done.reply))
}

/// Revoke a key
///
/// Takes no body. Within a second it opens nothing any more, on any node. Safe to repeat.
#[describe::path(post, "/admin/keys/{key}/revoke", tag = "Administration")]
pub(super) async fn key_revoke(api: Api, _: Admin, InPath(key): InPath<KeyRef>) -> Answer<Key> {
    let done = api.engine().run(key.tenant, commands::RevokeKey { id: key.id }).await?;
    Ok(Reply { replayed: done.replayed, ..Reply::found(Key::new(key.tenant, done.reply)) })
}
