//! What can be asked about stays.

use surehold_core::kernel::{HoldId, Slug};
use surehold_core::stays::{PropertyName, QuoteId, RatePlanCode, RoomTypeCode};

#[allow(clippy::wildcard_imports, reason = "calls name nearly all types of the module")]
use super::*;
use crate::call::{calls, lists, pages};

calls! {
    GET "/v1/{tenant}/properties" properties(tenant: &Slug) -> PropertyPage;
    GET "/v1/{tenant}/properties/{property}" property(tenant: &Slug, property: &PropertyName) -> Property;
    PUT "/v1/{tenant}/properties/{property}"
        put_property(tenant: &Slug, property: &PropertyName; PutProperty) -> Property;
    GET "/v1/{tenant}/properties/{property}/room-types" room_types(tenant: &Slug, property: &PropertyName) -> RoomTypeList;
    GET "/v1/{tenant}/properties/{property}/room-types/{code}"
        room_type(tenant: &Slug, property: &PropertyName, code: &RoomTypeCode) -> RoomType;
    PUT "/v1/{tenant}/properties/{property}/room-types/{code}"
        put_room_type(tenant: &Slug, property: &PropertyName, code: &RoomTypeCode; PutRoomType) -> RoomType;
    GET "/v1/{tenant}/properties/{property}/rate-plans" rate_plans(tenant: &Slug, property: &PropertyName) -> RatePlanList;
    GET "/v1/{tenant}/properties/{property}/rate-plans/{code}"
        rate_plan(tenant: &Slug, property: &PropertyName, code: &RatePlanCode) -> RatePlan;
    PUT "/v1/{tenant}/properties/{property}/rate-plans/{code}"
        put_rate_plan(tenant: &Slug, property: &PropertyName, code: &RatePlanCode; PutRatePlan) -> RatePlan;
    GET "/v1/{tenant}/properties/{property}/calendar" calendar(tenant: &Slug, property: &PropertyName) -> Calendar;
    PUT "/v1/{tenant}/properties/{property}/calendar"
        put_calendar(tenant: &Slug, property: &PropertyName; PutCalendar) -> CalendarSet;
    PUT "/v1/{tenant}/properties/{property}/calendar/rows"
        put_calendar_rows(tenant: &Slug, property: &PropertyName; PutCalendarRows) -> CalendarRowsSet;
    POST "/v1/{tenant}/quotes" ask_quote(tenant: &Slug; AskQuote) -> Quote;
    GET "/v1/{tenant}/quotes/{quote}" quote(tenant: &Slug, quote: QuoteId) -> Quote;
    GET "/v1/{tenant}/stays" stays(tenant: &Slug) -> StayPage;
    POST "/v1/{tenant}/stays" create_stay(tenant: &Slug; CreateStay, with guest) -> Stay;
    GET "/v1/{tenant}/stays/{hold}" stay(tenant: &Slug, hold: HoldId) -> Stay;
    POST "/v1/{tenant}/stays/{hold}/cancel" cancel_stay(tenant: &Slug, hold: HoldId) -> Stay;
    POST "/v1/{tenant}/stays/{hold}/checkout" checkout(tenant: &Slug, hold: HoldId; RequestCheckout) -> Checkout;
    POST "/v1/{tenant}/stays/{hold}/confirm" confirm_stay(tenant: &Slug, hold: HoldId; ConfirmStay) -> Stay;
    DELETE "/v1/{tenant}/stays/{hold}/guest" erase_guest(tenant: &Slug, hold: HoldId) -> GuestErased;
    GET "/v1/{tenant}/reservations" reservations(tenant: &Slug) -> ReservationPage;
    POST "/v1/{tenant}/reservations" walk_in(tenant: &Slug; WalkIn, with guest) -> Reservation;
    GET "/v1/{tenant}/reservations/{hold}" reservation(tenant: &Slug, hold: HoldId) -> Reservation;
    POST "/v1/{tenant}/reservations/{hold}/cancel"
        cancel_reservation(tenant: &Slug, hold: HoldId; EndReservation) -> Reservation;
    POST "/v1/{tenant}/reservations/{hold}/no-show" no_show(tenant: &Slug, hold: HoldId; EndReservation) -> Reservation;
    POST "/v1/{tenant}/reservations/{hold}/change"
        change_reservation(tenant: &Slug, hold: HoldId; ChangeReservation) -> Reservation;
}

pages! {
    PropertyPage { properties: Property }
    StayPage { stays: Stay }
    ReservationPage { reservations: Reservation }
}

lists! {
    RoomTypeList { room_types: RoomType }
    RatePlanList { rate_plans: RatePlan }
}
