//! What the fuzzer may reach of this module: its bodies, its cursors and its query strings.

use surehold_core::stays::{self, PropertyName, RatePlanCode, RatePlanKey, RoomTypeCode, RoomTypeKey};

use super::calendar::AskCalendar;
use super::properties::ListProperties;
use super::reservations;
use super::reservations::ListReservations;
use super::stay::{AwaitCheckout, ListStays};
use crate::readers::{Readers, canonical, plain, some_hold, taken, understood};
use crate::wire;

pub(super) const READERS: Readers = Readers {
    bodies: &[
        ("PutProperty", |body| understood(body, |put: wire::PutProperty| put.into_command(some_property()))),
        ("PutRoomType", |body| {
            let key =
                RoomTypeKey { property: some_property(), code: RoomTypeCode::new("double").expect("a good code") };
            understood(body, |put: wire::PutRoomType| put.into_command(key))
        }),
        ("PutRatePlan", |body| {
            let key =
                RatePlanKey { property: some_property(), code: RatePlanCode::new("flexible").expect("a good code") };
            understood(body, |put: wire::PutRatePlan| put.into_command(key))
        }),
        ("PutCalendar", |body| understood(body, |put: wire::PutCalendar| put.into_commands(&some_property()))),
        ("PutCalendarRows", |body| understood(body, |put: wire::PutCalendarRows| put.into_requests(&some_property()))),
        ("AskQuote", |body| understood(body, |ask: wire::AskQuote| ask.request())),
        // The guest is not part of their canonical form, so that cannot be read back.
        ("CreateStay", |body| understood(body, |create: wire::CreateStay| create.into_command(some_hold()))),
        ("WalkIn", |body| understood(body, |walk_in: wire::WalkIn| walk_in.into_command(some_hold()))),
        ("ConfirmStay", |body| {
            canonical(body, |confirm: wire::ConfirmStay| stays::commands::ConfirmStay::new(some_hold(), confirm.paid))
        }),
        ("RequestCheckout", |body| canonical(body, |ask: wire::RequestCheckout| ask.into_command(some_hold()))),
        ("EndReservation", |body| canonical(body, plain::<wire::EndReservation>)),
        ("ChangeReservation", |body| {
            canonical(body, |change: wire::ChangeReservation| change.into_command(some_hold()))
        }),
    ],
    cursors: &[("reservations", |text| Some(reservations::cursor(reservations::parse_cursor(text).ok()?)))],
    queries: &[
        ("properties", |uri| taken::<ListProperties>(uri, |_| true)),
        ("calendar", |uri| taken::<AskCalendar>(uri, |query| query.range().is_ok())),
        ("stays", |uri| taken::<ListStays>(uri, |_| true)),
        ("checkout", |uri| taken::<AwaitCheckout>(uri, |query| query.wait().is_ok())),
        ("reservations", |uri| taken::<ListReservations>(uri, |query| query.on().is_ok())),
    ],
};

fn some_property() -> PropertyName {
    PropertyName::new("sea").expect("a good name")
}
