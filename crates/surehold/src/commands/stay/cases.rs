//! Cases that have to do with stays: what a person must look at, beside what it is about.

use std::collections::BTreeMap;

use super::super::view::{list, text};
use super::Desk;
use crate::client::{ClientError, Request};

/// The open ones, by the hold that they are about.
#[derive(Debug, Default)]
pub(super) struct OpenCases(BTreeMap<String, Vec<String>>);

impl OpenCases {
    pub(super) async fn find(desk: Desk<'_>, tenant: &str) -> Result<OpenCases, ClientError> {
        let mut found = OpenCases::default();
        let mut after: Option<String> = None;
        loop {
            let request = Request::get(&["v1", tenant, "cases"]).query("state", "open").query("limit", "1000");
            let page = desk.value(request.query_if("after", after.as_deref())).await?;
            for case in list(&page["cases"]) {
                let names = list(&case["correlations"]).iter().map(text);
                for hold in names.filter_map(|name| name.strip_prefix("hold=").map(str::to_owned)) {
                    found.0.entry(hold).or_default().push(text(&case["kind"]));
                }
            }
            match page["next"].as_str() {
                Some(next) => after = Some(next.to_owned()),
                None => return Ok(found),
            }
        }
    }

    /// Their kinds; empty if there are none.
    pub(super) fn of(&self, hold: &str) -> String {
        self.0.get(hold).map_or(String::new(), |kinds| kinds.join(", "))
    }
}
