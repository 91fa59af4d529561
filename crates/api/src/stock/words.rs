//! How the words look in the description; the core's own types decide.

use serde::{Deserialize, Serialize};

use crate::describe::ToSchema;

/// What a document does.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DocumentKind {
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
    Reversal,
}

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

#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DocumentState {
    /// Nothing has moved yet.
    Draft,
    /// Part after part.
    Posting,
    Posted,
    Reversed,
}

/// Where in a store, or on the way to it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    OnHand,
    InTransit,
}

/// What is told apart among the units of a product.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tracking {
    None,
    Lots,
    Serials,
}

/// What extra costs are spread by.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Spread {
    Value,
    Quantity,
}

/// Where the cost of a row comes from.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Somebody said so.
    Given,
    /// The average of what was there.
    Average,
    /// What was left of the cost of the row `source`.
    Source,
    /// What the row `source` came in for, as far as that was there.
    Undo,
    /// Changes what the row `source` cost.
    Revaluation,
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
