//! Rows of a file as somebody wrote them, and the lines of a document that they mean. All are read before anything
//! changes, and each that cannot be used is told with the reason.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::content::check_said;
use super::post::check_line;
use super::{
    Against, Barcode, BarcodeText, DocumentKind, DocumentLine, LineCost, LotCode, PackName, Price, Product,
    ProductCode, SERIALS_PER_PART_MAX, SerialCode, StockRefusal,
};
use crate::kernel::{Invalid, NoDecimal, parse_decimal, words};

words!(
    /// What of a row cannot be used.
    RowField {
        Product = "product",
        Barcode = "barcode",
        Count = "count",
        Pack = "pack",
        Price = "price",
        Amount = "amount",
        Lot = "lot",
        Expires = "expires",
        Serials = "serials",
        Against = "against",
    }
);

/// What moves, as in a line. Names are text as somebody wrote it: what cannot be used is told with its row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ImportRow {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = "rice"))]
    pub product: Option<String>,
    /// Instead of a product and a pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub barcode: Option<String>,
    /// Of packs, or of what is shown as one, with the decimals of the product.
    #[cfg_attr(feature = "schema", schema(example = "3.250"))]
    pub count: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// What all of it costs, in minor units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = 7470))]
    pub amount: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lot: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = "2027-01-31"))]
    pub expires: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub serials: Vec<String>,
    /// The `seq` of the item when it was counted. Left out in a recount, it is what the item has now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<i64>,
    /// If it has moved since: the difference to what was there then counts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schema(required = false, default = false))]
    pub difference: bool,
}

/// A row that was not used, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RowFault {
    /// Its number, from 1.
    pub row: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<RowField>,
    pub reason: String,
    /// The row that says it before this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_row: Option<u32>,
}

/// What the rows name, as far as it is there.
#[derive(Clone, Debug, Default)]
pub struct RowsKnown {
    pub products: HashMap<ProductCode, Product>,
    pub barcodes: HashMap<BarcodeText, Barcode>,
    /// Where the ledgers of counted products have got to; 0 for those that are not here.
    pub seqs: HashMap<ProductCode, i64>,
}

/// The lines of all rows that can be used, and why others cannot.
pub fn read_rows(kind: DocumentKind, rows: &[ImportRow], known: &RowsKnown) -> (Vec<DocumentLine>, Vec<RowFault>) {
    let (mut lines, mut faults, mut seen) = (Vec::new(), Vec::new(), Seen::default());
    for (number, row) in (1..).zip(rows) {
        match row.read(kind, known).and_then(|line| seen.add(kind, number, line)) {
            Ok(line) => lines.push(line),
            Err(fault) => faults.push(RowFault { row: number, ..fault }),
        }
    }
    (lines, faults)
}

/// The number of the row is not known yet.
fn fault(field: impl Into<Option<RowField>>, reason: impl Into<String>) -> RowFault {
    RowFault { row: 0, field: field.into(), reason: reason.into(), other_row: None }
}

/// Of a message. Rows may say anything.
fn shown(text: &str) -> String {
    text.chars().take(40).map(|sign| if sign.is_control() { char::REPLACEMENT_CHARACTER } else { sign }).collect()
}

/// A quantity that is shown with so many decimals, in base units: exact.
pub fn parse_quantity(text: &str, decimals: u32) -> Result<i64, String> {
    let decimals = usize::try_from(decimals).unwrap_or(0);
    parse_decimal(text, decimals).map_err(|why| {
        let said = match why {
            NoDecimal::Malformed if decimals == 0 => "is no quantity; write it like 1".to_owned(),
            NoDecimal::Malformed => format!("is no quantity; write it like 1.{}", "0".repeat(decimals)),
            NoDecimal::TooManyDecimals if decimals == 0 => "is no whole number".to_owned(),
            NoDecimal::TooManyDecimals => format!("has more than {decimals} decimals"),
            NoDecimal::TooLarge => "is more than can be counted".to_owned(),
        };
        format!("`{}` {said}", shown(text))
    })
}

impl ImportRow {
    /// What it names by its barcode, if a product can have it.
    pub fn barcode(&self) -> Option<BarcodeText> {
        BarcodeText::new(self.barcode.as_ref()?).ok()
    }

