//! The stores beside the other clients: clerks who move goods, and what became of these.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use surehold_lab::torture::auditor::{CollectPlan, FLOORS_FROM_REQUESTS, Verdict, Violation};
use surehold_lab::torture::book::{self, Book};
use surehold_lab::torture::environment::{Finding, Node, STORES_TENANT, Stage};
use surehold_lab::torture::history::Recorder;
use surehold_lab::torture::stock::{ClerksPlan, StockChecked, collect_stock, judge_stock, open_stores, run_clerks};
use surehold_lab::torture::workload::Counts;
use tokio_util::sync::CancellationToken;

use super::findings::Findings;
use super::folder::Folder;

/// So many clients for each clerk.
const CLIENTS_PER_CLERK: usize = 4;
const HISTORY: &str = "clerks.jsonl";

pub(super) struct Warehouse {
    plan: ClerksPlan,
    book: Arc<Book>,
}

impl Warehouse {
    /// Makes the stores, while nothing is wrong yet.
    pub(super) async fn open(
        stage: &Stage,
        folder: &Folder,
        recorder: &Recorder,
        clients: usize,
        seed: u64,
    ) -> Result<Warehouse> {
        let plan = ClerksPlan {
            seed,
            clerks: (clients / CLIENTS_PER_CLERK).max(3),
            nodes: stage.servers().map(Node::url).collect(),
            tenant: STORES_TENANT.to_owned(),
            api_key: stage.stores_key.clone(),
        };
        let book = Arc::new(Book::create(&folder.file(HISTORY), recorder.began())?);
        open_stores(&plan, &book).await?;
        Ok(Warehouse { plan, book })
    }

    /// Until it is stopped.
    pub(super) fn clerks(
        &self,
        counts: Arc<Counts>,
        stop: CancellationToken,
    ) -> impl Future<Output = Result<()>> + Send + 'static {
        run_clerks(self.plan.clone(), Arc::clone(&self.book), counts, stop)
    }

    /// Compares what clerks were told with what is there. `expects_much`: whether too little to look at is a finding, too.
    pub(super) async fn judge(
        &self,
        folder: &Folder,
        healed: Instant,
        expects_much: bool,
        findings: &mut Findings,
    ) -> Result<StockChecked> {
        self.book.flush()?;
        let history = book::read(&folder.file(HISTORY))?;
        let collect = CollectPlan {
            node: self.plan.nodes.first().context("there is no server")?.clone(),
            tenant: self.plan.tenant.clone(),
            api_key: self.plan.api_key.clone(),
            feed_path: None,
        };
        let checked = match collect_stock(&collect, &history, healed).await {
            Ok(state) => {
                let text = serde_json::to_vec(&state).context("cannot write down what is there")?;
                std::fs::write(folder.file("clerks-final.json"), text).context("cannot write down what is there")?;
                let judge = move || judge_stock(&history, &state);
                let (Verdict { violations, counts, .. }, checked) = tokio::task::spawn_blocking(judge).await?;
                let kept = violations.into_iter().map(|Violation { rule, detail }| Finding { rule, detail });
                findings.add_counted(kept, &counts);
                checked
            }
            Err(error) => {
                findings.add("a healed server tells what is there", format!("{error:#}"));
                StockChecked::default()
            }
        };
        if expects_much && checked.requests >= FLOORS_FROM_REQUESTS {
            for what in checked.never() {
                findings.add("enough-seen", format!("of {what} there were none"));
            }
        }
        Ok(checked)
    }
}
