//! Exact fractions, for a model that shares no arithmetic with what it checks.

use std::cmp::Ordering;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fraction {
    numerator: i128,
    /// Above zero, without a common divisor.
    denominator: i128,
}

fn common_divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { common_divisor(b, a % b) }
}

impl Fraction {
    pub(super) const ZERO: Fraction = Fraction { numerator: 0, denominator: 1 };

    pub(super) fn new(numerator: i128, denominator: i128) -> Fraction {
        let divisor = common_divisor(numerator, denominator).max(1);
        Fraction { numerator: numerator / divisor, denominator: denominator / divisor }
    }

    pub(super) fn whole(number: i64) -> Fraction {
        Fraction::new(i128::from(number), 1)
    }

    pub(super) fn plus(self, other: Fraction) -> Fraction {
        let numerator = self.numerator * other.denominator + other.numerator * self.denominator;
        Fraction::new(numerator, self.denominator * other.denominator)
    }

    pub(super) fn minus(self, other: Fraction) -> Fraction {
        self.plus(Fraction { numerator: -other.numerator, ..other })
    }

    pub(super) fn times(self, number: i64) -> Fraction {
        Fraction::new(self.numerator * i128::from(number), self.denominator)
    }

    pub(super) fn over(self, number: i64) -> Fraction {
        Fraction::new(self.numerator, self.denominator * i128::from(number))
    }

    /// Divided by one that is above zero.
    pub(super) fn by(self, other: Fraction) -> Fraction {
        Fraction::new(self.numerator * other.denominator, self.denominator * other.numerator)
    }

    /// The nearest multiple of 1/units; of two that are equally near, the even one.
    pub(super) fn nearest(self, units: i64) -> Fraction {
        let scaled = self.times(units);
        let below = scaled.numerator.div_euclid(scaled.denominator);
        let distance = scaled.minus(Fraction::new(below, 1));
        let up = match distance.compare(Fraction::new(1, 2)) {
            Ordering::Less => false,
            Ordering::Greater => true,
            Ordering::Equal => below % 2 != 0,
        };
        Fraction::new(if up { below + 1 } else { below }, i128::from(units))
    }

    /// The greatest multiple of 1/units that is not above it.
    pub(super) fn below(self, units: i64) -> Fraction {
        let scaled = self.times(units);
        Fraction::new(scaled.numerator.div_euclid(scaled.denominator), i128::from(units))
    }

    pub(super) fn compare(self, other: Fraction) -> Ordering {
        (self.numerator * other.denominator).cmp(&(other.numerator * self.denominator))
    }

    /// In units of 1/units, of which it must be a whole number.
    pub(super) fn in_units(self, units: i64) -> i64 {
        let scaled = self.times(units);
        assert_eq!(scaled.denominator, 1, "a whole number of units");
        i64::try_from(scaled.numerator).unwrap()
    }
}
