//! Quantities as people write them: `3.250` of a product with three decimals is 3250 base units. Exact.

use super::super::decimal::{self, NoDecimal};
use super::super::input::shown;
use super::super::money::DecimalSign;

/// How many decimals quantities of a product have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Scale(usize);

impl Scale {
    /// Packs and pieces have none.
    pub(super) const WHOLE: Scale = Scale(0);

    /// Of a product. No server says more than six.
    pub(super) fn of(scale: u32) -> Scale {
        Scale(usize::try_from(scale).ok().filter(|scale| *scale <= 6).unwrap_or(0))
    }

    pub(super) fn plain(self, units: i64) -> String {
        decimal::show(units, self.0)
    }

    /// Nothing for what is absent.
    pub(super) fn show(self, units: Option<i64>) -> String {
        units.map_or(String::new(), |units| self.plain(units))
    }

    pub(super) fn parse(self, text: &str, sign: DecimalSign) -> Result<i64, String> {
        let text_shown = shown(text);
        decimal::parse(text, self.0, sign).map_err(|why| match why {
            NoDecimal::Malformed => format!("`{text_shown}` is no quantity; write it like {}", self.plain(self.one())),
            NoDecimal::TooManyDecimals if self.0 == 0 => format!("`{text_shown}` is no whole number"),
            NoDecimal::TooManyDecimals => format!("`{text_shown}` has more than {} decimals", self.0),
            NoDecimal::TooLarge => format!("`{text_shown}` is more than can be counted"),
        })
    }

    /// Base units in what is shown as one.
    pub(super) fn one(self) -> i64 {
        (0..self.0).fold(1, |units, _| units * 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_and_read() {
        let (grams, pieces) = (Scale::of(3), Scale::of(0));
        assert_eq!((grams.plain(3_250), pieces.plain(12)), ("3.250".to_owned(), "12".to_owned()));
        assert_eq!(grams.show(None), "");
        let read = |scale: Scale, text: &str| scale.parse(text, DecimalSign::Point);
        assert_eq!(read(grams, "3.25"), Ok(3_250));
        assert_eq!(read(grams, "3"), Ok(3_000));
        assert_eq!(read(pieces, "3"), Ok(3));
        let check = |scale: Scale, text: &str, expected: &str| {
            let told = read(scale, text).unwrap_err();
            assert!(told.contains(expected), "{told}");
        };
        check(pieces, "3.5", "`3.5` is no whole number");
        check(grams, "3.2505", "more than 3 decimals");
        check(grams, "three", "write it like 1.000");
        check(pieces, "-1", "write it like 1");
        check(pieces, "99999999999999999999", "more than can be counted");
        // What no server says.
        assert_eq!(Scale::of(400), Scale::WHOLE);
    }
}
