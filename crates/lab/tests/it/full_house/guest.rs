//! What guests do: wait for a room, hold it, pay for it in one way or another, change their minds.

use std::time::Duration;

use serde_json::{Value, json};
use surehold_simulators::stripe::{Method, Settlement};
use tokio::time::sleep;
use uuid::Uuid;

use super::hotel::{Front, NIGHTS};

/// Between looks of somebody who waits for a room.
const WAITING: Duration = Duration::from_millis(120);

/// How it ended, as the guest was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Has the room.
    Stays { hold: String },
    /// Had one, and cancelled it.
    Cancelled { hold: String },
    /// Had one held, and has none.
    Left { hold: String },
    /// Never got that far.
    SoldOut,
}

/// What a guest makes of a room that is held.
#[derive(Clone, Copy, Debug)]
enum Plan {
    /// Pays by card, perhaps with a second one.
    Card { declined_first: bool },
    /// Pays by a slow way, which comes to its end after, or before, anybody has heard that it is on its way.
    Later { method: Method, end: Settlement, hurried: bool },
    /// Pays, and gives the room up at the same time.
    PaysAndCancels,
    /// Pays by a slow way and gives the room up; the money comes, perhaps when others have the room.
    CancelsBeforeTheMoneyComes { patient: bool },
    /// Pays on the page and at the desk at once.
    PaysTwice,
    /// Gives the room up, and never pays.
    Cancels,
    /// Never comes back.
    Vanishes,
}

impl Plan {
    fn of(number: usize) -> Plan {
        let method = if number.is_multiple_of(2) { Method::Boleto } else { Method::Pix };
        match number % 16 {
            0..=2 => Plan::Card { declined_first: false },
            3 => Plan::Card { declined_first: true },
            4 | 5 => Plan::Later { method, end: Settlement::Success, hurried: false },
            6 => Plan::Later { method, end: Settlement::Success, hurried: true },
            7 => Plan::Later { method, end: Settlement::Failure, hurried: false },
            8 | 9 => Plan::PaysAndCancels,
            10 => Plan::CancelsBeforeTheMoneyComes { patient: false },
            11 | 12 => Plan::CancelsBeforeTheMoneyComes { patient: true },
            13 => Plan::PaysTwice,
            14 => Plan::Cancels,
            _ => Plan::Vanishes,
        }
    }
}

pub(super) struct Guest<'f> {
    number: usize,
    front: &'f Front,
}

/// A room that is held.
struct Held {
    hold: String,
    first: usize,
    nights: usize,
}

