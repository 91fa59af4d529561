//! Every command of a tenant as one type, so that they can stand in one request together.

use serde::Serialize;
use serde_json::Value;
use surehold_core::kernel::Refusal;
use surehold_core::kernel::commands::{
    AdjustPool, CancelHold, ConvertHold, CreateTenant, ExpireHold, ExpireLapsedHolds, ExtendHold, GiveBack, GrantUnits,
    MoveBooked, PlaceHold, PutPool, SetPolicy,
};

surehold_testkit::deeds!(
    pub(crate) Deed,
    replies Value, by value,
    of AdjustPool, CancelHold, ConvertHold, CreateTenant, ExpireHold, ExpireLapsedHolds, ExtendHold, GiveBack, GrantUnits,
    MoveBooked, PlaceHold, PutPool, SetPolicy,
);

fn value(reply: impl Serialize) -> Value {
    serde_json::to_value(reply).unwrap()
}

/// What was asked, perhaps under a key.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) deed: Deed,
    pub(crate) key: Option<String>,
}

impl Request {
    /// What the key stands for.
    pub(crate) fn text(&self) -> String {
        format!("{:?}", self.deed)
    }
}

/// What was answered.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verdict {
    Done { reply: Value, replayed: bool },
    Refused(Refusal),
    KeyReused,
}
