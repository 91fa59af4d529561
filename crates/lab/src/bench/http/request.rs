//! Requests that place holds: written once per connection, then only ids and rooms are overwritten.

use std::fmt::Write;

use uuid::Uuid;
use uuid::fmt::Hyphenated;

use super::connection::Target;
use super::load::{Asks, Requests};
use surehold_simulators::Dice;

/// What every request asks for.
#[derive(Clone, Copy, Debug)]
pub struct HoldShape {
    /// Room types to choose from; one is the hot case.
    pub pools: usize,
    pub nights: usize,
    /// Holds per request; `None` sends single holds, which have a route of their own.
    pub batch: Option<usize>,
}

/// Digits of a room's number, always the same, so that one can be written over another.
const ROOM_DIGITS: usize = 5;
const POOLS_PER_PUT: usize = 1_000;

/// The answer that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// 201 per single hold; in a batch, 201 for each of its holds.
    Placed,
    /// 409 with the code `sold-out`.
    SoldOut,
}

#[derive(Clone, Copy, Debug)]
pub struct HoldAsks {
    pub shape: HoldShape,
    pub expected: Expected,
}

impl Asks for HoldAsks {
    type Requests = HoldRequest;

    fn requests(&self, target: &Target, connection: usize) -> HoldRequest {
        HoldRequest::new(target, &self.shape, connection)
    }

    fn holds_per_request(&self) -> u64 {
        u64::try_from(self.shape.batch.unwrap_or(1)).expect("a usize fits")
    }

