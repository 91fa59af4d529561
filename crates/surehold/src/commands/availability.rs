//! `surehold availability`

use clap::Args;
use jiff::civil::Date;
use surehold_api::kernel;
use surehold_core::kernel::{ResourceName, Slug};

use super::desk::Desk;
use super::hints::Hints;
use super::input::{TestMode, date, resource};
use super::view::table;
use super::{Act, Common};
use crate::client::ClientError;

/// Show what is free over a range of nights
#[derive(Args)]
pub(crate) struct Availability {
    /// The tenant\'s slug
    tenant: Slug,
    /// The first night
    #[arg(long, value_name = "DATE", value_parser = date)]
    from: Date,
    /// The night after the last one
    #[arg(long, value_name = "DATE", value_parser = date)]
    until: Date,
    /// Only this resource
    #[arg(long, value_parser = resource)]
    resource: Option<ResourceName>,
    #[command(flatten)]
    mode: TestMode,
    #[command(flatten)]
    common: Common,
}

impl Act for Availability {
    const HINTS: Hints =
        Hints { by_code: &[(&["range-too-wide"], "ask for fewer nights, or name a --resource")], names: &[] };

    fn common(&self) -> &Common {
        &self.common
    }

    fn test(&self) -> bool {
        self.mode.test
    }

    async fn act(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let call = kernel::availability(&self.tenant).query("from", self.from).query("until", self.until);
        desk.present(call.query_if("resource", self.resource.as_ref()), view).await
    }
}

/// A row for each night, and above them what is free throughout.
fn view(availability: &kernel::Availability) -> String {
    let mut rows = Vec::new();
    for of in &availability.resources {
        rows.push(vec![of.resource.to_string(), "throughout".to_owned(), of.available_throughout.to_string()]);
        for night in &of.slots {
            let state = if night.closed { "closed" } else { "" };
            let (slot, available) = (night.slot.to_string(), night.available.to_string());
            rows.push(vec![of.resource.to_string(), slot, available, state.to_owned()]);
        }
    }
    if rows.is_empty() {
        return "nothing is sold in this range\n".to_owned();
    }
    table(&["RESOURCE", "NIGHT", "AVAILABLE", ""], &[2], rows)
}
