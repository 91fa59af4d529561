//! How quotes, stays and reservations look to people.

use jiff::civil::Date;
use serde_json::Value;

use super::super::money::Money;
use super::super::view::{ago, counted, fields, instant, list, table, text};
use super::cases::OpenCases;

/// `2026-12-24..2026-12-27`
pub(super) fn nights(of: &Value) -> String {
    format!("{}..{}", text(&of["checkin"]), text(&of["checkout"]))
}

fn nights_count(of: &Value) -> i64 {
    let date = |name: &str| of[name].as_str().and_then(|text| text.parse::<Date>().ok());
    match (date("checkin"), date("checkout")) {
        (Some(checkin), Some(checkout)) => checkout.duration_since(checkin).as_hours() / 24,
        _ => 0,
    }
}

/// `2026-12-24..2026-12-27 (3 nights)`
pub(super) fn nights_counted(of: &Value) -> String {
    format!("{} ({})", nights(of), counted(nights_count(of), "night", "nights"))
}

/// `1 night`, `50 %`
pub(super) fn penalty(penalty: &Value) -> String {
    match penalty {
        Value::String(word) if word == "none" => "nothing".to_owned(),
        Value::String(word) if word == "all" => "everything".to_owned(),
        Value::Object(_) => match (penalty["nights"].as_i64(), penalty["percent"].as_i64()) {
            (Some(nights), _) => counted(nights, "night", "nights"),
            (None, Some(percent)) => format!("{percent} %"),
            (None, None) => text(penalty),
        },
        other => text(other),
    }
}

/// `free until 48 h before, then 1 night`
pub(super) fn cancellation(policy: &Value) -> String {
    let kept = penalty(&policy["penalty"]);
    match policy["free_until_hours"].as_i64() {
        _ if policy["penalty"] == "none" => "always free".to_owned(),
        None => format!("costs {kept}"),
        Some(0) => format!("free until check-in, then {kept}"),
        Some(hours) => format!("free until {hours} h before, then {kept}"),
    }
}

/// `450.00`, or each night's if they differ.
fn per_night(of: &Value, money: &Money) -> String {
    let prices: Vec<i64> = list(&of["nights"]).iter().filter_map(|night| night["price"].as_i64()).collect();
    match prices.split_first() {
        None => String::new(),
        Some((first, rest)) if rest.iter().all(|price| price == first) => money.plain(*first),
        // A long stay has more prices than a line has room.
        Some(_) if prices.len() > 4 => {
            let (lowest, highest) = (prices.iter().min(), prices.iter().max());
            let shown = |price: Option<&i64>| price.map_or(String::new(), |price| money.plain(*price));
            format!("{} to {}", shown(lowest), shown(highest))
        }
        Some(_) => prices.iter().map(|price| money.plain(*price)).collect::<Vec<_>>().join(" + "),
    }
}

pub(super) fn quote(quote: &Value) -> String {
    let money = Money::of(quote);
    let number = |name: &str| quote[name].as_i64().unwrap_or(0);
    let guests = counted(number("guests"), "guest", "guests");
    let rooms = counted(number("rooms"), "room", "rooms");
    let mut shown = fields(&[
        ("quote", text(&quote["id"])),
        ("property", text(&quote["property"])),
        ("nights", nights_counted(quote)),
        ("for", format!("{guests}, {rooms}")),
        ("good until", instant(&quote["valid_until"])),
    ]);
    let options = list(&quote["options"]);
    if !options.is_empty() {
        let row = |option: &Value| {
            vec![
                text(&option["number"]),
                text(&option["room_type"]),
                text(&option["rate_plan"]),
                money.show(&option["total"]),
                per_night(option, &money),
                text(&option["available"]),
                cancellation(&option["cancellation"]),
            ]
        };
        let header = ["OPTION", "ROOM TYPE", "RATE PLAN", "TOTAL", "A NIGHT", "LEFT", "CANCELLED"];
        shown.push('\n');
        shown += &table(&header, &[0, 3, 4, 5], options.iter().map(row));
    }
    let missing = list(&quote["not_for_sale"]);
    if !missing.is_empty() {
        let row = |not: &Value| vec![text(&not["room_type"]), text(&not["rate_plan"]), text(&not["detail"])];
        shown.push('\n');
        shown += &table(&["NOT FOR SALE", "RATE PLAN", "WHY"], &[], missing.iter().map(row));
    }
    shown
}

