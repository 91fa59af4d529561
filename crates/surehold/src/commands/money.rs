//! Amounts as people write them: `450.00`, where the API has minor units. Exact: nothing is rounded.

use surehold_core::kernel::{Currency, NoDecimal};

use super::decimal;
use super::input::shown;

/// More digits than this has are no price.
const AMOUNT_END: i64 = 1_000_000_000_000_000;
/// Prices have so many decimals of a minor unit.
const PRICE_DECIMALS: usize = 6;

/// How amounts of one currency are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Money(Option<Currency>);

/// Which sign stands before the cents. In files of spreadsheets that separate cells by semicolons it may be a comma.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DecimalSign {
    Point,
    PointOrComma,
}

impl Money {
    /// Of whatever is not known.
    pub(super) const UNKNOWN: Money = Money(None);

    pub(super) fn of(currency: Currency) -> Money {
        Money(Some(currency))
    }

    fn decimals(self) -> usize {
        self.0.map_or(2, |currency| currency.decimals().into())
    }

    /// `BRL 450.00`
    pub(super) fn show(self, minor: i64) -> String {
        format!("{} {}", self.code(), self.plain(minor))
    }

    /// `BRL`
    pub(super) fn code(&self) -> &str {
        self.0.as_ref().map_or("", Currency::as_str)
    }

    /// `450.00`
    pub(super) fn plain(self, minor: i64) -> String {
        decimal::show(minor, self.decimals())
    }

    /// `450` where there are no cents.
    pub(super) fn short(self, minor: i64) -> String {
        let plain = self.plain(minor);
        match plain.split_once('.') {
            Some((whole, cents)) if cents.bytes().all(|digit| digit == b'0') => whole.to_owned(),
            Some(_) | None => plain,
        }
    }

    /// In minor units. Refuses what could mean two things: signs between thousands, more digits than there are cents.
    pub(super) fn parse(self, text: &str, sign: DecimalSign) -> Result<i64, String> {
        let wrong = || format!("`{}` is no amount; write it like {}", shown(text), self.example());
        let too_large = || format!("`{}` is more than any price", shown(text));
        match decimal::parse(text, self.decimals(), sign) {
            Ok(minor) if minor < AMOUNT_END => Ok(minor),
            Ok(_) | Err(NoDecimal::TooLarge) => Err(too_large()),
            Err(NoDecimal::Malformed) => Err(wrong()),
            Err(NoDecimal::TooManyDecimals) => {
                let (text, example) = (shown(text), self.example());
                Err(format!("`{text}` has more decimals than {} has; write it like {example}", self.code()))
            }
        }
    }

    /// A price in millionths of a minor unit: up to six decimals behind the cents.
    pub(super) fn parse_price(self, text: &str, sign: DecimalSign) -> Result<i64, String> {
        let (text_shown, example) = (shown(text), self.example());
        decimal::parse(text, self.decimals() + PRICE_DECIMALS, sign).map_err(|why| match why {
            NoDecimal::Malformed => format!("`{text_shown}` is no price; write it like {example}"),
            NoDecimal::TooManyDecimals => {
                format!("`{text_shown}` has more than {} decimals", self.decimals() + PRICE_DECIMALS)
            }
            NoDecimal::TooLarge => format!("`{text_shown}` is more than any price"),
        })
    }

    /// `3.333333`, of a decimal text in minor units such as `333.3333`: all the decimals that it has.
    pub(super) fn exact(self, minor: &str) -> String {
        decimal::shifted(minor, self.decimals())
    }

    /// The same without zeros behind the cents.
    pub(super) fn exact_short(self, minor: &str) -> String {
        decimal::short(&self.exact(minor), self.decimals())
    }

    fn example(self) -> String {
        match self.decimals() {
            0 => "450".to_owned(),
            decimals => format!("450.{}", "0".repeat(decimals)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn money(code: &str) -> Money {
        Money::of(Currency::parse(code).unwrap())
    }

    #[test]
    fn written() {
        let check = |code: &str, minor: i64, plain: &str, short: &str| {
            assert_eq!((money(code).plain(minor), money(code).short(minor)), (plain.to_owned(), short.to_owned()));
        };
        check("BRL", 45_000, "450.00", "450");
        check("BRL", 45_050, "450.50", "450.50");
        check("BRL", 5, "0.05", "0.05");
        check("BRL", -1_200, "-12.00", "-12");
        check("BRL", 0, "0.00", "0");
        check("JPY", 12_000, "12000", "12000");
        check("KWD", 12_345, "12.345", "12.345");
        assert_eq!(money("BRL").show(45_000), "BRL 450.00");
    }

    #[test]
    fn prices() {
        let parse = |code: &str, text: &str| money(code).parse_price(text, DecimalSign::Point);
        assert_eq!(parse("EUR", "24.90"), Ok(2_490_000_000));
        assert_eq!(parse("EUR", "0.00000001"), Ok(1));
        assert_eq!(parse("JPY", "12.5"), Ok(12_500_000));
        for bad in ["0.000000001", "1,50", "", "-1", "99999999999999999999"] {
            assert!(parse("EUR", bad).is_err(), "{bad}");
        }
        assert_eq!(money("EUR").exact("333.3333"), "3.333333");
        assert_eq!(money("EUR").exact("-50"), "-0.50");
    }

    #[test]
    fn read() {
        let check = |code: &str, text: &str, minor: i64| {
            assert_eq!(money(code).parse(text, DecimalSign::Point), Ok(minor), "{text}");
        };
        check("BRL", "450", 45_000);
        check("BRL", "450.5", 45_050);
        check("BRL", "450.05", 45_005);
        check("BRL", "0", 0);
        check("BRL", "007", 700);
        check("JPY", "12000", 12_000);
        check("KWD", "1.5", 1_500);
        for bad in ["", ".5", "5.", "1,234.00", "1.234.00", "-5", "+5", "4e2", "450.005", "R$ 450", "4 50", "450,00"] {
            assert!(money("BRL").parse(bad, DecimalSign::Point).is_err(), "{bad}");
        }
        assert!(money("JPY").parse("12.5", DecimalSign::Point).unwrap_err().contains("more decimals than JPY"));
        assert!(money("BRL").parse("9999999999999999999999", DecimalSign::Point).is_err());
        assert_eq!(money("BRL").parse("450,00", DecimalSign::PointOrComma), Ok(45_000));
        assert_eq!(money("BRL").parse("450.00", DecimalSign::PointOrComma), Ok(45_000));
        for bad in ["1.234,00", "1,234", "450,"] {
            assert!(money("BRL").parse(bad, DecimalSign::PointOrComma).is_err(), "{bad}");
        }
    }
}
