//! The hotel beside the other clients: guests who pay at a simulated Stripe, and what became of them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use surehold_lab::torture::auditor::{CollectPlan, GUEST_FLOORS_FROM_REQUESTS, Verdict, Violation};
use surehold_lab::torture::book::{self, Book};
use surehold_lab::torture::environment::{Finding, HOTEL_TENANT, Node, Stage};
use surehold_lab::torture::history::Recorder;
use surehold_lab::torture::stays::{GuestsPlan, StaysChecked, collect_stays, judge_stays, open_hotel, run_guests};
use surehold_lab::torture::workload::Counts;
use surehold_simulators::stripe::{
    AccountConfig, Mischief, RandomStripeFaults, StripeConfig, StripeSim, WebhookConfig,
};
use tokio_util::sync::CancellationToken;

use super::findings::Findings;
use super::folder::Folder;

const ACCOUNT: &str = "main";
/// So many clients for each guest.
const CLIENTS_PER_GUEST: usize = 2;
const API_FAULT_PERCENT: usize = 20;
const HISTORY: &str = "guests.jsonl";

pub(super) struct Hotel {
    stripe: Arc<StripeSim>,
    account: AccountConfig,
    seed: u64,
    open: Option<Open>,
}

/// From when its servers are there.
struct Open {
    plan: GuestsPlan,
    book: Arc<Book>,
}

/// What came of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct HotelEnd {
    pub(super) checked: StaysChecked,
    pub(super) webhooks_lost: u64,
    pub(super) webhooks_delivered: u64,
    pub(super) api_faults: u64,
}

impl Hotel {
    pub(super) async fn found(seed: u64) -> Result<Hotel> {
        let account = AccountConfig::numbered(1);
        let number = usize::try_from(seed).unwrap_or(usize::MAX);
        let mischief = Mischief { delay_max: Duration::from_secs(1), ..Mischief::of_all(number) };
        let webhooks = WebhookConfig { parallel: 4, mischief, ..WebhookConfig::default() };
        let accounts = vec![account.clone()];
        let stripe = StripeSim::start(StripeConfig { accounts, webhooks, seed: number, ..StripeConfig::default() });
        let stripe = stripe.await.context("cannot start a simulated Stripe")?;
        stripe.set_random_faults(&RandomStripeFaults::of_all(number, API_FAULT_PERCENT));
        Ok(Hotel { stripe: Arc::new(stripe), account, seed, open: None })
    }

    /// The file that its servers find the account in.
    pub(super) fn accounts(&self) -> String {
        let AccountConfig { api_key, webhook_secrets, .. } = &self.account;
        format!(
            "[accounts.{ACCOUNT}]\ntenant = \"{HOTEL_TENANT}\"\nmode = \"live\"\nsecret_key = \"{api_key}\"\n\
             webhook_secrets = {webhook_secrets:?}\nbase_url = \"{}\"\n",
            self.stripe.url()
        )
    }

    /// Furnishes it, while nothing is wrong yet. Every server is told what happens at Stripe.
    pub(super) async fn open(
        &mut self,
        stage: &Stage,
        folder: &Folder,
        recorder: &Recorder,
        clients: usize,
    ) -> Result<()> {
        let nodes: Vec<String> = stage.servers().map(Node::url).collect();
        let doors: Vec<String> = nodes.iter().map(|node| format!("{node}/webhooks/stripe/{ACCOUNT}")).collect();
        self.stripe.set_endpoints(0, &doors);
        let plan = GuestsPlan {
            seed: self.seed,
            guests: (clients / CLIENTS_PER_GUEST).max(2),
            nodes,
            tenant: HOTEL_TENANT.to_owned(),
            api_key: stage.hotel_key.clone(),
            account: ACCOUNT.to_owned(),
            stripe: Arc::clone(&self.stripe),
        };
        let book = Arc::new(Book::create(&folder.file(HISTORY), recorder.began())?);
        open_hotel(&plan, &book).await?;
        self.open = Some(Open { plan, book });
        Ok(())
    }

    fn opened(&self) -> Result<&Open> {
        self.open.as_ref().context("the hotel was never opened")
    }

    /// Until it is stopped.
    pub(super) fn guests(
        &self,
        counts: Arc<Counts>,
        stop: CancellationToken,
    ) -> impl Future<Output = Result<()>> + Send + 'static {
        let opened = self.opened().map(|open| (open.plan.clone(), Arc::clone(&open.book)));
        async move {
            let (plan, book) = opened?;
            run_guests(plan, book, counts, stop).await
        }
    }

    /// Compares what guests were told, what Stripe's books say and what is there. `expects_much`: whether too little to
    /// look at is a finding, too.
    pub(super) async fn judge(
        &self,
        folder: &Folder,
        healed: Instant,
        expects_much: bool,
        findings: &mut Findings,
    ) -> Result<HotelEnd> {
        let Open { plan, book } = self.opened()?;
        book.flush()?;
        let history = book::read(&folder.file(HISTORY))?;
        let collect = CollectPlan {
            node: plan.nodes.first().context("there is no server")?.clone(),
            tenant: plan.tenant.clone(),
            api_key: plan.api_key.clone(),
            feed_path: None,
        };
        let checked = match collect_stays(&collect, &history, healed, &self.stripe).await {
            Ok(state) => {
                let text = serde_json::to_vec(&state).context("cannot write down what is there")?;
                std::fs::write(folder.file("guests-final.json"), text).context("cannot write down what is there")?;
                let (Verdict { violations, counts, .. }, checked) = judge_stays(&history, &state);
                let kept = violations.into_iter().map(|Violation { rule, detail }| Finding { rule, detail });
                findings.add_counted(kept, &counts);
                checked
            }
            Err(error) => {
                findings.add("a healed server tells what is there", format!("{error:#}"));
                StaysChecked::default()
            }
        };
        if expects_much && checked.requests >= GUEST_FLOORS_FROM_REQUESTS {
            for what in checked.never() {
                findings.add("enough-seen", format!("of {what} there were none"));
            }
        }
        let report = self.stripe.report();
        Ok(HotelEnd {
            checked,
            webhooks_lost: report.mischief.lost,
            webhooks_delivered: report.deliveries.delivered,
            api_faults: report.faults_total(),
        })
    }
}
