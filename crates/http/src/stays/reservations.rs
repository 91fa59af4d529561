//! Reservations: look, list, book at the desk, cancel, say that nobody came, change.

use surehold_core::kernel::{HoldId, Slot};
use surehold_core::stays::commands::{CancelReservation, NoShow};
use surehold_core::stays::{PropertyName, ReservationState, StayRefusal};
use surehold_engine::{Options, ReservationsOn, new_hold_id};

use super::properties::find_property;
use super::seen::reservation_seen;
use crate::api::{
    Answer, Api, Caller, Idempotency, InPath, Json, Query, Read, Reply, Sell, malformed, next_page, page_items,
};
use crate::describe;
use crate::problem::{Code, Problem};
use crate::wire::{ChangeReservation, Day, EndReservation, Reservation, ReservationPage, WalkIn};

/// Look at a reservation
///
/// With its payment and its guest.
#[describe::path(get, "/v1/{tenant}/reservations/{hold}", tag = "Stays")]
pub(super) async fn reservation_get(
    api: Api,
    caller: Caller<Read>,
    InPath(hold): InPath<HoldId>,
) -> Answer<Reservation> {
    let found = api.views().reservation(caller.tenant, hold).await?;
    Ok(Reply::found(reservation_seen(found.ok_or(StayRefusal::ReservationNotFound { hold })?)))
}

#[describe::query(page)]
pub(crate) struct ListReservations {
    property: PropertyName,
    /// Of those who arrive on this date. One of the three.
    arriving: Option<Day>,
    /// Of those who leave on this date.
    departing: Option<Day>,
    /// Of those who sleep there that night.
    staying: Option<Day>,
    /// `confirmed` unless told.
    state: Option<ReservationState>,
}

impl ListReservations {
    pub(super) fn on(&self) -> Result<ReservationsOn, Problem> {
        let date = |day: Day| Slot::night(day.0).map_err(|invalid| malformed(invalid.to_string()));
        match (self.arriving, self.departing, self.staying) {
            (Some(day), None, None) => Ok(ReservationsOn::Arriving(date(day)?)),
            (None, Some(day), None) => Ok(ReservationsOn::Departing(date(day)?)),
            (None, None, Some(day)) => Ok(ReservationsOn::Staying(date(day)?)),
            _ => Err(malformed("ask for one of arriving=DATE, departing=DATE and staying=DATE")),
        }
    }
}

/// A date has no such sign.
pub(super) fn cursor(place: (Slot, HoldId)) -> String {
    format!("{}@{}", place.0, place.1)
}

pub(super) fn parse_cursor(text: &str) -> Result<(Slot, HoldId), Problem> {
    let parse = || {
        let (date, hold) = text.split_once('@')?;
        let date = Slot::parse(date).ok().filter(|date| *date != Slot::NONE)?;
        Some((date, HoldId::parse(hold).ok()?))
    };
    parse().ok_or_else(|| malformed("after is not the `next` of a page of reservations"))
}

/// List who arrives, leaves or stays
///
/// In the order of arrival; of those who leave, in the order of their ids.
#[describe::path(get, "/v1/{tenant}/reservations", tag = "Stays")]
pub(super) async fn reservations_list(
    api: Api,
    caller: Caller<Read>,
    Query(query): Query<ListReservations>,
) -> Answer<ReservationPage> {
    let (limit, on) = (page_items(query.limit)?, query.on()?);
    let after = query.after.as_deref().map(parse_cursor).transpose()?;
    let state = query.state.unwrap_or(ReservationState::Confirmed);
    let property = find_property(&api, &caller, query.property).await?;
    let views = api.views();
    let found = views.reservations_on(caller.tenant, &property.name, on, state, after, limit).await?;
    let next = next_page(&found, limit, |last| cursor(on.place_of(&last.reservation)));
    let reservations = found.into_iter().map(reservation_seen).collect();
    Ok(Reply::found(ReservationPage { reservations, next }))
}

/// Book rooms at the desk
///
/// Held and booked in one step, at the present price, without an online payment. With an `id` of your own (a UUIDv7) or
/// an `Idempotency-Key` the request can be repeated. Under a key the guest is not compared.
#[describe::path(post, "/v1/{tenant}/reservations", tag = "Stays", status(201))]
pub(super) async fn reservation_walk_in(
    api: Api,
    caller: Caller<Sell>,
    idempotency: Idempotency,
    Json(body): Json<WalkIn>,
) -> Answer<Reservation> {
    let key = idempotency.key_unless(body.id.is_some(), &body, "reservation")?;
    let id = body.id.unwrap_or_else(new_hold_id);
    let command = body.into_command(id)?;
    let done = api.engine().run_with(caller.tenant, command, Options { key, ..Options::default() }).await?;
    let booked = done.reply.reservation.ok_or_else(|| Problem::new(Code::Defect, "booked without a reservation"))?;
    let location = format!("/v1/{}/reservations/{}", caller.slug, booked.hold);
    let reply = Reply::found(Reservation::from(booked));
    Ok(Reply { replayed: done.replayed, ..reply.created(location) })
}

/// Cancel a reservation
///
/// For what the conditions say that it costs. What was paid online beyond that goes back. Safe to repeat.
#[describe::path(post, "/v1/{tenant}/reservations/{hold}/cancel", tag = "Stays")]
pub(super) async fn reservation_cancel(
    api: Api,
    caller: Caller<Sell>,
    InPath(hold): InPath<HoldId>,
    idempotency: Idempotency,
    Json(body): Json<EndReservation>,
) -> Answer<Reservation> {
    let key = idempotency.key(&(hold, &body))?;
    api.run(caller.tenant, CancelReservation { hold, waived_by: body.waived_by }, key).await
}

/// Say that nobody came
///
/// From the day of arrival on. The nights that are not over are free again. Safe to repeat.
#[describe::path(post, "/v1/{tenant}/reservations/{hold}/no-show", tag = "Stays")]
pub(super) async fn reservation_no_show(
    api: Api,
    caller: Caller<Sell>,
    InPath(hold): InPath<HoldId>,
    idempotency: Idempotency,
    Json(body): Json<EndReservation>,
) -> Answer<Reservation> {
    let key = idempotency.key(&(hold, &body))?;
    api.run(caller.tenant, NoShow { hold, waived_by: body.waived_by }, key).await
}

/// Change the nights, the rooms or the plan
///
/// All or nothing, at the present price; `balance` is what is owed then. Safe to repeat: what is given is how the
/// reservation is to be.
#[describe::path(post, "/v1/{tenant}/reservations/{hold}/change", tag = "Stays")]
pub(super) async fn reservation_change(
    api: Api,
    caller: Caller<Sell>,
    InPath(hold): InPath<HoldId>,
    idempotency: Idempotency,
    Json(body): Json<ChangeReservation>,
) -> Answer<Reservation> {
    let key = idempotency.key(&(hold, &body))?;
    api.run(caller.tenant, body.into_command(hold)?, key).await
}
