//! What is typed, one word at a time: names, dates, lines, durations. Pure; knows nothing of flags or requests.

use jiff::{SpanRelativeTo, Timestamp, civil::Date};
use serde_json::{Value, json};
use surehold_core::kernel::{Currency, ResourceName, Slot, Slug};
use surehold_core::operations::{Cron, DedupeKey, ScheduleName, TimeZoneName};
use uuid::Uuid;

/// A tenant's name in addresses.
pub(super) fn slug(text: &str) -> Result<String, String> {
    Slug::new(text).map(|slug| slug.to_string()).map_err(|invalid| invalid.to_string())
}

pub(super) fn resource(text: &str) -> Result<String, String> {
    // Addresses cannot carry them: everybody on the way takes them for folders.
    if matches!(text, "." | "..") {
        return Err("a resource called . or .. cannot be asked for".to_owned());
    }
    ResourceName::new(text).map(|name| name.to_string()).map_err(|invalid| invalid.to_string())
}

pub(super) fn schedule_name(text: &str) -> Result<String, String> {
    ScheduleName::new(text).map(|name| name.to_string()).map_err(|invalid| invalid.to_string())
}

/// A schedule as in crontab.
pub(super) fn cron(text: &str) -> Result<String, String> {
    Cron::parse(text).map(|cron| cron.to_string()).map_err(|error| error.to_string())
}

pub(super) fn zone(text: &str) -> Result<String, String> {
    TimeZoneName::parse(text).map(|zone| zone.to_string()).map_err(|invalid| invalid.to_string())
}

pub(super) fn date(text: &str) -> Result<Date, String> {
    let date = Slot::parse(text).ok().and_then(|slot| slot.date());
    date.ok_or_else(|| "write a date like 2026-12-24".to_owned())
}

pub(super) fn hold_id(text: &str) -> Result<Uuid, String> {
    text.parse().map_err(|_| "write a UUID, as `hold place` and `hold list` show it".to_owned())
}

/// An instant with its offset.
pub(super) fn instant(text: &str) -> Result<Timestamp, String> {
    text.parse().map_err(|_| "write an instant like 2026-12-24T18:00:00Z".to_owned())
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

pub(super) fn currency(text: &str) -> Result<String, String> {
    let code = Currency::parse(&text.to_ascii_uppercase());
    code.map(|code| code.to_string()).map_err(|_| "write a currency like BRL or EUR".to_owned())
}

/// Units of a pool: `RESOURCE[@SLOT][=QTY]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    resource: String,
    slot: String,
    quantity: i64,
}

impl Line {
    /// What follows the last `=` is the quantity, and what follows the last `@` before it the date. A name with an `@`
    /// of its own is written with another one behind it.
    pub(super) fn parse(text: &str) -> Result<Line, String> {
        let (pool, quantity) = match text.rsplit_once('=') {
            None => (text, 1),
            Some((pool, quantity)) => {
                let quantity = quantity.parse().map_err(|_| format!("`{quantity}` is no quantity, as in double=2"))?;
                (pool, quantity)
            }
        };
        let (name, slot) = pool.rsplit_once('@').unwrap_or((pool, ""));
        if !slot.is_empty() {
            date(slot)?;
        }
        Ok(Line { resource: resource(name)?, slot: slot.to_owned(), quantity })
    }

    pub(super) fn json(&self) -> Value {
        json!({"resource": self.resource, "slot": self.slot, "quantity": self.quantity})
    }
}

pub(super) fn lines_json(lines: &[Line]) -> Value {
    lines.iter().map(Line::json).collect()
}

pub(super) fn operation_key(text: &str) -> Result<String, String> {
    // Addresses cannot carry them, as with resources.
    if matches!(text, "." | "..") {
        return Err("a key that is . or .. cannot be asked for".to_owned());
    }
    DedupeKey::new(text).map(|key| key.to_string()).map_err(|invalid| invalid.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let good = |text: &str, resource: &str, slot: &str, quantity: i64| {
            let expected = Line { resource: resource.to_owned(), slot: slot.to_owned(), quantity };
            assert_eq!(Line::parse(text), Ok(expected), "{text}");
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
            assert!(Line::parse(bad).is_err(), "{bad}");
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