    /// The product that it names, or that its barcode means.
    pub fn product(&self, barcodes: &HashMap<BarcodeText, Barcode>) -> Option<ProductCode> {
        match &self.product {
            Some(product) => ProductCode::new(product).ok(),
            None => barcodes.get(&self.barcode()?).map(|barcode| barcode.product.clone()),
        }
    }

    fn read(&self, kind: DocumentKind, known: &RowsKnown) -> Result<DocumentLine, RowFault> {
        let (product, pack) = self.product_and_pack(known)?;
        let decimals = if pack.is_some() { 0 } else { product.scale };
        let count = parse_quantity(&self.count, decimals).map_err(|why| fault(RowField::Count, why))?;
        let mut line = DocumentLine::new(product.code.clone(), count);
        line.pack = pack;
        line.cost = match (self.amount, self.price) {
            (Some(_), Some(_)) => {
                return Err(fault(RowField::Amount, "say the price of one or the amount of all, not both"));
            }
            (amount, price) => amount.map(LineCost::Amount).or(price.map(|Price(price)| LineCost::Price(price))),
        };
        let named = |field: RowField| move |why: Invalid| fault(field, why.to_string());
        line.lot = self.lot.as_deref().map(LotCode::new).transpose().map_err(named(RowField::Lot))?;
        let no_date = |_| fault(RowField::Expires, "write a date like 2026-12-24");
        line.expires = self.expires.as_deref().map(str::parse).transpose().map_err(no_date)?;
        let serials: Result<_, Invalid> = self.serials.iter().map(|serial| SerialCode::new(serial)).collect();
        line.serials = serials.map_err(named(RowField::Serials))?;
        let now = || known.seqs.get(&product.code).copied().unwrap_or(0);
        let seq = self.against.or_else(|| (kind == DocumentKind::Recount).then(now));
        line.against = seq.map(|seq| Against { seq, difference: self.difference });
        check(kind, product, &line)?;
        Ok(line)
    }

    fn product_and_pack<'k>(&self, known: &'k RowsKnown) -> Result<(&'k Product, Option<PackName>), RowFault> {
        let meant = match (&self.product, &self.barcode) {
            (Some(_), None) => None,
            (None, Some(text)) => {
                let unknown = || fault(RowField::Barcode, format!("no product has the barcode {}", shown(text)));
                Some(self.barcode().and_then(|code| known.barcodes.get(&code)).ok_or_else(unknown)?)
            }
            (Some(_), Some(_)) => return Err(fault(RowField::Barcode, "name a product or a barcode, not both")),
            (None, None) => return Err(fault(RowField::Product, "every row needs a product")),
        };
        let product = self.product(&known.barcodes).and_then(|code| known.products.get(&code)).ok_or_else(|| {
            let code = shown(self.product.as_deref().unwrap_or_default());
            fault(RowField::Product, format!("there is no product `{code}`"))
        })?;
        let (said, of_barcode) = (self.pack.as_deref(), meant.map(|barcode| barcode.pack.as_ref()));
        let pack = of_barcode.map_or(said, |pack| pack.map(PackName::as_str));
        if of_barcode.is_some() && said.is_some() && said != pack {
            let one = pack.map_or("a single unit".to_owned(), |pack| format!("the pack {pack}"));
            return Err(fault(RowField::Pack, format!("the barcode is one of {one}")));
        }
        let Some(pack) = pack else { return Ok((product, None)) };
        if let Some(found) = product.packs.iter().find(|known| known.name.as_str() == pack) {
            return Ok((product, Some(found.name.clone())));
        }
        let names: Vec<&str> = product.packs.iter().map(|pack| pack.name.as_str()).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let (code, pack) = (&product.code, shown(pack));
        Err(fault(RowField::Pack, format!("{code} has no pack `{pack}`; it has {names}")))
    }
}

/// What would be refused of the line alone.
fn check(kind: DocumentKind, product: &Product, line: &DocumentLine) -> Result<(), RowFault> {
    check_said(kind, 0, line).map_err(|why| fault(None, why.to_string()))?;
    if line.serials.len() > SERIALS_PER_PART_MAX {
        return Err(fault(RowField::Serials, format!("a line has up to {SERIALS_PER_PART_MAX} serial numbers")));
    }
    check_line(kind, product, line).map_err(|refusal| {
        let field = match &refusal {
            StockRefusal::DocumentOutOfRange => return fault(RowField::Count, "this is more than can be counted"),
            StockRefusal::LotNeeded { .. } | StockRefusal::LotUnwanted { .. } => Some(RowField::Lot),
            StockRefusal::SerialsMissing { .. } | StockRefusal::SerialsUnwanted { .. } => Some(RowField::Serials),
            _ => None,
        };
        fault(field, refusal.to_string())
    })
}

