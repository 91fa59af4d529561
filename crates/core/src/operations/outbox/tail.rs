//! The end of a chain of deliveries: whoever comes next waits for it.

use smol_str::SmolStr;

use crate::kernel::{Columnar, Record};
use crate::operations::{DedupeKey, OperationKey};

use super::{DELIVER_WEBHOOK, EndpointId};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Columnar)]
pub struct TailKey {
    pub endpoint: EndpointId,
    /// What the events are about: messages about one thing arrive in the order of the events.
    pub ordering: SmolStr,
}

/// There is none when nothing is on its way.
#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(table = "webhook_tails")]
pub struct WebhookTail {
    #[column(key)]
    pub key: TailKey,
    pub delivery: DedupeKey,
    pub version: i64,
}

impl WebhookTail {
    pub fn operation(&self) -> OperationKey {
        OperationKey { kind: DELIVER_WEBHOOK.type_name(), key: self.delivery.clone() }
    }
}
