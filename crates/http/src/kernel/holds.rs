//! Holds: place, look, list, extend, convert, cancel, move, give back.

use surehold_core::kernel::{self, HoldId, Reference, Refusal, Timestamp, commands};
use surehold_engine::new_hold_id;
use uuid::Uuid;

use crate::api::{
    Answer, Api, Caller, Idempotency, IdempotencyNeeded, InPath, Json, Query, Read, Reply, Sell, from_path, malformed,
    next_page, page_items,
};
use crate::describe;
use crate::problem::Problem;
use crate::wire::{ConvertHold, ExtendHold, GiveBack, Hold, HoldPage, MoveBooked, PlaceHold};

from_path!(HoldId: HoldId::parse);

/// Place a hold
///
/// All lines or none. With an `id` of your own (a UUIDv7) or an `Idempotency-Key` the request can be repeated: the
/// same content finds the same hold, other content is refused.
#[describe::path(post, "/v1/{tenant}/holds", tag = "Holds", status(201))]
pub(super) async fn hold_place(
    api: Api,
    caller: Caller<Sell>,
    idempotency: Idempotency,
    Json(body): Json<PlaceHold>,
) -> Answer<Hold> {
    let key = idempotency.key_unless(body.id.is_some(), &body, "hold")?;
    let id = body.id.unwrap_or_else(new_hold_id);
    let reply: Reply<Hold> = api.run(caller.tenant, body.into_command(id)?, key).await?;
    let location = format!("/v1/{}/holds/{}", caller.slug, reply.body.id);
    Ok(reply.created(location))
}

/// Look at a hold
#[describe::path(get, "/v1/{tenant}/holds/{hold}", tag = "Holds")]
pub(super) async fn hold_get(api: Api, caller: Caller<Read>, InPath(id): InPath<HoldId>) -> Answer<Hold> {
    let views = api.views();
    // The time first: read after the hold, it could show one as expired that was extended in between.
    let now = views.time_for(caller.tenant).await?;
    let hold = views.record::<kernel::Hold>(caller.tenant, &id).await?.ok_or(Refusal::HoldNotFound { hold: id })?;
    Ok(Reply::found(hold.as_of(now).into()))
}

#[describe::query(page)]
pub(crate) struct ListHolds {
    /// Holds with this reference, oldest first. Either this or `state`.
    reference: Option<Reference>,
    /// `active`: holds that live, the next to expire first.
    #[param(example = "active")]
    state: Option<kernel::HoldState>,
}

/// List holds by reference, or active ones by expiry
#[describe::path(get, "/v1/{tenant}/holds", tag = "Holds")]
pub(super) async fn holds_list(api: Api, caller: Caller<Read>, Query(query): Query<ListHolds>) -> Answer<HoldPage> {
    let limit = page_items(query.limit)?;
    let views = api.views();
    let now = views.time_for(caller.tenant).await?;
    let (holds, next) = match (&query.reference, query.state) {
        (Some(reference), None) => {
            let after = query.after.as_deref().map(parse_id).transpose()?;
            let holds = views.holds_by_reference(caller.tenant, reference, after, limit).await?;
            let next = next_page(&holds, limit, |hold| hold.id.to_string());
            (holds, next)
        }
        (None, Some(kernel::HoldState::Active)) => {
            let after = query.after.as_deref().map(parse_expiry).transpose()?;
            // Lapsed holds that nobody has swept yet are dead already.
            let after = after.unwrap_or((now, Uuid::max()));
            let holds = views.active_holds(caller.tenant, after, limit).await?;
            let next = next_page(&holds, limit, |hold| format!("{}-{}", hold.expires_at.micros(), hold.id));
            (holds, next)
        }
        (None, _) | (Some(_), Some(_)) => {
            return Err(malformed("ask for a reference=…, or for state=active"));
        }
    };
    let holds = holds.into_iter().map(|hold| hold.as_of(now).into()).collect();
    Ok(Reply::found(HoldPage { holds, next }))
}

pub(super) fn parse_id(text: &str) -> Result<HoldId, Problem> {
    HoldId::parse(text).map_err(|_| not_a_cursor())
}

pub(crate) fn parse_expiry(text: &str) -> Result<(Timestamp, Uuid), Problem> {
    let (micros, id) = text.split_once('-').ok_or_else(not_a_cursor)?;
    let micros = micros.parse().map_err(|_| not_a_cursor())?;
    Ok((Timestamp::from_micros(micros), parse_id(id)?.uuid()))
}

fn not_a_cursor() -> Problem {
    malformed("after is not the `next` of a page of holds")
}

/// Give a live hold more time
///
/// `until` is safe to repeat; `by_secs` needs an `Idempotency-Key`.
#[describe::path(post, "/v1/{tenant}/holds/{hold}/extend", tag = "Holds")]
pub(super) async fn hold_extend(
    api: Api,
    caller: Caller<Sell>,
    InPath(id): InPath<HoldId>,
    idempotency: Idempotency,
    Json(body): Json<ExtendHold>,
) -> Answer<Hold> {
    let key = match body.by_secs {
        None => idempotency.key(&(id, &body))?,
        Some(_) => idempotency.needed_key(&(id, &body), ", or say `until` when")?,
    };
    api.run(caller.tenant, body.into_command(id)?, key).await
}

/// Convert a live hold into what the customer keeps
///
/// Safe to repeat: the same conversion says what was kept.
#[describe::path(post, "/v1/{tenant}/holds/{hold}/convert", tag = "Holds")]
pub(super) async fn hold_convert(
    api: Api,
    caller: Caller<Sell>,
    InPath(id): InPath<HoldId>,
    idempotency: Idempotency,
    Json(body): Json<ConvertHold>,
) -> Answer<Hold> {
    let key = idempotency.key(&(id, &body))?;
    api.run(caller.tenant, body.into_command(id)?, key).await
}

/// Cancel a live hold
///
/// Takes no body. Safe to repeat.
#[describe::path(post, "/v1/{tenant}/holds/{hold}/cancel", tag = "Holds")]
pub(super) async fn hold_cancel(
    api: Api,
    caller: Caller<Sell>,
    InPath(id): InPath<HoldId>,
    idempotency: Idempotency,
) -> Answer<Hold> {
    let key = idempotency.key(&id)?;
    api.run(caller.tenant, commands::CancelHold { id }, key).await
}

/// Exchange booked units for others
///
/// All or nothing: other nights, another room. Needs an `Idempotency-Key`.
#[describe::path(post, "/v1/{tenant}/holds/{hold}/move", tag = "Holds")]
pub(super) async fn hold_move(
    api: Api,
    caller: Caller<Sell>,
    InPath(id): InPath<HoldId>,
    idempotency: IdempotencyNeeded,
    Json(body): Json<MoveBooked>,
) -> Answer<Hold> {
    let key = idempotency.key(&(id, &body))?;
    api.run(caller.tenant, body.into_command(id)?, key).await
}

/// Give booked units back
///
/// Needs an `Idempotency-Key`.
#[describe::path(post, "/v1/{tenant}/holds/{hold}/give-back", tag = "Holds")]
pub(super) async fn hold_give_back(
    api: Api,
    caller: Caller<Sell>,
    InPath(id): InPath<HoldId>,
    idempotency: IdempotencyNeeded,
    Json(body): Json<GiveBack>,
) -> Answer<Hold> {
    let key = idempotency.key(&(id, &body))?;
    api.run(caller.tenant, body.into_command(id)?, key).await
}
