//! Instants on the wire: RFC 3339, as microseconds since 1970. Finer ones are cut, as the API says.

const MICROS_PER_SEC: i64 = 1_000_000;

pub(super) fn from_secs(secs: i64) -> i64 {
    secs.saturating_mul(MICROS_PER_SEC)
}

/// `None` if it is no instant.
pub(super) fn parse(text: &str) -> Option<i64> {
    let (date, rest) = text.split_once(['T', 't'])?;
    let mut parts = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let zone_at = rest.find(['Z', 'z', '+', '-'])?;
    let (time, zone) = rest.split_at(zone_at);
    let mut parts = time.splitn(3, ':');
    let (hour, minute) = (parts.next()?.parse::<i64>().ok()?, parts.next()?.parse::<i64>().ok()?);
    let (secs, micros) = seconds(parts.next()?)?;
    let of_day = hour * 3_600 + minute * 60 + secs - offset_secs(zone)?;
    Some(from_secs(days_since_1970(year, month, day) * 86_400 + of_day) + micros)
}

fn seconds(text: &str) -> Option<(i64, i64)> {
    let (secs, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{fraction:0<6}");
    Some((secs.parse().ok()?, digits.get(..6)?.parse().ok()?))
}

fn offset_secs(zone: &str) -> Option<i64> {
    if zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    Some(sign * (hours.parse::<i64>().ok()? * 3_600 + minutes.parse::<i64>().ok()? * 60))
}

/// The civil calendar, with years that begin in March so that the leap day is the last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants() {
        let check = |text: &str, expected: Option<i64>| assert_eq!(parse(text), expected, "{text}");
        check("1970-01-01T00:00:00Z", Some(0));
        check("1970-01-01T00:00:00.000001Z", Some(1));
        check("1970-01-01T01:00:00.5+01:00", Some(500_000));
        check("2026-12-24T18:00:00Z", Some(1_798_135_200_000_000));
        check("2024-02-29T23:59:59.1234567-00:30", Some(1_709_252_999_123_456));
        check("2026-12-24", None);
        check("yesterday", None);
    }
}
