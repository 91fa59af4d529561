//! Holds on the wire.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::value::RawValue;
use surehold_core::kernel::commands::{self, Extension};
use surehold_core::kernel::{
    self, ConvertMode, HoldId, HoldState, Invalid, Lines, LinesSent, Metadata, OwnerName, PoolKey, Reference,
    ResourceName, Slot, Timestamp,
};

use super::pool::no_slot;
use crate::describe::wire;

/// Units of one pool.
#[wire]
pub struct Line {
    pub resource: ResourceName,
    /// A date; left out for things without one.
    #[serde(default = "no_slot")]
    pub slot: Slot,
    #[serde(default = "one")]
    #[schema(minimum = 1, maximum = 1_000_000, default = 1)]
    pub quantity: i64,
}

fn one() -> i64 {
    1
}

fn lines(lines: Vec<Line>) -> Result<Lines, Invalid> {
    let line = |Line { resource, slot, quantity }| kernel::Line { pool: PoolKey { resource, slot }, quantity };
    Lines::new(lines.into_iter().map(line).collect())
}

/// A timed claim on several pools, all or nothing.
#[wire]
#[schema(example = json!({
    "lines": [{"resource": "double", "slot": "2026-12-24", "quantity": 1}, {"resource": "t-shirt", "quantity": 2}],
    "lifetime_secs": 900, "owner": "ann", "reference": "cart-7", "metadata": {"table": 4}
}))]
pub struct PlaceHold {
    /// A UUIDv7 of your own: the identity of the request, so that a repeat finds the first hold. Without it an
    /// `Idempotency-Key` is needed.
    pub id: Option<HoldId>,
    #[schema(min_items = 1, max_items = 100)]
    pub lines: Vec<Line>,
    /// Seconds until it expires; the tenant's policy has the default and the most.
    #[schema(minimum = 1, maximum = 31_622_400)]
    pub lifetime_secs: Option<i64>,
    /// Who holds; limits are counted per owner.
    pub owner: Option<OwnerName>,
    /// Your own name for the hold: a cart, a conversation, an order.
    pub reference: Option<Reference>,
    /// Anything, up to 16 KiB. Never looked into.
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<serde_json::Map<String, serde_json::Value>>,
}

impl PlaceHold {
    pub fn into_command(self, id: HoldId) -> Result<commands::PlaceHold, Invalid> {
        let mut place = commands::PlaceHold::new(id, lines(self.lines)?);
        if let Some(secs) = self.lifetime_secs {
            place = place.lifetime_secs(secs)?;
        }
        if let Some(owner) = self.owner {
            place = place.owner(owner);
        }
        if let Some(reference) = self.reference {
            place = place.reference(reference);
        }
        if let Some(metadata) = self.metadata {
            place = place.metadata(Metadata::new(&serde_json::Value::Object(metadata))?);
        }
        Ok(place)
    }
}

/// Either `until` (safe to repeat) or `by_secs` (needs an `Idempotency-Key`).
#[wire]
#[schema(example = json!({"by_secs": 900, "for_payment": true}))]
pub struct ExtendHold {
    /// The new expiry. An earlier one than the present changes nothing.
    pub until: Option<Timestamp>,
    /// Seconds to add to the present expiry.
    #[schema(minimum = 1, maximum = 31_622_400)]
    pub by_secs: Option<i64>,
    /// While a payment is in progress the tenant's ceiling does not apply.
    #[serde(default)]
    pub for_payment: bool,
}

impl ExtendHold {
    pub fn into_command(self, id: HoldId) -> Result<commands::ExtendHold, Invalid> {
        let extension = match (self.until, self.by_secs) {
            (Some(until), None) => Extension::Until(until),
            (None, Some(secs)) => Extension::BySecs(secs),
            (None, None) | (Some(_), Some(_)) => return Err(Invalid::ExtensionUnclear),
        };
        let extend = commands::ExtendHold::new(id, extension)?;
        Ok(if self.for_payment { extend.for_payment() } else { extend })
    }
}

#[wire]
#[schema(example = json!({
    "mode": "book", "lines": [{"resource": "double", "slot": "2026-12-24", "quantity": 1}]
}))]
pub struct ConvertHold {
    pub mode: ConvertMode,
    /// What to keep, if not everything; the rest is released.
    #[schema(min_items = 1, max_items = 100)]
    pub lines: Option<Vec<Line>>,
}

