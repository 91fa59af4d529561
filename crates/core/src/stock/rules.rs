//! The arithmetic of cost: whole numbers only, every rounding named. Knows no documents and no records.
//!
//! Values are millionths of a minor unit ("micros"). What an issue rounds away stays in the value that is left, so that
//! what came in minus what went out is what is there, exactly. `docs/stock.md` has the rules in words; each of its
//! numbers is a row of the tests below.

use serde::{Deserialize, Serialize};

use crate::kernel::{AMOUNT_MAX, Columnar, UNITS_MAX};

/// Millionths in a minor unit.
pub const MICROS: i64 = 1_000_000;
/// Of an item, and of a document. So many times the largest amount, and sums of two still fit.
pub const VALUE_MAX: i64 = 4 * AMOUNT_MAX * MICROS;
/// Ten-thousandths: averages are shown with four decimals of a minor unit.
const AVERAGE_DECIMALS: i64 = 10_000;

/// How much there is, and what it cost.
/// Invariant: nothing costs nothing: no quantity, no value. Neither goes below zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Columnar)]
pub struct Balance {
    pub quantity: i64,
    pub value: i64,
}

/// A quantity or a value beyond the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange;

impl Balance {
    pub const NOTHING: Balance = Balance { quantity: 0, value: 0 };

    pub fn plus(self, quantity: i64, value: i64) -> Result<Balance, OutOfRange> {
        let quantity = self.quantity.checked_add(quantity).filter(|sum| (0..=UNITS_MAX).contains(sum));
        let value = self.value.checked_add(value).filter(|sum| (0..=VALUE_MAX).contains(sum));
        match (quantity, value) {
            (Some(quantity), Some(value)) => Ok(Balance { quantity, value }),
            (_, _) => Err(OutOfRange),
        }
    }

    /// What `quantity` units of these cost: their share, and all that is left if they are all.
    pub fn cost_of(self, quantity: i64) -> i64 {
        assert!((1..=self.quantity).contains(&quantity), "no more is taken than there is");
        if quantity == self.quantity { self.value } else { share(self.value, quantity, self.quantity) }
    }

    /// Takes units at their share; tells what they cost.
    #[must_use]
    pub fn take(self, quantity: i64) -> (i64, Balance) {
        let cost = self.cost_of(quantity);
        (cost, self.minus(quantity, cost))
    }

    /// What units cost that came in for `came_for` and go back: that, unless it would leave others without value; then
    /// their share. The last units take all.
    pub fn cost_of_undone(self, quantity: i64, came_for: i64) -> i64 {
        let spares_others = quantity < self.quantity && came_for < self.value;
        if spares_others { came_for } else { self.cost_of(quantity) }
    }

    #[must_use]
    pub fn minus(self, quantity: i64, cost: i64) -> Balance {
        let left = Balance { quantity: self.quantity.strict_sub(quantity), value: self.value.strict_sub(cost) };
        debug_assert!(left.quantity >= 0 && left.value >= 0 && (left.quantity > 0 || left.value == 0), "{left:?}");
        left
    }

    /// What units would cost at the average of these; `None` where there is no average.
    pub fn at_average(self, quantity: i64) -> Option<i64> {
        (self.quantity > 0).then(|| share(self.value, quantity, self.quantity))
    }

    /// The average cost of `units` base units, in ten-thousandths of a minor unit, for people to look at.
    pub fn average_shown(self, units: i64) -> Option<i64> {
        let scaled = i128::from(self.value).strict_mul(i128::from(units)).strict_mul(i128::from(AVERAGE_DECIMALS));
        let whole = i128::from(self.quantity).strict_mul(i128::from(MICROS));
        (self.quantity > 0).then(|| i64::try_from(round_half_even(scaled, whole)).unwrap_or(i64::MAX))
    }
}

/// `value · part / whole`, to the nearest millionth; halves to the even one.
pub fn share(value: i64, part: i64, whole: i64) -> i64 {
    let exact = i128::from(value).strict_mul(i128::from(part));
    i64::try_from(round_half_even(exact, i128::from(whole))).unwrap_or(i64::MAX)
}

