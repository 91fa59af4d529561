//! Words that only the API has, and those of the core that answers have.

use crate::describe::wire;

pub use surehold_core::stock::{Basis, DocumentKind, DocumentState, Place, Spread, Tracking};

/// What a document may do that is written by hand; reversals are asked for.
#[wire(Copy)]
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
#[wire(Copy, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum CardOrder {
    /// As rows were written.
    #[default]
    Posting,
    /// As things took effect.
    Effect,
}
