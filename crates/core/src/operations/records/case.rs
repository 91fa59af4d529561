//! Something a person must look at. Opened once per kind and key; opened again when it happens again.

use std::fmt;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::kernel::{Columnar, JsonList, Record, Timestamp, words};
use crate::operations::{Actor, Correlation, Reason};

words!(CaseState {
    Open = "open",
    Resolved = "resolved",
});

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Columnar)]
pub struct CaseKey {
    /// A word that can be counted, such as `effect-unknown`.
    pub kind: SmolStr,
    pub key: SmolStr,
}

impl fmt::Display for CaseKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.key)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(table = "cases")]
pub struct Case {
    #[serde(flatten)]
    #[column(key)]
    pub key: CaseKey,
    pub state: CaseState,
    /// What is wrong and what to do about it, in a sentence or two.
    pub summary: SmolStr,
    pub correlations: JsonList<Correlation>,
    /// How often it was reported.
    pub reports: u32,
    pub opened_at: Timestamp,
    pub reported_at: Timestamp,
    pub assigned_to: Option<Actor>,
    pub resolved_at: Option<Timestamp>,
    pub resolved_by: Option<Actor>,
    pub resolution: Option<Reason>,
    pub version: i64,
}
