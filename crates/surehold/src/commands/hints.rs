//! What to do next, in the words of the command line, where the problem's own sentence does not say it. Each command says
//! it of the problems that it knows best; what can happen to any of them is here.

use serde_json::Value;
use surehold_api::{PoolName, Problem};
use surehold_core::kernel::Slot;

use super::HINTS;
use crate::client::Refused;

/// What a command says of problems.
pub(super) struct Hints {
    /// By code. `{name}` is what `names` says, `{tenant}` that of the request, `{pool}` the pool's arguments.
    pub(super) by_code: &'static [(&'static [&'static str], &'static str)],
    /// Where a problem has what the hints name, and the word that stands for it where it does not.
    pub(super) names: &'static [(&'static str, &'static [&'static str], &'static str)],
}

impl Hints {
    pub(super) const NONE: Hints = Hints { by_code: &[], names: &[] };
}

/// In place of a hint: the problem's own sentence is enough.
pub(super) const SAYS_ENOUGH: &str = "";

/// Of ids of any kind.
pub(super) const ID_OUTSIDE_WINDOW: &str = "leave --id out; a UUIDv7 carries its time and is good for a while only";

const OF_ANY_COMMAND: Hints = Hints {
    by_code: &[
        (&["idempotency-key-reused"], "use another --idempotency-key, or leave it out"),
        (&["busy", "unavailable", "stopping", "not-executed"], "nothing was changed; run it again"),
        (&["outcome-unknown"], "look whether it happened, then run it again"),
        (&["too-many-requests", "too-many-streams"], "wait a moment, then run it again"),
        (&["corrupt"], "`surehold doctor` checks the store"),
        // The sentence names the bound, or nothing can be done but to report it.
        (&["body-too-large", "invalid", "defect"], SAYS_ENOUGH),
        // The command line does not make such requests.
        (
            &[
                "malformed-json",
                "malformed-request",
                "idempotency-key-missing",
                "idempotency-key-malformed",
                "task-id-missing",
                "task-not-found",
                "signature-invalid",
                "method-not-allowed",
                "request-timeout",
                "unsupported-media-type",
            ],
            SAYS_ENOUGH,
        ),
    ],
    names: &[],
};

pub(super) fn hint_for(refused: &Refused) -> Option<String> {
    hint_about(&refused.problem, refused.tenant.as_deref(), refused.test)
}

fn hint_about(problem: &Problem, tenant: Option<&str>, test: bool) -> Option<String> {
    match (&*problem.code, tenant) {
        ("not-found", _) if test => {
            let tenant = tenant.unwrap_or("TENANT");
            return Some(format!("test data begins with the first test key: `surehold key create {tenant} --test`"));
        }
        ("not-found", Some(_)) => {
            return Some("`surehold tenant list` shows the tenants; a key opens only its own".to_owned());
        }
        _ => {}
    }
    let hint = all().find_map(|hints| hints.hint(problem, tenant.unwrap_or("TENANT")))?;
    Some(hint).filter(|hint| hint != SAYS_ENOUGH)
}

fn all() -> impl Iterator<Item = &'static Hints> {
    HINTS.iter().copied().chain([&OF_ANY_COMMAND])
}

impl Hints {
    fn hint(&self, problem: &Problem, tenant: &str) -> Option<String> {
        let (_, hint) = self.by_code.iter().find(|(codes, _)| codes.contains(&&*problem.code))?;
        Some(self.filled_in(hint, problem, tenant))
    }

    fn filled_in(&self, hint: &str, problem: &Problem, tenant: &str) -> String {
        let mut said = String::new();
        let mut rest = hint;
        while let Some((before, (name, after))) =
            rest.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
        {
            said.push_str(before);
            let word = match name {
                "tenant" => tenant.to_owned(),
                "pool" => pool_named(problem),
                _ => self.named(name, problem),
            };
            said.push_str(&word);
            rest = after;
        }
        said + rest
    }

    fn named(&self, name: &str, problem: &Problem) -> String {
        let Some((_, places, absent)) = self.names.iter().find(|(known, _, _)| *known == name) else {
            unreachable!("a test fills in every hint")
        };
        let found = places.iter().find_map(|place| argument(&found(problem, place)?));
        found.unwrap_or_else(|| (*absent).to_owned())
    }
}

