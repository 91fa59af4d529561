//! One line of time, a row for each thing that happened. The day is said once, above its rows.

use serde_json::Value;

use super::events::about;
use super::view::{list, table, text};

pub(super) fn timeline(timeline: &Value) -> String {
    let entries = list(&timeline["entries"]);
    let mut day = "";
    let mut rows = Vec::new();
    for entry in entries {
        let at = entry["at"].as_str().unwrap_or_default();
        let (date, time) = at.split_once('T').unwrap_or(("", at));
        if date != day {
            day = date;
            rows.push(vec![date.to_owned(), String::new(), String::new(), String::new()]);
        }
        let (what, more) = told(entry);
        let operation = &entry["operation"];
        let operation = format!("{} {}", text(&operation["type"]), text(&operation["key"]));
        rows.push(vec![clock(time), operation, what, more]);
    }
    if rows.is_empty() {
        return String::new();
    }
    table(&["TIME (UTC)", "OPERATION", "WHAT", "MORE"], &[], rows)
}

/// To the millisecond, always as wide.
fn clock(time: &str) -> String {
    let (whole, fraction) = time.trim_end_matches('Z').split_once('.').unwrap_or((time.trim_end_matches('Z'), ""));
    let millis: String = fraction.chars().chain("000".chars()).take(3).collect();
    format!("{whole}.{millis}")
}

/// What happened, and what there is to say about it.
fn told(entry: &Value) -> (String, String) {
    let step = text(&entry["step"]);
    match entry["entry"].as_str().unwrap_or_default() {
        "effect_intended" => (format!("step {step} intended"), text(&entry["idempotency_key"])),
        "effect_settled" => {
            let state = text(&entry["state"]).to_lowercase();
            (format!("step {step} {state}"), text(&entry["provider_ref"]))
        }
        "attempt" => attempt(&entry["attempt"]),
        "event" => {
            let event = &entry["event"];
            (text(&event["type"]).replace('_', " "), event_more(event))
        }
        "finished" => (format!("finished {}", text(&entry["state"])), String::new()),
        other => (other.to_owned(), String::new()),
    }
}

fn attempt(attempt: &Value) -> (String, String) {
    let outcome = text(&attempt["outcome"]);
    let error = text(&attempt["error"]);
    if let Some(actor) = attempt["actor"].as_str() {
        return (format!("{outcome} by {actor}"), error);
    }
    let more = match attempt["code"].as_str() {
        Some(code) => format!("{code}: {error}"),
        None => error,
    };
    (format!("attempt {outcome}"), more)
}

fn event_more(event: &Value) -> String {
    let mut parts = Vec::new();
    for name in ["case", "code", "topic"] {
        match &event[name] {
            Value::Null => {}
            // Which operation it is about stands before it.
            Value::Object(case) => parts.push(text(&case["kind"])),
            value => parts.push(text(value)),
        }
    }
    if event["confirmed"].is_boolean() {
        parts.push(if event["confirmed"] == true { "it happened" } else { "it did not happen" }.to_owned());
    }
    if event["generation"].as_i64().is_some_and(|generation| generation > 1) {
        parts.push(format!("generation {}", text(&event["generation"])));
    }
    let kernel = about(event);
    if !kernel.is_empty() {
        parts.push(kernel);
    }
    parts.join("  ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn clocks_are_as_wide() {
        for (time, expected) in
            [("14:16:54.317903Z", "14:16:54.317"), ("14:16:54.5Z", "14:16:54.500"), ("14:16:54Z", "14:16:54.000")]
        {
            assert_eq!(clock(time), expected);
        }
    }

    #[test]
    fn days_are_said_once() {
        let entry = |at: &str| json!({"at": at, "operation": {"type": "T", "key": "1"}, "entry": "asked"});
        let line = json!({"entries": [entry("2026-11-15T23:59:59Z"), entry("2026-11-16T00:00:00.25Z")]});
        let shown = timeline(&line);
        let expected = "TIME (UTC)    OPERATION  WHAT   MORE\n2026-11-15\n23:59:59.000  T 1        asked\n2026-11-16\n\
                        00:00:00.250  T 1        asked\n";
        assert_eq!(shown, expected);
    }
}
