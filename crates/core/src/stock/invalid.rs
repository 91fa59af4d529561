//! What is wrong with an input about stock before anything is looked up.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::kernel::Invalid;

#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum StockInvalid {
    /// Lines count from 1; 0 is the document itself.
    #[error("{}{reason}", line_of(*line))]
    Document { line: u32, reason: String },
}

impl From<StockInvalid> for Invalid {
    fn from(invalid: StockInvalid) -> Invalid {
        Invalid::Other { reason: invalid.to_string() }
    }
}

fn line_of(line: u32) -> String {
    if line == 0 { String::new() } else { format!("line {line}: ") }
}
