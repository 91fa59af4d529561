//! Many hold commands on the wire.

use surehold_core::kernel::commands::{self, AnyHoldCommand, CancelHold, Extension};
use surehold_core::kernel::{HoldId, Invalid, Timestamp};

use crate::Problem;
use crate::describe::wire;
use crate::{ConvertHold, ConvertMode, Hold, Line, PlaceHold};

/// Up to 10,000 commands, each decided and answered by itself; not atomic as a whole.
#[wire]
#[schema(example = json!({"commands": [
    {"place": {
        "id": "019a8d1e-6f00-7000-8000-000000000001", "lines": [{"resource": "double", "slot": "2026-12-24", "quantity": 2}]
    }},
    {"extend": {"id": "019a8d1e-6f00-7000-8000-000000000001", "until": "2099-12-24T18:00:00Z"}},
    {"convert": {
        "id": "019a8d1e-6f00-7000-8000-000000000001", "mode": "book",
        "lines": [{"resource": "double", "slot": "2026-12-24", "quantity": 1}]
    }},
    {"cancel": {"id": "019a8d1e-6f00-7000-8000-000000000001"}}
]}))]
pub struct BatchRequest {
    #[schema(min_items = 1, max_items = 10000)]
    pub commands: Vec<BatchCommand>,
}

/// Commands that may be repeated without a key: each carries the hold's id.
#[wire]
#[serde(rename_all = "snake_case")]
pub enum BatchCommand {
    /// The id is needed here.
    #[schema(title = "PlaceCommand")]
    Place(PlaceHold),
    #[schema(title = "ExtendCommand")]
    Extend(ExtendItem),
    #[schema(title = "ConvertCommand")]
    Convert(ConvertItem),
    #[schema(title = "CancelCommand")]
    Cancel(CancelItem),
}

#[wire]
pub struct ExtendItem {
    pub id: HoldId,
    pub until: Timestamp,
    #[serde(default)]
    pub for_payment: bool,
}

#[wire]
pub struct ConvertItem {
    pub id: HoldId,
    pub mode: ConvertMode,
    #[schema(min_items = 1, max_items = 100)]
    pub lines: Option<Vec<Line>>,
}

#[wire]
pub struct CancelItem {
    pub id: HoldId,
}

impl BatchCommand {
    pub fn id(&self) -> Option<HoldId> {
        match self {
            BatchCommand::Place(place) => place.id,
            BatchCommand::Extend(extend) => Some(extend.id),
            BatchCommand::Convert(convert) => Some(convert.id),
            BatchCommand::Cancel(cancel) => Some(cancel.id),
        }
    }

    pub fn into_command(self, id: HoldId) -> Result<AnyHoldCommand, Invalid> {
        Ok(match self {
            BatchCommand::Place(place) => AnyHoldCommand::Place(place.into_command(id)?),
            BatchCommand::Extend(ExtendItem { until, for_payment, .. }) => {
                let extend = commands::ExtendHold::new(id, Extension::Until(until))?;
                AnyHoldCommand::Extend(if for_payment { extend.for_payment() } else { extend })
            }
            BatchCommand::Convert(ConvertItem { mode, lines, .. }) => {
                AnyHoldCommand::Convert(ConvertHold { mode, lines }.into_command(id)?)
            }
            BatchCommand::Cancel(_) => AnyHoldCommand::Cancel(CancelHold { id }),
        })
    }
}

/// One result per command, in their order.
#[wire]
pub struct BatchResponse {
    pub results: Vec<BatchResult>,
}

#[wire]
pub struct BatchResult {
    pub id: HoldId,
    /// What the command alone would have been answered with.
    #[schema(example = 201)]
    pub status: u16,
    /// The effect was already there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
    /// Left out with `Prefer: return=minimal`.
    pub hold: Option<Hold>,
    pub problem: Option<Box<Problem>>,
}
