//! How operations look to people.

use serde_json::Value;

use super::view::{ago, fields, instant, list, table, text};

/// What it waits for, what runs it, or how it ended.
fn standing(operation: &Value) -> String {
    let run = &operation["run"];
    match operation["state"].as_str() {
        Some("RUNNING") => format!("began {}", ago(&run["locked_at"])),
        Some("PENDING" | "FAILED") => match (run["waiting_on"].as_str(), run["run_at"].is_null()) {
            (Some(waiting), _) => format!("waiting on: {waiting}"),
            (None, false) => format!("due {}", ago(&run["run_at"])),
            (None, true) => String::new(),
        },
        Some("DEAD_LETTER") => {
            let letter = &operation["dead_letter"];
            let dealt = if letter["resolved_at"].is_null() { "" } else { ", dealt with" };
            format!("{} {}{dealt}", text(&letter["code"]), ago(&letter["dead_at"]))
        }
        _ => ago(&operation["finished_at"]),
    }
}

fn error(operation: &Value) -> String {
    let error = match &operation["run"]["last_error"] {
        Value::Null => &operation["dead_letter"]["error"],
        error => error,
    };
    shortened(&text(error), 60)
}

/// To be read at a glance; the whole is shown with the thing itself.
pub(super) fn shortened(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    text.chars().take(chars_max.saturating_sub(1)).chain(['…']).collect()
}

pub(super) fn operations(found: &[Value]) -> String {
    let row = |operation: &Value| {
        let names = ["type", "key", "state", "attempts"];
        let mut row: Vec<String> = names.iter().map(|name| text(&operation[*name])).collect();
        row.extend([standing(operation), error(operation)]);
        row
    };
    table(&["TYPE", "KEY", "STATE", "ATTEMPTS", "STANDING", "ERROR"], &[3], found.iter().map(row))
}

pub(super) fn operation(operation: &Value) -> String {
    let (run, letter) = (&operation["run"], &operation["dead_letter"]);
    let about: Vec<String> = list(&operation["correlations"]).iter().map(text).collect();
    let generation = Some(&operation["generation"]).filter(|generation| **generation != 1).map(text);
    let lost = Some(&run["leases_lost"]).filter(|lost| **lost != 0).map(text);
    let mut shown = fields(&[
        ("operation", format!("{} {}", text(&operation["type"]), text(&operation["key"]))),
        ("state", text(&operation["state"])),
        ("about", about.join(" ")),
        ("aggregate", text(&operation["aggregate"])),
        ("generation", generation.unwrap_or_default()),
        ("attempts", text(&operation["attempts"])),
        ("created", instant(&operation["created_at"])),
        ("due", instant(&run["run_at"])),
        ("waiting on", text(&run["waiting_on"])),
        ("running since", instant(&run["locked_at"])),
        ("lease until", instant(&run["lease_until"])),
        ("worker", text(&run["worker"])),
        ("leases lost", lost.unwrap_or_default()),
        ("last error", text(&run["last_error"])),
        ("finished", instant(&operation["finished_at"])),
        ("died", instant(&letter["dead_at"])),
        ("died of", [&letter["code"], &letter["error"]].map(text).join(": ").trim_matches(':').trim().to_owned()),
        ("dealt with", instant(&letter["resolved_at"])),
        ("dealt with by", text(&letter["resolved_by"])),
        ("resolution", text(&letter["resolution"])),
        ("payload", text(&operation["payload"])),
        ("result", text(&operation["result"])),
    ]);
    let effects = list(&operation["effects"]);
    if !effects.is_empty() {
        shown.push('\n');
        shown += &table(
            &["STEP", "EFFECT", "DOUBT", "INTENDED", "REFERENCE", "IDEMPOTENCY KEY", "REQUEST"],
            &[0],
            effects.iter().map(|effect| {
                let names = ["step", "state", "doubt", "intent_at", "provider_ref", "idempotency_key"];
                let mut row: Vec<String> = names.iter().map(|name| text(&effect[*name])).collect();
                row.push(shortened(&text(&effect["request"]), 80));
                row
            }),
        );
    }
    let history = list(&operation["history"]);
    if !history.is_empty() {
        shown.push('\n');
        shown += &table(
            &["#", "AT", "WHAT", "BY", "CODE", "ERROR OR REASON"],
            &[0],
            history.iter().map(|attempt| {
                let by = if attempt["actor"].is_null() { &attempt["worker"] } else { &attempt["actor"] };
                let values = [
                    &attempt["number"],
                    &attempt["ended_at"],
                    &attempt["outcome"],
                    by,
                    &attempt["code"],
                    &attempt["error"],
                ];
                values.map(text).to_vec()
            }),
        );
    }
    shown
}

pub(super) fn acted(acted: &Value) -> String {
    let name = format!("{} {}", text(&acted["type"]), text(&acted["key"]));
    fields(&[("operation", name), ("state", text(&acted["state"]))])
}

pub(super) fn settled(settled: &Value) -> String {
    let name = format!("{} {}", text(&settled["type"]), text(&settled["key"]));
    fields(&[("operation", name), ("step", text(&settled["step"])), ("effect", text(&settled["effect"]))])
}
