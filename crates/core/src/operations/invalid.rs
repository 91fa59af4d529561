//! What is wrong with an input about operations before anything is looked up.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::kernel::Invalid;

#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum OperationInvalid {
    #[error("{name} is not the name of a time zone, such as America/Sao_Paulo or UTC")]
    TimeZoneUnknown { name: String },
    #[error("a type of operation is named like ISSUE_TICKETS: capitals, digits and underscores")]
    OperationTypeMalformed,
    #[error("a correlation looks like purchaseId=4711")]
    CorrelationMalformed,
    #[error("the key of {kind} has the parts {parts}")]
    KeyParts { kind: String, parts: String },
    #[error("an inbox is named with 1 to 63 characters: a to z, 0 to 9 and inner hyphens")]
    InboxMalformed,
    #[error("the body has {bytes} bytes; at most {bytes_max} are allowed")]
    BodyTooLong { bytes: usize, bytes_max: usize },
    #[error("a signing secret has {bytes_min} to {bytes_max} bytes, not {bytes}")]
    SecretLength { bytes: usize, bytes_min: usize, bytes_max: usize },
    #[error(
        "a schedule is named with 1 to 100 letters, digits, dots, hyphens and underscores, a letter or digit first"
    )]
    ScheduleNameMalformed,
    #[error("{kind} cannot be asked for by a schedule; these can: {schedulable}")]
    NotSchedulable { kind: String, schedulable: String },
    #[error("the payload is not one of {kind}: {reason}")]
    Payload { kind: String, reason: String },
    #[error("a webhook endpoint is named with 1 to 63 characters: a to z, 0 to 9 and inner hyphens")]
    EndpointIdMalformed,
    #[error("{name} is not an event that webhook endpoints are told")]
    EventNotOffered { name: String },
    #[error("messages are in the order of their events, and within what is fanned out")]
    OutboxRange,
    #[error("give a provider_ref with happened, and none with did_not_happen")]
    ProviderRef,
}

impl From<OperationInvalid> for Invalid {
    fn from(invalid: OperationInvalid) -> Invalid {
        Invalid::Other { reason: invalid.to_string() }
    }
}
