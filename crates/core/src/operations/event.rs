//! What happened to operations and to what surrounds them. Who did it and why is in the records, which can be erased, and
//! not here.

use std::fmt;

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use smol_str::SmolStr;

use crate::kernel::{Sent, Shape, Timestamp, events, sent};

use super::outbox::DELIVER_WEBHOOK;
use super::{CaseKey, OperationKey, OperationState};

events! {
    /// What the outbox itself does is not offered: a delivery that tells of a delivery would never end.
    pub enum OperationsEvent {
        OperationSucceeded = "operation_succeeded" {
            operation: OperationName,
            generation: u32,
            /// So many events of the same command come right before this one.
            events: u32 as Unsent,
        };
        OperationDied = "operation_died" {
            operation: OperationName,
            generation: u32,
            /// Why, in a word.
            code: SmolStr,
        }, offered about "operation:{operation}" if operation.kind != DELIVER_WEBHOOK.name;
        OperationRedriven = "operation_redriven" { operation: OperationName, generation: u32 };
        /// A person said what became of an effect in doubt.
        EffectSettled = "effect_settled" { operation: OperationName, step: u16, confirmed: bool };
        CaseOpened = "case_opened" { case: CaseKey }, offered about "case:{case}" if !is_of_delivery(case);
        CaseAssigned = "case_assigned" { case: CaseKey };
        CaseResolved = "case_resolved" { case: CaseKey }, offered about "case:{case}" if !is_of_delivery(case);
        /// The installation's data was put back to an earlier state.
        EpochRaised = "epoch_raised" { number: i64 };
        /// Something the outside told us was stored, and the operation that deals with it asked for.
        InboxReceived = "inbox_received" {
            source: SmolStr,
            external_id: SmolStr,
            operation: OperationName,
        }, offered about "inbox:{source} {external_id}";
        ScheduleChanged = "schedule_changed" { name: SmolStr };
        ScheduleRemoved = "schedule_removed" { name: SmolStr };
        ScheduleFired = "schedule_fired" {
            name: SmolStr,
            /// The instant that the schedule names, not the one at which it was noticed.
            planned_for: Timestamp,
            /// Instants before that one which were missed and are not made up for; 1440 stands for as many or more.
            skipped: u32,
        }, offered about "schedule:{name}";
        EndpointChanged = "endpoint_changed" { endpoint: SmolStr };
        EndpointDisabled = "endpoint_disabled" { endpoint: SmolStr };
        EndpointRemoved = "endpoint_removed" { endpoint: SmolStr };
        /// Said by a schedule, or by somebody outside, for everybody who listens.
        Announced = "announced" { topic: SmolStr, data: SmolStr as JsonText }, offered about "topic:{topic}";
    }
}

/// Cases about an operation bear its name.
fn is_of_delivery(case: &CaseKey) -> bool {
    case.key.strip_prefix(DELIVER_WEBHOOK.name).is_some_and(|rest| rest.starts_with(' '))
}

/// The identity of an operation, as events keep it: whatever is a legal key one day, they stay readable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationName {
    #[serde(rename = "type")]
    pub kind: SmolStr,
    pub key: SmolStr,
}

impl From<&OperationKey> for OperationName {
    fn from(OperationKey { kind, key }: &OperationKey) -> OperationName {
        OperationName { kind: kind.clone().into(), key: key.clone().into() }
    }
}

impl fmt::Display for OperationName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.key)
    }
}

sent! {
    Shape::Component("OperationName") => OperationName, OperationKey;
    Shape::Component("OperationState") => OperationState;
    Shape::Component("CaseName") => CaseKey;
}

/// Not sent; nothing where it is read back.
enum Unsent {}

impl Sent for Unsent {
    type Value = u32;
    const SHAPE: &'static Shape = &Shape::Absent;

    fn send<M: SerializeMap>(_: &'static str, _: &u32, _: &mut M) -> Result<(), M::Error> {
        Ok(())
    }

    fn receive(_: &str, _: &mut Map<String, Value>) -> serde_json::Result<u32> {
        Ok(0)
    }
}

/// JSON, stored as text.
enum JsonText {}

impl Sent for JsonText {
    type Value = SmolStr;
    const SHAPE: &'static Shape = &Shape::Any;

    fn send<M: SerializeMap>(name: &'static str, text: &SmolStr, object: &mut M) -> Result<(), M::Error> {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        object.serialize_entry(name, &value)
    }

    fn receive(name: &str, object: &mut Map<String, Value>) -> serde_json::Result<SmolStr> {
        Ok(object.remove(name).unwrap_or_default().to_string().into())
    }
}
