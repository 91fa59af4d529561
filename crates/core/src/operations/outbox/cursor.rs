//! The place of an event in a tenant's journal.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::kernel::Columnar;

/// The row, and the event in it. As the place of a reader it means: this event and all before it are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Columnar)]
pub struct EventCursor {
    pub seq: i64,
    pub index: u32,
}

/// Behind every event of a row.
pub const EVENT_INDEX_MAX: u32 = 999_999_999;

impl EventCursor {
    /// Behind the whole row.
    pub fn row_end(seq: i64) -> EventCursor {
        EventCursor { seq, index: EVENT_INDEX_MAX }
    }

    pub fn is_row_end(self) -> bool {
        self.index == EVENT_INDEX_MAX
    }

    /// As people and the API write it: `12-0`. Leading zeros do no harm.
    pub fn parse(text: &str) -> Option<EventCursor> {
        let (seq, index) = text.split_once('-')?;
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !digits(seq) || !digits(index) {
            return None;
        }
        let index = index.parse().ok().filter(|index| *index <= EVENT_INDEX_MAX)?;
        Some(EventCursor { seq: seq.parse().ok()?, index })
    }

    /// With leading zeros: texts sort like the places, so that the newest are found without reading all.
    pub(super) fn sortable(self) -> String {
        format!("{:019}-{:09}", self.seq, self.index)
    }
}

impl fmt::Display for EventCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.seq, self.index)
    }
}
