//! The columns of a document in a file.

use super::super::super::csv_file::{self, column_names};

column_names! {
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
    // For whoever reads the file.
    Title = "title",
    OnHand = "on_hand",
    // Of a report: what was wrong the last time.
    Reason = "reason",
}

impl csv_file::Column for Column {
    const ALL: &'static [Column] = Column::NAMED;
    const HEADER_SHOWN: &'static str = "product,count,price";
    const ROWS_HINT: &'static str = "add a row for each line of the document";
    /// 50 parts of 200 lines.
    const ROWS_MAX: usize = 10_000;
    const REASON: Column = Column::Reason;

    fn name(self) -> &'static str {
        self.named()
    }

    fn check(columns: &[Column]) -> Result<(), String> {
        let has = |column: Column| columns.contains(&column);
        match (has(Column::Product) || has(Column::Barcode), has(Column::Count)) {
            (false, _) => Err("there is no column product, nor barcode".to_owned()),
            (true, false) => Err("there is no column count".to_owned()),
            (true, true) => Ok(()),
        }
    }
}
