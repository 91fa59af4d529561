//! Cases that have to do with stays: what a person must look at, beside what it is about.

use std::collections::BTreeMap;

use surehold_api::operations;
use surehold_core::kernel::{HoldId, Slug};

use super::Desk;
use crate::client::ClientError;

/// The kinds of the open ones, by the hold that they are about.
#[derive(Debug, Default)]
pub(super) struct OpenCases(BTreeMap<HoldId, Vec<String>>);

impl OpenCases {
    /// Machines get what they asked for and nothing else.
    pub(super) async fn for_people(desk: Desk<'_>, tenant: &Slug) -> Result<OpenCases, ClientError> {
        let mut found = OpenCases::default();
        if desk.screen.json {
            return Ok(found);
        }
        for case in desk.all(operations::cases(tenant).query("state", "open")).await? {
            let holds = case.correlations.iter().filter_map(|name| name.strip_prefix("hold="));
            for hold in holds.filter_map(|hold| HoldId::parse(hold).ok()) {
                found.0.entry(hold).or_default().push(case.kind.clone());
            }
        }
        Ok(found)
    }

    /// Their kinds; empty if there are none.
    pub(super) fn of(&self, hold: HoldId) -> String {
        self.0.get(&hold).map_or(String::new(), |kinds| kinds.join(", "))
    }
}
