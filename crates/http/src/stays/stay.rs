//! Stays: hold rooms, look, list, pay, confirm, cancel, forget the guest.

use std::time::Duration;

use axum::http::StatusCode;
use surehold_core::kernel::{self, HoldId, TenantId};
use surehold_core::operations::Operation;
use surehold_core::stays::commands::{CancelStay, CheckoutReply, EraseGuest};
use surehold_core::stays::{self, CheckoutPage, PropertyName, StayRefusal};
use surehold_engine::{Options, new_hold_id};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::properties::find_property;
use super::seen::stay_seen;
use crate::api::{
    Answer, Api, Caller, Idempotency, InPath, Json, Manage, Query, Read, Reply, Sell, malformed, next_page, page_items,
};
use crate::describe;
use crate::kernel::parse_expiry;
use crate::problem::Problem;
use crate::wire::{Checkout, ConfirmStay, CreateStay, GuestErased, RequestCheckout, Stay, StayPage};

/// Hold rooms that were quoted
///
/// All rooms or none, at the price of the quote. With an `id` of your own (a UUIDv7) or an `Idempotency-Key` the request
/// can be repeated: the same content finds the same stay, other content is refused. Under a key the guest is not compared.
#[describe::path(post, "/v1/{tenant}/stays", tag = "Stays", status(201))]
pub(super) async fn stay_create(
    api: Api,
    caller: Caller<Sell>,
    idempotency: Idempotency,
    Json(body): Json<CreateStay>,
) -> Answer<Stay> {
    let key = idempotency.key_unless(body.id.is_some(), &body, "stay")?;
    let id = body.id.unwrap_or_else(new_hold_id);
    let reply: Reply<Stay> = api.run(caller.tenant, body.into_command(id)?, key).await?;
    let location = format!("/v1/{}/stays/{}", caller.slug, reply.body.hold);
    Ok(reply.created(location))
}

/// Look at a stay
///
/// With its hold, the page on which it can be paid, its payments, its reservation and its guest.
#[describe::path(get, "/v1/{tenant}/stays/{hold}", tag = "Stays")]
pub(super) async fn stay_get(api: Api, caller: Caller<Read>, InPath(hold): InPath<HoldId>) -> Answer<Stay> {
    let views = api.views();
    // The time first: read after the hold, it could show one as expired that was extended in between.
    let now = views.time_for(caller.tenant).await?;
    let stay = views.stay(caller.tenant, hold).await?.ok_or(StayRefusal::StayNotFound { hold })?;
    let payments = views.payments_of(caller.tenant, hold).await?;
    Ok(Reply::found(stay_seen(stay, now).with_payments(payments)))
}

#[describe::query(page)]
pub(crate) struct ListStays {
    property: PropertyName,
    /// `active`: stays whose rooms are held, the next to expire first.
    #[param(example = "active")]
    state: kernel::HoldState,
}

/// List the stays of a property whose rooms are held
///
/// With the time that is left.
#[describe::path(get, "/v1/{tenant}/stays", tag = "Stays")]
pub(super) async fn stays_list(api: Api, caller: Caller<Read>, Query(query): Query<ListStays>) -> Answer<StayPage> {
    let limit = page_items(query.limit)?;
    if query.state != kernel::HoldState::Active {
        return Err(malformed("only state=active can be listed"));
    }
    let after = query.after.as_deref().map(parse_expiry).transpose()?;
    let property = find_property(&api, &caller, query.property).await?;
    let views = api.views();
    let now = views.time_for(caller.tenant).await?;
    // Lapsed holds that nobody has swept yet are dead already.
    let after = after.unwrap_or((now, Uuid::max()));
    let found = views.active_stays(caller.tenant, &property.name, after, limit).await?;
    let next = next_page(&found, limit, |last| format!("{}-{}", last.hold.expires_at.micros(), last.hold.id));
    let stays = found.into_iter().map(|stay| stay_seen(stay, now)).collect();
    Ok(Reply::found(StayPage { stays, next }))
}

/// Give held rooms up
///
/// Takes no body. Safe to repeat. The page on which they could be paid is taken away.
#[describe::path(post, "/v1/{tenant}/stays/{hold}/cancel", tag = "Stays")]
pub(super) async fn stay_cancel(
    api: Api,
    caller: Caller<Sell>,
    InPath(hold): InPath<HoldId>,
    idempotency: Idempotency,
) -> Answer<Stay> {
    let key = idempotency.key(&hold)?;
    api.run(caller.tenant, CancelStay { hold }, key).await
}

