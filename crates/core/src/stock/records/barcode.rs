//! What a scanner reads, and what it means.

use serde::{Deserialize, Serialize};

use crate::kernel::Record;
use crate::stock::{BarcodeText, PackName, ProductCode};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(table = "barcodes")]
pub struct Barcode {
    #[column(key)]
    pub code: BarcodeText,
    pub product: ProductCode,
    /// `None` is one base unit.
    pub pack: Option<PackName>,
    pub version: i64,
}