/// `2 × double flexible`
fn room_names(of: &Value) -> String {
    let name = |room: &Value| {
        let name = format!("{} {}", text(&room["room_type"]), text(&room["rate_plan"]));
        match room["rooms"].as_i64() {
            None | Some(1) => name,
            Some(rooms) => format!("{rooms} × {name}"),
        }
    };
    list(&of["rooms"]).iter().map(name).collect::<Vec<_>>().join(", ")
}

/// With what a night costs, and what it costs to cancel.
fn room_lines(of: &Value, money: &Money) -> String {
    let row = |room: &Value| {
        let names = ["rooms", "room_type", "rate_plan"];
        let mut row: Vec<String> = names.iter().map(|name| text(&room[*name])).collect();
        row.extend([per_night(room, money), cancellation(&room["cancellation"])]);
        row
    };
    let rooms = list(&of["rooms"]).iter().map(row);
    format!("\n{}", table(&["ROOMS", "ROOM TYPE", "RATE PLAN", "A NIGHT", "CANCELLED"], &[0, 3], rooms))
}

fn guest(of: &Value) -> String {
    if !of["guest_erased_at"].is_null() {
        return "(erased)".to_owned();
    }
    let said = ["name", "email", "phone"].iter().map(|name| text(&of["guest"][*name]));
    said.filter(|said| !said.is_empty()).collect::<Vec<_>>().join(", ")
}

/// In lists, where there is little room.
fn guest_name(of: &Value) -> String {
    let name = text(&of["guest"]["name"]);
    if name.is_empty() { guest(of) } else { name }
}

/// What is owed, in words: the sign of a number is easily overlooked.
fn balance(reservation: &Value, money: &Money) -> String {
    match reservation["balance"].as_i64() {
        None => String::new(),
        Some(0) => "settled".to_owned(),
        Some(owed @ 1..) => format!("{} owed", money.show(&owed.into())),
        Some(over) => format!("{} paid too much", money.show(&over.saturating_neg().into())),
    }
}

pub(super) fn stay(stay: &Value, cases: &OpenCases) -> String {
    let money = Money::of(stay);
    let is_live = stay["state"] == "active";
    let page = &stay["payment_page"];
    let is_payable = is_live && stay["awaiting_payment"] == false;
    let url = match (&page["url"], is_payable) {
        (Value::String(url), true) => url.clone(),
        (Value::Null, true) if !page.is_null() => "the page is being made".to_owned(),
        _ => String::new(),
    };
    let reservation = &stay["reservation"];
    let booked = match reservation["code"].as_str() {
        Some(code) => format!("{code}, {}", state(reservation)),
        None => String::new(),
    };
    let expires = if is_live { instant(&stay["expires_at"]) } else { String::new() };
    let hold = text(&stay["hold"]);
    let shown = fields(&[
        ("stay", hold.clone()),
        ("state", stay_state(stay)),
        ("property", text(&stay["property"])),
        ("nights", nights_counted(stay)),
        ("total", money.show(&stay["total"])),
        ("held until", expires),
        ("pay at", url),
        ("guest", guest(stay)),
        ("conversation", text(&stay["conversation"])),
        ("quote", text(&stay["quote"])),
        ("payments", payments(stay, &money)),
        ("reservation", booked),
        ("open cases", cases.of(&hold)),
    ]);
    shown + &room_lines(stay, &money)
}

/// What has come of the pages on which it could be paid, if anything has.
fn payments(stay: &Value, money: &Money) -> String {
    let said = |payment: &Value| {
        let amount = |name: &str| money.show(&payment[name]);
        match payment["resolution"].as_str() {
            Some("reservation") => Some(format!("{} paid", amount("received"))),
            Some("refund") => Some(format!(
                "{} paid, {} of {} gone back",
                amount("received"),
                amount("refunded"),
                amount("refund_asked")
            )),
            Some(_) => Some(format!("{} paid, to be decided by hand", amount("received"))),
            None => None,
        }
    };
    list(&stay["payments"]).iter().filter_map(said).collect::<Vec<_>>().join("; ")
}

/// The hold's, in words of a hotel.
fn stay_state(stay: &Value) -> String {
    match stay["state"].as_str() {
        Some("active") if stay["awaiting_payment"] == true => "held, the money is on its way".to_owned(),
        Some("active") => "held".to_owned(),
        Some("converted") => "booked".to_owned(),
        Some(ended) if stay["reservation"]["source"] == "late_payment" => format!("{ended}, paid late and booked anew"),
        Some(other) => other.to_owned(),
        None => String::new(),
    }
}

