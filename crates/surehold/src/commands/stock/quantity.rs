//! Quantities as people write them: `3.250` of a product with three decimals is 3250 base units. Exact.

use surehold_core::stock::parse_quantity;

use super::super::decimal;

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

    pub(super) fn parse(self, text: &str) -> Result<i64, String> {
        parse_quantity(text, u32::try_from(self.0).unwrap_or(0))
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
        assert_eq!((grams.parse("3.25"), pieces.parse("3")), (Ok(3_250), Ok(3)));
        // What no server says.
        assert_eq!(Scale::of(400), Scale::WHOLE);
    }
}
