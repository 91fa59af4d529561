//! How quotes, stays and reservations look to people.

use surehold_api::{
    BookedRooms, CancellationPolicy, Day, Guest, NotOffered, Payment, Penalty, PricedNight, Quote, QuoteOption,
    Reservation, Stay,
};
use surehold_core::kernel::HoldState;
use surehold_core::stays::{ReservationSource, Resolution};

use super::super::money::Money;
use super::super::show::{Show, both, column, details, joined, line, number, rows, some};
use super::super::view::{ago, counted, instant};
use super::cases::OpenCases;

/// `2026-12-24..2026-12-27`
fn nights(checkin: Day, checkout: Day) -> String {
    format!("{checkin}..{checkout}")
}

/// `2026-12-24..2026-12-27 (3 nights)`
fn nights_counted(checkin: Day, checkout: Day) -> String {
    let count = checkout.0.duration_since(checkin.0).as_hours() / 24;
    format!("{} ({})", nights(checkin, checkout), counted(count, "night", "nights"))
}

/// `1 night`, `50 %`
pub(super) fn penalty(penalty: Penalty) -> String {
    match penalty {
        Penalty::None => "nothing".to_owned(),
        Penalty::All => "everything".to_owned(),
        Penalty::Nights(nights) => counted(nights, "night", "nights"),
        Penalty::Percent(percent) => format!("{percent} %"),
    }
}

/// `free until 48 h before, then 1 night`
pub(super) fn cancellation(policy: &CancellationPolicy) -> String {
    let kept = penalty(policy.penalty);
    match (policy.penalty, policy.free_until_hours) {
        (Penalty::None, _) => "always free".to_owned(),
        (_, None) => format!("costs {kept}"),
        (_, Some(0)) => format!("free until check-in, then {kept}"),
        (_, Some(hours)) => format!("free until {hours} h before, then {kept}"),
    }
}

/// `450.00`, or each night's if they differ.
fn per_night(nights: &[PricedNight], money: Money) -> String {
    let prices: Vec<i64> = nights.iter().map(|night| night.price).collect();
    match prices.split_first() {
        None => String::new(),
        Some((first, rest)) if rest.iter().all(|price| price == first) => money.plain(*first),
        // A long stay has more prices than a line has room.
        Some(_) if prices.len() > 4 => {
            let (lowest, highest) = (prices.iter().min(), prices.iter().max());
            let shown = |price: Option<&i64>| some(price.map(|price| money.plain(*price)));
            format!("{} to {}", shown(lowest), shown(highest))
        }
        Some(_) => joined(prices.iter().map(|price| money.plain(*price)), " + "),
    }
}

const QUOTE: &[Show<Quote>] = &[
    line("quote", |quote, ()| some(quote.id)),
    line("property", |quote, ()| quote.property.to_string()),
    line("nights", |quote, ()| nights_counted(quote.checkin, quote.checkout)),
    line("for", |quote, ()| {
        let guests = counted(quote.guests, "guest", "guests");
        format!("{guests}, {}", counted(quote.rooms, "room", "rooms"))
    }),
    line("good until", |quote, ()| some(quote.valid_until.map(instant))),
];

const OPTIONS: &[Show<QuoteOption, Money>] = &[
    number(column("option", |option, _| option.number.to_string())),
    column("room type", |option, _| option.room_type.to_string()),
    column("rate plan", |option, _| option.rate_plan.to_string()),
    number(column("total", |option, money| money.show(option.total))),
    number(column("a night", |option, money| per_night(&option.nights, *money))),
    number(column("left", |option, _| option.available.to_string())),
    column("cancelled", |option, _| cancellation(&option.cancellation)),
];

const NOT_OFFERED: &[Show<NotOffered>] = &[
    column("not for sale", |not, ()| not.room_type.to_string()),
    column("rate plan", |not, ()| some(not.rate_plan.as_ref())),
    column("why", |not, ()| not.detail.clone()),
];

pub(super) fn quote(quote: &Quote) -> String {
    let mut shown = details(QUOTE, quote, &());
    if !quote.options.is_empty() {
        shown.push('\n');
        shown += &rows(OPTIONS, &quote.options, &Money::of(quote.currency));
    }
    match quote.not_for_sale.as_deref() {
        None | Some([]) => {}
        Some(missing) => {
            shown.push('\n');
            shown += &rows(NOT_OFFERED, missing, &());
        }
    }
    shown
}

/// `2 × double flexible`
fn room_names(rooms: &[BookedRooms]) -> String {
    let name = |BookedRooms { rooms, room_type, rate_plan, .. }: &BookedRooms| match rooms {
        1 => format!("{room_type} {rate_plan}"),
        rooms => format!("{rooms} × {room_type} {rate_plan}"),
    };
    joined(rooms.iter().map(name), ", ")
}