/// Money as it is shown: whole minor units, halves to the even one. Never kept.
pub fn shown(value: i64) -> i64 {
    i64::try_from(round_half_even(i128::from(value), i128::from(MICROS))).expect("smaller than what it was made of")
}

/// What a count costs at a price in millionths for each `units` of it.
pub fn priced(price: i64, count: i64, units: i64) -> Result<i64, OutOfRange> {
    let exact = i128::from(price).checked_mul(i128::from(count)).ok_or(OutOfRange)?;
    let value = round_half_even(exact, i128::from(units));
    i64::try_from(value).ok().filter(|value| (0..=VALUE_MAX).contains(value)).ok_or(OutOfRange)
}

/// The part of `extra` that falls to a line with `weight` behind `before` of `total`: what is due up to and with it, less
/// what is due before it, both rounded down. So all lines together get all of it.
pub fn spread(extra: i64, before: i64, weight: i64, total: i64) -> i64 {
    assert!(total > 0, "something weighs something");
    let due = |weight: i64| i128::from(extra).strict_mul(i128::from(weight)).div_euclid(i128::from(total));
    let part = due(before.strict_add(weight)).strict_sub(due(before));
    i64::try_from(part).expect("a part of what fits")
}

/// For numbers of at least zero.
fn round_half_even(numerator: i128, denominator: i128) -> i128 {
    let (whole, rest) = (numerator.div_euclid(denominator), numerator.rem_euclid(denominator));
    let up = match rest.strict_mul(2).cmp(&denominator) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Equal => whole.rem_euclid(2) == 1,
        std::cmp::Ordering::Greater => true,
    };
    whole.strict_add(i128::from(up))
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects, reason = "a test that overflows has failed, as it should")]
mod tests {
    use super::*;

    fn balance(quantity: i64, value: i64) -> Balance {
        Balance { quantity, value }
    }

    /// 10.00 is 1,000 minor units.
    fn minor(amount: i64) -> i64 {
        amount * MICROS
    }

    /// Bought at 3.30 each, the average stays 3.30 whatever is sold, down to nothing.
    #[test]
    fn an_average_does_not_drift() {
        let mut left = balance(7, minor(7 * 330));
        for _ in 0..6 {
            let (cost, rest) = left.take(1);
            assert_eq!(cost, minor(330));
            assert_eq!(rest.average_shown(1), Some(330 * 10_000));
            left = rest;
        }
        assert_eq!(left.take(1), (minor(330), Balance::NOTHING));
    }

    #[test]
    fn issues() {
        let check = |from: Balance, quantity: i64, cost: i64, left: (i64, i64)| {
            assert_eq!(from.take(quantity), (cost, balance(left.0, left.1)), "{quantity} of {from:?}");
        };
        // 3 for 10.00: 3.333333|33…, 3.333333|5 of what is left, and the last takes the rest.
        check(balance(3, minor(1_000)), 1, 333_333_333, (2, 666_666_667));
        check(balance(2, 666_666_667), 1, 333_333_334, (1, 333_333_333));
        check(balance(1, 333_333_333), 1, 333_333_333, (0, 0));
        // Halves to the even one.
        check(balance(2, 1), 1, 0, (1, 1));
        check(balance(2, 3), 1, 2, (1, 1));
        check(balance(2, 5), 1, 2, (1, 3));
        // 3,250 g for 19.50: 1,000 g cost 6.00.
        check(balance(3_250, minor(1_950)), 1_000, minor(600), (2_250, minor(1_350)));
        // What was free stays free.
        check(balance(5, 0), 2, 0, (3, 0));
        check(balance(UNITS_MAX, VALUE_MAX), UNITS_MAX - 1, VALUE_MAX - 4_000_000, (1, 4_000_000));
    }

    #[test]
    fn purchases_change_the_average() {
        let bought = balance(10, minor(1_000)).plus(20, minor(2_600)).unwrap();
        assert_eq!(bought, balance(30, minor(3_600)));
        assert_eq!(bought.average_shown(1), Some(120 * 10_000));
        assert_eq!(bought.take(15), (minor(1_800), balance(15, minor(1_800))));
    }

