//! A line of a document as somebody wrote it, in a word on the command line or in cells of a file. What it means is for the
//! server to say, which knows the products; only amounts are read here.

use surehold_api::stock::{ImportRow, Price};
use surehold_core::stock::RowField;

use super::super::input::shown;
use super::super::money::{DecimalSign, Money};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Written {
    /// All but what it costs.
    pub(super) row: ImportRow,
    /// Of one of what is counted.
    pub(super) price: Option<String>,
    /// Of all of it.
    pub(super) amount: Option<String>,
}

impl Written {
    /// `PRODUCT=COUNT[/PACK][@PRICE|@@AMOUNT]`, then `,lot=…`, `,expires=…`, `,serial=…`, `,against=…` and `,difference`.
    /// `barcode:CODE` stands for a product and its pack. Stranger names are for files.
    pub(super) fn parse(text: &str) -> Result<Written, String> {
        let wrong = || "write a line like tea=10@4.90, tea=2/box@@98.00 or barcode:4006381333931=2".to_owned();
        let mut words = text.split(',');
        let (what, counted) = words.next().and_then(|first| first.rsplit_once('=')).ok_or_else(wrong)?;
        let (counted, price, amount) = match (counted.split_once("@@"), counted.split_once('@')) {
            (Some((counted, amount)), _) => (counted, None, Some(amount.to_owned())),
            (None, Some((counted, price))) => (counted, Some(price.to_owned()), None),
            (None, None) => (counted, None, None),
        };
        let mut row = ImportRow::default();
        let (count, pack) = counted.split_once('/').map_or((counted, None), |(count, pack)| (count, Some(pack)));
        let (named, by) = match what.strip_prefix("barcode:") {
            Some(code) => (code, &mut row.barcode),
            None => (what, &mut row.product),
        };
        *by = Some(named.to_owned());
        if count.is_empty() || named.is_empty() {
            return Err(wrong());
        }
        (row.count, row.pack) = (count.to_owned(), pack.map(str::to_owned));
        let row = words.try_fold(row, with_word)?;
        Ok(Written { row, price, amount })
    }

    /// What is sent: amounts in minor units, and a point before decimals.
    pub(super) fn to_row(&self, money: Money, sign: DecimalSign) -> Result<ImportRow, (RowField, String)> {
        let price = self.price.as_deref().map(|text| money.parse_price(text, sign)).transpose();
        let amount = self.amount.as_deref().map(|text| money.parse(text, sign)).transpose();
        let count = match sign {
            DecimalSign::Point => self.row.count.clone(),
            DecimalSign::PointOrComma => self.row.count.replace(',', "."),
        };
        let price = price.map_err(|why| (RowField::Price, why))?.map(Price);
        let amount = amount.map_err(|why| (RowField::Amount, why))?;
        Ok(ImportRow { count, price, amount, ..self.row.clone() })
    }
}

fn with_word(mut row: ImportRow, word: &str) -> Result<ImportRow, String> {
    match word.split_once('=') {
        Some(("lot", lot)) => row.lot = Some(lot.to_owned()),
        Some(("expires", day)) => row.expires = Some(day.to_owned()),
        Some(("serial", serial)) => row.serials.push(serial.to_owned()),
        Some(("against", seq)) => row.against = Some(parse_seq(seq)?),
        None if word == "difference" => row.difference = true,
        None if !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()) => {
            return Err(format!("`{word}` is not understood behind a comma; write decimals with a point, as in 1.50"));
        }
        Some(_) | None => {
            let known = "lot=…, expires=…, serial=…, against=… or difference";
            return Err(format!("`{}` is not understood; behind a comma write {known}", shown(word)));
        }
    }
    Ok(row)
}

/// The row of the ledger that was counted against.
pub(super) fn parse_seq(text: &str) -> Result<i64, String> {
    let seq = text.parse().ok().filter(|seq: &i64| *seq >= 0);
    seq.ok_or_else(|| format!("`{}` is no number of a row of the ledger", shown(text)))
}

#[cfg(test)]
mod tests {
    use surehold_core::kernel::Currency;

    use super::*;

    fn read(text: &str) -> String {
        let money = Money::of(Currency::parse("EUR").unwrap());
        match Written::parse(text).map(|line| line.to_row(money, DecimalSign::Point)) {
            Ok(Ok(row)) => serde_json::to_value(row).unwrap().to_string(),
            Ok(Err((field, why))) => format!("{field}: {why}"),
            Err(why) => why,
        }
    }

    #[test]
    fn lines() {
        let check = |text: &str, expected: &str| assert!(read(text).contains(expected), "{text}: {}", read(text));
        check("tea=10@4.90", r#"{"count":"10","price":"490","product":"tea"}"#);
        check("tea=3/box@@74.70", r#"{"amount":7470,"count":"3","pack":"box","product":"tea"}"#);
        check("barcode:4006=3@24.905", r#"{"barcode":"4006","count":"3","price":"2490.5"}"#);
        check("rice=3.25", r#"{"count":"3.25","product":"rice"}"#);
        check("milk=5,lot=L7,expires=2027-01-31", r#""expires":"2027-01-31","lot":"L7","product":"milk""#);
        check("phone=2@300,serial=A1,serial=A2", r#""serials":["A1","A2"]"#);
        check("tea=8,against=7,difference", r#"{"against":7,"count":"8","difference":true,"product":"tea"}"#);
        for bad in ["", "tea", "=3", "tea=", "tea=/box", "barcode:=3"] {
            check(bad, "write a line like");
        }
        check("tea=3@1,colour=red", "behind a comma write lot=");
        check("tea=3@1,50", "write decimals with a point, as in 1.50");
        check("tea=3@0.000000001", "price: ");
        check("tea=3@@0.001", "amount: ");
        check("tea=3,against=-1", "`-1` is no number of a row");
    }
}
