//! What guests and staff ask a server for. Written once per connection, then only ids are overwritten.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tokio::task::JoinSet;
use uuid::Uuid;
use uuid::fmt::Hyphenated;

use super::BenchHotel;
use crate::bench::http::{Asks, Connection, Requests, Target};

/// A guest who wants to know what there is, from the first night on.
#[derive(Clone, Debug)]
pub struct QuoteAsks {
    pub hotel: BenchHotel,
    pub nights: u32,
}

/// A request with places for ids in it.
#[derive(Clone, Debug)]
pub struct Letter {
    bytes: Vec<u8>,
    ids_at: Vec<usize>,
}

/// Stands where an id will be written.
const BLANK: &str = "00000000-0000-0000-0000-000000000000";

impl Letter {
    fn new(target: &Target, method: &str, path: &str, body: &str) -> Letter {
        let head = target.head(method, path, body.len());
        let ids_at = body.match_indices(BLANK).map(|(at, _)| head.len() + at).collect();
        Letter { bytes: (head + body).into_bytes(), ids_at }
    }

    fn write(&mut self, blank: usize, id: Uuid) {
        let at = self.ids_at[blank];
        id.hyphenated().encode_lower(&mut self.bytes[at..at + Hyphenated::LENGTH]);
    }
}

impl QuoteAsks {
    fn letter(&self, target: &Target) -> Letter {
        let (checkin, checkout) = (self.hotel.night(0), self.hotel.night(self.nights));
        let body = format!(
            r#"{{"id":"{BLANK}","property":"{}","checkin":"{checkin}","checkout":"{checkout}","guests":2}}"#,
            self.hotel.name
        );
        Letter::new(target, "POST", &format!("/v1/{}/quotes", target.tenant), &body)
    }

    /// Asks once, and says how many options there are.
    pub async fn options(&self, target: &Target) -> Result<usize> {
        let mut letter = self.letter(target);
        letter.write(0, Uuid::now_v7());
        let mut connection = Connection::open(target.address).await?;
        let head = connection.ask(&letter.bytes).await?;
        let body = connection.body(head);
        ensure!(head.status == 201, "no quote: {} {}", head.status, String::from_utf8_lossy(body));
        let quote: Value = serde_json::from_slice(body)?;
        Ok(quote["options"].as_array().map_or(0, Vec::len))
    }
}

impl Asks for QuoteAsks {
    type Requests = Letter;

    fn requests(&self, target: &Target, _: usize) -> Letter {
        self.letter(target)
    }

    fn count(&self, status: u16, _: &[u8]) -> u64 {
        u64::from(status == 201)
    }
}

/// One new id in every request, if it has a place for one.
impl Requests for Letter {
    fn renew(&mut self) -> Option<&[u8]> {
        if !self.ids_at.is_empty() {
            self.write(0, Uuid::now_v7());
        }
        Some(&self.bytes)
    }
}

/// Somebody who looks at the whole calendar.
#[derive(Clone, Debug)]
pub struct CalendarAsks {
    pub hotel: BenchHotel,
}

impl Asks for CalendarAsks {
    type Requests = Letter;

    fn requests(&self, target: &Target, _: usize) -> Letter {
        let BenchHotel { name, nights, .. } = self.hotel;
        let (from, until) = (self.hotel.night(0), self.hotel.night(nights));
        let path = format!("/v1/{}/properties/{name}/calendar?from={from}&until={until}", target.tenant);
        Letter::new(target, "GET", &path, "")
    }

    fn count(&self, status: u16, _: &[u8]) -> u64 {
        u64::from(status == 200)
    }
}

/// Quotes that were made beforehand, each for one guest.
#[derive(Debug, Default)]
pub struct QuotePool {
    ids: Vec<Uuid>,
    used: AtomicUsize,
}

impl QuotePool {
    pub fn new(ids: Vec<Uuid>) -> QuotePool {
        QuotePool { ids, used: AtomicUsize::new(0) }
    }

    fn take(&self) -> Option<Uuid> {
        self.ids.get(self.used.fetch_add(1, Ordering::Relaxed)).copied()
    }
}

/// Asks for so many quotes over so many connections. Returns them, and how long that took.
pub async fn make_quotes(
    target: &Target,
    asks: &QuoteAsks,
    count: usize,
    connections: usize,
) -> Result<(QuotePool, Duration)> {
    let started = Instant::now();
    let mut guests = JoinSet::new();
    for connection in 0..connections {
        let (mut letter, address) = (asks.letter(target), target.address);
        let own = count / connections + usize::from(connection < count % connections);
        guests.spawn(async move {
            let mut connection = Connection::open(address).await.context("cannot connect to the server")?;
            let mut ids = Vec::with_capacity(own);
            for _ in 0..own {
                let id = Uuid::now_v7();
                letter.write(0, id);
                let head = connection.ask(&letter.bytes).await?;
                let body = String::from_utf8_lossy(connection.body(head));
                ensure!(head.status == 201, "no quote: {} {body}", head.status);
                ids.push(id);
            }
            anyhow::Ok(ids)
        });
    }
    let mut ids = Vec::with_capacity(count);
    while let Some(guest) = guests.join_next().await {
        ids.extend(guest.context("a guest of the load generator broke")??);
    }
    Ok((QuotePool::new(ids), started.elapsed()))
}