pub(super) fn stays(found: &[Value], cases: &OpenCases) -> String {
    let row = |stay: &Value| {
        let hold = text(&stay["hold"]);
        let doing = match (stay["awaiting_payment"] == true, stay["payment_page"].is_null()) {
            (true, _) => "money on its way",
            (false, false) => "paying",
            (false, true) => "deciding",
        };
        let left = ago(&stay["expires_at"]).trim_start_matches("in ").to_owned();
        let total = Money::of(stay).show(&stay["total"]);
        vec![
            hold.clone(),
            left,
            nights(stay),
            room_names(stay),
            total,
            doing.to_owned(),
            guest_name(stay),
            cases.of(&hold),
        ]
    };
    let header = ["STAY", "LEFT", "NIGHTS", "ROOMS", "TOTAL", "GUEST IS", "GUEST", "CASES"];
    table(&header, &[1, 4], found.iter().map(row))
}

fn state(reservation: &Value) -> String {
    text(&reservation["state"]).replace('_', "-")
}

pub(super) fn reservation(reservation: &Value, cases: &OpenCases) -> String {
    let money = Money::of(reservation);
    let amount = |name: &str| match reservation[name].as_i64() {
        None | Some(0) => String::new(),
        Some(_) => money.show(&reservation[name]),
    };
    let payment = &reservation["payment"];
    let paid_online = match payment["state"].as_str() {
        Some(state) => format!("{} ({})", text(&payment["session"]), state.replace('_', " ")),
        None => String::new(),
    };
    let (hold, booked_by) = (text(&reservation["hold"]), text(&reservation["booked_by"]));
    let moved = if booked_by == hold { String::new() } else { booked_by };
    let shown = fields(&[
        ("reservation", text(&reservation["code"])),
        ("stay", hold.clone()),
        ("booked by", moved),
        ("state", state(reservation)),
        ("property", text(&reservation["property"])),
        ("nights", nights_counted(reservation)),
        ("guest", guest(reservation)),
        ("total", money.show(&reservation["total"])),
        ("paid", amount("paid")),
        ("refunded", amount("refunded")),
        ("penalty", amount("penalty")),
        ("waived by", text(&reservation["waived_by"])),
        ("goes back", amount("refund")),
        ("balance", balance(reservation, &money)),
        ("dispute", text(&payment["dispute"])),
        ("came by", text(&reservation["source"]).replace('_', " ")),
        ("payment", paid_online),
        ("made", text(&reservation["created_at"])),
        ("ended", text(&reservation["ended_at"])),
        ("open cases", cases.of(&hold)),
    ]);
    shown + &room_lines(reservation, &money)
}

pub(super) fn reservations(found: &[Value], cases: &OpenCases) -> String {
    let row = |reservation: &Value| {
        let hold = text(&reservation["hold"]);
        vec![
            text(&reservation["code"]),
            nights(reservation),
            room_names(reservation),
            guest_name(reservation),
            balance(reservation, &Money::of(reservation)),
            text(&reservation["source"]).replace('_', " "),
            cases.of(&hold),
            hold,
        ]
    };
    let header = ["CODE", "NIGHTS", "ROOMS", "GUEST", "BALANCE", "CAME BY", "CASES", "STAY"];
    table(&header, &[], found.iter().map(row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn conditions() {
        let check = |policy: Value, expected: &str| assert_eq!(cancellation(&policy), expected);
        check(json!({"free_until_hours": 48, "penalty": {"nights": 1}}), "free until 48 h before, then 1 night");
        check(json!({"free_until_hours": 0, "penalty": {"percent": 50}}), "free until check-in, then 50 %");
        check(json!({"penalty": "all"}), "costs everything");
        check(json!({"penalty": "none"}), "always free");
    }

    #[test]
    fn prices() {
        let money = Money::of(&json!({"currency": "BRL"}));
        let nights = |prices: &[i64]| json!({"nights": prices.iter().map(|p| json!({"price": p})).collect::<Vec<_>>()});
        let check = |prices: &[i64], expected: &str| assert_eq!(per_night(&nights(prices), &money), expected);
        check(&[], "");
        check(&[45_000, 45_000], "450.00");
        check(&[45_000, 50_000], "450.00 + 500.00");
        check(&[45_000, 50_000, 45_000, 45_000, 45_000], "450.00 to 500.00");
    }
}
