//! Amounts as people write them: `450.00`, where the API has minor units. Exact: nothing is rounded.

use serde_json::Value;
use surehold_core::kernel::Currency;

use super::words::shown;

/// Digits beyond this are no price.
const DIGITS_MAX: usize = 15;

/// How amounts of one currency are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Money {
    code: String,
    decimals: usize,
}

/// Which sign stands before the cents. In files of spreadsheets that separate cells by semicolons it may be a comma.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DecimalSign {
    Point,
    PointOrComma,
}

impl Money {
    /// Of the currency that an answer names.
    pub(super) fn of(answer: &Value) -> Money {
        let code = answer["currency"].as_str().unwrap_or_default().to_owned();
        // A newer server may know currencies that this program does not.
        let decimals = Currency::parse(&code).map_or(2, |currency| currency.decimals());
        Money { code, decimals: usize::from(decimals) }
    }

    /// `BRL 450.00`
    pub(super) fn show(&self, minor: &Value) -> String {
        minor.as_i64().map_or(String::new(), |minor| format!("{} {}", self.code, self.plain(minor)))
    }

    /// `450.00`
    pub(super) fn plain(&self, minor: i64) -> String {
        let sign = if minor < 0 { "-" } else { "" };
        let digits = format!("{:0width$}", minor.unsigned_abs(), width = self.decimals + 1);
        let (whole, cents) = digits.split_at(digits.len() - self.decimals);
        if cents.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{cents}") }
    }

    /// `450` where there are no cents.
    pub(super) fn short(&self, minor: i64) -> String {
        let plain = self.plain(minor);
        match plain.split_once('.') {
            Some((whole, cents)) if cents.bytes().all(|digit| digit == b'0') => whole.to_owned(),
            Some(_) | None => plain,
        }
    }

    /// In minor units. Refuses what could mean two things: signs between thousands, more digits than there are cents.
    pub(super) fn parse(&self, text: &str, sign: DecimalSign) -> Result<i64, String> {
        let wrong = || format!("`{}` is no amount; write it like {}", shown(text), self.example());
        let signs: &[char] = match sign {
            DecimalSign::Point => &['.'],
            DecimalSign::PointOrComma => &['.', ','],
        };
        let (whole, cents) = text.split_once(signs).unwrap_or((text, ""));
        let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        let has_sign = whole.len() < text.len();
        if whole.is_empty() || !digits(whole) || !digits(cents) || has_sign == cents.is_empty() {
            return Err(wrong());
        }
        if cents.len() > self.decimals {
            let (text, example) = (shown(text), self.example());
            return Err(format!("`{text}` has more decimals than {} has; write it like {example}", self.code));
        }
        let padded = format!("{whole}{cents:0<width$}", width = self.decimals);
        if padded.trim_start_matches('0').len() > DIGITS_MAX {
            return Err(format!("`{}` is more than any price", shown(text)));
        }
        padded.parse().map_err(|_| wrong())
    }

    fn example(&self) -> String {
        match self.decimals {
            0 => "450".to_owned(),
            decimals => format!("450.{}", "0".repeat(decimals)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn money(code: &str) -> Money {
        Money::of(&json!({ "currency": code }))
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
        assert_eq!(money("BRL").show(&json!(45_000)), "BRL 450.00");
        assert_eq!(money("BRL").show(&json!(null)), "");
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