impl ConvertHold {
    pub fn into_command(self, id: HoldId) -> Result<commands::ConvertHold, Invalid> {
        let part = self.lines.map(lines).transpose()?;
        Ok(commands::ConvertHold { id, mode: self.mode, part })
    }
}

/// Exchanges booked units for others, all or nothing.
#[wire]
#[schema(example = json!({
    "from": [{"resource": "double", "slot": "2026-12-24", "quantity": 1}],
    "to": [{"resource": "double", "slot": "2026-12-25", "quantity": 1}]
}))]
pub struct MoveBooked {
    #[schema(min_items = 1, max_items = 100)]
    pub from: Vec<Line>,
    #[schema(min_items = 1, max_items = 100)]
    pub to: Vec<Line>,
}

impl MoveBooked {
    pub fn into_command(self, id: HoldId) -> Result<commands::MoveBooked, Invalid> {
        Ok(commands::MoveBooked { id, from: lines(self.from)?, to: lines(self.to)? })
    }
}

/// Booked units that are not needed any more.
#[wire]
#[schema(example = json!({"lines": [{"resource": "double", "slot": "2026-12-24", "quantity": 1}]}))]
pub struct GiveBack {
    /// What to give back, if not everything.
    #[schema(min_items = 1, max_items = 100)]
    pub lines: Option<Vec<Line>>,
}

impl GiveBack {
    pub fn into_command(self, id: HoldId) -> Result<commands::GiveBack, Invalid> {
        Ok(commands::GiveBack { id, part: self.lines.map(lines).transpose()? })
    }
}

/// What a converted hold has: the units booked as of now, or the units consumed.
#[wire]
pub struct Kept {
    pub mode: ConvertMode,
    /// As of now: booked units may be given back and moved.
    #[schema(value_type = Vec<Line>)]
    pub lines: LinesSent,
}

#[wire]
pub struct Hold {
    pub id: HoldId,
    pub state: HoldState,
    #[schema(value_type = Vec<Line>)]
    pub lines: LinesSent,
    pub kept: Option<Kept>,
    pub owner: Option<OwnerName>,
    pub reference: Option<Reference>,
    #[serde(default, serialize_with = "metadata_object", deserialize_with = "read_metadata")]
    pub metadata: Option<Metadata>,
    pub placed_at: Timestamp,
    /// From this instant on it is dead for everybody.
    pub expires_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub version: i64,
    /// Versions of the pools after this command, in the order of the lines it changed; absent when it changed none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pool_versions: Vec<i64>,
}

#[expect(clippy::ref_option, reason = "serde gives a reference")]
fn metadata_object<S: Serializer>(metadata: &Option<Metadata>, serializer: S) -> Result<S::Ok, S::Error> {
    let text = metadata.as_ref().map_or("null", Metadata::as_str);
    let raw: &RawValue = serde_json::from_str(text).map_err(serde::ser::Error::custom)?;
    raw.serialize(serializer)
}

fn read_metadata<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Metadata>, D::Error> {
    let object = Option::<serde_json::Value>::deserialize(deserializer)?;
    object.map(|object| Metadata::new(&object).map_err(de::Error::custom)).transpose()
}

impl From<commands::HoldReply> for Hold {
    fn from(reply: commands::HoldReply) -> Hold {
        Hold { pool_versions: reply.pool_versions, ..Hold::from(reply.hold) }
    }
}

impl From<kernel::Hold> for Hold {
    fn from(hold: kernel::Hold) -> Hold {
        Hold {
            id: hold.id,
            state: hold.state,
            lines: LinesSent(hold.lines),
            kept: hold.kept.map(|kept| Kept { mode: kept.mode, lines: LinesSent(kept.lines) }),
            owner: hold.owner,
            reference: hold.reference,
            metadata: hold.metadata,
            placed_at: hold.placed_at,
            expires_at: hold.expires_at,
            ended_at: hold.ended_at,
            version: hold.version,
            pool_versions: Vec::new(),
        }
    }
}

#[wire(page)]
pub struct HoldPage {
    pub holds: Vec<Hold>,
}
