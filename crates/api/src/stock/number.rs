//! Money finer than a minor unit, as text: a number of JSON would be read as a floating-point one by many.

pub(super) use surehold_core::stock::decimal;
use surehold_core::stock::rules::Balance;

/// The average cost of what is shown as one unit, with four decimals.
pub(super) fn average(balance: Balance, scale: u32) -> Option<String> {
    let shown = balance.average_shown(10_i64.checked_pow(scale)?)?;
    let (whole, fraction) = (shown.unsigned_abs() / 10_000, shown.unsigned_abs() % 10_000);
    let sign = if shown < 0 { "-" } else { "" };
    Some(format!("{sign}{whole}.{fraction:04}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages() {
        let check = |quantity, value, scale, expected: Option<&str>| {
            assert_eq!(average(Balance { quantity, value }, scale).as_deref(), expected);
        };
        check(30, 3_600_000_000, 0, Some("120.0000"));
        check(3, 1_000_000_000, 0, Some("333.3333"));
        check(3_250, 1_946_750_000, 3, Some("599.0000"));
        check(0, 0, 0, None);
    }
}