    fn count(&self, status: u16, body: &[u8]) -> u64 {
        match (self.expected, self.shape.batch) {
            (Expected::Placed, None) => u64::from(status == 201),
            (Expected::SoldOut, None) => u64::from(status == 409 && occurrences(body, br#""sold-out""#) > 0),
            (Expected::Placed, Some(_)) if status == 200 => occurrences(body, br#""status":201"#),
            (Expected::SoldOut, Some(_)) if status == 200 => occurrences(body, br#""status":409"#),
            (Expected::Placed | Expected::SoldOut, Some(_)) => 0,
        }
    }
}

fn occurrences(haystack: &[u8], needle: &[u8]) -> u64 {
    let found = haystack.windows(needle.len()).filter(|window| *window == needle).count();
    u64::try_from(found).expect("a usize fits")
}

impl HoldShape {
    /// Bodies that make all pools, each with this total.
    pub fn put_pools(&self, total: i64) -> Vec<String> {
        let pools = (0..self.pools).flat_map(|room| (0..self.nights).map(move |night| (room, night)));
        let pools: Vec<String> = pools
            .map(|(room, night)| format!(r#"{{"resource":"{}","slot":"{}","total":{total}}}"#, name(room), date(night)))
            .collect();
        pools.chunks(POOLS_PER_PUT).map(|pools| format!(r#"{{"pools":[{}]}}"#, pools.join(","))).collect()
    }
}

fn name(room: usize) -> String {
    format!("room-{room:0ROOM_DIGITS$}")
}

fn date(night: usize) -> String {
    format!("2027-{:02}-{:02}", 1 + night / 28, 1 + night % 28)
}

#[derive(Clone, Debug)]
pub struct HoldRequest {
    bytes: Vec<u8>,
    pools: usize,
    nights: usize,
    ids_at: Vec<usize>,
    /// As many per hold as it has nights.
    rooms_at: Vec<usize>,
    dice: Dice,
}

impl HoldRequest {
    /// The seed decides which rooms are asked for; ids are new in every request.
    pub fn new(target: &Target, shape: &HoldShape, seed: usize) -> HoldRequest {
        let (mut body, mut ids_at, mut rooms_at) = (String::new(), Vec::new(), Vec::new());
        let mut hold = |body: &mut String| {
            body.push_str(r#"{"id":""#);
            ids_at.push(body.len());
            write!(body, r#"{}","lines":["#, Uuid::nil()).expect("a string takes all");
            for night in 0..shape.nights {
                body.push_str(if night == 0 { r#"{"resource":"room-"# } else { r#",{"resource":"room-"# });
                rooms_at.push(body.len());
                write!(body, r#"{:0ROOM_DIGITS$}","slot":"{}","quantity":1}}"#, 0, date(night))
                    .expect("a string takes all");
            }
            body.push_str("]}");
        };
        let path = match shape.batch {
            None => {
                hold(&mut body);
                format!("/v1/{}/holds", target.tenant)
            }
            Some(holds) => {
                body.push_str(r#"{"commands":["#);
                for index in 0..holds {
                    body.push_str(if index == 0 { r#"{"place":"# } else { r#",{"place":"# });
                    hold(&mut body);
                    body.push('}');
                }
                body.push_str("]}");
                format!("/v1/{}/holds/batch", target.tenant)
            }
        };
        let head = target.head("POST", &path, body.len());
        for at in ids_at.iter_mut().chain(&mut rooms_at) {
            *at += head.len();
        }
        let bytes = (head + &body).into_bytes();
        HoldRequest { bytes, pools: shape.pools, nights: shape.nights, ids_at, rooms_at, dice: Dice::new(seed) }
    }
}

impl Requests for HoldRequest {
    /// Another hold, or a batch of others, in the same place.
    fn renew(&mut self) -> Option<&[u8]> {
        for &at in &self.ids_at {
            Uuid::now_v7().hyphenated().encode_lower(&mut self.bytes[at..at + Hyphenated::LENGTH]);
        }
        if self.pools > 1 {
            for rooms_at in self.rooms_at.chunks(self.nights) {
                let room = self.dice.roll(self.pools);
                for &at in rooms_at {
                    write_digits(&mut self.bytes[at..at + ROOM_DIGITS], room);
                }
            }
        }
        Some(&self.bytes)
    }
}

fn write_digits(place: &mut [u8], mut number: usize) {
    for digit in place.iter_mut().rev() {
        *digit = b'0' + u8::try_from(number % 10).expect("a digit");
        number /= 10;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    fn target() -> Target {
        let address = "127.0.0.1:80".parse().unwrap();
        Target { address, tenant: "bench".to_owned(), key: Some("sh_live_x".to_owned()) }
    }

    fn parts(request: &[u8]) -> (String, Value) {
        let text = String::from_utf8(request.to_vec()).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let length = format!("content-length: {}", body.len());
        assert!(head.contains(&length), "{head}");
        assert!(head.contains("\r\nauthorization: Bearer sh_live_x\r\n"), "{head}");
        (head.to_owned(), serde_json::from_str(body).unwrap())
    }

    #[test]
    fn single_holds_have_new_ids_and_one_room_for_all_nights() {
        let shape = HoldShape { pools: 40, nights: 3, batch: None };
        let mut request = HoldRequest::new(&target(), &shape, 7);
        let (mut ids, mut rooms) = (BTreeSet::new(), BTreeSet::new());
        for _ in 0..200 {
            let (head, hold) = parts(request.renew().unwrap());
            assert!(head.starts_with("POST /v1/bench/holds HTTP/1.1\r\n"), "{head}");
            let lines = hold["lines"].as_array().unwrap();
            let slots: Vec<&str> = lines.iter().map(|line| line["slot"].as_str().unwrap()).collect();
            assert_eq!(slots, ["2027-01-01", "2027-01-02", "2027-01-03"]);
            assert!(lines.iter().all(|line| line["resource"] == lines[0]["resource"] && line["quantity"] == 1));
            rooms.insert(lines[0]["resource"].as_str().unwrap().to_owned());
            let id: Uuid = hold["id"].as_str().unwrap().parse().unwrap();
            assert_eq!(id.get_version_num(), 7);
            ids.insert(id);
        }
        assert_eq!(ids.len(), 200);
        assert!(rooms.len() > 20, "{rooms:?}");
        let put: BTreeSet<String> = (0..40).map(name).collect();
        assert!(rooms.is_subset(&put), "{rooms:?}");
    }

    #[test]
    fn batches_carry_many() {
        let shape = HoldShape { pools: 1, nights: 2, batch: Some(50) };
        let mut request = HoldRequest::new(&target(), &shape, 1);
        let mut ids = BTreeSet::new();
        for _ in 0..3 {
            let (head, body) = parts(request.renew().unwrap());
            assert!(head.starts_with("POST /v1/bench/holds/batch HTTP/1.1\r\n"), "{head}");
            for command in body["commands"].as_array().unwrap() {
                assert_eq!(command["place"]["lines"][1]["resource"], "room-00000");
                ids.insert(command["place"]["id"].as_str().unwrap().to_owned());
            }
        }
        assert_eq!(ids.len(), 150);
    }

    #[test]
    fn pools_are_made_a_thousand_at_a_time() {
        let puts = HoldShape { pools: 700, nights: 3, batch: None }.put_pools(5);
        let counts: Vec<usize> = puts
            .iter()
            .map(|put| serde_json::from_str::<Value>(put).unwrap()["pools"].as_array().unwrap().len())
            .collect();
        assert_eq!(counts, [1_000, 1_000, 100]);
        assert!(puts[0].starts_with(r#"{"pools":[{"resource":"room-00000","slot":"2027-01-01","total":5},"#));
    }

    #[test]
    fn answers_that_count() {
        let check = |expected: Expected, batch: Option<usize>, status: u16, body: &str, count: u64| {
            let asks = HoldAsks { shape: HoldShape { pools: 1, nights: 1, batch }, expected };
            assert_eq!(asks.count(status, body.as_bytes()), count, "{expected:?} {status} {body}");
        };
        check(Expected::Placed, None, 201, "{}", 1);
        check(Expected::Placed, None, 200, "{}", 0);
        check(Expected::Placed, None, 409, r#"{"code":"sold-out"}"#, 0);
        check(Expected::SoldOut, None, 409, r#"{"code":"sold-out"}"#, 1);
        check(Expected::SoldOut, None, 409, r#"{"code":"pool-closed"}"#, 0);
        check(Expected::SoldOut, None, 201, r#"{"code":"sold-out"}"#, 0);
        let results = r#"{"results":[{"id":"1","status":201},{"id":"2","status":409},{"id":"3","status":201}]}"#;
        check(Expected::Placed, Some(3), 200, results, 2);
        check(Expected::SoldOut, Some(3), 200, results, 1);
        check(Expected::Placed, Some(3), 413, results, 0);
    }
}
