//! A line of a document as somebody wrote it, in a word on the command line or in cells of a file, and what it means once
//! its product is known. The API's own rules are applied here too, so that a bad line is told before anything is sent.

use surehold_api::stock::Product;
use surehold_core::kernel::UNITS_MAX;
use surehold_core::stock::rules::priced;
use surehold_core::stock::{
    Against, DocumentKind, DocumentLine, LineCost, LotCode, PackName, PartLines, SerialCode, Tracking,
};

use super::super::input::{date, shown};
use super::super::money::{DecimalSign, Money};
use super::super::show::joined;
use super::catalog::Catalog;
use super::quantity::Scale;

/// What moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    Product(String),
    Barcode(String),
}

/// What it costs: of one of what is counted, or of all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WrittenCost {
    Price(String),
    Amount(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) what: What,
    pub(super) count: String,
    pub(super) pack: Option<String>,
    pub(super) cost: Option<WrittenCost>,
    pub(super) lot: Option<String>,
    pub(super) expires: Option<String>,
    pub(super) serials: Vec<String>,
    pub(super) against: Option<String>,
    pub(super) difference: bool,
}

/// What part of a line cannot be used, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unusable {
    pub(super) part: Option<Part>,
    pub(super) reason: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Product,
    Barcode,
    Count,
    Pack,
    Price,
    Amount,
    Lot,
    Expires,
    Serials,
    Against,
}

fn unusable(part: Part, reason: impl Into<String>) -> Unusable {
    Unusable { part: Some(part), reason: reason.into() }
}

impl Written {
    /// `PRODUCT=COUNT[/PACK][@PRICE|@@AMOUNT]`, then `,lot=…`, `,expires=…`, `,serial=…`, `,against=…` and `,difference`.
    /// `barcode:CODE` stands for a product and its pack. Stranger names are for files.
    pub(super) fn parse(text: &str) -> Result<Written, String> {
        let wrong = || "write a line like tea=10@4.90, tea=2/box@@98.00 or barcode:4006381333931=2".to_owned();
        let mut words = text.split(',');
        let (what, counted) = words.next().and_then(|first| first.rsplit_once('=')).ok_or_else(wrong)?;
        let (counted, cost) = match (counted.split_once("@@"), counted.split_once('@')) {
            (Some((counted, amount)), _) => (counted, Some(WrittenCost::Amount(amount.to_owned()))),
            (None, Some((counted, price))) => (counted, Some(WrittenCost::Price(price.to_owned()))),
            (None, None) => (counted, None),
        };
        let (count, pack) = counted.split_once('/').map_or((counted, None), |(count, pack)| (count, Some(pack)));
        let what = match what.strip_prefix("barcode:") {
            Some(code) => What::Barcode(code.to_owned()),
            None => What::Product(what.to_owned()),
        };
        if count.is_empty() || matches!(&what, What::Product(name) | What::Barcode(name) if name.is_empty()) {
            return Err(wrong());
        }
        let mut line = Written::new(what, count);
        (line.pack, line.cost) = (pack.map(str::to_owned), cost);
        for word in words {
            line.add(word)?;
        }
        Ok(line)
    }

    pub(super) fn new(what: What, count: &str) -> Written {
        Written {
            what,
            count: count.to_owned(),
            pack: None,
            cost: None,
            lot: None,
            expires: None,
            serials: Vec::new(),
            against: None,
            difference: false,
        }
    }