    #[test]
    fn ranges() {
        assert_eq!(balance(UNITS_MAX, 0).plus(1, 0), Err(OutOfRange));
        assert_eq!(balance(1, VALUE_MAX).plus(1, 1), Err(OutOfRange));
        assert_eq!(balance(1, 1).plus(-2, 0), Err(OutOfRange));
        assert_eq!(balance(1, 1).plus(0, -2), Err(OutOfRange));
        assert_eq!(priced(i64::MAX, i64::MAX, 1), Err(OutOfRange));
    }

    #[test]
    fn undone_receipts() {
        let check = |left: Balance, quantity: i64, came_for: i64, expected: i64| {
            assert_eq!(left.cost_of_undone(quantity, came_for), expected, "{quantity} of {left:?}");
        };
        // 10 at 1.00 and 10 at 2.00; the second purchase is taken back: what is left cost 1.00 each.
        check(balance(20, minor(3_000)), 10, minor(2_000), minor(2_000));
        // After 5 were sold at 1.50.
        check(balance(15, minor(2_250)), 10, minor(2_000), minor(2_000));
        // After 12 were sold at 1.50, 8 are left, worth 12.00: 7 of them go at their share, as 14.00 cannot.
        check(balance(8, minor(1_200)), 7, minor(1_400), minor(1_050));
        // Exactly all the value must not go with some of the units.
        check(balance(8, minor(1_200)), 4, minor(1_200), minor(600));
        // The last take all, whatever they came for.
        check(balance(10, minor(1_500)), 10, minor(2_000), minor(1_500));
        check(balance(10, minor(1_500)), 10, minor(1_000), minor(1_500));
        check(balance(10, 0), 3, 0, 0);
    }

    #[test]
    fn prices() {
        // 12 boxes at 24.90.
        assert_eq!(priced(minor(2_490), 12, 1), Ok(minor(29_880)));
        // 3,250 g at 5.99 a kilogram.
        assert_eq!(priced(minor(599), 3_250, 1_000), Ok(1_946_750_000));
        // Six decimals of a minor unit.
        assert_eq!(priced(1, 3, 1), Ok(3));
        assert_eq!(priced(1, 500, 1_000), Ok(0));
        assert_eq!(priced(1, 1_500, 1_000), Ok(2));
    }

    #[test]
    fn extra_costs_are_spread_to_the_last_millionth() {
        let check = |extra: i64, weights: &[i64], expected: &[i64]| {
            let total = weights.iter().sum();
            let mut before = 0;
            let mut parts = Vec::new();
            for weight in weights {
                parts.push(spread(extra, before, *weight, total));
                before += weight;
            }
            assert_eq!(parts, expected);
            assert_eq!(parts.iter().sum::<i64>(), extra);
        };
        // 10.00 of freight over goods worth 30.00 and 10.00.
        check(minor(1_000), &[minor(3_000), minor(1_000)], &[minor(750), minor(250)]);
        // Over three equals: the last gets what rounding left.
        check(minor(100), &[1, 1, 1], &[33_333_333, 33_333_333, 33_333_334]);
        check(1, &[1, 1, 1], &[0, 0, 1]);
        check(minor(1), &[0, 5], &[0, minor(1)]);
    }

    #[test]
    fn what_people_see() {
        for (value, minor) in [(0, 0), (499_999, 0), (500_000, 0), (500_001, 1), (1_500_000, 2), (2_500_000, 2)] {
            assert_eq!(shown(value), minor, "{value}");
        }
        // 3 for 10.00: 333.3333 minor units each; 3,250 g for 19.50: 600 a kilogram.
        assert_eq!(balance(3, minor(1_000)).average_shown(1), Some(3_333_333));
        assert_eq!(balance(3_250, minor(1_950)).average_shown(1_000), Some(6_000_000));
        assert_eq!(Balance::NOTHING.average_shown(1), None);
        assert_eq!(Balance::NOTHING.at_average(1), None);
        assert_eq!(balance(3, minor(1_000)).at_average(6), Some(minor(2_000)));
    }
}
