//! What is wrong with an input about stays before anything is looked up.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::kernel::Invalid;

#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum StayInvalid {
    #[error("a stay has 1 to {nights_max} nights; {checkin} to {checkout} is none of them")]
    Dates { checkin: String, checkout: String, nights_max: i64 },
    #[error("a range has 1 to {nights_max} nights; {from} to {until} is none of them")]
    NightRange { from: String, until: String, nights_max: i64 },
    #[error("a month is written as in 2026-12")]
    MonthMalformed,
    #[error("a local time is written as in 15:00")]
    LocalTimeMalformed,
    #[error("{room_types} room types over {nights} nights are {lines} lines; a hold has at most {lines_max}")]
    TooLarge { room_types: usize, nights: usize, lines: usize, lines_max: usize },
}

impl From<StayInvalid> for Invalid {
    fn from(invalid: StayInvalid) -> Invalid {
        Invalid::Other { reason: invalid.to_string() }
    }
}
