//! Numbers with decimals as whole numbers of their last place: exact, nothing is rounded.

use surehold_core::kernel::{NoDecimal, parse_decimal};

use super::money::DecimalSign;

/// `3.25` with three decimals is 3250.
pub(super) fn parse(text: &str, decimals: usize, sign: DecimalSign) -> Result<i64, NoDecimal> {
    match sign {
        DecimalSign::Point => parse_decimal(text, decimals),
        DecimalSign::PointOrComma => parse_decimal(&text.replace(',', "."), decimals),
    }
}

/// With all its decimals: 3250 with three is `3.250`.
pub(super) fn show(number: i64, decimals: usize) -> String {
    let sign = if number < 0 { "-" } else { "" };
    let digits = format!("{:0width$}", number.unsigned_abs(), width = decimals + 1);
    let (whole, part) = digits.split_at(digits.len() - decimals);
    if part.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") }
}

/// Without the zeros at its end, but with so many decimals at least.
pub(super) fn short(shown: &str, decimals_min: usize) -> String {
    let Some((whole, part)) = shown.split_once('.') else { return shown.to_owned() };
    let kept = part.trim_end_matches('0').len().max(decimals_min).min(part.len());
    if kept == 0 { whole.to_owned() } else { format!("{whole}.{}", &part[..kept]) }
}

/// The point goes so many places to the left: `333.3333` by two is `3.333333`.
pub(super) fn shifted(shown: &str, places: usize) -> String {
    let (sign, digits) = shown.strip_prefix('-').map_or(("", shown), |digits| ("-", digits));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let padded = format!("{whole:0>width$}", width = places + 1);
    let (whole, moved) = padded.split_at(padded.len() - places);
    match format!("{moved}{part}") {
        part if part.is_empty() => format!("{sign}{whole}"),
        part => format!("{sign}{whole}.{part}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read() {
        let check = |text: &str, decimals: usize, expected: Result<i64, NoDecimal>| {
            assert_eq!(parse(text, decimals, DecimalSign::Point), expected, "{text}");
        };
        check("3.250", 3, Ok(3_250));
        check("3.25", 3, Ok(3_250));
        check("3", 3, Ok(3_000));
        check("0.001", 3, Ok(1));
        check("12", 0, Ok(12));
        check("12.0", 0, Err(NoDecimal::TooManyDecimals));
        check("3.2500", 3, Err(NoDecimal::TooManyDecimals));
        check("9223372036854775807", 0, Ok(i64::MAX));
        check("9223372036854775808", 0, Err(NoDecimal::TooLarge));
        for bad in ["", ".", "3.", ".5", "-1", "+1", "1e3", "1 000", "1,000", "1.000.000", "٣"] {
            check(bad, 3, Err(NoDecimal::Malformed));
        }
        assert_eq!(parse("3,25", 3, DecimalSign::PointOrComma), Ok(3_250));
    }

    #[test]
    fn shown() {
        for (number, decimals, expected) in [
            (3_250, 3, "3.250"),
            (-1, 3, "-0.001"),
            (12, 0, "12"),
            (0, 2, "0.00"),
            (i64::MIN, 0, "-9223372036854775808"),
        ] {
            assert_eq!(show(number, decimals), expected);
        }
        for (text, least, expected) in [("3.250", 0, "3.25"), ("3.000", 0, "3"), ("3.000", 2, "3.00"), ("12", 2, "12")]
        {
            assert_eq!(short(text, least), expected);
        }
        for (text, places, expected) in [
            ("333.3333", 2, "3.333333"),
            ("-50", 2, "-0.50"),
            ("7", 0, "7"),
            ("1946.75", 2, "19.4675"),
            ("0", 3, "0.000"),
            ("1234", 3, "1.234"),
        ] {
            assert_eq!(shifted(text, places), expected);
        }
    }
}
