//! How answers look to people: aligned, without colour, times as the API gives them.

use std::fmt::Display;

use comfy_table::{CellAlignment, Table, presets};
use surehold_core::kernel::{Line, Lines, Timestamp};

use super::show::joined;

/// Columns under a header; those named in `right` hold numbers.
pub(super) fn table(
    header: &[impl AsRef<str>],
    right: &[usize],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(header.iter().map(AsRef::as_ref));
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

/// `double on 2026-12-24, 2 × t-shirt`
pub(super) fn lines(lines: &Lines) -> String {
    let line = |Line { pool, quantity }: &Line| match quantity {
        1 => pool.to_string(),
        quantity => format!("{quantity} × {pool}"),
    };
    joined(lines.iter().map(line), ", ")
}

/// `1 night`, `3 nights`
pub(super) fn counted<N: Copy + Display + PartialEq + From<u8>>(count: N, one: &str, many: &str) -> String {
    if count == N::from(1) { format!("1 {one}") } else { format!("{count} {many}") }
}

/// The instant, and how far away it is.
pub(super) fn instant(at: Timestamp) -> String {
    format!("{at} ({})", ago(at))
}

/// Only how far away it is.
pub(super) fn ago(at: Timestamp) -> String {
    relative(at, Timestamp::from_micros(jiff::Timestamp::now().as_microsecond()))
}

/// `in 14 min`, `3 days ago`: rounded down, to be read at a glance.
fn relative(at: Timestamp, now: Timestamp) -> String {
    const UNITS: [(i64, &str, &str); 4] =
        [(86_400, "day", "days"), (3_600, "h", "h"), (60, "min", "min"), (1, "s", "s")];
    let secs = at.micros().saturating_sub(now.micros()) / 1_000_000;
    let away = secs.abs();
    let unit = UNITS.iter().find(|(unit_secs, ..)| away >= *unit_secs);
    let Some((unit_secs, one, many)) = unit else { return "now".to_owned() };
    let count = away / unit_secs;
    let unit = if count == 1 { one } else { many };
    if secs > 0 { format!("in {count} {unit}") } else { format!("{count} {unit} ago") }
}

#[cfg(test)]
mod tests {
    use surehold_core::kernel::{PoolKey, ResourceName, Slot};

    use super::*;

    #[test]
    fn distances() {
        let instant = |text: &str| Timestamp::from_micros(text.parse::<jiff::Timestamp>().unwrap().as_microsecond());
        let now = instant("2026-12-24T12:00:00Z");
        let check = |at: &str, expected: &str| assert_eq!(relative(instant(at), now), expected, "{at}");
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
        let line = |resource: &str, slot: &str, quantity: i64| {
            let pool = PoolKey { resource: ResourceName::new(resource).unwrap(), slot: Slot::parse(slot).unwrap() };
            Line { pool, quantity }
        };
        let shown = lines(&Lines::new(vec![line("double", "2026-12-24", 1), line("t-shirt", "", 2)]).unwrap());
        assert_eq!(shown, "double on 2026-12-24, 2 × t-shirt");
        let rows = [vec!["double".to_owned(), "5".to_owned()], vec!["suite".to_owned(), "12".to_owned()]];
        assert_eq!(table(&["A", "N"], &[1], rows), "A        N\ndouble   5\nsuite   12\n");
        assert_eq!(fields(&[("a", "1".to_owned()), ("long", String::new())]), "a  1\n");
    }
}