impl<'f> Guest<'f> {
    pub(super) fn new(number: usize, front: &'f Front) -> Guest<'f> {
        Guest { number, front }
    }

    /// Waits for a room, and leaves in the end: with few exceptions nobody of these stays.
    pub(super) async fn come_and_go(&self) -> End {
        let (first, nights) = match self.number % 8 {
            5 => (0, 1),
            6 => (1, 2),
            7 => (1, 1),
            _ => (0, NIGHTS),
        };
        let rooms = if self.number % 16 == 2 { 2 } else { 1 };
        let held = loop {
            if let Some(held) = self.hold(first, nights, rooms).await {
                break held;
            }
            sleep(WAITING).await;
        };
        let hold = held.hold.clone();
        match Plan::of(self.number) {
            Plan::Vanishes => End::Left { hold },
            Plan::Cancels => {
                self.cancel(&hold).await;
                End::Left { hold }
            }
            plan => {
                self.carry_out(plan, &held).await;
                self.leave(hold).await
            }
        }
    }

    /// Wants to stay, and takes what is left until nothing is.
    pub(super) async fn stay(&self) -> End {
        loop {
            let free = self.front.nights("available").await;
            let first = free.iter().position(|rooms| *rooms > 0);
            let nights = |first: usize| free[first..].iter().take_while(|rooms| **rooms > 0).count();
            if let Some(first) = first
                && let Some(held) = self.hold(first, nights(first), 1).await
            {
                let session = self.page(&held.hold).await;
                if let Some(session) = session {
                    self.pay(&session, Method::Card);
                }
                if self.outcome(&held.hold).await {
                    return End::Stays { hold: held.hold };
                }
                continue;
            }
            if self.front.nights("booked").await.iter().all(|booked| *booked == super::hotel::ROOMS) {
                return End::SoldOut;
            }
            sleep(WAITING).await;
        }
    }

    /// `None` if it is sold out.
    async fn hold(&self, first: usize, nights: usize, rooms: u32) -> Option<Held> {
        let days = &self.front.days;
        let wish = json!({"id": Uuid::now_v7(), "property": "mar", "checkin": days[first],
            "checkout": days[first + nights], "guests": 1, "rooms": rooms});
        let (status, quote) = self.front.post("/quotes", &wish).await;
        assert!(status == 200 || status == 201, "{status} {quote}");
        let options = quote["options"].as_array().unwrap();
        let option = options.get(self.number % options.len().max(1))?;
        let hold = Uuid::now_v7().to_string();
        let stay = json!({"id": hold, "quote": quote["id"], "items": [{"option": option["number"], "rooms": rooms}],
            "guest": {"name": format!("Guest {}", self.number)}});
        let (status, stay) = self.front.post("/stays", &stay).await;
        if status == 409 {
            // Somebody was faster; or the quote lay here for an hour.
            let code = stay["code"].as_str().unwrap();
            assert!(["sold-out", "quote-expired"].contains(&code), "{stay}");
            return None;
        }
        assert_eq!(status, 201, "{stay}");
        self.front.note_deed();
        Some(Held { hold, first, nights })
    }

    /// The page on which to pay; `None` if the hold has ended meanwhile.
    async fn page(&self, hold: &str) -> Option<String> {
        let urls = json!({"success_url": "https://sea.example/yes", "cancel_url": "https://sea.example/no"});
        let session = self.front.until("there is a page", async || {
            let (status, checkout) = self.front.post(&format!("/stays/{hold}/checkout?wait_ms=2000"), &urls).await;
            match status {
                200 => Some(Some(checkout["page"]["session"].as_str().unwrap().to_owned())),
                202 => None,
                409 => Some(None),
                _ => panic!("{status} {checkout}"),
            }
        });
        let session = session.await?;
        self.front.pages.lock().unwrap().insert(session.clone(), hold.to_owned());
        self.front.note_deed();
        Some(session)
    }

    /// Whether it worked: an hour may have passed.
    fn pay(&self, session: &str, method: Method) -> bool {
        let paid = self.front.sim.pay(session, method).is_ok();
        self.front.note_deed();
        paid
    }

    fn settle(&self, session: &str, end: Settlement) {
        // An async payment does not end by itself, so it is there.
        self.front.sim.settle(session, end).unwrap();
        self.front.note_deed();
    }

    async fn cancel(&self, hold: &str) -> bool {
        let (status, stay) = self.front.ask(reqwest::Method::POST, &format!("/stays/{hold}/cancel"), None).await;
        assert!(status == 200 || status == 409, "{status} {stay}");
        self.front.note_deed();
        status == 200
    }

    async fn carry_out(&self, plan: Plan, held: &Held) {
        let hold = held.hold.as_str();
        let Some(session) = self.page(hold).await else { return };
        match plan {
            Plan::Card { declined_first } => {
                if declined_first {
                    // An hour may have passed.
                    let _ = self.front.sim.decline(&session);
                }
                self.pay(&session, Method::Card);
            }
            Plan::Later { method, end, hurried } => {
                if self.pay(&session, method) {
                    if !hurried {
                        self.is_awaited(hold).await;
                    }
                    self.settle(&session, end);
                }
            }
            Plan::PaysAndCancels => {
                self.pay(&session, Method::Card);
                self.cancel(hold).await;
            }
            Plan::CancelsBeforeTheMoneyComes { patient } => {
                if self.pay(&session, Method::Boleto) {
                    self.is_awaited(hold).await;
                    self.cancel(hold).await;
                    if patient {
                        self.is_sold_out(held).await;
                    }
                    self.settle(&session, Settlement::Success);
                }
            }
            Plan::PaysTwice => {
                self.pay(&session, Method::Card);
                let (status, stay) = self.front.post(&format!("/stays/{hold}/confirm"), &json!({"paid": 1})).await;
                assert!(status == 200 || status == 409, "{status} {stay}");
                self.front.note_deed();
            }
            Plan::Cancels | Plan::Vanishes => {}
        }
    }

    async fn look(&self, hold: &str) -> Value {
        let (status, stay) = self.front.get(&format!("/stays/{hold}")).await;
        assert_eq!(status, 200, "{stay}");
        stay
    }

    /// The house knows that the money is on its way; or the hold has ended before it was told.
    async fn is_awaited(&self, hold: &str) {
        let what = "the payment is awaited";
        self.front
            .until(what, async || {
                let stay = self.look(hold).await;
                (stay["awaiting_payment"] == true || stay["state"] != "active").then_some(())
            })
            .await;
    }

    /// Others have what this one had; or nobody wants it, because nobody else is in front of the house.
    async fn is_sold_out(&self, held: &Held) {
        for _ in 0..50 {
            let free = self.front.nights("available").await;
            if free[held.first..held.first + held.nights].contains(&0) {
                return;
            }
            sleep(WAITING).await;
        }
    }

    /// Whether there is a reservation when everything has come to its end: a reservation; or an end of the hold, with the
    /// money that was paid given back.
    async fn outcome(&self, hold: &str) -> bool {
        let reserved = self.front.until("it has an end", async || {
            let stay = self.look(hold).await;
            if stay["reservation"].is_object() {
                return Some(true);
            }
            if stay["state"] == "active" {
                return None;
            }
            let pages = self.front.pages.lock().unwrap().clone();
            let mut paid = pages.iter().filter(|(_, of)| *of == hold).filter_map(|(page, _)| self.front.paid(page));
            paid.all(|line| line.refunds > 0).then_some(false)
        });
        let reserved = reserved.await;
        self.front.note_deed();
        reserved
    }

    /// Whoever got a room cancels it.
    async fn leave(&self, hold: String) -> End {
        if !self.outcome(&hold).await {
            return End::Left { hold };
        }
        if self.number.is_multiple_of(40) {
            return End::Stays { hold };
        }
        let (status, reservation) = self.front.post(&format!("/reservations/{hold}/cancel"), &json!({})).await;
        assert!(status == 200 && reservation["state"] == "cancelled", "{status} {reservation}");
        self.front.note_deed();
        End::Cancelled { hold }
    }
}
