//! How money is written: whole minor units (cents) of a currency, and numbers with decimals. Knows no rates and no
//! arithmetic between currencies.

use std::fmt;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::{Invalid, described, text_column};

/// No single price goes beyond this, so that sums of a few thousand cannot overflow.
pub const AMOUNT_MAX: i64 = 1_000_000_000_000;

/// ISO 4217, active codes of national currencies. Without funds, metals and codes for testing: nobody pays with them.
const ACTIVE: &str = "\
    AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP \
    CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR \
    IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU \
    MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG \
    SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV \
    WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG";

/// ISO 4217: those without a minor unit, and those whose minor unit is a thousandth. All others have cents.
const WHOLE: &str = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF";
const THOUSANDTHS: &str = "BHD IQD JOD KWD LYD OMR TND";

/// The code of an active currency, in capitals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "SmolStr", into = "SmolStr")]
pub struct Currency([u8; 3]);

impl Currency {
    pub fn parse(code: &str) -> Result<Currency, Invalid> {
        let known = ACTIVE.split_ascii_whitespace().any(|active| active == code);
        let unknown = || Invalid::CurrencyUnknown { code: code.chars().take(10).collect() };
        code.as_bytes().try_into().ok().filter(|_| known).map(Currency).ok_or_else(unknown)
    }

    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("the codes are ASCII")
    }

    /// How many digits of an amount in minor units stand behind the point.
    pub fn decimals(&self) -> u8 {
        let is_one_of = |list: &str| list.split_ascii_whitespace().any(|code| code == self.as_str());
        match (is_one_of(WHOLE), is_one_of(THOUSANDTHS)) {
            (true, _) => 0,
            (false, true) => 3,
            (false, false) => 2,
        }
    }
}

text_column!(Currency, Text, Currency::parse);
described!(
    Currency,
    "A currency of ISO 4217. Amounts are in its minor unit: cents, where it has them.",
    TextShape::exactly("^[A-Z]{3}$"),
    "BRL"
);

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Currency({self})")
    }
}

impl TryFrom<SmolStr> for Currency {
    type Error = Invalid;
    fn try_from(code: SmolStr) -> Result<Currency, Invalid> {
        Currency::parse(&code)
    }
}

impl From<Currency> for SmolStr {
    fn from(currency: Currency) -> SmolStr {
        currency.as_str().into()
    }
}

/// Why a text is no number with decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoDecimal {
    Malformed,
    TooManyDecimals,
    TooLarge,
}

/// `3.25` with three decimals is 3250. Refuses what could mean two things, such as signs between thousands.
pub fn parse_decimal(text: &str, decimals: usize) -> Result<i64, NoDecimal> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let has_sign = whole.len() < text.len();
    if whole.is_empty() || !digits(whole) || !digits(part) || has_sign == part.is_empty() {
        return Err(NoDecimal::Malformed);
    }
    if part.len() > decimals {
        return Err(NoDecimal::TooManyDecimals);
    }
    format!("{whole}{part:0<decimals$}").parse().map_err(|_| NoDecimal::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes() {
        for good in ["BRL", "EUR", "USD", "JPY", "AED", "ZWG"] {
            let currency = Currency::parse(good).unwrap();
            assert_eq!(currency.as_str(), good);
            assert_eq!(serde_json::to_string(&currency).unwrap(), format!("\"{good}\""));
            let bytes = postcard::to_stdvec(&currency).unwrap();
            assert_eq!(postcard::from_bytes::<Currency>(&bytes).unwrap(), currency);
        }
        for bad in ["", "brl", "EU", "EURO", "XAU", "XXX", "BRL ", "AED AFN", "€"] {
            assert_eq!(Currency::parse(bad), Err(Invalid::CurrencyUnknown { code: bad.to_owned() }), "{bad}");
        }
        assert!(serde_json::from_str::<Currency>("\"DEM\"").is_err());
    }

    #[test]
    fn decimals() {
        for (code, decimals) in [("BRL", 2), ("EUR", 2), ("JPY", 0), ("CLP", 0), ("KWD", 3), ("TND", 3)] {
            assert_eq!(Currency::parse(code).unwrap().decimals(), decimals, "{code}");
        }
        let active = |code: &str| Currency::parse(code).is_ok();
        assert!(format!("{WHOLE} {THOUSANDTHS}").split_ascii_whitespace().all(active));
    }

    #[test]
    fn the_list_is_sorted_and_has_each_once() {
        let codes: Vec<&str> = ACTIVE.split_ascii_whitespace().collect();
        assert!(codes.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(codes.iter().all(|code| code.len() == 3 && code.bytes().all(|b| b.is_ascii_uppercase())));
    }
}
