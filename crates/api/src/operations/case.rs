//! Cases and epochs on the wire.

use surehold_core::kernel::Timestamp;
use surehold_core::operations::{self, Actor, CaseState, Reason};

use crate::describe::wire;

/// Something that a person must look at.
#[wire]
pub struct Case {
    #[schema(example = "effect-unknown")]
    pub kind: String,
    #[schema(example = "CREATE_TRANSFER_TO_ORGANIZER 17:42:2026-11")]
    pub key: String,
    pub state: CaseState,
    /// What is wrong and what to do about it.
    pub summary: String,
    /// What it has to do with.
    #[schema(example = json!(["purchaseId=4711"]))]
    pub correlations: Vec<String>,
    /// How often it was reported.
    pub reports: u32,
    pub opened_at: Timestamp,
    pub reported_at: Timestamp,
    pub assigned_to: Option<Actor>,
    pub resolved_at: Option<Timestamp>,
    /// Absent if it was resolved by itself.
    pub resolved_by: Option<Actor>,
    pub resolution: Option<Reason>,
    pub version: i64,
}

impl From<operations::Case> for Case {
    fn from(case: operations::Case) -> Case {
        Case {
            kind: case.key.kind.into(),
            key: case.key.key.into(),
            state: case.state,
            summary: case.summary.into(),
            correlations: case.correlations.iter().map(ToString::to_string).collect(),
            reports: case.reports,
            opened_at: case.opened_at,
            reported_at: case.reported_at,
            assigned_to: case.assigned_to,
            resolved_at: case.resolved_at,
            resolved_by: case.resolved_by,
            resolution: case.resolution,
            version: case.version,
        }
    }
}

#[wire(page)]
pub struct CasePage {
    pub cases: Vec<Case>,
}

#[wire]
#[schema(example = json!({"to": "ana"}))]
pub struct AssignCase {
    /// Who looks after it from now on.
    pub to: Actor,
}

/// When the installation's data was last put back to an earlier state; 0 if it never was.
#[wire]
pub struct Epoch {
    pub number: i64,
    pub raised_at: Option<Timestamp>,
    pub raised_by: Option<Actor>,
    pub reason: Option<Reason>,
}

impl From<Option<operations::Epoch>> for Epoch {
    fn from(epoch: Option<operations::Epoch>) -> Epoch {
        match epoch {
            None => Epoch { number: 0, raised_at: None, raised_by: None, reason: None },
            Some(epoch) => Epoch {
                number: epoch.number,
                raised_at: Some(epoch.raised_at),
                raised_by: Some(epoch.raised_by),
                reason: Some(epoch.reason),
            },
        }
    }
}
