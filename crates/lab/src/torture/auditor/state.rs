//! What is judged beside the history: kept as JSON, so that it can be judged again.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::torture::history::{EventSeen, HoldSeen, PoolSeen};

/// Where to ask, and what was written down beside the history.
#[derive(Clone, Debug)]
pub struct CollectPlan {
    /// The base URL of a healed server.
    pub node: String,
    pub tenant: String,
    /// With the scope `read`.
    pub api_key: String,
    /// What a live reader of the feed wrote: [`EventSeen`] as JSON lines.
    pub feed_path: Option<PathBuf>,
}

/// Charges of one name, by the books of the provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChargeSeen {
    /// `tenant.TYPE.key.step`: the step of an operation that the charge is for.
    pub operation: String,
    /// Of each of them.
    pub amount: i64,
    pub times: u64,
}

/// An operation as the API shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationSeen {
    #[serde(rename = "type")]
    pub kind: String,
    pub key: String,
    /// `PENDING`, `RUNNING`, `FAILED`, `SUCCEEDED` or `DEAD_LETTER`.
    pub state: String,
    /// Of a dead one, why.
    #[serde(default)]
    pub dead_code: Option<String>,
    /// Of one that has not ended: when it is due, in microseconds since 1970.
    #[serde(default)]
    pub run_at: Option<i64>,
    #[serde(default)]
    pub waiting_on: Option<String>,
    /// Of charges only.
    #[serde(default)]
    pub result: Option<serde_json::Value>,
    /// Of charges only: the states of its effects, step by step.
    #[serde(default)]
    pub effects: Vec<String>,
    /// Of charges only: what became of each attempt, and which worker had the lease.
    #[serde(default)]
    pub attempts: Vec<AttemptSeen>,
}

/// An attempt as the API shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptSeen {
    pub outcome: String,
    pub worker: Option<String>,
}

impl OperationSeen {
    pub(crate) fn has_ended(&self) -> bool {
        matches!(self.state.as_str(), "SUCCEEDED" | "DEAD_LETTER")
    }
}

/// What a healed system says about itself, at one moment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FinalState {
    /// When the history began, by the clock of those who asked, in microseconds since 1970. `None` where nobody looked, so
    /// that instants are not compared.
    #[serde(default)]
    pub began_at: Option<i64>,
    /// How far the clock that decides was ever turned away from that one, in seconds: at the least and at the most. `None`
    /// where it was left alone.
    #[serde(default)]
    pub clock_offsets: Option<(i64, i64)>,
    /// How many holds an owner may have at once, by the policy. `None` where nobody looked.
    #[serde(default)]
    pub owner_holds_max: Option<i64>,
    /// When it was read, by the clock of the reader, in microseconds since 1970.
    pub read_at: i64,
    /// Whether everything had come to rest in time.
    pub settled: bool,
    /// Something happened whenever it was read, so that holds and pools are not of the moment at which the feed ends. They
    /// are not compared with it then.
    #[serde(default)]
    pub torn: bool,
    /// Every hold that the history names, and those that only the feed names.
    pub holds: BTreeMap<Uuid, Option<HoldSeen>>,
    pub pools: BTreeMap<String, PoolSeen>,
    /// The whole feed.
    pub events: Vec<EventSeen>,
    /// What a reader saw that followed the feed from its beginning while it grew, until everything was healed.
    pub live: Option<Vec<EventSeen>>,
    /// The cursor at which the feed ended when everything was healed: the live reader must have come so far. `None` when
    /// nobody looked; then it is what was acknowledged last.
    #[serde(default)]
    pub live_until: Option<String>,
    pub operations: Vec<OperationSeen>,
    /// What the provider's books say, read after everything had come to rest: charges are made until then. `None` when
    /// nobody looked, so that charges are not judged.
    pub charges: Option<Vec<ChargeSeen>>,
}
