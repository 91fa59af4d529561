//! How answers look to people: aligned, without colour, times as the API gives them.

use comfy_table::{CellAlignment, Table, presets};
use jiff::Timestamp;
use serde_json::Value;

/// Text as it is; anything else as its JSON; nothing for what is absent.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

pub(super) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Columns under a header; those named in `right` hold numbers.
pub(super) fn table(header: &[&str], right: &[usize], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(header.iter().copied());
    table.add_rows(rows);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if right.contains(&index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// One thing, a property a line; what is empty is left out.
pub(super) fn fields(fields: &[(&str, String)]) -> String {
    let shown = fields.iter().filter(|(_, value)| !value.is_empty());
    let width = shown.clone().map(|(name, _)| name.len()).max().unwrap_or(0);
    shown.map(|(name, value)| format!("{name:width$}  {value}\n")).collect()
}

/// `double on 2026-12-24`
pub(super) fn pool_name(pool: &Value) -> String {
    match pool["slot"].as_str() {
        None | Some("") => text(&pool["resource"]),
        Some(slot) => format!("{} on {slot}", text(&pool["resource"])),
    }
}

/// `double on 2026-12-24, 2 × t-shirt`
pub(super) fn lines(lines: &Value) -> String {
    let line = |line: &Value| match line["quantity"].as_i64() {
        None | Some(1) => pool_name(line),
        Some(quantity) => format!("{quantity} × {}", pool_name(line)),
    };
    list(lines).iter().map(line).collect::<Vec<_>>().join(", ")
}

/// `1 night`, `3 nights`
pub(super) fn counted(count: i64, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

/// The instant, and how far away it is.
pub(super) fn instant(at: &Value) -> String {
    let at = text(at);
    match at.parse::<Timestamp>() {
        Ok(instant) => format!("{at} ({})", relative(instant, Timestamp::now())),
        Err(_) => at,
    }
}

/// Only how far away it is.
pub(super) fn ago(at: &Value) -> String {
    let at = text(at);
    at.parse::<Timestamp>().map_or(at, |instant| relative(instant, Timestamp::now()))
}

/// `in 14 min`, `3 days ago`: rounded down, to be read at a glance.
fn relative(at: Timestamp, now: Timestamp) -> String {
    const UNITS: [(i64, &str, &str); 4] =
        [(86_400, "day", "days"), (3_600, "h", "h"), (60, "min", "min"), (1, "s", "s")];
    let secs = at.duration_since(now).as_secs();
    let away = secs.abs();
    let unit = UNITS.iter().find(|(unit_secs, ..)| away >= *unit_secs);
    let Some((unit_secs, one, many)) = unit else { return "now".to_owned() };
    let count = away / unit_secs;
    let unit = if count == 1 { one } else { many };
    if secs > 0 { format!("in {count} {unit}") } else { format!("{count} {unit} ago") }
}

pub(super) fn pools<'p>(pools: impl IntoIterator<Item = &'p Value>) -> String {
    let header = ["RESOURCE", "SLOT", "AVAILABLE", "TOTAL", "OVERBOOK", "HELD", "BOOKED", "VERSION", "STATE"];
    let row = |pool: &Value| {
        let names = ["resource", "slot", "available", "total", "overbook", "held", "booked", "version"];
        let mut row: Vec<String> = names.iter().map(|name| text(&pool[*name])).collect();
        row.push(pool_state(pool));
        row
    };
    table(&header, &[2, 3, 4, 5, 6, 7], pools.into_iter().map(row))
}

fn pool_state(pool: &Value) -> String {
    let units = |what: &str| match pool[what].as_i64() {
        Some(units @ 1..) => format!(", {units} {what}"),
        Some(_) | None => String::new(),
    };
    let state = if pool["closed"] == true { "closed" } else { "open" };
    format!("{state}{}{}", units("granted"), units("oversold"))
}

pub(super) fn hold(hold: &Value) -> String {
    let kept = match &hold["kept"] {
        Value::Null => String::new(),
        kept if list(&kept["lines"]).is_empty() => "nothing".to_owned(),
        kept => format!("{} ({})", lines(&kept["lines"]), if kept["mode"] == "book" { "booked" } else { "consumed" }),
    };
    let expires = if hold["state"] == "active" { instant(&hold["expires_at"]) } else { text(&hold["expires_at"]) };
    fields(&[
        ("hold", text(&hold["id"])),
        ("state", text(&hold["state"])),
        ("lines", lines(&hold["lines"])),
        ("kept", kept),
        ("expires", expires),
        ("owner", text(&hold["owner"])),
        ("reference", text(&hold["reference"])),
        ("metadata", text(&hold["metadata"])),
        ("placed", text(&hold["placed_at"])),
        ("ended", text(&hold["ended_at"])),
        ("version", text(&hold["version"])),
    ])
}

pub(super) fn holds<'h>(holds: impl IntoIterator<Item = &'h Value>) -> String {
    let row = |hold: &Value| {
        let expires = if hold["state"] == "active" { instant(&hold["expires_at"]) } else { String::new() };
        let (owner, reference) = (text(&hold["owner"]), text(&hold["reference"]));
        vec![text(&hold["id"]), text(&hold["state"]), expires, owner, reference, lines(&hold["lines"])]
    };
    table(&["HOLD", "STATE", "EXPIRES", "OWNER", "REFERENCE", "LINES"], &[], holds.into_iter().map(row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn distances() {
        let now: Timestamp = "2026-12-24T12:00:00Z".parse().unwrap();
        let check = |at: &str, expected: &str| assert_eq!(relative(at.parse().unwrap(), now), expected, "{at}");
        check("2026-12-24T12:14:59Z", "in 14 min");
        check("2026-12-24T12:00:00.5Z", "now");
        check("2026-12-24T12:00:01Z", "in 1 s");
        check("2026-12-24T14:00:00Z", "in 2 h");
        check("2026-12-25T12:00:00Z", "in 1 day");
        check("2027-03-24T12:00:00Z", "in 90 days");
        check("2026-12-24T11:59:30Z", "30 s ago");
        check("2026-12-21T12:00:00Z", "3 days ago");
    }

    #[test]
    fn names_and_tables() {
        let night = json!({"resource": "double", "slot": "2026-12-24", "quantity": 1});
        let shirts = json!({"resource": "t-shirt", "slot": "", "quantity": 2});
        assert_eq!(lines(&json!([night, shirts])), "double on 2026-12-24, 2 × t-shirt");
        let rows = [vec!["double".to_owned(), "5".to_owned()], vec!["suite".to_owned(), "12".to_owned()]];
        assert_eq!(table(&["A", "N"], &[1], rows), "A        N\ndouble   5\nsuite   12\n");
        assert_eq!(fields(&[("a", "1".to_owned()), ("long", String::new())]), "a  1\n");
    }
}