/// Book held rooms without an online payment
///
/// Safe to repeat with the same amount.
#[describe::path(post, "/v1/{tenant}/stays/{hold}/confirm", tag = "Stays")]
pub(super) async fn stay_confirm(
    api: Api,
    caller: Caller<Sell>,
    InPath(hold): InPath<HoldId>,
    idempotency: Idempotency,
    Json(body): Json<ConfirmStay>,
) -> Answer<Stay> {
    let key = idempotency.key(&(hold, &body))?;
    api.run(caller.tenant, stays::commands::ConfirmStay::new(hold, body.paid)?, key).await
}

#[describe::query]
pub(crate) struct AwaitCheckout {
    /// So long may the answer wait for the page.
    #[param(minimum = 0, maximum = 10000, default = 0)]
    wait_ms: Option<u16>,
}

const WAIT_MS_MAX: u16 = 10_000;
const POLL_PAUSE: Duration = Duration::from_millis(100);

impl AwaitCheckout {
    pub(super) fn wait(&self) -> Result<Duration, Problem> {
        match self.wait_ms.unwrap_or(0) {
            wait_ms @ 0..=WAIT_MS_MAX => Ok(Duration::from_millis(u64::from(wait_ms))),
            _ => Err(malformed(format!("wait_ms is between 0 and {WAIT_MS_MAX}"))),
        }
    }
}

/// Ask for a page on which the stay can be paid
///
/// Safe to repeat: a page that is open, or being made, is told again. While it is being made the status is 202 and
/// `operation` says by what; ask again, or give `wait_ms`. The hold outlives the page.
#[describe::path(post, "/v1/{tenant}/stays/{hold}/checkout", tag = "Stays", status(200, 202))]
pub(super) async fn stay_checkout(
    api: Api,
    caller: Caller<Sell>,
    InPath(hold): InPath<HoldId>,
    Query(query): Query<AwaitCheckout>,
    idempotency: Idempotency,
    Json(body): Json<RequestCheckout>,
) -> Answer<Checkout> {
    let wait = query.wait()?;
    let key = idempotency.key(&(hold, &body))?;
    let command = body.into_command(hold)?;
    let done = api.engine().run_with(caller.tenant, command, Options { key, ..Options::default() }).await?;
    let reply = await_page(&api, caller.tenant, hold, done.reply, wait).await?;
    let status = if reply.page.is_some() { StatusCode::OK } else { StatusCode::ACCEPTED };
    Ok(Reply { status, replayed: done.replayed, ..Reply::found(reply.into()) })
}

/// The reply with the page, as soon as it is there; without it once the time is up or nobody makes it any more.
async fn await_page(
    api: &Api,
    tenant: TenantId,
    hold: HoldId,
    mut reply: CheckoutReply,
    wait: Duration,
) -> Result<CheckoutReply, Problem> {
    let give_up_at = Instant::now() + wait;
    while reply.page.is_none() {
        let (page, is_coming) = look_for_page(api, tenant, hold, &reply).await?;
        reply.page = page;
        if !is_coming || Instant::now() >= give_up_at || api.stop().is_cancelled() {
            break;
        }
        sleep(POLL_PAUSE.min(give_up_at.saturating_duration_since(Instant::now()))).await;
    }
    Ok(reply)
}

/// The page, or whether it may still come.
async fn look_for_page(
    api: &Api,
    tenant: TenantId,
    hold: HoldId,
    reply: &CheckoutReply,
) -> Result<(Option<CheckoutPage>, bool), Problem> {
    let views = api.views();
    // The operation first: read after the stay, it could have ended with a page in between.
    let operation = views.record::<Operation>(tenant, &reply.operation).await?;
    let stay = views.record::<stays::Stay>(tenant, &hold).await?;
    let stay = stay.filter(|stay| stay.checkout_operation().as_ref() == Some(&reply.operation));
    let page = stay.as_ref().and_then(stays::Stay::page).cloned();
    let is_coming = page.is_none() && stay.is_some() && operation.is_some_and(|operation| operation.outcome.is_none());
    Ok((page, is_coming))
}

/// Forget who stayed
///
/// Erases the name, the email and the phone for good; everything else stays. Safe to repeat.
#[describe::path(delete, "/v1/{tenant}/stays/{hold}/guest", tag = "Stays")]
pub(super) async fn guest_erase(api: Api, caller: Caller<Manage>, InPath(hold): InPath<HoldId>) -> Answer<GuestErased> {
    api.run(caller.tenant, EraseGuest { hold }, None).await
}
