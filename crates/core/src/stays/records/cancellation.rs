//! What a cancellation costs.

use serde::{Deserialize, Serialize};

use crate::kernel::{Invalid, Timestamp};
use crate::stays::NIGHTS_PER_STAY_MAX;

const HOURS_MAX: u32 = 24 * 400;

/// Kept with what was quoted: a later change of the plan changes nothing that was promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CancellationPolicy {
    /// Free until so many hours before check-in; `None` is never.
    pub free_until_hours: Option<u32>,
    /// What is kept of a cancellation after that.
    pub penalty: Penalty,
    /// What is kept of those who do not come.
    pub no_show: Penalty,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Penalty {
    None,
    /// The first so many nights.
    Nights(u32),
    /// Of the total.
    Percent(u32),
    All,
}

impl CancellationPolicy {
    pub fn check(&self) -> Result<(), Invalid> {
        let hours = self.free_until_hours.unwrap_or(0);
        check_number("free_until_hours", hours, 0, HOURS_MAX)?;
        self.penalty.check("penalty")?;
        self.no_show.check("no_show")
    }

    /// What is kept if the stay is cancelled now. `night_totals` is what all rooms cost, per night.
    pub fn penalty(&self, night_totals: &[i64], now: Timestamp, check_in_at: Timestamp) -> i64 {
        let free_until = self.free_until_hours.map(|hours| check_in_at.plus_secs(i64::from(hours).strict_mul(-3_600)));
        let is_free = free_until.is_some_and(|until| now < until);
        if is_free { 0 } else { self.penalty.amount(night_totals) }
    }

    /// What is kept if nobody comes.
    pub fn no_show_penalty(&self, night_totals: &[i64]) -> i64 {
        self.no_show.amount(night_totals)
    }
}

impl Penalty {
    fn check(self, what: &str) -> Result<(), Invalid> {
        let nights_max = u32::try_from(NIGHTS_PER_STAY_MAX).expect("a small number");
        match self {
            Penalty::None | Penalty::All => Ok(()),
            Penalty::Nights(nights) => check_number(what, nights, 1, nights_max),
            Penalty::Percent(percent) => check_number(what, percent, 1, 100),
        }
    }

    /// Never above the total.
    pub fn amount(self, night_totals: &[i64]) -> i64 {
        let total: i64 = night_totals.iter().sum();
        match self {
            Penalty::None => 0,
            Penalty::Nights(nights) => {
                let nights = usize::try_from(nights).unwrap_or(usize::MAX);
                night_totals.iter().take(nights).sum()
            }
            Penalty::Percent(percent) => percent_half_up(total, percent.min(100)),
            Penalty::All => total,
        }
    }
}

/// Rounds half up: half a cent is the property's.
fn percent_half_up(amount: i64, percent: u32) -> i64 {
    let share = i128::from(amount).strict_mul(i128::from(percent)).strict_add(50).div_euclid(100);
    i64::try_from(share).expect("a share is not above the whole")
}

fn check_number(what: &str, number: u32, min: u32, max: u32) -> Result<(), Invalid> {
    let (amount, amount_min, amount_max) = (i64::from(number), i64::from(min), i64::from(max));
    let sane = (min..=max).contains(&number);
    if sane { Ok(()) } else { Err(Invalid::Amount { what: what.to_owned(), amount, amount_min, amount_max }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600;

    #[test]
    fn amounts() {
        let check = |penalty: Penalty, night_totals: &[i64], expected: i64| {
            assert_eq!(penalty.amount(night_totals), expected, "{penalty:?} of {night_totals:?}");
        };
        check(Penalty::None, &[100, 200], 0);
        check(Penalty::Nights(1), &[100, 200], 100);
        check(Penalty::Nights(2), &[100, 200], 300);
        check(Penalty::Nights(9), &[100, 200], 300);
        check(Penalty::Percent(50), &[100, 200], 150);
        check(Penalty::Percent(50), &[1], 1);
        check(Penalty::Percent(49), &[1], 0);
        check(Penalty::Percent(10), &[5], 1);
        check(Penalty::Percent(10), &[4], 0);
        check(Penalty::Percent(100), &[100, 201], 301);
        check(Penalty::Percent(33), &[1_000_000_000_000; 90], 29_700_000_000_000);
        check(Penalty::All, &[100, 200], 300);
        check(Penalty::All, &[], 0);
    }

    /// The instant itself is too late: free is everything before it.
    #[test]
    fn when_it_is_free() {
        let check_in_at = Timestamp::from_micros(1_800_000_000_000_000);
        let check = |free_until_hours: Option<u32>, hours_before: i64, micros: i64, expected: i64| {
            let policy = CancellationPolicy { free_until_hours, penalty: Penalty::Nights(1), no_show: Penalty::All };
            let now = Timestamp::from_micros(check_in_at.plus_secs(-hours_before * HOUR).micros() + micros);
            assert_eq!(policy.penalty(&[100, 200], now, check_in_at), expected, "{free_until_hours:?} {now}");
            assert_eq!(policy.no_show_penalty(&[100, 200]), 300);
        };
        check(Some(24), 25, 0, 0);
        check(Some(24), 24, -1, 0);
        check(Some(24), 24, 0, 100);
        check(Some(24), 1, 0, 100);
        check(Some(24), -48, 0, 100);
        check(Some(0), 0, -1, 0);
        check(Some(0), 0, 0, 100);
        check(None, 1_000, 0, 100);
    }

    #[test]
    fn what_is_no_policy() {
        let check = |free_until_hours: Option<u32>, penalty: Penalty, sane: bool| {
            let policy = CancellationPolicy { free_until_hours, penalty, no_show: Penalty::All };
            assert_eq!(policy.check().is_ok(), sane, "{policy:?}");
        };
        check(Some(24), Penalty::Percent(100), true);
        check(None, Penalty::Nights(90), true);
        check(Some(9_601), Penalty::None, false);
        check(None, Penalty::Percent(101), false);
        check(None, Penalty::Percent(0), false);
        check(None, Penalty::Nights(0), false);
        check(None, Penalty::Nights(91), false);
    }

    #[test]
    fn as_json() {
        for (penalty, json) in [
            (Penalty::None, r#""none""#),
            (Penalty::Nights(2), r#"{"nights":2}"#),
            (Penalty::Percent(50), r#"{"percent":50}"#),
            (Penalty::All, r#""all""#),
        ] {
            assert_eq!(serde_json::to_string(&penalty).unwrap(), json);
            assert_eq!(serde_json::from_str::<Penalty>(json).unwrap(), penalty);
        }
    }
}