    fn add(&mut self, word: &str) -> Result<(), String> {
        match word.split_once('=') {
            Some(("lot", lot)) => self.lot = Some(lot.to_owned()),
            Some(("expires", day)) => self.expires = Some(day.to_owned()),
            Some(("serial", serial)) => self.serials.push(serial.to_owned()),
            Some(("against", seq)) => self.against = Some(seq.to_owned()),
            None if word == "difference" => self.difference = true,
            None if !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()) => {
                return Err(format!(
                    "`{word}` is not understood behind a comma; write decimals with a point, as in 1.50"
                ));
            }
            Some(_) | None => {
                let known = "lot=…, expires=…, serial=…, against=… or difference";
                return Err(format!("`{}` is not understood; behind a comma write {known}", shown(word)));
            }
        }
        Ok(())
    }

    /// What it means, by all the rules that can be looked at before it is posted.
    pub(super) fn read(
        &self,
        kind: DocumentKind,
        catalog: &Catalog,
        money: Money,
        sign: DecimalSign,
    ) -> Result<DocumentLine, Unusable> {
        let (product, pack) = self.product(catalog)?;
        let scale = if pack.is_some() { Scale::WHOLE } else { Scale::of(product.scale) };
        let count = scale.parse(&self.count, sign).map_err(|why| unusable(Part::Count, why))?;
        let mut line = DocumentLine::new(product.code.clone(), count);
        line.pack = pack;
        line.cost = self.cost(money, sign)?;
        let name = |invalid: surehold_core::kernel::Invalid| invalid.to_string();
        line.lot = self.lot.as_deref().map(LotCode::new).transpose().map_err(|why| unusable(Part::Lot, name(why)))?;
        line.expires = self.expires.as_deref().map(date).transpose().map_err(|why| unusable(Part::Expires, why))?;
        let serials: Result<_, _> = self.serials.iter().map(|serial| SerialCode::new(serial)).collect();
        line.serials = serials.map_err(|why| unusable(Part::Serials, name(why)))?;
        line.against = self.against()?;
        check(kind, product, &line)?;
        Ok(line)
    }

    fn product<'c>(&self, catalog: &'c Catalog) -> Result<(&'c Product, Option<PackName>), Unusable> {
        let (code, of_barcode) = match &self.what {
            What::Product(code) => (code.as_str(), None),
            What::Barcode(text) => {
                let found = catalog.barcode(text);
                let found = found
                    .ok_or_else(|| unusable(Part::Barcode, format!("no product has the barcode {}", shown(text))))?;
                (found.product.as_str(), found.pack.as_ref().map(PackName::as_str))
            }
        };
        let product = catalog.product(code).ok_or_else(|| unusable(Part::Product, catalog.unknown(code)))?;
        let pack = match (of_barcode, self.pack.as_deref()) {
            (Some(meant), Some(said)) if meant != said => {
                return Err(unusable(Part::Pack, format!("the barcode is one of the pack {meant}")));
            }
            (None, Some(_)) if matches!(self.what, What::Barcode(_)) => {
                return Err(unusable(Part::Pack, "the barcode is one of a single unit"));
            }
            (Some(pack), _) | (None, Some(pack)) => Some(pack),
            (None, None) => None,
        };
        let Some(pack) = pack else { return Ok((product, None)) };
        match product.packs.iter().find(|known| known.name.as_str() == pack) {
            Some(known) => Ok((product, Some(known.name.clone()))),
            None if product.packs.is_empty() => {
                Err(unusable(Part::Pack, format!("{code} has no pack `{}`; it has none", shown(pack))))
            }
            None => {
                let names = joined(product.packs.iter().map(|known| &known.name), ", ");
                Err(unusable(Part::Pack, format!("{code} has no pack `{}`; it has {names}", shown(pack))))
            }
        }
    }

    fn cost(&self, money: Money, sign: DecimalSign) -> Result<Option<LineCost>, Unusable> {
        Ok(match &self.cost {
            None => None,
            Some(WrittenCost::Price(text)) => {
                let price = money.parse_price(text, sign).map_err(|why| unusable(Part::Price, why))?;
                Some(LineCost::Price(price))
            }
            Some(WrittenCost::Amount(text)) => {
                let amount = money.parse(text, sign).map_err(|why| unusable(Part::Amount, why))?;
                Some(LineCost::Amount(amount))
            }
        })
    }

    fn against(&self) -> Result<Option<Against>, Unusable> {
        let Some(text) = &self.against else { return Ok(None) };
        let wrong = || unusable(Part::Against, format!("`{}` is no number of a row of the ledger", shown(text)));
        let seq = text.parse().ok().filter(|seq: &i64| *seq >= 0).ok_or_else(wrong)?;
        Ok(Some(Against { seq, difference: self.difference }))
    }
}

