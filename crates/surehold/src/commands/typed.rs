//! What is typed, one word at a time: names, dates, lines, durations. Pure; knows nothing of flags or requests.

use std::fmt::Display;

use jiff::{SpanRelativeTo, civil::Date};
use serde_json::{Map, Value};
use surehold_api::Line;
use surehold_core::kernel::{Currency, HoldId, Invalid, ResourceName, Slot, Timestamp, Title};
use surehold_core::operations::DedupeKey;
use uuid::Uuid;

/// Addresses cannot carry them: everybody on the way takes them for folders.
pub(super) fn check_segment(text: &str, what: &str) -> Result<(), String> {
    if matches!(text, "." | "..") { Err(format!("{what} . or .. cannot be asked for")) } else { Ok(()) }
}

pub(super) fn resource(text: &str) -> Result<ResourceName, String> {
    check_segment(text, "a resource called")?;
    ResourceName::new(text).map_err(|invalid| invalid.to_string())
}

pub(super) fn date(text: &str) -> Result<Date, String> {
    let date = Slot::parse(text).ok().and_then(|slot| slot.date());
    date.ok_or_else(|| "write a date like 2026-12-24".to_owned())
}

pub(super) fn hold_id(text: &str) -> Result<HoldId, String> {
    id(text, "`hold place` and `hold list` show it")
}

/// A UUID of version 7; `shown` says where people have it from.
pub(super) fn id<T: TryFrom<Uuid, Error = Invalid>>(text: &str, shown: &str) -> Result<T, String> {
    let id: Uuid = text.parse().map_err(|_| format!("write a UUID, as {shown}"))?;
    T::try_from(id).map_err(|invalid| invalid.to_string())
}

/// What nothing else is called.
pub(super) fn new_id<T: TryFrom<Uuid, Error = Invalid>>() -> T {
    T::try_from(Uuid::now_v7()).expect("it has version 7")
}

/// An instant with its offset.
pub(super) fn instant(text: &str) -> Result<Timestamp, String> {
    let instant: Result<jiff::Timestamp, _> = text.parse();
    instant.map(core_instant).map_err(|_| "write an instant like 2026-12-24T18:00:00Z".to_owned())
}

pub(super) fn core_instant(instant: jiff::Timestamp) -> Timestamp {
    Timestamp::from_micros(instant.as_microsecond())
}

/// Whole seconds, written like `90d`, `36h` or `15m`.
pub(super) fn duration_secs(text: &str) -> Result<i64, String> {
    let wrong = || "write a duration like 90d, 36h, 15m or 30s".to_owned();
    let span: jiff::Span = text.parse().map_err(|_| wrong())?;
    let duration = span.to_duration(SpanRelativeTo::days_are_24_hours()).map_err(|_| wrong())?;
    if duration.is_negative() || duration.subsec_nanos() != 0 {
        return Err(wrong());
    }
    Ok(duration.as_secs())
}

/// What was written, as far as it fits into a message.
pub(super) fn shown(text: &str) -> String {
    const CHARS_MAX: usize = 40;
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let short: String = plain.clone().take(CHARS_MAX).collect();
    if plain.count() > CHARS_MAX { format!("{short}…") } else { short }
}

pub(super) fn currency(text: &str) -> Result<Currency, String> {
    Currency::parse(&text.to_ascii_uppercase()).map_err(|_| "write a currency like BRL or EUR".to_owned())
}

/// Units of a pool: `RESOURCE[@SLOT][=QTY]`. What follows the last `=` is the quantity, and what follows the last `@` before
/// it the date. A name with an `@` of its own is written with another one behind it.
pub(super) fn line(text: &str) -> Result<Line, String> {
    let (pool, quantity) = match text.rsplit_once('=') {
        None => (text, 1),
        Some((pool, quantity)) => {
            let quantity = quantity.parse().map_err(|_| format!("`{quantity}` is no quantity, as in double=2"))?;
            (pool, quantity)
        }
    };
    let (name, slot) = pool.rsplit_once('@').unwrap_or((pool, ""));
    let slot = if slot.is_empty() { Slot::NONE } else { self::slot(slot)? };
    Ok(Line { resource: resource(name)?, slot, quantity })
}

pub(super) fn slot(text: &str) -> Result<Slot, String> {
    Slot::night(date(text)?).map_err(|invalid| invalid.to_string())
}

pub(super) fn object(text: &str) -> Result<Map<String, Value>, String> {
    serde_json::from_str(text).map_err(|error| format!("write a JSON object like {{\"cart\": 7}}: {error}"))
}

/// What people call a thing, if nobody says otherwise: its name.
pub(super) fn titled(name: &impl Display) -> Title {
    Title::new(&name.to_string()).expect("names are shorter than titles")
}

pub(super) fn operation_key(text: &str) -> Result<DedupeKey, String> {
    check_segment(text, "a key that is")?;
    DedupeKey::new(text).map_err(|invalid| invalid.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let good = |text: &str, resource: &str, slot: &str, quantity: i64| {
            let Line { resource: name, slot: night, quantity: units } = line(text).unwrap();
            assert_eq!((name.as_str(), night.as_str(), units), (resource, slot, quantity), "{text}");
        };
        good("t-shirt", "t-shirt", "", 1);
        good("t-shirt=3", "t-shirt", "", 3);
        good("double@2026-12-24", "double", "2026-12-24", 1);
        good("double@2026-12-24=2", "double", "2026-12-24", 2);
        good("desk@home@", "desk@home", "", 1);
        good("desk@home@2026-12-24=2", "desk@home", "2026-12-24", 2);
        good("a=b=2", "a=b", "", 2);
        // Whether that many make sense is not for us to say.
        good("t-shirt=-1", "t-shirt", "", -1);
        for bad in ["", "@2026-12-24", "=2", "double@2026-13-24", "double@tomorrow", "double=two", "double=", ".."] {
            assert!(line(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn long_words() {
        assert_eq!(shown("450"), "450");
        assert_eq!(shown(&format!("a\nb{}", "x".repeat(1_000))), format!("a b{}…", "x".repeat(37)));
    }

    #[test]
    fn durations() {
        let good = [("90d", 7_776_000), ("1d", 86_400), ("2w", 1_209_600), ("36h", 129_600), ("15m", 900), ("0s", 0)];
        for (text, secs) in good {
            assert_eq!(duration_secs(text), Ok(secs), "{text}");
        }
        for bad in ["", "90", "-1d", "1.5s", "one day", "3 fortnights", "1mo", "1y"] {
            assert!(duration_secs(bad).is_err(), "{bad}");
        }
    }
}
