//! Rooms that are sold as equals.

use serde::{Deserialize, Serialize};

use crate::kernel::{Columnar, Record, Title};
use crate::stays::{PropertyName, RoomTypeCode};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Columnar)]
pub struct RoomTypeKey {
    pub property: PropertyName,
    pub code: RoomTypeCode,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(table = "room_types")]
pub struct RoomType {
    #[serde(flatten)]
    #[column(key)]
    pub key: RoomTypeKey,
    pub title: Title,
    /// How many people one room takes.
    pub guests_max: u32,
    pub version: i64,
}
