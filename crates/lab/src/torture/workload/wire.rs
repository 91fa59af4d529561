//! Asks as requests of the API, and its answers as the history shows them. Written against the API's description,
//! not against the server's own types: what it says is taken as it comes.

use anyhow::{Context, Result};
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::torture::history::{Answer, Ask, HoldSeen, PoolSeen, Units};

/// A request, below the tenant's address.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Request {
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) body: Option<Value>,
    /// The identity of a task.
    pub(super) task: Option<String>,
}

impl Request {
    fn post(path: String, body: Value) -> Request {
        Request { method: Method::POST, path, body: Some(body), task: None }
    }

    fn get(path: String) -> Request {
        Request { method: Method::GET, path, body: None, task: None }
    }

    pub(super) fn of(ask: &Ask) -> Request {
        let act = |hold: &Uuid, verb: &str, body: Value| Request::post(format!("holds/{hold}/{verb}"), body);
        match ask {
            Ask::Place { hold, lines, lifetime_secs, owner } => {
                Request::post("holds".to_owned(), place(*hold, lines, *lifetime_secs, owner.as_deref()))
            }
            Ask::Extend { hold, until, by_secs } => {
                act(hold, "extend", without_nulls(json!({ "until": until, "by_secs": by_secs })))
            }
            Ask::Convert { hold, consume, part } => act(hold, "convert", convert(*consume, part.as_ref())),
            Ask::Cancel { hold } => Request { body: None, ..act(hold, "cancel", Value::Null) },
            Ask::Move { hold, from, to } => act(hold, "move", json!({ "from": lines_out(from), "to": lines_out(to) })),
            Ask::GiveBack { hold, part } => {
                act(hold, "give-back", without_nulls(json!({ "lines": part.as_ref().map(lines_out) })))
            }
            Ask::PutPool { pool, total, closed, expected_version } => {
                let body = json!({ "total": total, "closed": closed, "expected_version": expected_version });
                Request { method: Method::PUT, ..Request::post(pool_path(pool, ""), without_nulls(body)) }
            }
            Ask::Adjust { pool, total_delta } => {
                Request::post(pool_path(pool, "/adjust"), json!({ "total_delta": total_delta }))
            }
            Ask::ReadHold { hold } => Request::get(format!("holds/{hold}")),
            Ask::ReadPool { pool } => Request::get(pool_path(pool, "")),
            Ask::ExpireTask { task, hold } => {
                let request = Request::post("tasks/expire-hold".to_owned(), json!({ "hold": hold }));
                Request { task: Some(task.clone()), ..request }
            }
            Ask::ChargeTask { task, purchase, amount } => {
                let body = json!({ "purchase": purchase, "amount": amount });
                Request { task: Some(task.clone()), ..Request::post("tasks/charge".to_owned(), body) }
            }
        }
    }
}

/// One command of a batch; `None` for what cannot be in one.
pub(super) fn batch_command(ask: &Ask) -> Option<Value> {
    match ask {
        Ask::Place { hold, lines, lifetime_secs, owner } => {
            Some(json!({ "place": place(*hold, lines, *lifetime_secs, owner.as_deref()) }))
        }
        Ask::Extend { hold, until: Some(until), by_secs: None } => {
            Some(json!({ "extend": { "id": hold, "until": until } }))
        }
        Ask::Convert { hold, consume, part } => {
            let mut body = convert(*consume, part.as_ref());
            body["id"] = json!(hold);
            Some(json!({ "convert": body }))
        }
        Ask::Cancel { hold } => Some(json!({ "cancel": { "id": hold } })),
        Ask::Extend { .. }
        | Ask::Move { .. }
        | Ask::GiveBack { .. }
        | Ask::PutPool { .. }
        | Ask::Adjust { .. }
        | Ask::ReadHold { .. }
        | Ask::ReadPool { .. }
        | Ask::ExpireTask { .. }
        | Ask::ChargeTask { .. } => None,
    }
}

pub(super) fn batch(commands: &[Value]) -> Request {
    Request::post("holds/batch".to_owned(), json!({ "commands": commands }))
}

