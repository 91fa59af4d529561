//! Who stays.

use clap::Args;
use serde_json::{Value, json};

#[derive(Args)]
pub(super) struct GuestArgs {
    /// The guest's name; can be erased later
    #[arg(long)]
    name: Option<String>,
    /// The guest's email
    #[arg(long)]
    email: Option<String>,
    /// The guest's phone
    #[arg(long)]
    phone: Option<String>,
}

impl GuestArgs {
    pub(super) fn json(&self) -> Value {
        let mut guest = json!({});
        for (name, value) in [("name", &self.name), ("email", &self.email), ("phone", &self.phone)] {
            if let Some(value) = value {
                guest[name] = value.as_str().into();
            }
        }
        guest
    }
}
