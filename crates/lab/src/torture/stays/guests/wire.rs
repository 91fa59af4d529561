//! What guests ask as requests of the API, and its answers as far as they matter. Written against the API's description.

use anyhow::{Context, Result};
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{PROPERTY, ROOM_TYPE};
use crate::torture::stays::book::{GuestAnswer, GuestAsk, Nights, ReservationSeen};
use crate::torture::workload::front::Ask;

/// How long an answer may wait for a page.
const PAGE_WAIT_MS: u16 = 1_500;

impl Ask for GuestAsk {
    type Answer = GuestAnswer;

    fn request(&self) -> (Method, String, Option<Value>) {
        request(self)
    }

    fn answer(&self, replayed: bool, body: &[u8]) -> Result<GuestAnswer> {
        answer(self, replayed, body)
    }

    fn had_been_so(answer: &GuestAnswer) -> bool {
        answer.replayed
    }

    fn function(&self) -> &'static str {
        GuestAsk::function(self)
    }
}

fn request(ask: &GuestAsk) -> (Method, String, Option<Value>) {
    let post = |path: String, body: Value| (Method::POST, path, Some(body));
    let rooms = |rate_plan: &str| json!([{ "room_type": ROOM_TYPE, "rate_plan": rate_plan }]);
    match ask {
        GuestAsk::Quote { quote, nights: Nights { checkin, checkout } } => {
            let body =
                json!({ "id": quote, "property": PROPERTY, "checkin": checkin, "checkout": checkout, "guests": 2 });
            post("quotes".to_owned(), body)
        }
        GuestAsk::Stay { hold, quote, option, lifetime_secs } => {
            let mut body = json!({ "id": hold, "quote": quote, "items": [{ "option": option }] });
            if let Some(secs) = lifetime_secs {
                body["lifetime_secs"] = json!(secs);
            }
            post("stays".to_owned(), body)
        }
        GuestAsk::Checkout { hold } => {
            let body = json!({ "success_url": "https://mar.example/yes", "cancel_url": "https://mar.example/no" });
            post(format!("stays/{hold}/checkout?wait_ms={PAGE_WAIT_MS}"), body)
        }
        GuestAsk::Confirm { hold } => post(format!("stays/{hold}/confirm"), json!({ "paid": 1 })),
        GuestAsk::CancelStay { hold } => (Method::POST, format!("stays/{hold}/cancel"), None),
        GuestAsk::WalkIn { hold, nights: Nights { checkin, checkout }, rate_plan } => {
            let body = json!({ "id": hold, "property": PROPERTY, "checkin": checkin, "checkout": checkout,
                "rooms": rooms(rate_plan) });
            post("reservations".to_owned(), body)
        }
        GuestAsk::ChangeReservation { hold, nights: Nights { checkin, checkout }, rate_plan, refund_excess } => {
            let body = json!({ "checkin": checkin, "checkout": checkout, "rooms": rooms(rate_plan),
                "refund_excess": refund_excess });
            post(format!("reservations/{hold}/change"), body)
        }
        GuestAsk::CancelReservation { hold } => post(format!("reservations/{hold}/cancel"), json!({})),
        GuestAsk::NoShow { hold } => post(format!("reservations/{hold}/no-show"), json!({})),
        GuestAsk::ReadStay { hold } => (Method::GET, format!("stays/{hold}"), None),
    }
}

#[derive(Deserialize)]
struct StayIn {
    state: String,
    awaiting_payment: bool,
    payment_page: Option<PageIn>,
    reservation: Option<ReservationSeen>,
}

#[derive(Deserialize)]
struct PageIn {
    session: Option<String>,
    url: Option<String>,
}

#[derive(Deserialize)]
struct CheckoutIn {
    page: PageIn,
}

#[derive(Deserialize)]
struct QuoteIn {
    options: Vec<Value>,
}

fn answer(ask: &GuestAsk, replayed: bool, body: &[u8]) -> Result<GuestAnswer> {
    let unreadable = || format!("a success that cannot be read: {}", String::from_utf8_lossy(body));
    let blank = GuestAnswer { replayed, ..GuestAnswer::default() };
    match ask {
        GuestAsk::Quote { .. } => {
            let QuoteIn { options } = serde_json::from_slice(body).with_context(unreadable)?;
            Ok(GuestAnswer { options: options.len(), ..blank })
        }
        GuestAsk::Checkout { .. } => {
            let CheckoutIn { page } = serde_json::from_slice(body).with_context(unreadable)?;
            Ok(GuestAnswer { session: page.session, page: page.url, ..blank })
        }
        GuestAsk::Stay { .. } | GuestAsk::Confirm { .. } | GuestAsk::CancelStay { .. } | GuestAsk::ReadStay { .. } => {
            let stay: StayIn = serde_json::from_slice(body).with_context(unreadable)?;
            let (session, page) = stay.payment_page.map(|page| (page.session, page.url)).unwrap_or_default();
            Ok(GuestAnswer {
                state: Some(stay.state),
                awaiting_payment: stay.awaiting_payment,
                session,
                page,
                reservation: stay.reservation,
                ..blank
            })
        }
        GuestAsk::WalkIn { .. }
        | GuestAsk::ChangeReservation { .. }
        | GuestAsk::CancelReservation { .. }
        | GuestAsk::NoShow { .. } => {
            let reservation: ReservationSeen = serde_json::from_slice(body).with_context(unreadable)?;
            Ok(GuestAnswer { reservation: Some(reservation), ..blank })
        }
    }
}