fn place(hold: Uuid, lines: &Units, lifetime_secs: Option<i64>, owner: Option<&str>) -> Value {
    without_nulls(json!({ "id": hold, "lines": lines_out(lines), "lifetime_secs": lifetime_secs, "owner": owner }))
}

fn convert(consume: bool, part: Option<&Units>) -> Value {
    let mode = if consume { "consume" } else { "book" };
    without_nulls(json!({ "mode": mode, "lines": part.map(lines_out) }))
}

fn without_nulls(mut object: Value) -> Value {
    if let Value::Object(fields) = &mut object {
        fields.retain(|_, value| !value.is_null());
    }
    object
}

/// Resource and slot, empty for none.
fn split(name: &str) -> (&str, &str) {
    name.split_once('@').unwrap_or((name, ""))
}

fn name(resource: &str, slot: &str) -> String {
    if slot.is_empty() { resource.to_owned() } else { format!("{resource}@{slot}") }
}

fn pool_path(pool: &str, verb: &str) -> String {
    match split(pool) {
        (resource, "") => format!("pools/{resource}{verb}"),
        (resource, slot) => format!("pools/{resource}{verb}?slot={slot}"),
    }
}

fn lines_out(lines: &Units) -> Value {
    let line = |(pool, quantity): (&String, &i64)| match split(pool) {
        (resource, "") => json!({ "resource": resource, "quantity": quantity }),
        (resource, slot) => json!({ "resource": resource, "slot": slot, "quantity": quantity }),
    };
    lines.iter().map(line).collect()
}

/// In the order of the server: by resource, then by slot.
pub(super) fn sorted_names<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut names: Vec<String> = names.cloned().collect();
    names.sort_by(|a, b| split(a).cmp(&split(b)));
    names.dedup();
    names
}

#[derive(Debug, Deserialize)]
struct LineIn {
    resource: String,
    slot: String,
    quantity: i64,
}

fn units(lines: &[LineIn]) -> Units {
    lines.iter().map(|line| (name(&line.resource, &line.slot), line.quantity)).collect()
}

#[derive(Debug, Deserialize)]
struct KeptIn {
    mode: String,
    lines: Vec<LineIn>,
}

#[derive(Debug, Deserialize)]
pub(super) struct HoldIn {
    id: Uuid,
    state: String,
    lines: Vec<LineIn>,
    kept: Option<KeptIn>,
    owner: Option<String>,
    placed_at: jiff::Timestamp,
    expires_at: jiff::Timestamp,
    ended_at: Option<jiff::Timestamp>,
    version: i64,
    #[serde(default)]
    pool_versions: Vec<i64>,
}

#[derive(Debug, Deserialize)]
struct PoolIn {
    resource: String,
    slot: String,
    total: i64,
    overbook: i64,
    held: i64,
    booked: i64,
    granted: i64,
    oversold: i64,
    closed: bool,
    version: i64,
}

#[derive(Debug, Deserialize)]
struct DeliveredIn {
    replayed: bool,
}