/// What a member of a problem has at a place in it.
fn found(problem: &Problem, place: &str) -> Option<Value> {
    let (member, within) = place.split_at(place[1..].find('/').map_or(place.len(), |end| end + 1));
    problem.member::<Value>(&member[1..])?.pointer(within).cloned()
}

/// As arguments to paste.
fn pool_named(problem: &Problem) -> String {
    let pools = ["lines", "pools"].iter().find_map(|member| problem.member::<Vec<PoolName>>(member));
    match pools.as_deref() {
        Some([PoolName { resource, slot }, ..]) if *slot != Slot::NONE => {
            format!("{} --slot {slot}", quoted(resource.as_str()))
        }
        Some([PoolName { resource, .. }, ..]) => quoted(resource.as_str()),
        Some([]) | None => "RESOURCE".to_owned(),
    }
}

/// To paste.
fn argument(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(quoted(text)),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn quoted(text: &str) -> String {
    let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.:@%=".contains(&b));
    if plain { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use surehold_http::problem::ProblemType;

    use super::*;

    fn problem(code: &str, data: &Value) -> Problem {
        let mut problem = json!({"type": "", "title": "", "status": 409, "code": code, "detail": ""});
        problem.as_object_mut().unwrap().extend(data.as_object().unwrap().clone());
        serde_json::from_str(&problem.to_string()).unwrap()
    }

    #[test]
    fn hints_can_be_pasted() {
        let check = |code, data: Value, expected: &str| {
            let hint = hint_about(&problem(code, &data), Some("casa"), false).unwrap();
            assert!(hint.contains(expected), "{hint}");
        };
        let line = json!({"lines": [{"resource": "double", "slot": "2026-12-24"}]});
        check("sold-out", line, "`surehold explain casa double --slot 2026-12-24`");
        let pool = json!({"pools": [{"resource": "it's a shirt", "slot": ""}]});
        check("pool-closed", pool, r"`surehold pool put casa 'it'\''s a shirt' --open`");
        let operation = json!({"operation": {"type": "SEND_MONEY", "key": "a b:1"}, "step": 1});
        check("effect-in-doubt", operation, "`surehold op settle casa SEND_MONEY 'a b:1' --step 1`");
        let unknown = json!({"property": "casa-mar", "room_type": "duoble"});
        check("room-type-not-found", unknown, "`surehold stay room-type list casa casa-mar`");
        let hold = "01a292d7-1960-7c3a-9f21-5d0e8b6a4c17";
        let booked = format!("`surehold stay reservation show casa {hold}`");
        check("reservation-exists", json!({ "hold": hold }), &booked);
        let short = json!({"short": [{"store": "main", "product": "tea"}]});
        check("insufficient-stock", short, "`surehold explain casa main/tea`");
        check("product-not-found", json!({"products": ["a b"]}), "`surehold stock product put casa 'a b'`");
        check("cursor-gone", json!({"cursor": "0-0"}), "--after 0-0 ");
        check("not-found", json!({}), "tenant list");
        let nothing = problem("not-found", &json!({}));
        assert_eq!(hint_about(&nothing, None, false), None);
        assert!(hint_about(&nothing, Some("casa"), true).unwrap().contains("key create casa --test"));
        assert_eq!(hint_about(&problem("hold-not-due", &json!({})), Some("casa"), false), None);
    }

    #[test]
    fn hints_are_about_codes_that_exist_and_can_be_filled_in() {
        let mut seen = Vec::new();
        for (hints, (codes, hint)) in all().flat_map(|hints| hints.by_code.iter().map(move |of| (hints, of))) {
            let filled_in = hints.filled_in(hint, &problem("x", &json!({})), "casa");
            assert!(!filled_in.contains(['{', '}']), "{hint}");
            for code in *codes {
                assert!(ProblemType::find(code).is_some(), "{code}");
                assert!(!seen.contains(code), "{code} has two hints");
                seen.push(code);
            }
        }
    }

    #[test]
    fn every_code_has_a_hint_or_needs_none() {
        let known: Vec<&str> =
            all().flat_map(|hints| hints.by_code).flat_map(|(codes, _)| codes.iter().copied()).collect();
        for ProblemType { code, .. } in ProblemType::all() {
            // What is not found depends on who asks for it.
            let is_known = known.contains(code) || *code == "not-found";
            assert!(is_known, "`{code}` is new: write a hint beside the command that helps, or `SAYS_ENOUGH`");
        }
    }
}
