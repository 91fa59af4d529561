//! Epochs: that the installation's data was put back to an earlier state, a restored backup above all.

use surehold_core::kernel::TenantId;
use surehold_core::operations::commands::RaiseEpoch;
use surehold_engine::Options;

use crate::api::{Admin, Answer, Api, IdempotencyNeeded, Json, Reply};
use crate::describe;
use crate::wire::{Act, Epoch};

/// When the data was last put back
#[describe::path(get, "/admin/epoch", tag = "Administration")]
pub(super) async fn epoch_get(api: Api, _: Admin) -> Answer<Epoch> {
    Ok(Reply::found(api.views().latest_epoch().await?.into()))
}

/// Say that the data was put back
///
/// After a restore, before anything runs: effects sent since the backup are missing from the data, so providers are
/// asked before anything is sent. Needs an `Idempotency-Key`; a repeat answers with the latest epoch.
#[describe::path(post, "/admin/epoch", tag = "Administration")]
pub(super) async fn epoch_raise(
    api: Api,
    _: Admin,
    idempotency: IdempotencyNeeded,
    Json(body): Json<Act>,
) -> Answer<Epoch> {
    let key = idempotency.key(&body)?;
    let views = api.views();
    let latest = views.latest_epoch().await?.map_or(0, |epoch| epoch.number);
    let Act { actor, reason } = body;
    let raise = RaiseEpoch { number: latest.saturating_add(1), actor, reason };
    let done = api.engine().run_with(TenantId::DIRECTORY, raise, Options { key, ..Options::default() }).await?;
    let epoch = views.latest_epoch().await?;
    Ok(Reply { replayed: done.replayed, ..Reply::found(epoch.into()) })
}
