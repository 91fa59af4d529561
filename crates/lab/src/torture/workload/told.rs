//! What an answer means, by the API's table of outcomes and retries; and what no answer means.

use anyhow::{Result, ensure};

use super::wire::{self, BatchIn, ResultIn};
use crate::torture::history::{Answer, Ask, Units};

/// A request with its identity.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) ask: Ask,
    pub(super) key: Option<String>,
    /// What the hold had booked, where everything is given back.
    pub(super) booked_before: Option<Units>,
}

impl Asked {
    pub(super) fn new(ask: Ask) -> Asked {
        Asked { ask, key: None, booked_before: None }
    }

    pub(super) fn under(key: String, ask: Ask) -> Asked {
        Asked { key: Some(key), ..Asked::new(ask) }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Told {
    /// It happened.
    Ok(Answer),
    /// Nothing changed: the state or the rules forbid it. The problem's code.
    Refused(String),
    /// Nothing changed: nobody was there, or had time.
    TurnedAway(String),
    /// Nobody knows.
    Unknown(String),
}

/// What came over the wire.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Heard {
    Answer {
        status: u16,
        replayed: bool,
        body: Vec<u8>,
    },
    /// There was no connection, so nothing was sent.
    Unreachable,
    /// Perhaps it was sent.
    Nothing(String),
}

pub(super) fn judge(asked: &Asked, heard: Heard) -> Result<Told> {
    let (status, replayed, body) = match heard {
        Heard::Answer { status, replayed, body } => (status, replayed, body),
        Heard::Unreachable => return Ok(Told::TurnedAway("unreachable".to_owned())),
        Heard::Nothing(why) => return Ok(Told::Unknown(why)),
    };
    if (200..300).contains(&status) {
        return Ok(Told::Ok(wire::answer(&asked.ask, asked.booked_before.as_ref(), replayed, &body)?));
    }
    Ok(no_success(&asked.ask, status, wire::problem_code(&body).as_deref()))
}

fn no_success(ask: &Ask, status: u16, code: Option<&str>) -> Told {
    match (status, code) {
        (404, Some("hold-not-found")) if matches!(ask, Ask::ReadHold { .. }) => Told::Ok(Answer::Absent),
        (404, Some("pool-not-found")) if matches!(ask, Ask::ReadPool { .. }) => Told::Ok(Answer::Absent),
        (504, code) | (_, code @ Some("outcome-unknown")) => Told::Unknown(code.unwrap_or("status-504").to_owned()),
        (408 | 429 | 503, Some(code)) => Told::TurnedAway(code.to_owned()),
        (400..=500, Some(code)) => Told::Refused(code.to_owned()),
        // Also what is no HTTP to the server is answered by it, and changes nothing.
        (400..500, None) => Told::Refused(format!("status-{status}")),
        // Not said by the server, or not to its end.
        (_, _) => Told::Unknown(format!("status-{status}")),
    }
}

/// What each command of a batch was told.
pub(super) fn judge_batch(asks: &[Ask], heard: Heard) -> Result<Vec<Told>> {
    let all = |told: Told| vec![told; asks.len()];
    let (status, body) = match heard {
        Heard::Answer { status, body, .. } => (status, body),
        Heard::Unreachable => return Ok(all(Told::TurnedAway("unreachable".to_owned()))),
        Heard::Nothing(why) => return Ok(all(Told::Unknown(why))),
    };
    if !(200..300).contains(&status) {
        let code = wire::problem_code(&body);
        return Ok(asks.iter().map(|ask| no_success(ask, status, code.as_deref())).collect());
    }
    let BatchIn { results } = serde_json::from_slice(&body)?;
    ensure!(results.len() == asks.len(), "{} results of {} commands", results.len(), asks.len());
    asks.iter().zip(results).map(|(ask, result)| judge_result(ask, result)).collect()
}

fn judge_result(ask: &Ask, result: ResultIn) -> Result<Told> {
    let ResultIn { status, replayed, .. } = result;
    if !(200..300).contains(&status) {
        return Ok(no_success(ask, status, result.code()));
    }
    let Some(hold) = result.hold else { anyhow::bail!("a success without its hold in a batch") };
    Ok(Told::Ok(Answer::Hold { hold: wire::hold_seen(ask, None, hold), replayed }))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn outcomes() {
        let hold = Uuid::nil();
        let act = Asked::new(Ask::Cancel { hold });
        let read = Asked::new(Ask::ReadHold { hold });
        let shown = |asked: &Asked, status: u16, code: &str| {
            let body = if code.is_empty() { String::new() } else { format!(r#"{{"code":"{code}"}}"#) };
            match judge(asked, Heard::Answer { status, replayed: false, body: body.into_bytes() }).unwrap() {
                Told::Ok(answer) => format!("ok {answer:?}"),
                Told::Refused(code) => format!("fail {code}"),
                Told::TurnedAway(code) => format!("away {code}"),
                Told::Unknown(why) => format!("info {why}"),
            }
        };
        for (status, code, expected) in [
            (400, "malformed-json", "fail malformed-json"),
            (400, "", "fail status-400"),
            (404, "hold-not-found", "fail hold-not-found"),
            (408, "request-timeout", "away request-timeout"),
            (409, "sold-out", "fail sold-out"),
            (422, "idempotency-key-reused", "fail idempotency-key-reused"),
            (429, "too-many-requests", "away too-many-requests"),
            (500, "defect", "fail defect"),
            (500, "", "info status-500"),
            (502, "", "info status-502"),
            (503, "busy", "away busy"),
            (503, "not-executed", "away not-executed"),
            (503, "unavailable", "away unavailable"),
            (503, "stopping", "away stopping"),
            (503, "", "info status-503"),
            (504, "outcome-unknown", "info outcome-unknown"),
            (504, "", "info status-504"),
        ] {
            assert_eq!(shown(&act, status, code), expected, "{status} {code}");
        }
        assert_eq!(shown(&read, 404, "hold-not-found"), "ok Absent");
        assert_eq!(shown(&read, 404, "not-found"), "fail not-found");
        assert!(judge(&act, Heard::Answer { status: 200, replayed: false, body: b"{}".to_vec() }).is_err());
        assert_eq!(judge(&act, Heard::Unreachable).unwrap(), Told::TurnedAway("unreachable".to_owned()));
        assert_eq!(judge(&act, Heard::Nothing("cut".to_owned())).unwrap(), Told::Unknown("cut".to_owned()));
    }

    #[test]
    fn batches() {
        let hold = Uuid::nil();
        let asks = [Ask::Cancel { hold }, Ask::Cancel { hold }, Ask::Cancel { hold }];
        let body = r#"{"results":[{"id":"x","status":409,"problem":{"code":"hold-ended"}},
            {"id":"x","status":504,"problem":{"code":"outcome-unknown"}},
            {"id":"x","status":503,"problem":{"code":"busy"}}]}"#;
        let heard = |status: u16, body: &str| Heard::Answer { status, replayed: false, body: body.as_bytes().to_vec() };
        let expected = [
            Told::Refused("hold-ended".to_owned()),
            Told::Unknown("outcome-unknown".to_owned()),
            Told::TurnedAway("busy".to_owned()),
        ];
        assert_eq!(judge_batch(&asks, heard(200, body)).unwrap(), expected);
        assert!(judge_batch(&asks, heard(200, r#"{"results":[]}"#)).is_err());
        let all = judge_batch(&asks, Heard::Nothing("cut".to_owned())).unwrap();
        assert_eq!(all, vec![Told::Unknown("cut".to_owned()); 3]);
        let all = judge_batch(&asks, heard(503, r#"{"code":"stopping"}"#)).unwrap();
        assert_eq!(all, vec![Told::TurnedAway("stopping".to_owned()); 3]);
    }
}
