//! `surehold availability`

use clap::Args;
use jiff::civil::Date;
use serde_json::Value;

use super::input::{TestMode, date, resource, slug};
use super::screen::Screen;
use super::view::{list, table, text};
use super::{Act, Common};
use crate::client::{Client, ClientError, Request};

/// Show what is free over a range of nights
#[derive(Args)]
pub(crate) struct Availability {
    /// The tenant\'s slug
    #[arg(value_parser = slug)]
    tenant: String,
    /// The first night
    #[arg(long, value_name = "DATE", value_parser = date)]
    from: Date,
    /// The night after the last one
    #[arg(long, value_name = "DATE", value_parser = date)]
    until: Date,
    /// Only this resource
    #[arg(long, value_parser = resource)]
    resource: Option<String>,
    #[command(flatten)]
    mode: TestMode,
    #[command(flatten)]
    common: Common,
}

impl Act for Availability {
    fn common(&self) -> &Common {
        &self.common
    }

    async fn act(&self, client: &Client, screen: &Screen) -> Result<(), ClientError> {
        let request = Request::get(&["v1", &self.tenant, "availability"]).test(self.mode.test);
        let request = request.query("from", &self.from.to_string()).query("until", &self.until.to_string());
        let answer = client.send(&request.query_if("resource", self.resource.as_deref())).await?;
        screen.show(&answer, view)
    }
}

/// A row for each night, and above them what is free throughout.
fn view(availability: &Value) -> String {
    let mut rows = Vec::new();
    for resource in list(&availability["resources"]) {
        let name = text(&resource["resource"]);
        rows.push(vec![name.clone(), "throughout".to_owned(), text(&resource["available_throughout"])]);
        for slot in list(&resource["slots"]) {
            let state = if slot["closed"] == true { "closed" } else { "" };
            rows.push(vec![name.clone(), text(&slot["slot"]), text(&slot["available"]), state.to_owned()]);
        }
    }
    if rows.is_empty() {
        return "nothing is sold in this range\n".to_owned();
    }
    table(&["RESOURCE", "NIGHT", "AVAILABLE", ""], &[2], rows)
}
