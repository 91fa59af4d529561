//! A Stripe inside of the demo: real HTTP on loopback, signed webhooks to this very server, no money. It forgets
//! everything when the demo ends; what Surehold knows stays.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use surehold_simulators::stripe::{AccountConfig, StripeConfig, StripeSim};
use uuid::Uuid;

use crate::config::Config;
use crate::installation;

/// Its name in the accounts file, and for the hotel.
pub(in crate::serve) const ACCOUNT: &str = "demo";
const ACCOUNTS_FILE: &str = "stripe-demo.toml";
/// What is paid by Boleto or Pix arrives after this.
const SETTLES_AFTER_SECS: u32 = 60;

pub(in crate::serve) struct Simulator {
    stripe: StripeSim,
    /// Written anew at every start, in the form of every other.
    pub(in crate::serve) accounts_file: PathBuf,
}

impl Simulator {
    /// None where accounts are configured: whoever has a Stripe of their own pays there.
    pub(in crate::serve) async fn start(config: &Config) -> Result<Option<Simulator>> {
        if config.stripe.accounts_file.is_some() {
            return Ok(None);
        }
        let account = AccountConfig {
            api_key: format!("sk_test_{}", Uuid::new_v4().simple()),
            webhook_secrets: vec![format!("whsec_{}", Uuid::new_v4().simple())],
            endpoints: Vec::new(),
        };
        // Beside the API, where a link of the last start finds it again.
        let port = config.server.listen.port().checked_add(1).filter(|port| *port > 1).unwrap_or(0);
        let stripe = listen(port, &account).await.context("cannot start the simulated Stripe")?;
        installation::make_private_folder(&config.store.data_dir)?;
        let accounts_file = config.store.data_dir.join(ACCOUNTS_FILE);
        write_private(&accounts_file, &accounts(&account, &stripe.url()))
            .with_context(|| format!("cannot write {}", accounts_file.display()))?;
        Ok(Some(Simulator { stripe, accounts_file }))
    }

    /// Tells this server what happens from now on.
    pub(in crate::serve) fn tell(&self, address: &str) {
        self.stripe.set_endpoints(0, &[format!("{address}/webhooks/stripe/{ACCOUNT}")]);
    }

    pub(super) fn welcome(&self, address: &str) -> String {
        format!(
            "  surehold stay checkout demo STAY --success-url {address}/docs
  surehold stay show demo STAY

Open the page that `checkout` prints in a browser. It is a simulated Stripe ({}): pay by card, be
declined, or pay by Boleto or Pix, whose money comes a minute later. `surehold stay cancel demo STAY` within that
minute shows what becomes of money that comes too late: `surehold case list demo`.
",
            self.stripe.url()
        )
    }
}

/// At this port, or at any if somebody else has it.
async fn listen(port: u16, account: &AccountConfig) -> std::io::Result<StripeSim> {
    let config = |port: u16| StripeConfig {
        port,
        // What was named in an earlier run must not be named again.
        seed: usize::try_from(Uuid::now_v7().as_u64_pair().0).unwrap_or(1),
        accounts: vec![account.clone()],
        settles_after_secs: Some(SETTLES_AFTER_SECS),
        ..StripeConfig::default()
    };
    match StripeSim::start(config(port)).await {
        Err(error) if matches!(error.kind(), ErrorKind::AddrInUse | ErrorKind::PermissionDenied) => {
            StripeSim::start(config(0)).await
        }
        started => started,
    }
}

fn accounts(account: &AccountConfig, url: &str) -> String {
    let AccountConfig { api_key, webhook_secrets, .. } = account;
    format!(
        "# Written by `surehold serve --demo` at every start: a simulated Stripe inside of it.\n\
         [accounts.{ACCOUNT}]\ntenant = \"demo\"\nmode = \"live\"\nsecret_key = \"{api_key}\"\n\
         webhook_secrets = {webhook_secrets:?}\nbase_url = \"{url}\"\n"
    )
}

fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
}
