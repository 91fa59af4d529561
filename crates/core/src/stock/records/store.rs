//! A place with goods, whose cost is counted in one currency.

use serde::{Deserialize, Serialize};

use crate::kernel::{Currency, Record, Title};
use crate::stock::StoreName;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(table = "stores", remembered)]
pub struct Store {
    #[column(key)]
    pub name: StoreName,
    pub title: Title,
    #[column(fixed)]
    pub currency: Currency,
    pub version: i64,
}
