//! What a provider says about itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::books::Charge;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderReport {
    pub now_secs: i64,
    /// In the order in which they were made, also those that lists do not show yet.
    pub charges: Vec<Charge>,
    /// By `metadata.operation`; charges without it are not counted here.
    pub charges_per_operation: BTreeMap<String, u64>,
    /// More than 1: somebody paid twice.
    pub charges_per_operation_max: u64,
    /// Charge requests, whatever became of them.
    pub requests: u64,
    /// Stored answers given again, heard or not.
    pub replays: u64,
    /// Refused because the key was in flight.
    pub conflicts: u64,
    /// Refused because the key belongs to another body.
    pub mismatches: u64,
    /// Lists asked for.
    pub lists: u64,
    /// What struck, by the name of the fault.
    pub faults: BTreeMap<String, u64>,
    /// Faults that no request has met yet.
    pub faults_queued: u64,
    /// Charge requests that are late now.
    pub waiting: u64,
}

impl ProviderReport {
    pub fn faults_total(&self) -> u64 {
        self.faults.values().sum()
    }

    pub fn charges_of(&self, operation: &str) -> u64 {
        self.charges_per_operation.get(operation).copied().unwrap_or(0)
    }
}
