//! Many hold commands on the wire.

use serde::{Deserialize, Serialize};
use surehold_core::kernel::commands::{self, AnyHoldCommand, CancelHold, Extension};
use surehold_core::kernel::{HoldId, Invalid, Timestamp};

use crate::Problem;
use crate::describe::ToSchema;
use crate::{ConvertHold, ConvertMode, Hold, Line, PlaceHold};

/// Up to 10,000 commands, each decided and answered by itself; not atomic as a whole.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct BatchRequest {
    #[schema(min_items = 1, max_items = 10000)]
    pub commands: Vec<BatchCommand>,
}

/// Commands that may be repeated without a key: each carries the hold's id.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
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

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ExtendItem {
    pub id: HoldId,
    pub until: Timestamp,
    #[serde(default)]
    #[schema(required = false)]
    pub for_payment: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ConvertItem {
    pub id: HoldId,
    pub mode: ConvertMode,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_items = 1, max_items = 100)]
    pub lines: Option<Vec<Line>>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
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
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct BatchResponse {
    pub results: Vec<BatchResult>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct BatchResult {
    pub id: HoldId,
    /// What the command alone would have been answered with.
    #[schema(example = 201)]
    pub status: u16,
    /// The effect was already there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub replayed: bool,
    /// Left out with `Prefer: return=minimal`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold: Option<Hold>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<Box<Problem>>,
}
