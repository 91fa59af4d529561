//! How much an owner holds at this moment. Written only for holds that name an owner, gone when nothing is held.

use super::{OwnerName, Record};

#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(table = "owners")]
pub struct Owner {
    #[column(key, name = "owner")]
    pub name: OwnerName,
    /// Active holds.
    pub holds: i64,
    /// Their lifetimes from placing to expiry, summed.
    pub lifetime_secs: i64,
    pub version: i64,
}
