//! Words that only the API has, and those of the core that answers have.

use serde::{Deserialize, Serialize};

use crate::describe::ToSchema;

pub use surehold_core::stock::{Basis, DocumentKind, DocumentState, Place, Spread, Tracking};

/// What a document may do that is written by hand; reversals are asked for.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NewDocumentKind {
    Purchase,
    Sale,
    CustomerReturn,
    SupplierReturn,
    WriteOff,
    Opening,
    Recount,
    Transfer,
    Receipt,
    TransitLoss,
}

/// In which order a card is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CardOrder {
    /// As rows were written.
    #[default]
    Posting,
    /// As things took effect.
    Effect,
}