/// With what a night costs, and what it costs to cancel.
const ROOMS: &[Show<BookedRooms, Money>] = &[
    number(column("rooms", |room, _| room.rooms.to_string())),
    column("room type", |room, _| room.room_type.to_string()),
    column("rate plan", |room, _| room.rate_plan.to_string()),
    number(column("a night", |room, money| per_night(&room.nights, *money))),
    column("cancelled", |room, _| cancellation(&room.cancellation)),
];

/// Who stays, if that is still known.
trait Staying {
    fn guest(&self) -> Option<&Guest>;
    fn is_erased(&self) -> bool;

    fn guest_shown(&self) -> String {
        if self.is_erased() {
            return "(erased)".to_owned();
        }
        let said = self.guest().into_iter().flat_map(|Guest { name, email, phone }| [name, email, phone]);
        joined(said.flatten().filter(|said| !said.is_empty()), ", ")
    }

    /// In lists, where there is little room.
    fn guest_name(&self) -> String {
        let name = self.guest().and_then(|guest| guest.name.as_ref()).filter(|name| !name.is_empty());
        name.map_or_else(|| self.guest_shown(), ToString::to_string)
    }
}

impl Staying for Stay {
    fn guest(&self) -> Option<&Guest> {
        self.guest.as_ref()
    }

    fn is_erased(&self) -> bool {
        self.guest_erased_at.is_some()
    }
}

impl Staying for Reservation {
    fn guest(&self) -> Option<&Guest> {
        self.guest.as_ref()
    }

    fn is_erased(&self) -> bool {
        self.guest_erased_at.is_some()
    }
}

const STAY: &[Show<Stay, OpenCases>] = &[
    both("stay", |stay, _| stay.hold.to_string()),
    line("state", |stay, _| stay_state(stay)),
    line("property", |stay, _| stay.property.to_string()),
    number(column("left", |stay, _| ago(stay.expires_at).trim_start_matches("in ").to_owned())),
    line("nights", |stay, _| nights_counted(stay.checkin, stay.checkout)),
    column("nights", |stay, _| nights(stay.checkin, stay.checkout)),
    column("rooms", |stay, _| room_names(&stay.rooms)),
    number(both("total", |stay, _| Money::of(stay.currency).show(stay.total))),
    line("held until", |stay, _| some(is_live(stay).then(|| instant(stay.expires_at)))),
    line("pay at", |stay, _| match &stay.payment_page {
        Some(page) if is_live(stay) && !stay.awaiting_payment => {
            page.url.clone().unwrap_or_else(|| "the page is being made".to_owned())
        }
        Some(_) | None => String::new(),
    }),
    column("guest is", |stay, _| match (stay.awaiting_payment, &stay.payment_page) {
        (true, _) => "money on its way".to_owned(),
        (false, Some(_)) => "paying".to_owned(),
        (false, None) => "deciding".to_owned(),
    }),
    line("guest", |stay, _| stay.guest_shown()),
    column("guest", |stay, _| stay.guest_name()),
    line("conversation", |stay, _| some(stay.conversation.as_ref())),
    line("quote", |stay, _| some(stay.quote)),
    line("payments", |stay, _| joined(stay.payments.iter().filter_map(|payment| received(payment, stay)), "; ")),
    line("reservation", |stay, _| {
        some(stay.reservation.as_ref().map(|booked| format!("{}, {}", booked.code, state(booked))))
    }),
    line("open cases", |stay, cases| cases.of(stay.hold)),
    column("cases", |stay, cases| cases.of(stay.hold)),
];

fn is_live(stay: &Stay) -> bool {
    stay.state == HoldState::Active
}

pub(super) fn stay(stay: &Stay, cases: &OpenCases) -> String {
    format!("{}\n{}", details(STAY, stay, cases), rows(ROOMS, &stay.rooms, &Money::of(stay.currency)))
}

pub(super) fn stays(found: &[Stay], cases: &OpenCases) -> String {
    rows(STAY, found, cases)
}

/// What has come of a page on which the stay could be paid, if anything has.
fn received(payment: &Payment, stay: &Stay) -> Option<String> {
    let amount = |minor: i64| Money::of(stay.currency).show(minor);
    let received = amount(payment.received);
    Some(match payment.resolution? {
        Resolution::Reservation => format!("{received} paid"),
        Resolution::Refund => {
            let (refunded, asked) = (amount(payment.refunded), amount(payment.refund_asked));
            format!("{received} paid, {refunded} of {asked} gone back")
        }
        Resolution::Case => format!("{received} paid, to be decided by hand"),
    })
}

