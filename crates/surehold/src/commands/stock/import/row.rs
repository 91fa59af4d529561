//! A row: its cells as they are sent, and what the server says of it, by the lines of the file.

use std::collections::BTreeSet;

use surehold_api::stock::{ImportRow, RowFault};
use surehold_core::stock::RowField;

use super::super::super::csv_file::{self, Record, Refused};
use super::super::super::money::Money;
use super::super::written::{Written, parse_seq};
use super::columns::Column;
use crate::config::Nearest;

pub(super) type File = csv_file::File<Column>;
pub(super) type Fault = csv_file::Fault<Column>;

fn fault(column: Column, reason: impl Into<String>) -> Fault {
    Fault { column: Some(column), reason: reason.into() }
}

pub(super) fn read(file: &File, record: &Record, money: Money) -> Result<ImportRow, Fault> {
    file.check_cells(record)?;
    let cell = |column: Column| file.cell(record, column).map_err(|reason| fault(column, reason));
    let some = |column: Column| cell(column).map(|text| Some(text).filter(|text| !text.is_empty()).map(str::to_owned));
    let against = some(Column::Against)?.map(|text| parse_seq(&text)).transpose();
    let row = ImportRow {
        product: some(Column::Product)?,
        barcode: some(Column::Barcode)?,
        count: some(Column::Count)?.ok_or_else(|| fault(Column::Count, "every row needs a count"))?,
        pack: some(Column::Pack)?,
        lot: some(Column::Lot)?,
        expires: some(Column::Expires)?,
        serials: cell(Column::Serials)?.split_whitespace().map(str::to_owned).collect(),
        against: against.map_err(|why| fault(Column::Against, why))?,
        ..ImportRow::default()
    };
    let written = Written { row, price: some(Column::Price)?, amount: some(Column::Amount)? };
    let of_field = |field: RowField| if field == RowField::Price { Column::Price } else { Column::Amount };
    written.to_row(money, file.decimal_sign()).map_err(|(field, why)| fault(of_field(field), why))
}

/// Rows that were sent, with their places in the file.
#[derive(Default)]
pub(super) struct Sent {
    pub(super) rows: Vec<ImportRow>,
    pub(super) places: Vec<usize>,
}

impl Sent {
    fn row(&self, number: u32) -> Option<(usize, &ImportRow)> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        Some((*self.places.get(index)?, self.rows.get(index)?))
    }

    /// What the server did not use.
    pub(super) fn refused(&self, file: &File, told: &[RowFault]) -> Vec<Refused> {
        let unknown: BTreeSet<&str> = told.iter().filter_map(|seen| self.unknown(seen)).collect();
        let named: BTreeSet<&str> = self.rows.iter().filter_map(|row| row.product.as_deref()).collect();
        let known = named.difference(&unknown).map(|&name| name.to_owned());
        let known: Vec<String> = if unknown.is_empty() { Vec::new() } else { known.collect() };
        let refused = |seen: &RowFault| {
            let (index, _) = self.row(seen.row)?;
            let line = |place: usize| file.records.get(place).map_or(0, |record| record.line);
            let nearest = self.unknown(seen).map(|code| Nearest::to(code, known.clone()));
            let reason = match (seen.other_row.and_then(|other| self.row(other)), nearest) {
                (Some((other, _)), _) => format!("{}, on line {}", seen.reason, line(other)),
                (None, Some(nearest)) if nearest.meant.is_some() => format!("{}; {nearest}", seen.reason),
                (None, _) => seen.reason.clone(),
            };
            Some(Refused { index, line: line(index), column: seen.field.map(RowField::as_str), reason })
        };
        told.iter().filter_map(refused).collect()
    }

    /// The product that is not there, if that is what is wrong.
    fn unknown(&self, seen: &RowFault) -> Option<&str> {
        let product = self.row(seen.row)?.1.product.as_deref();
        product.filter(|_| seen.field == Some(RowField::Product) && seen.other_row.is_none())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use surehold_core::kernel::Currency;

    use super::*;

    fn check(header: &str, row: &str, expected: &str) {
        let file = File::parse(Path::new("f.csv"), format!("{header}\n{row}\n").as_bytes()).unwrap();
        let told = match read(&file, &file.records[0], Money::of(Currency::parse("EUR").unwrap())) {
            Ok(row) => serde_json::to_value(&row).unwrap().to_string(),
            Err(Fault { column, reason }) => format!("{}: {reason}", column.map_or("row", Column::named)),
        };
        assert!(told.contains(expected), "{row}: {told}");
    }

    #[test]
    fn rows() {
        let header = "product,barcode,count,pack,price,amount,lot,expires,serials,against";
        let row = |row: &str, expected: &str| check(header, row, expected);
        row("tea,,10,,4.90,,,,,", r#"{"count":"10","price":"490","product":"tea"}"#);
        row(",4006,2,,,98,,,,", r#"{"amount":9800,"barcode":"4006","count":"2"}"#);
        row("tea,,2,box,,,L1,2027-01-01,A1  A2,7", r#""pack":"box","product":"tea","serials":["A1","A2"]"#);
        row("tea,,,,,,,,,", "count: every row needs a count");
        row("tea,,2,,x,,,,,", "price: `x` is no price");
        row("tea,,2,,,x,,,,", "amount: `x` is no amount");
        row("tea,,2,,,,,,,x", "against: `x` is no number");
        row("tea,,2,1", "row: the row has 4 cells, and the header 10");
        check("Product;Count;On hand;Reason", "tea;3,5;4;wrong", r#"{"count":"3.5","product":"tea"}"#);
    }
}