/// What the API would say about the line alone.
fn check(kind: DocumentKind, product: &Product, line: &DocumentLine) -> Result<(), Unusable> {
    let whole = |reason: String| Unusable { part: None, reason };
    PartLines::new(kind, vec![line.clone()]).map_err(|invalid| {
        let said = invalid.to_string();
        whole(said.strip_prefix("line 1: ").unwrap_or(&said).to_owned())
    })?;
    let pack = product.packs.iter().find(|pack| Some(&pack.name) == line.pack.as_ref());
    let factor = pack.map_or(1, |pack| pack.factor);
    let too_many = || unusable(Part::Count, "this is more than can be counted");
    let units = line.count.checked_mul(factor).filter(|units| *units <= UNITS_MAX).ok_or_else(too_many)?;
    if let Some(LineCost::Price(price)) = line.cost {
        let each = if pack.is_some() { 1 } else { Scale::of(product.scale).one() };
        priced(price, line.count, each).map_err(|_| unusable(Part::Price, "this is more than can be counted"))?;
    }
    check_tracking(kind, product, line, units)
}

fn check_tracking(kind: DocumentKind, product: &Product, line: &DocumentLine, units: i64) -> Result<(), Unusable> {
    let (code, recount) = (&product.code, kind == DocumentKind::Recount);
    let comes_in = recount || matches!(kind, DocumentKind::Purchase | DocumentKind::Opening);
    let listed = i64::try_from(line.serials.len()).unwrap_or(i64::MAX);
    match product.tracking {
        Tracking::Lots if comes_in && line.lot.is_none() => {
            Err(unusable(Part::Lot, format!("lots of {code} are told apart; name one")))
        }
        Tracking::Nothing | Tracking::Serials if line.lot.is_some() => {
            Err(unusable(Part::Lot, format!("lots of {code} are not told apart")))
        }
        Tracking::Nothing | Tracking::Lots if listed > 0 => {
            Err(unusable(Part::Serials, format!("pieces of {code} are not told apart")))
        }
        Tracking::Serials if recount => {
            let reason =
                format!("pieces of {code} are told apart; move those by documents that are missing or were found");
            Err(unusable(Part::Product, reason))
        }
        Tracking::Serials if listed != units => {
            Err(unusable(Part::Serials, format!("{units} of {code} move, with {listed} serial numbers")))
        }
        Tracking::Nothing | Tracking::Lots | Tracking::Serials => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};
    use surehold_api::stock::NewLine;
    use surehold_core::kernel::Currency;

    use super::*;

    fn catalog() -> Catalog {
        let product = |code: &str, scale: u32, tracking: &str, packs: serde_json::Value| {
            let product = json!({"code": code, "title": code, "unit": "pcs", "scale": scale, "packs": packs,
                "tracking": tracking, "version": 1});
            from_value::<Product>(product).unwrap()
        };
        let packs = json!([{"name": "box", "factor": 12}, {"name": "ship", "factor": 1_000_000}]);
        let barcodes = json!([{"code": "4006", "product": "tea", "pack": "box"}, {"code": "4007", "product": "tea"}]);
        Catalog::new(
            [
                product("tea", 0, "none", packs),
                product("rice", 3, "none", json!([])),
                product("milk", 0, "lots", json!([])),
                product("phone", 0, "serials", json!([])),
            ],
            from_value::<Vec<_>>(barcodes).unwrap(),
        )
    }

    fn read(kind: DocumentKind, text: &str) -> String {
        let money = Money::of(Currency::parse("EUR").unwrap());
        let written = match Written::parse(text) {
            Ok(written) => written,
            Err(why) => return why,
        };
        match written.read(kind, &catalog(), money, DecimalSign::Point) {
            Ok(line) => serde_json::to_value(NewLine::from(line)).unwrap().to_string(),
            Err(Unusable { part, reason }) => format!("{part:?}: {reason}"),
        }
    }

    #[test]
    fn lines() {
        let check = |kind: DocumentKind, text: &str, expected: &str| {
            let told = read(kind, text);
            assert!(told.contains(expected), "{text}: {told}");
        };
        let bought = |text: &str, expected: &str| check(DocumentKind::Purchase, text, expected);
        bought("tea=10@4.90", r#"{"count":10,"price":"490","product":"tea"}"#);
        bought("tea=3/box@@74.70", r#"{"amount":7470,"count":3,"pack":"box","product":"tea"}"#);
        bought("barcode:4006=3@24.905", r#"{"count":3,"pack":"box","price":"2490.5","product":"tea"}"#);
        bought("barcode:4007=3@@0", r#"{"amount":0,"count":3,"product":"tea"}"#);
        bought("rice=3.25@5.99", r#"{"count":3250,"price":"599","product":"rice"}"#);
        bought("milk=5@@4.50,lot=L7,expires=2027-01-31", r#""expires":"2027-01-31","lot":"L7","product":"milk""#);
        bought("phone=2@300,serial=A1,serial=A2", r#""serials":["A1","A2"]"#);
        check(DocumentKind::Sale, "tea=2", r#"{"count":2,"product":"tea"}"#);
        check(DocumentKind::Sale, "milk=2", r#"{"count":2,"product":"milk"}"#);
        check(DocumentKind::Recount, "tea=0,against=7", r#""against":{"difference":false,"seq":7},"count":0"#);
        let counted = r#""against":{"difference":true,"seq":7}"#;
        check(DocumentKind::Recount, "tea=8,against=7,difference", counted);
        check(DocumentKind::Opening, "tea=8@1", r#""price":"100""#);
    }

    #[test]
    fn lines_that_are_no_use() {
        let check = |kind: DocumentKind, text: &str, expected: &str| {
            let told = read(kind, text);
            assert!(told.contains(expected), "{text}: {told}");
        };
        let bought = |text: &str, expected: &str| check(DocumentKind::Purchase, text, expected);
        for bad in ["", "tea", "=3", "tea=", "tea=/box", "barcode:=3"] {
            bought(bad, "write a line like");
        }
        bought("tea=3@1,colour=red", "behind a comma write lot=");
        bought("tea=3", "None: it needs a cost");
        bought("tea=0@1", "None: the count of line 1");
        bought("coffee=3@1", "Some(Product): there is no product `coffee`");
        bought("teas=3@1", "did you mean `tea`?");
        bought("barcode:1=3@1", "Some(Barcode): no product has the barcode 1");
        bought("barcode:4006=3/bag@1", "Some(Pack): the barcode is one of the pack box");
        bought("barcode:4007=3/box@1", "Some(Pack): the barcode is one of a single unit");
        bought("tea=3/bag@1", "Some(Pack): tea has no pack `bag`; it has box, ship");
        bought("rice=3/bag@1", "Some(Pack): rice has no pack `bag`; it has none");
        bought("tea=1.5@1", "Some(Count): `1.5` is no whole number");
        bought("rice=3.2505@1", "Some(Count): `3.2505` has more than 3 decimals");
        bought("tea=1000000000/ship@1", "Some(Count): this is more than can be counted");
        bought("tea=3@1,50", "write decimals with a point, as in 1.50");
        bought("tea=3@0.000000001", "Some(Price)");
        bought("tea=3@@0.001", "Some(Amount)");
        bought("milk=3@1", "Some(Lot): lots of milk are told apart; name one");
        bought("tea=3@1,lot=L1", "Some(Lot): lots of tea are not told apart");
        bought("milk=3@1,lot=L1,expires=soon", "Some(Expires)");
        bought("phone=2@1,serial=A1", "Some(Serials): 2 of phone move, with 1 serial numbers");
        bought("tea=1@1,serial=A1", "Some(Serials): pieces of tea are not told apart");
        check(DocumentKind::Sale, "tea=3@1", "None: it has no cost");
        check(DocumentKind::Recount, "tea=3", "None: it needs a number of the row");
        check(DocumentKind::Recount, "tea=3,against=-1", "Some(Against)");
        check(DocumentKind::Recount, "phone=3,against=1", "Some(Product): pieces of phone are told apart");
    }
}