#[derive(Debug, Deserialize)]
struct ProblemIn {
    code: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct BatchIn {
    pub(super) results: Vec<ResultIn>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ResultIn {
    pub(super) status: u16,
    #[serde(default)]
    pub(super) replayed: bool,
    pub(super) hold: Option<HoldIn>,
    problem: Option<ProblemIn>,
}

impl ResultIn {
    pub(super) fn code(&self) -> Option<&str> {
        self.problem.as_ref().map(|problem| problem.code.as_str())
    }
}

/// The code of a problem, `None` if the body is none.
pub(super) fn problem_code(body: &[u8]) -> Option<String> {
    serde_json::from_slice::<ProblemIn>(body).ok().map(|problem| problem.code)
}

/// What a success says. `booked_before`: what a hold had when all of it was given back, for the answer does not tell.
pub(super) fn answer(ask: &Ask, booked_before: Option<&Units>, replayed: bool, body: &[u8]) -> Result<Answer> {
    let unreadable = || format!("a success that cannot be read: {}", String::from_utf8_lossy(body));
    match ask {
        Ask::Place { .. }
        | Ask::Extend { .. }
        | Ask::Convert { .. }
        | Ask::Cancel { .. }
        | Ask::Move { .. }
        | Ask::GiveBack { .. }
        | Ask::ReadHold { .. } => {
            let hold = serde_json::from_slice(body).with_context(unreadable)?;
            Ok(Answer::Hold { hold: hold_seen(ask, booked_before, hold), replayed })
        }
        Ask::PutPool { .. } | Ask::Adjust { .. } | Ask::ReadPool { .. } => {
            let pool = serde_json::from_slice(body).with_context(unreadable)?;
            Ok(Answer::Pool { pool: pool_seen(&pool), replayed })
        }
        Ask::ExpireTask { .. } | Ask::ChargeTask { .. } => {
            let delivered: DeliveredIn = serde_json::from_slice(body).with_context(unreadable)?;
            Ok(Answer::Task { replayed: delivered.replayed })
        }
    }
}

pub(super) fn hold_seen(ask: &Ask, booked_before: Option<&Units>, hold: HoldIn) -> HoldSeen {
    let names = changed_pools(ask, booked_before, &hold.lines);
    let named = hold.pool_versions.len() == names.len();
    // A version that cannot be named is shown, not left out.
    let name_of = |index: usize| if named { names[index].clone() } else { format!("?{index}") };
    let pool_versions = hold.pool_versions.iter().enumerate().map(|(index, version)| (name_of(index), *version));
    HoldSeen {
        id: hold.id,
        state: hold.state,
        lines: units(&hold.lines),
        kept: hold.kept.map(|kept| (kept.mode, units(&kept.lines))),
        owner: hold.owner,
        placed_at: hold.placed_at.as_microsecond(),
        expires_at: hold.expires_at.as_microsecond(),
        ended_at: hold.ended_at.map(jiff::Timestamp::as_microsecond),
        version: hold.version,
        pool_versions: pool_versions.collect(),
    }
}

/// The pools that a command changes if it changes any, in the order in which the answer has their versions.
fn changed_pools(ask: &Ask, booked_before: Option<&Units>, lines: &[LineIn]) -> Vec<String> {
    match ask {
        Ask::Place { .. } | Ask::Convert { .. } | Ask::Cancel { .. } => {
            lines.iter().map(|line| name(&line.resource, &line.slot)).collect()
        }
        Ask::GiveBack { part, .. } => {
            part.as_ref().or(booked_before).map(|lines| sorted_names(lines.keys())).unwrap_or_default()
        }
        Ask::Move { from, to, .. } => {
            let mut names = sorted_names(from.keys().chain(to.keys()));
            names.retain(|name| from.get(name) != to.get(name));
            names
        }
        Ask::Extend { .. }
        | Ask::PutPool { .. }
        | Ask::Adjust { .. }
        | Ask::ReadHold { .. }
        | Ask::ReadPool { .. }
        | Ask::ExpireTask { .. }
        | Ask::ChargeTask { .. } => Vec::new(),
    }
}

fn pool_seen(pool: &PoolIn) -> PoolSeen {
    PoolSeen {
        name: name(&pool.resource, &pool.slot),
        total: pool.total,
        overbook: pool.overbook,
        held: pool.held,
        booked: pool.booked,
        granted: pool.granted,
        oversold: pool.oversold,
        closed: pool.closed,
        version: pool.version,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(parts: &[(&str, i64)]) -> Units {
        parts.iter().map(|(name, quantity)| ((*name).to_owned(), *quantity)).collect()
    }

    #[test]
    fn requests() {
        let hold = Uuid::nil();
        let check = |ask: Ask, path: &str, body: Value| {
            let request = Request::of(&ask);
            let shown = format!("{} {}", request.method, request.path.replace(&hold.to_string(), "H"));
            assert_eq!((shown.as_str(), request.body.unwrap_or_default()), (path, body));
        };
        let stay = lines(&[("double@2027-03-01", 1), ("gala", 2)]);
        let stay_out = json!([
            {"resource": "double", "slot": "2027-03-01", "quantity": 1}, {"resource": "gala", "quantity": 2}
        ]);
        let place = Ask::Place { hold, lines: stay.clone(), lifetime_secs: Some(2), owner: None };
        check(place, "POST holds", json!({"id": hold, "lines": stay_out, "lifetime_secs": 2}));
        check(Ask::Cancel { hold }, "POST holds/H/cancel", Value::Null);
        check(Ask::Extend { hold, until: None, by_secs: Some(3) }, "POST holds/H/extend", json!({"by_secs": 3}));
        let convert = Ask::Convert { hold, consume: true, part: Some(stay.clone()) };
        check(convert, "POST holds/H/convert", json!({"mode": "consume", "lines": stay_out}));
        check(Ask::GiveBack { hold, part: None }, "POST holds/H/give-back", json!({}));
        let put = Ask::PutPool { pool: "gala".to_owned(), total: Some(0), closed: None, expected_version: Some(4) };
        check(put, "PUT pools/gala", json!({"total": 0, "expected_version": 4}));
        let adjust = Ask::Adjust { pool: "double@2027-03-01".to_owned(), total_delta: -1 };
        check(adjust, "POST pools/double/adjust?slot=2027-03-01", json!({"total_delta": -1}));
        check(Ask::ReadPool { pool: "suite@2027-03-02".to_owned() }, "GET pools/suite?slot=2027-03-02", Value::Null);
        let task = Ask::ExpireTask { task: "t".to_owned(), hold };
        assert_eq!(Request::of(&task).task.as_deref(), Some("t"));
        check(task, "POST tasks/expire-hold", json!({"hold": hold}));
    }

    #[test]
    fn versions_are_those_of_the_pools_that_changed() {
        let hold = Uuid::nil();
        let check = |ask: Ask, before: Option<&Units>, versions: Value, expected: &[(&str, i64)]| {
            let body = json!({"id": hold, "state": "converted", "version": 2, "pool_versions": versions,
                "lines": [{"resource": "double", "slot": "2027-03-01", "quantity": 1},
                    {"resource": "gala", "slot": "", "quantity": 1}],
                "placed_at": "1970-01-01T00:00:01Z", "expires_at": "1970-01-01T00:00:02.000001Z"});
            let seen = answer(&ask, before, false, body.to_string().as_bytes()).unwrap();
            let Answer::Hold { hold, .. } = seen else { panic!("{seen:?}") };
            assert_eq!((hold.placed_at, hold.expires_at), (1_000_000, 2_000_001));
            assert_eq!(hold.pool_versions, lines(expected), "{ask:?}");
        };
        check(Ask::Cancel { hold }, None, json!([7, 8]), &[("double@2027-03-01", 7), ("gala", 8)]);
        check(Ask::Cancel { hold }, None, json!([]), &[]);
        check(Ask::Cancel { hold }, None, json!([7]), &[("?0", 7)]);
        let part = lines(&[("gala", 1)]);
        check(Ask::GiveBack { hold, part: Some(part.clone()) }, None, json!([9]), &[("gala", 9)]);
        check(Ask::GiveBack { hold, part: None }, Some(&part), json!([9]), &[("gala", 9)]);
        check(Ask::GiveBack { hold, part: None }, None, json!([9]), &[("?0", 9)]);
        let (from, to) = (lines(&[("stage", 1), ("gala", 1)]), lines(&[("spa", 1), ("stage", 1), ("gala", 3)]));
        check(Ask::Move { hold, from, to }, None, json!([1, 2]), &[("gala", 1), ("spa", 2)]);
    }

    #[test]
    fn names_are_in_the_order_of_the_server() {
        let names = ["room@2027-01-01", "room-b@2027-01-01", "room"].map(str::to_owned);
        assert_eq!(sorted_names(names.iter()), ["room", "room@2027-01-01", "room-b@2027-01-01"]);
    }
}
