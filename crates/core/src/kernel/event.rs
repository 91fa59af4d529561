//! What happened, packed for the journal. An event names the record and the numbers that changed; what the record's
//! immutable part already says is not copied. The order of variants is the stored format. Modules
//! append events to their own enums, and a new module its variant behind the last one. The kernel's own events stand before the
//! modules, so their list is closed: another event of the kernel goes into an enum of its own, listed like a module's.

mod declare;
mod sent;

use thiserror::Error;

use crate::operations::OperationsEvent;
use crate::repairs::RepairsEvent;
use crate::stays::StaysEvent;
use crate::stock::StockEvent;

use super::{ConvertMode, HoldId, HoldPolicy, KeyId, Lines, LinesSent, PoolKey, Slug, TenantId, Timestamp};

pub(crate) use declare::events;
pub use declare::{DeclaredEvent, DeclaredField};
pub(crate) use sent::sent;
pub use sent::{Sent, Shape};

events! {
    /// `versions` are those of the pools after the event, in the order of the lines that it is about.
    pub enum Event {
        SlugClaimed = "slug_claimed" { slug: Slug, claimed_by: TenantId }, offered about "slug:{slug}";
        TenantCreated = "tenant_created" { policy: HoldPolicy }, offered about "tenant";
        PolicyChanged = "policy_changed" { policy: HoldPolicy }, offered about "tenant";
        PoolChanged = "pool_changed" {
            pool: PoolKey,
            version: i64,
            total: i64,
            overbook: i64,
            granted: i64,
            closed: bool,
        }, offered about "pool:{pool}";
        /// Follows `pool_changed` when the new capacity is below what is promised.
        PoolOversold = "pool_oversold" { pool: PoolKey, oversold: i64 }, offered about "pool:{pool}";
        HoldPlaced = "hold_placed" { hold: HoldId, versions: Vec<i64> }, offered about "hold:{hold}";
        HoldExtended = "hold_extended" { hold: HoldId, expires_at: Timestamp }, offered about "hold:{hold}";
        HoldCancelled = "hold_cancelled" { hold: HoldId, versions: Vec<i64> }, offered about "hold:{hold}";
        HoldExpired = "hold_expired" { hold: HoldId, versions: Vec<i64> }, offered about "hold:{hold}";
        /// What is not kept is released.
        HoldConverted = "hold_converted" {
            hold: HoldId,
            mode: ConvertMode,
            kept: Lines as LinesSent,
            /// In the order of the hold's lines.
            versions: Vec<i64>,
        }, offered about "hold:{hold}";
        BookedGivenBack = "booked_given_back" {
            hold: HoldId,
            lines: Lines as LinesSent,
            versions: Vec<i64>,
        }, offered about "hold:{hold}";
        BookedMoved = "booked_moved" {
            hold: HoldId,
            from: Lines as LinesSent,
            to: Lines as LinesSent,
            /// Those whose booked units changed, in the order of `versions`.
            pools: Vec<PoolKey>,
            versions: Vec<i64>,
        }, offered about "hold:{hold}";
        KeyCreated = "key_created" { key: KeyId }, offered about "key:{key}";
        KeyRotated = "key_rotated" {
            key: KeyId,
            replaced_by: KeyId,
            ends_at: Timestamp,
        }, offered about "key:{key}";
        KeyRevoked = "key_revoked" { key: KeyId }, offered about "key:{key}";
        JournalTrimmed = "journal_trimmed" {
            /// Events of rows before this one are gone.
            before_seq: i64,
        }, offered about "journal";
    }
    of modules: Operations(OperationsEvent), Repaired(RepairsEvent), Stays(StaysEvent), Stock(StockEvent);
}

#[derive(Debug, Error)]
#[error("the journal holds events that cannot be read")]
pub struct EventsCorrupt(#[source] postcard::Error);

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
