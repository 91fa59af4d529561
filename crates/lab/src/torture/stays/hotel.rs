//! The hotel of one run, and the simulated Stripe that it is paid through.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use futures_util::future::BoxFuture;
use surehold_simulators::stripe::{
    AccountConfig, Mischief, RandomStripeFaults, StripeConfig, StripeSim, WebhookConfig,
};
use tokio_util::sync::CancellationToken;

use super::{TENANT, collect_stays, judge_stays, open_hotel, run_guests};
use crate::torture::crowd::{Judged, Venue, Visit};
use crate::torture::environment::FileSetting;
use crate::torture::workload::Counts;

const ACCOUNT: &str = "main";
const API_FAULT_PERCENT: usize = 20;

#[derive(Debug)]
struct Hotel {
    stripe: Arc<StripeSim>,
    account: AccountConfig,
}

pub(super) async fn start(seed: u64) -> Result<Box<dyn Venue>> {
    let account = AccountConfig::numbered(1);
    let number = usize::try_from(seed).unwrap_or(usize::MAX);
    let mischief = Mischief { delay_max: Duration::from_secs(1), ..Mischief::of_all(number) };
    let webhooks = WebhookConfig { parallel: 4, mischief, ..WebhookConfig::default() };
    let accounts = vec![account.clone()];
    let stripe = StripeSim::start(StripeConfig { accounts, webhooks, seed: number, ..StripeConfig::default() });
    let stripe = stripe.await.context("cannot start a simulated Stripe")?;
    stripe.set_random_faults(&RandomStripeFaults::of_all(number, API_FAULT_PERCENT));
    Ok(Box::new(Hotel { stripe: Arc::new(stripe), account }))
}

impl Venue for Hotel {
    /// The file that servers find the account in.
    fn settings(&self) -> Vec<FileSetting> {
        let AccountConfig { api_key, webhook_secrets, .. } = &self.account;
        let text = format!(
            "[accounts.{ACCOUNT}]\ntenant = \"{TENANT}\"\nmode = \"live\"\nsecret_key = \"{api_key}\"\n\
             webhook_secrets = {webhook_secrets:?}\nbase_url = \"{}\"\n",
            self.stripe.url()
        );
        vec![FileSetting { setting: "stripe.accounts_file", file: "stripe.toml", text }]
    }

    /// Every server is told what happens at Stripe.
    fn open<'a>(&'a self, visit: &'a Visit) -> BoxFuture<'a, Result<()>> {
        let door = |node: &String| format!("{node}/webhooks/stripe/{ACCOUNT}");
        let doors: Vec<String> = visit.plan.nodes.iter().map(door).collect();
        self.stripe.set_endpoints(0, &doors);
        Box::pin(open_hotel(&visit.plan, ACCOUNT, &visit.book))
    }

    fn ask(&self, visit: Visit, counts: Arc<Counts>, stop: CancellationToken) -> BoxFuture<'static, Result<()>> {
        Box::pin(run_guests(visit.plan, Arc::clone(&self.stripe), visit.book, counts, stop))
    }

    fn judge<'a>(&'a self, visit: &'a Visit, healed: Instant) -> BoxFuture<'a, Result<Judged>> {
        Box::pin(async move {
            let history = visit.history()?;
            let state = collect_stays(&visit.collect_plan()?, &history, healed, &self.stripe).await;
            let (verdict, checked) = visit.judged(history, state, judge_stays).await?;
            let (mut rows, report) = (checked.rows(), self.stripe.report());
            rows.extend([
                ("webhooks, delivered", report.deliveries.delivered),
                ("webhooks, lost on purpose", report.mischief.lost),
                ("requests to Stripe, harmed by it", report.faults_total()),
            ]);
            Ok(Judged { verdict, requests: checked.requests, never: checked.never().collect(), rows })
        })
    }
}
