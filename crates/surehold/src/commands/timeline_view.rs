//! One line of time, a row for each thing that happened. The day is said once, above its rows.

use surehold_api::{Attempt, Timeline, TimelineFact};

use super::events::Shown;
use super::show::some;
use super::view::table;

pub(super) fn timeline(timeline: &Timeline) -> String {
    let mut day = String::new();
    let mut rows = Vec::new();
    for entry in &timeline.entries {
        let at = entry.at.to_string();
        let (date, time) = at.split_once('T').unwrap_or(("", &at));
        if date != day {
            date.clone_into(&mut day);
            rows.push(vec![date.to_owned(), String::new(), String::new(), String::new()]);
        }
        let (what, more) = told(&entry.fact);
        let operation = format!("{} {}", entry.operation.r#type, entry.operation.key);
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
fn told(fact: &TimelineFact) -> (String, String) {
    match fact {
        TimelineFact::Asked => ("asked".to_owned(), String::new()),
        TimelineFact::EffectIntended { step, idempotency_key } => {
            (format!("step {step} intended"), idempotency_key.clone())
        }
        TimelineFact::EffectSettled { step, state, provider_ref } => {
            let state = state.as_str().to_lowercase();
            (format!("step {step} {state}"), some(provider_ref.as_ref()))
        }
        TimelineFact::Attempt { attempt } => of_attempt(attempt),
        TimelineFact::Event { event, .. } => {
            let shown = Shown::of(event);
            (shown.name().replace('_', " "), shown.more())
        }
        TimelineFact::Finished { state } => (format!("finished {state}"), String::new()),
    }
}

fn of_attempt(attempt: &Attempt) -> (String, String) {
    let (outcome, error) = (attempt.outcome, some(attempt.error.as_ref()));
    if let Some(actor) = &attempt.actor {
        return (format!("{outcome} by {actor}"), error);
    }
    let more = match &attempt.code {
        Some(code) => format!("{code}: {error}"),
        None => error,
    };
    (format!("attempt {outcome}"), more)
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use super::*;

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
        let entries = [entry("2026-11-15T23:59:59Z"), entry("2026-11-16T00:00:00.25Z")];
        let line = json!({"correlation": "a=1", "operations": [], "entries": entries, "cut": false});
        let shown = timeline(&from_value(line).unwrap());
        let expected = "TIME (UTC)    OPERATION  WHAT   MORE\n2026-11-15\n23:59:59.000  T 1        asked\n2026-11-16\n\
                        00:00:00.250  T 1        asked\n";
        assert_eq!(shown, expected);
    }
}
