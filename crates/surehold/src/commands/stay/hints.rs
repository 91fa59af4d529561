//! What to do about problems of stays.

use super::super::hints::{Hints, ID_OUTSIDE_WINDOW};

pub(super) const HINTS: Hints = Hints {
    by_code: &[
        (
            &["property-not-found"],
            "`surehold stay property list {tenant}` shows what there is; `surehold stay property put {tenant} {property} \
             --zone ZONE --currency CODE` makes it",
        ),
        (&["room-type-not-found"], "`surehold stay room-type list {tenant} {property}` shows what there is"),
        (&["rate-plan-not-found"], "`surehold stay rate-plan list {tenant} {property}` shows what there is"),
        (&["option-not-found"], "`surehold stay quote show {tenant} {quote}` shows the options"),
        (
            &["quote-not-found", "quote-expired", "price-changed"],
            "ask anew with `surehold stay quote {tenant} {property} NIGHTS`",
        ),
        (&["stay-not-found"], "`surehold stay list {tenant} {property}` shows the stays whose rooms are held"),
        (
            &["reservation-not-found"],
            "`surehold stay show {tenant} {stay}` says what became of it; `surehold stay arrivals {tenant} {property} \
             DATE` lists reservations",
        ),
        (&["not-for-sale"], "`surehold stay calendar {tenant} {property} NIGHTS --plans` shows what is sold, and how"),
        (&["reservation-exists"], "`surehold stay reservation show {tenant} {stay}` shows it"),
        (
            &["payments-not-set-up"],
            "`surehold stay property put {tenant} {property} --payment-account NAME` names who is paid",
        ),
        (&["nothing-to-pay"], "`surehold stay confirm {tenant} {stay}` books it"),
        (&["payment-on-its-way"], "`surehold stay show {tenant} {stay}` says when it has come"),
        (&["too-many-pages"], "hold the rooms again: `surehold stay quote {tenant} {property} NIGHTS`"),
        (&["property-full"], "change one that is there, or make another property"),
        (&["currency-fixed"], "leave --currency out, or make another property"),
        (&["quote-id-reused", "stay-id-reused"], "leave --id out to make another one"),
        (&["reservation-ended"], "one that has ended does not come back; sell the nights again"),
        (&["guests-may-still-come"], "`surehold stay reservation cancel` gives rooms up before the day of arrival"),
        (&["stay-has-begun"], "name the same first night and the same rooms, and another last one"),
        (&["quote-id-outside-window"], ID_OUTSIDE_WINDOW),
    ],
    names: &[("property", &["/property"], "PROPERTY"), ("quote", &["/quote"], "QUOTE"), ("stay", &["/hold"], "STAY")],
};
