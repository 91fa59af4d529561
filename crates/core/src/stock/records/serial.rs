//! Where a single piece is: in one store, or out.

use serde::{Deserialize, Serialize};

use crate::kernel::{Columnar, Record};
use crate::stock::{DocumentId, ProductCode, SerialCode, StoreName};

use super::Place;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Columnar)]
pub struct SerialKey {
    pub product: ProductCode,
    pub serial: SerialCode,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(table = "stock_serials")]
pub struct Serial {
    #[column(key)]
    pub key: SerialKey,
    /// `None` is out.
    pub store: Option<StoreName>,
    pub place: Place,
    /// The one that moved it last.
    pub document: DocumentId,
    pub version: i64,
}