/// The hold's, in words of a hotel.
fn stay_state(stay: &Stay) -> String {
    let source = stay.reservation.as_ref().map(|reservation| reservation.source);
    match (stay.state, source) {
        (HoldState::Active, _) if stay.awaiting_payment => "held, the money is on its way".to_owned(),
        (HoldState::Active, _) => "held".to_owned(),
        (HoldState::Converted, _) => "booked".to_owned(),
        (ended, Some(ReservationSource::LatePayment)) => format!("{ended}, paid late and booked anew"),
        (ended, _) => ended.to_string(),
    }
}

fn state(reservation: &Reservation) -> String {
    reservation.state.as_str().replace('_', "-")
}

const RESERVATION: &[Show<Reservation, OpenCases>] = &[
    line("reservation", |reservation, _| reservation.code.clone()),
    column("code", |reservation, _| reservation.code.clone()),
    line("stay", |reservation, _| reservation.hold.to_string()),
    line("booked by", |reservation, _| {
        some(Some(reservation.booked_by).filter(|booked_by| *booked_by != reservation.hold))
    }),
    line("state", |reservation, _| state(reservation)),
    line("property", |reservation, _| reservation.property.to_string()),
    line("nights", |reservation, _| nights_counted(reservation.checkin, reservation.checkout)),
    column("nights", |reservation, _| nights(reservation.checkin, reservation.checkout)),
    column("rooms", |reservation, _| room_names(&reservation.rooms)),
    line("guest", |reservation, _| reservation.guest_shown()),
    column("guest", |reservation, _| reservation.guest_name()),
    line("total", |reservation, _| Money::of(reservation.currency).show(reservation.total)),
    line("paid", |reservation, _| unless_zero(reservation.paid, reservation)),
    line("refunded", |reservation, _| unless_zero(reservation.refunded, reservation)),
    line("penalty", |reservation, _| unless_zero(reservation.penalty, reservation)),
    line("waived by", |reservation, _| some(reservation.waived_by.as_ref())),
    line("goes back", |reservation, _| unless_zero(reservation.refund.unwrap_or(0), reservation)),
    both("balance", |reservation, _| balance(reservation)),
    line("dispute", |reservation, _| some(reservation.payment.as_ref().and_then(|payment| payment.dispute))),
    both("came by", |reservation, _| reservation.source.as_str().replace('_', " ")),
    line("payment", |reservation, _| {
        let shown = |payment: &Payment| format!("{} ({})", payment.session, payment.state.as_str().replace('_', " "));
        some(reservation.payment.as_ref().map(shown))
    }),
    line("made", |reservation, _| reservation.created_at.to_string()),
    line("ended", |reservation, _| some(reservation.ended_at)),
    line("open cases", |reservation, cases| cases.of(reservation.hold)),
    column("cases", |reservation, cases| cases.of(reservation.hold)),
    column("stay", |reservation, _| reservation.hold.to_string()),
];

fn unless_zero(minor: i64, reservation: &Reservation) -> String {
    some(Some(minor).filter(|minor| *minor != 0).map(|minor| Money::of(reservation.currency).show(minor)))
}

/// What is owed, in words: the sign of a number is easily overlooked.
fn balance(reservation: &Reservation) -> String {
    let money = Money::of(reservation.currency);
    match reservation.balance {
        0 => "settled".to_owned(),
        owed @ 1.. => format!("{} owed", money.show(owed)),
        over => format!("{} paid too much", money.show(over.saturating_neg())),
    }
}

pub(super) fn reservation(reservation: &Reservation, cases: &OpenCases) -> String {
    let rooms = rows(ROOMS, &reservation.rooms, &Money::of(reservation.currency));
    format!("{}\n{rooms}", details(RESERVATION, reservation, cases))
}

pub(super) fn reservations(found: &[Reservation], cases: &OpenCases) -> String {
    rows(RESERVATION, found, cases)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use surehold_core::kernel::Currency;

    use super::*;

    #[test]
    fn conditions() {
        let check = |free_until_hours: Option<u32>, penalty: Penalty, expected: &str| {
            let policy = CancellationPolicy { free_until_hours, penalty, no_show: Penalty::All };
            assert_eq!(cancellation(&policy), expected);
        };
        check(Some(48), Penalty::Nights(1), "free until 48 h before, then 1 night");
        check(Some(0), Penalty::Percent(50), "free until check-in, then 50 %");
        check(None, Penalty::All, "costs everything");
        check(None, Penalty::None, "always free");
    }

    #[test]
    fn prices() {
        let money = Money::of(Currency::parse("BRL").unwrap());
        let night = |price: &i64| PricedNight { night: Day(date(2026, 12, 24)), price: *price };
        let check = |prices: &[i64], expected: &str| {
            assert_eq!(per_night(&prices.iter().map(night).collect::<Vec<_>>(), money), expected);
        };
        check(&[], "");
        check(&[45_000, 45_000], "450.00");
        check(&[45_000, 50_000], "450.00 + 500.00");
        check(&[45_000, 50_000, 45_000, 45_000, 45_000], "450.00 to 500.00");
    }
}
