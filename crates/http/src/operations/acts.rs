//! What people do about operations. Each of these says who and why, which stays in the operation's history.

use surehold_core::kernel::Command;
use surehold_core::operations::{OperationKey, OperationRefusal, OperationState, commands};
use surehold_engine::{Options, RequestKey};

use crate::api::{Answer, Api, Caller, Idempotency, InPath, Json, Manage, Reply};
use crate::describe;
use crate::problem::{Code, Problem};
use crate::wire::{Act, EffectSettled, OperationActed, SettleEffect};

async fn act<C: Command<Reply = OperationState, Refusal = OperationRefusal>>(
    api: &Api,
    caller: &Caller<Manage>,
    operation: OperationKey,
    command: C,
    key: Option<RequestKey>,
) -> Answer<OperationActed> {
    let done = api.engine().run_with(caller.tenant, command, Options { key, ..Options::default() }).await?;
    let acted = OperationActed { r#type: operation.kind, key: operation.key, state: done.reply };
    Ok(Reply { replayed: done.replayed, ..Reply::found(acted) })
}

/// Run a waiting operation at once
///
/// What waits for an instant or a precondition is due now. An operation that waits for another one is not touched.
#[describe::path(post, "/v1/{tenant}/operations/{type}/{key}/retry", tag = "Operations")]
pub(super) async fn operation_retry(
    api: Api,
    caller: Caller<Manage>,
    InPath(operation): InPath<OperationKey>,
    idempotency: Idempotency,
    Json(body): Json<Act>,
) -> Answer<OperationActed> {
    let key = idempotency.key(&(&operation, &body))?;
    let Act { actor, reason } = body;
    let command = commands::HastenOperation { key: operation.clone(), actor, reason };
    act(&api, &caller, operation, command, key).await
}

/// Give an operation up
///
/// It is not done, and nobody need look at it again. Refused while it runs and while one of its effects may have
/// happened. Safe to repeat.
#[describe::path(post, "/v1/{tenant}/operations/{type}/{key}/cancel", tag = "Operations")]
pub(super) async fn operation_cancel(
    api: Api,
    caller: Caller<Manage>,
    InPath(operation): InPath<OperationKey>,
    idempotency: Idempotency,
    Json(body): Json<Act>,
) -> Answer<OperationActed> {
    let key = idempotency.key(&(&operation, &body))?;
    let Act { actor, reason } = body;
    let command = commands::CancelOperation { key: operation.clone(), actor, reason };
    act(&api, &caller, operation, command, key).await
}

/// Do a dead operation anew
///
/// Effects that are confirmed stay; those in doubt are asked about before anything is sent.
#[describe::path(post, "/v1/{tenant}/operations/{type}/{key}/redrive", tag = "Operations")]
pub(super) async fn operation_redrive(
    api: Api,
    caller: Caller<Manage>,
    InPath(operation): InPath<OperationKey>,
    idempotency: Idempotency,
    Json(body): Json<Act>,
) -> Answer<OperationActed> {
    let key = idempotency.key(&(&operation, &body))?;
    let Some(kind) = api.engine().registry().kind_of(&operation) else {
        api.require_operation(caller.tenant, &operation).await?;
        let detail = format!("this server knows no type {}, so nobody would run it", operation.kind);
        return Err(Problem::new(Code::Invalid, detail));
    };
    let Act { actor, reason } = body;
    let command = commands::RedriveOperation { key: operation.clone(), kind, actor, reason };
    act(&api, &caller, operation, command, key).await
}

/// Say what became of an effect in doubt
///
/// Somebody has looked at the provider's. The operation goes on when it is redriven.
#[describe::path(post, "/v1/{tenant}/operations/{type}/{key}/settle", tag = "Operations")]
pub(super) async fn operation_settle(
    api: Api,
    caller: Caller<Manage>,
    InPath(operation): InPath<OperationKey>,
    idempotency: Idempotency,
    Json(body): Json<SettleEffect>,
) -> Answer<EffectSettled> {
    let key = idempotency.key(&(&operation, &body))?;
    let step = body.step;
    let command = body.into_command(operation.clone())?;
    let done = api.engine().run_with(caller.tenant, command, Options { key, ..Options::default() }).await?;
    let settled = EffectSettled { r#type: operation.kind, key: operation.key, step, effect: done.reply };
    Ok(Reply { replayed: done.replayed, ..Reply::found(settled) })
}
