//! Who stays.

use clap::Args;
use surehold_api::Guest;

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
    pub(super) fn guest(&self) -> Guest {
        let [name, email, phone] = [&self.name, &self.email, &self.phone].map(|said| said.as_deref().map(Into::into));
        Guest { name, email, phone }
    }
}
