//! Until when the books are closed, and what is still on its way into them. One for all stores of a tenant: a transfer
//! carries its cost from one store to another, so a period is closed everywhere or nowhere.

use serde::{Deserialize, Serialize};

use crate::kernel::{Record, Timestamp};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(table = "stock_books", remembered)]
pub struct Books {
    /// No document takes effect before this instant any more.
    pub closed_until: Option<Timestamp>,
    /// Long documents that are being posted.
    pub posting: i64,
    /// Items whose costs are being worked out anew.
    pub revaluing: i64,
    pub version: i64,
}
