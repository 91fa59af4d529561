//! What an answer means, by the API's table of outcomes and retries; and what no answer means. One that cannot be read
//! says nothing about what happened, but much about the server: it is written down for the auditor.

use anyhow::{Context, Result, ensure};

use super::wire::{self, BatchIn, ResultIn};
use crate::torture::history::{Answer, Ask, UNREADABLE, Units};

/// Of an answer that cannot be read, what is kept.
const UNREADABLE_CHARS_MAX: usize = 500;

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
pub(super) enum Outcome {
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
pub(crate) enum Heard {
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

impl Heard {
    pub(crate) fn status(&self) -> Option<u16> {
        match self {
            Heard::Answer { status, .. } => Some(*status),
            Heard::Unreachable | Heard::Nothing(_) => None,
        }
    }
}

pub(super) fn judge(asked: &Asked, heard: Heard) -> Outcome {
    let (status, replayed, body) = match heard {
        Heard::Answer { status, replayed, body } => (status, replayed, body),
        Heard::Unreachable => return Outcome::TurnedAway("unreachable".to_owned()),
        Heard::Nothing(why) => return Outcome::Unknown(why),
    };
    if (200..300).contains(&status) {
        let answer = wire::answer(&asked.ask, asked.booked_before.as_ref(), replayed, &body);
        return answer.map_or_else(|error| unreadable(&error), Outcome::Ok);
    }
    no_success(&asked.ask, status, wire::problem_code(&body).as_deref())
}

fn unreadable(error: &anyhow::Error) -> Outcome {
    let said: String = format!("{error:#}").chars().take(UNREADABLE_CHARS_MAX).collect();
    Outcome::Unknown(format!("{UNREADABLE}{said}"))
}

fn no_success(ask: &Ask, status: u16, code: Option<&str>) -> Outcome {
    match (status, code) {
        (404, Some("hold-not-found")) if matches!(ask, Ask::ReadHold { .. }) => Outcome::Ok(Answer::Absent),
        (404, Some("pool-not-found")) if matches!(ask, Ask::ReadPool { .. }) => Outcome::Ok(Answer::Absent),
        (504, code) | (_, code @ Some("outcome-unknown")) => Outcome::Unknown(code.unwrap_or("status-504").to_owned()),
        (408 | 429 | 503, Some(code)) => Outcome::TurnedAway(code.to_owned()),
        (400..=500, Some(code)) => Outcome::Refused(code.to_owned()),
        // Also what is no HTTP to the server is answered by it, and changes nothing.
        (400..500, None) => Outcome::Refused(format!("status-{status}")),
        // Not said by the server, or not to its end.
        (_, _) => Outcome::Unknown(format!("status-{status}")),
    }
}

/// What each command of a batch was told.
pub(super) fn judge_batch(asks: &[Ask], heard: Heard) -> Vec<Outcome> {
    let all = |told: Outcome| vec![told; asks.len()];
    let (status, body) = match heard {
        Heard::Answer { status, body, .. } => (status, body),
        Heard::Unreachable => return all(Outcome::TurnedAway("unreachable".to_owned())),
        Heard::Nothing(why) => return all(Outcome::Unknown(why)),
    };
    if !(200..300).contains(&status) {
        let code = wire::problem_code(&body);
        return asks.iter().map(|ask| no_success(ask, status, code.as_deref())).collect();
    }
    match results_of(&body, asks.len()) {
        Ok(results) => asks.iter().zip(results).map(|(ask, result)| judge_result(ask, result)).collect(),
        Err(error) => all(unreadable(&error)),
    }
}

/// One for each command: which would be missing cannot be said.
fn results_of(body: &[u8], commands: usize) -> Result<Vec<ResultIn>> {
    let unreadable = || format!("a batch that cannot be read: {}", String::from_utf8_lossy(body));
    let BatchIn { results } = serde_json::from_slice(body).with_context(unreadable)?;
    ensure!(results.len() == commands, "{} results of {commands} commands", results.len());
    Ok(results)
}

fn judge_result(ask: &Ask, result: ResultIn) -> Outcome {
    let ResultIn { status, replayed, .. } = result;
    if !(200..300).contains(&status) {
        return no_success(ask, status, result.code());
    }
    match result.hold {
        Some(hold) => Outcome::Ok(Answer::Hold { hold: wire::hold_seen(ask, None, hold), replayed }),
        None => unreadable(&anyhow::anyhow!("a success without its hold in a batch")),
    }
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
            match judge(asked, Heard::Answer { status, replayed: false, body: body.into_bytes() }) {
                Outcome::Ok(answer) => format!("ok {answer:?}"),
                Outcome::Refused(code) => format!("fail {code}"),
                Outcome::TurnedAway(code) => format!("away {code}"),
                Outcome::Unknown(why) => format!("info {why}"),
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
        assert_eq!(judge(&act, Heard::Unreachable), Outcome::TurnedAway("unreachable".to_owned()));
        assert_eq!(judge(&act, Heard::Nothing("cut".to_owned())), Outcome::Unknown("cut".to_owned()));
    }

    #[test]
    fn what_cannot_be_read_is_unknown_and_kept() {
        let hold = Uuid::nil();
        let heard = |body: &str| Heard::Answer { status: 200, replayed: false, body: body.as_bytes().to_vec() };
        let is_kept = |told: &Outcome, what: &str| match told {
            Outcome::Unknown(why) => assert!(why.starts_with(UNREADABLE) && why.len() < 1_000, "{what}: {why}"),
            told => panic!("{what}: {told:?}"),
        };
        let long = format!("[\"{}\"]", "x".repeat(100_000));
        for ask in [Ask::Cancel { hold }, Ask::ReadHold { hold }, Ask::ReadPool { pool: "gala".to_owned() }] {
            for body in ["", "{}", "no JSON", &long] {
                is_kept(&judge(&Asked::new(ask.clone()), heard(body)), body);
            }
        }
        let asks = [Ask::Cancel { hold }, Ask::Cancel { hold }];
        let missing = r#"{"results":[{"id":"x","status":409,"problem":{"code":"hold-ended"}}]}"#;
        for body in ["", "{}", r#"{"results":[]}"#, missing] {
            let told = judge_batch(&asks, heard(body));
            assert_eq!(told.len(), asks.len());
            for told in &told {
                is_kept(told, body);
            }
        }
        let body = r#"{"results":[{"id":"x","status":200},{"id":"x","status":503,"problem":{"code":"busy"}}]}"#;
        let told = judge_batch(&asks, heard(body));
        is_kept(&told[0], body);
        assert_eq!(told[1], Outcome::TurnedAway("busy".to_owned()));
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
            Outcome::Refused("hold-ended".to_owned()),
            Outcome::Unknown("outcome-unknown".to_owned()),
            Outcome::TurnedAway("busy".to_owned()),
        ];
        assert_eq!(judge_batch(&asks, heard(200, body)), expected);
        let all = judge_batch(&asks, Heard::Nothing("cut".to_owned()));
        assert_eq!(all, vec![Outcome::Unknown("cut".to_owned()); 3]);
        let all = judge_batch(&asks, heard(503, r#"{"code":"stopping"}"#));
        assert_eq!(all, vec![Outcome::TurnedAway("stopping".to_owned()); 3]);
    }
}
