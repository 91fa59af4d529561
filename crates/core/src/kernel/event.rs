//! What happened, packed for the journal. An event names the record and the numbers that changed; what the record's
//! immutable part already says is not copied. A module's events are a variant here. Variants are only
//! ever appended: their order is the stored format.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::operations::OperationsEvent;
use crate::repairs::Repaired;
use crate::stays::StaysEvent;
use crate::stock::StockEvent;

use super::{ConvertMode, HoldId, HoldPolicy, KeyId, Lines, PoolKey, Slug, TenantId, Timestamp};

/// `versions` are those of the pools after the event, in the order of the lines that it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    SlugClaimed {
        slug: Slug,
        claimed_by: TenantId,
    },
    TenantCreated {
        policy: HoldPolicy,
    },
    PolicyChanged {
        policy: HoldPolicy,
    },
    PoolChanged {
        pool: PoolKey,
        version: i64,
        total: i64,
        overbook: i64,
        granted: i64,
        closed: bool,
    },
    /// Follows `PoolChanged` when the new capacity is below what is promised.
    PoolOversold {
        pool: PoolKey,
        oversold: i64,
    },
    HoldPlaced {
        hold: HoldId,
        versions: Vec<i64>,
    },
    HoldExtended {
        hold: HoldId,
        expires_at: Timestamp,
    },
    HoldCancelled {
        hold: HoldId,
        versions: Vec<i64>,
    },
    HoldExpired {
        hold: HoldId,
        versions: Vec<i64>,
    },
    /// `versions` in the order of the hold's lines; what is not kept is released.
    HoldConverted {
        hold: HoldId,
        mode: ConvertMode,
        kept: Lines,
        versions: Vec<i64>,
    },
    BookedGivenBack {
        hold: HoldId,
        lines: Lines,
        versions: Vec<i64>,
    },
    /// `pools` are those whose booked units changed, in the order of `versions`.
    BookedMoved {
        hold: HoldId,
        from: Lines,
        to: Lines,
        pools: Vec<PoolKey>,
        versions: Vec<i64>,
    },
    KeyCreated {
        key: KeyId,
    },
    KeyRotated {
        key: KeyId,
        replaced_by: KeyId,
        ends_at: Timestamp,
    },
    KeyRevoked {
        key: KeyId,
    },
    /// The rows of the journal before this one are gone.
    JournalTrimmed {
        before_seq: i64,
    },
    Operations(OperationsEvent),
    Repaired(Repaired),
    Stays(StaysEvent),
    Stock(StockEvent),
}

#[derive(Debug, Error)]
#[error("the journal holds events that cannot be read")]
pub struct EventsCorrupt(#[source] postcard::Error);

impl From<OperationsEvent> for Event {
    fn from(event: OperationsEvent) -> Event {
        Event::Operations(event)
    }
}

impl From<StaysEvent> for Event {
    fn from(event: StaysEvent) -> Event {
        Event::Stays(event)
    }
}

impl From<StockEvent> for Event {
    fn from(event: StockEvent) -> Event {
        Event::Stock(event)
    }
}

impl Event {
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        postcard::to_io(self, out).expect("events are plain data and memory does not fail to write");
    }
}

/// The events of one journal row.
pub fn decode_events(mut packed: &[u8]) -> Result<Vec<Event>, EventsCorrupt> {
    let mut events = Vec::new();
    while !packed.is_empty() {
        let (event, rest) = postcard::take_from_bytes(packed).map_err(EventsCorrupt)?;
        events.push(event);
        packed = rest;
    }
    Ok(events)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_events_come_back() {
        let hold = HoldId::parse("01980000-0000-7000-8000-000000000001").unwrap();
        let events = [
            Event::HoldPlaced { hold, versions: vec![1, 2, 300] },
            Event::HoldExtended { hold, expires_at: Timestamp::from_micros(5) },
        ];
        let mut packed = Vec::new();
        for event in &events {
            event.encode(&mut packed);
        }
        assert_eq!(decode_events(&packed).unwrap(), events);
        assert!(decode_events(&[255]).is_err());
    }

    /// The stored format: a change here makes old journals unreadable.
    #[test]
    fn the_stored_format_is_fixed() {
        let hold = HoldId::parse("01980000-0000-7000-8000-000000000001").unwrap();
        let mut packed = Vec::new();
        Event::HoldPlaced { hold, versions: vec![300] }.encode(&mut packed);
        let mut expected = vec![5, 16];
        expected.extend(hold.uuid().as_bytes());
        expected.extend([1, 0xd8, 0x04]);
        assert_eq!(packed, expected);
    }
}