/// What rows of one document must not say twice.
#[derive(Debug, Default)]
struct Seen {
    counted: HashMap<(Option<ProductCode>, Option<LotCode>), u32>,
    serials: HashMap<(Option<ProductCode>, SerialCode), u32>,
}

impl Seen {
    fn add(&mut self, kind: DocumentKind, number: u32, line: DocumentLine) -> Result<DocumentLine, RowFault> {
        let product = &line.product;
        for serial in &line.serials {
            if let Some(other) = self.serials.insert((product.clone(), serial.clone()), number) {
                let twice = fault(RowField::Serials, format!("{serial} is listed before"));
                return Err(RowFault { other_row: Some(other), ..twice });
            }
        }
        if kind == DocumentKind::Recount
            && let Some(other) = self.counted.insert((product.clone(), line.lot.clone()), number)
        {
            let code = product.as_ref().map_or("", ProductCode::as_str);
            let twice = fault(RowField::Product, format!("{code} is counted before"));
            return Err(RowFault { other_row: Some(other), ..twice });
        }
        Ok(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Title;
    use crate::stock::{Pack, Tracking, UnitName};

    fn known() -> RowsKnown {
        let product = |code: &str, scale: u32, tracking: Tracking, packs: Vec<Pack>| {
            let code = ProductCode::new(code).unwrap();
            let (title, unit) = (Title::new("x").unwrap(), UnitName::new("pcs").unwrap());
            (code.clone(), Product { code, title, unit, scale, packs: packs.into(), tracking, version: 1 })
        };
        let pack = |name: &str, factor: i64| Pack { name: PackName::new(name).unwrap(), factor };
        let barcode = |code: &str, pack: Option<&str>| {
            let code = BarcodeText::new(code).unwrap();
            let pack = pack.map(|pack| PackName::new(pack).unwrap());
            (code.clone(), Barcode { code, product: ProductCode::new("tea").unwrap(), pack, version: 1 })
        };
        RowsKnown {
            products: HashMap::from([
                product("tea", 0, Tracking::Nothing, vec![pack("box", 12), pack("ship", 1_000_000)]),
                product("rice", 3, Tracking::Nothing, vec![]),
                product("milk", 0, Tracking::Lots, vec![]),
                product("phone", 0, Tracking::Serials, vec![]),
            ]),
            barcodes: HashMap::from([barcode("4006", Some("box")), barcode("4007", None)]),
            seqs: HashMap::from([(ProductCode::new("tea").unwrap(), 7)]),
        }
    }

    fn read(kind: DocumentKind, rows: &str) -> String {
        let (lines, faults) = read_rows(kind, &serde_json::from_str::<Vec<ImportRow>>(rows).unwrap(), &known());
        if faults.is_empty() { serde_json::to_string(&lines).unwrap() } else { serde_json::to_string(&faults).unwrap() }
    }

    fn check(kind: DocumentKind, rows: &str, expected: &str) {
        let told = read(kind, &format!("[{rows}]"));
        assert!(told.contains(expected), "{rows}: {told}");
    }

    #[test]
    fn rows_that_can_be_used() {
        let bought = |row: &str, expected: &str| check(DocumentKind::Purchase, row, expected);
        bought(
            r#"{"product":"tea","count":"10","price":"490"}"#,
            r#""product":"tea","count":10,"cost":{"price":490000000}"#,
        );
        bought(r#"{"barcode":"4006","count":"3","amount":7}"#, r#""count":3,"pack":"box","cost":{"amount":7}"#);
        bought(r#"{"barcode":"4007","count":"3","pack":null,"amount":0}"#, r#""product":"tea","count":3,"cost""#);
        bought(r#"{"product":"rice","count":"3.25","price":"599"}"#, r#""count":3250"#);
        let milk = r#"{"product":"milk","count":"5","amount":450,"lot":"L7","expires":"2027-01-31"}"#;
        bought(milk, r#""lot":"L7","expires":"2027-01-31""#);
        bought(r#"{"product":"phone","count":"2","amount":1,"serials":["A1","A2"]}"#, r#""serials":["A1","A2"]"#);
        check(DocumentKind::Sale, r#"{"product":"milk","count":"2"}"#, r#""count":2"#);
        check(DocumentKind::Recount, r#"{"product":"tea","count":"0","against":3}"#, r#""against":{"seq":3}"#);
        check(DocumentKind::Recount, r#"{"product":"tea","count":"8"}"#, r#""against":{"seq":7}"#);
        let differs = r#"{"product":"rice","count":"8","difference":true}"#;
        check(DocumentKind::Recount, differs, r#""against":{"seq":0,"difference":true}"#);
    }

    #[test]
    fn rows_that_cannot_be_used() {
        let bought = |row: &str, expected: &str| check(DocumentKind::Purchase, &format!("{{{row}}}"), expected);
        bought(r#""count":"3""#, r#""field":"product","reason":"every row needs a product"#);
        bought(r#""product":"tea","barcode":"4006","count":"3""#, r#""field":"barcode","reason":"name a product or"#);
        bought(r#""product":"tea","count":"3","price":"1","amount":1"#, r#""field":"amount","reason":"say the price"#);
        bought(r#""product":"tea","count":"3""#, r#"{"row":1,"reason":"it needs a cost"}"#);
        bought(r#""product":"tea","count":"0","price":"1""#, "the count");
        bought(r#""product":"coffee","count":"3""#, r#""field":"product","reason":"there is no product `coffee`"#);
        bought(r#""product":" ","count":"3""#, "there is no product");
        bought(r#""barcode":"1","count":"3""#, r#""field":"barcode","reason":"no product has the barcode 1"#);
        bought(r#""barcode":"4006","count":"3","pack":"bag""#, "the barcode is one of the pack box");
        bought(r#""barcode":"4007","count":"3","pack":"box""#, "the barcode is one of a single unit");
        bought(r#""product":"tea","count":"3","pack":"bag""#, "tea has no pack `bag`; it has box, ship");
        bought(r#""product":"rice","count":"3","pack":"bag""#, "rice has no pack `bag`; it has none");
        bought(r#""product":"tea","count":"1000000000","pack":"ship","price":"1""#, "this is more than can be counted");
        bought(r#""product":"milk","count":"3","price":"1""#, r#""field":"lot","reason":"lots of milk are told apart"#);
        bought(r#""product":"tea","count":"3","price":"1","lot":"L""#, "lots of tea are not told apart");
        bought(r#""product":"milk","count":"3","price":"1","lot":"L","expires":"soon""#, r#""field":"expires""#);
        bought(
            r#""product":"phone","count":"2","price":"1","serials":["A"]"#,
            "2 of phone move, with 1 serial numbers",
        );
        bought(r#""product":"tea","count":"1","price":"1","serials":["A"]"#, "pieces of tea are not told apart");
        check(DocumentKind::Sale, r#"{"product":"tea","count":"3","price":"1"}"#, "it has no cost");
        check(DocumentKind::Recount, r#"{"product":"phone","count":"3"}"#, "pieces of phone are told apart");
        let phone = r#"{"product":"phone","count":"1","amount":1,"serials":["A1"]}"#;
        let twice = r#"{"row":2,"field":"serials","reason":"A1 is listed before","other_row":1}"#;
        check(DocumentKind::Purchase, &format!("{phone},{phone}"), twice);
        let tea = r#"{"product":"tea","count":"1"}"#;
        let twice = r#"{"row":3,"field":"product","reason":"tea is counted before","other_row":1}"#;
        check(DocumentKind::Recount, &format!(r#"{tea},{{"product":"rice","count":"1"}},{tea}"#), twice);
    }

    #[test]
    fn quantities() {
        let check = |text: &str, decimals: u32, expected: &str| {
            let told = parse_quantity(text, decimals).map_or_else(|why| why, |units| units.to_string());
            assert!(told.contains(expected), "{text}: {told}");
        };
        check("3", 3, "3000");
        check("3.25", 3, "3250");
        check("12", 0, "12");
        check("12.5", 0, "`12.5` is no whole number");
        check("3.2505", 3, "`3.2505` has more than 3 decimals");
        check("99999999999999999999", 0, "more than can be counted");
        for bad in ["", ".", "3.", ".5", "-1", "+1", "1e3", "1 000", "1,000", "1.0.0", "three"] {
            check(bad, 3, "is no quantity; write it like 1.000");
        }
        check("one", 0, "write it like 1");
    }
}