/// A guest who holds a room of the cheapest type, which everybody wants, in one of its plans.
#[derive(Clone, Debug)]
pub struct StayAsks {
    pub quotes: Arc<QuotePool>,
    /// Plans of that type, at most nine: the first options of every quote.
    pub rate_plans: u32,
}

#[derive(Debug)]
pub struct StayLetter {
    letter: Letter,
    quotes: Arc<QuotePool>,
    option_at: usize,
    option: u8,
    options: u8,
}

impl Asks for StayAsks {
    type Requests = StayLetter;

    fn requests(&self, target: &Target, connection: usize) -> StayLetter {
        let before_option = format!(r#"{{"id":"{BLANK}","quote":"{BLANK}","items":[{{"option":"#);
        let guest = r#"{"name":"Ann Example","email":"ann@example.org","phone":"+55 11 5555 0100"}"#;
        let body = format!(r#"{before_option}1}}],"conversation":"chat-{connection}","guest":{guest}}}"#);
        let letter = Letter::new(target, "POST", &format!("/v1/{}/stays", target.tenant), &body);
        let option_at = letter.bytes.len() - body.len() + before_option.len();
        let options = u8::try_from(self.rate_plans.clamp(1, 9)).expect("at most nine");
        StayLetter { letter, quotes: Arc::clone(&self.quotes), option_at, option: 0, options }
    }

    fn count(&self, status: u16, _: &[u8]) -> u64 {
        u64::from(status == 201)
    }
}

impl Requests for StayLetter {
    fn renew(&mut self) -> Option<&[u8]> {
        let quote = self.quotes.take()?;
        self.letter.write(0, Uuid::now_v7());
        self.letter.write(1, quote);
        self.option = self.option % self.options + 1;
        self.letter.bytes[self.option_at] = b'0' + self.option;
        Some(&self.letter.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target() -> Target {
        Target { address: "127.0.0.1:80".parse().unwrap(), tenant: "bench".to_owned(), key: None }
    }

    fn hotel() -> BenchHotel {
        BenchHotel::new("inn", 2, 2, 9)
    }

    fn parts(request: &[u8]) -> (String, Value) {
        let text = String::from_utf8(request.to_vec()).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("content-length: {}", body.len())), "{head}");
        (head.to_owned(), if body.is_empty() { Value::Null } else { serde_json::from_str(body).unwrap() })
    }

    #[test]
    fn every_quote_is_held_once() {
        let quotes: Vec<Uuid> = (0..5).map(|_| Uuid::now_v7()).collect();
        let asks = StayAsks { quotes: Arc::new(QuotePool::new(quotes.clone())), rate_plans: 2 };
        let mut guests = [asks.requests(&target(), 0), asks.requests(&target(), 1)];
        let (mut held, mut holds) = (Vec::new(), std::collections::BTreeSet::new());
        for turn in 0..5 {
            let (head, body) = parts(guests[turn % 2].renew().unwrap());
            assert!(head.starts_with("POST /v1/bench/stays HTTP/1.1\r\n"), "{head}");
            assert_eq!(body["items"][0]["option"], 1 + turn / 2 % 2, "{body}");
            assert_eq!(body["conversation"], format!("chat-{}", turn % 2));
            held.push(body["quote"].as_str().unwrap().parse::<Uuid>().unwrap());
            holds.insert(body["id"].as_str().unwrap().to_owned());
        }
        assert_eq!((held, holds.len()), (quotes, 5));
        assert!(guests[0].renew().is_none() && guests[1].renew().is_none());
    }

    #[test]
    fn quotes_and_calendars() {
        let mut quotes = QuoteAsks { hotel: hotel(), nights: 3 }.requests(&target(), 0);
        let (head, first) = parts(quotes.renew().unwrap());
        assert!(head.starts_with("POST /v1/bench/quotes HTTP/1.1\r\n"), "{head}");
        let (_, second) = parts(quotes.renew().unwrap());
        assert_ne!(first["id"], second["id"]);
        assert_eq!((&first["checkout"], &first["property"]), (&hotel().night(3).to_string().into(), &"inn".into()));
        let mut calendar = CalendarAsks { hotel: hotel() }.requests(&target(), 0);
        let (head, _) = parts(calendar.renew().unwrap());
        let range = format!("calendar?from={}&until={} HTTP", hotel().night(0), hotel().night(9));
        assert!(head.starts_with("GET /v1/bench/properties/inn/") && head.contains(&range), "{head}");
    }
}
