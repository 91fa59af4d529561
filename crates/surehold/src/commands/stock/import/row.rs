//! A row: its cells as a line that somebody wrote, and what all rows together must not say.

use std::collections::HashMap;

use surehold_core::stock::{DocumentKind, DocumentLine};

use super::super::super::csv_file::{self, Record};
use super::super::written::{What, Written, WrittenCost};
use super::columns::Column;

pub(super) type File = csv_file::File<Column>;
pub(super) type Fault = csv_file::Fault<Column>;

fn fault(column: Column, reason: impl Into<String>) -> Fault {
    Fault { column: Some(column), reason: reason.into() }
}

pub(super) fn read(file: &File, record: &Record) -> Result<Written, Fault> {
    file.check_cells(record)?;
    let cell = |column: Column| file.cell(record, column).map_err(|reason| fault(column, reason));
    let some = |column: Column| cell(column).map(|text| Some(text).filter(|text| !text.is_empty()).map(str::to_owned));
    let what = match (some(Column::Product)?, some(Column::Barcode)?) {
        (Some(code), None) => What::Product(code),
        (None, Some(code)) => What::Barcode(code),
        (Some(_), Some(_)) => return Err(fault(Column::Barcode, "name a product or a barcode, not both")),
        (None, None) => return Err(fault(Column::Product, "every row needs a product")),
    };
    let count = some(Column::Count)?.ok_or_else(|| fault(Column::Count, "every row needs a count"))?;
    let mut line = Written::new(what, &count);
    line.pack = some(Column::Pack)?;
    line.cost = match (some(Column::Price)?, some(Column::Amount)?) {
        (Some(price), None) => Some(WrittenCost::Price(price)),
        (None, Some(amount)) => Some(WrittenCost::Amount(amount)),
        (Some(_), Some(_)) => return Err(fault(Column::Amount, "say the price of one or the amount of all, not both")),
        (None, None) => None,
    };
    (line.lot, line.expires) = (some(Column::Lot)?, some(Column::Expires)?);
    line.serials = cell(Column::Serials)?.split_whitespace().map(str::to_owned).collect();
    line.against = some(Column::Against)?;
    Ok(line)
}

/// What is in the file twice, and may not be.
#[derive(Debug, Default)]
pub(super) struct Seen {
    counted: HashMap<(String, Option<String>), u64>,
    serials: HashMap<(String, String), u64>,
}

impl Seen {
    pub(super) fn add(&mut self, kind: DocumentKind, number: u64, line: &DocumentLine) -> Result<(), Fault> {
        let product = line.product.as_ref().map(ToString::to_string).unwrap_or_default();
        for serial in &line.serials {
            if let Some(first) = self.serials.insert((product.clone(), serial.to_string()), number) {
                return Err(fault(Column::Serials, format!("{serial} is on line {first} too")));
            }
        }
        if kind != DocumentKind::Recount {
            return Ok(());
        }
        let lot = line.lot.as_ref().map(ToString::to_string);
        match self.counted.insert((product.clone(), lot), number) {
            Some(first) => Err(fault(Column::Product, format!("{product} is counted on line {first} too"))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn check(header: &str, row: &str, expected: &str) {
        let file = File::parse(Path::new("f.csv"), format!("{header}\n{row}\n").as_bytes()).unwrap();
        let told = match read(&file, &file.records[0]) {
            Ok(written) => format!("{written:?}"),
            Err(Fault { column, reason }) => format!("{}: {reason}", column.map_or("row", Column::named)),
        };
        assert!(told.contains(expected), "{row}: {told}");
    }

    #[test]
    fn rows() {
        let header = "product,barcode,count,pack,price,amount,lot,expires,serials,against";
        let row = |row: &str, expected: &str| check(header, row, expected);
        row("tea,,10,,4.90,,,,,", r#"what: Product("tea"), count: "10", pack: None, cost: Some(Price("4.90"))"#);
        row(",4006,2,,,98,,,,", r#"what: Barcode("4006"), count: "2", pack: None, cost: Some(Amount("98"))"#);
        row("tea,,2,box,,,L1,2027-01-01,A1  A2,7", r#"serials: ["A1", "A2"], against: Some("7")"#);
        row("tea,4006,2,,,,,,,", "barcode: name a product or a barcode");
        row(",,2,,,,,,,", "product: every row needs a product");
        row("tea,,,,,,,,,", "count: every row needs a count");
        row("tea,,2,,1,2,,,,", "amount: say the price");
        row("tea,,2,1", "row: the row has 4 cells, and the header 10");
        check("Product;Count;On hand;Reason", "tea;3,5;4;wrong", r#"count: "3,5""#);
    }
}
