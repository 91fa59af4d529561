//! Stock beside the lanes: looks up the past that commands ask for, and works out costs that a change in the past has made
//! provisional, in the background. Nothing depends on when that is done but how soon values are exact.

mod audit;
mod revaluation;
mod views;

use std::time::Duration;

use surehold_core::kernel::TenantId;
use surehold_core::stock::commands::{AsksHistory, PreviewDocument};
use surehold_core::stock::operations::PostDocumentPart;
use surehold_core::stock::{DocumentContent, DocumentId, ItemKey, StockRefusal};
use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout_at};

pub use surehold_core::stock::commands::{DocumentPreview, ItemPreview};

pub use views::{DocumentsWish, EffectRow, ItemBalance, ItemView, ItemsWish, Shortages, Turnover};

use crate::job::Outcome;
use crate::module::Module;
use crate::{Engine, Failure, Fault, Options};
use revaluation::REVALUING;

pub(crate) const MODULE: Module = Module {
    audits: &[audit::AUDIT],
    background: &[revaluation::BACKGROUND],
    register: |registry| registry.state(PostDocumentPart),
};

/// How long the past is looked into for callers who do not say how long they wait.
const PATIENCE_FOR_THE_PAST: Duration = Duration::from_mins(1);
/// So often the past of an item is looked up whose costs are being worked out.
const QUESTIONS_AMID_WALKS_MAX: usize = 3;

impl Engine {
    /// Runs a command of stock; looks up the past that it asks for, and runs it again. It asks once for its items, and once
    /// more for what it has learned of; more often only while others are faster, and until its time is up.
    pub async fn run_stock<C: AsksHistory>(&self, tenant: TenantId, command: C, options: Options) -> Outcome<C> {
        let (began, patience) = (Instant::now(), self.patience(&options));
        // What was looked up is lost when the time is up, and would have to be looked up anew by whoever comes back.
        let for_the_past = if options.deadline.is_some() { patience } else { patience.max(PATIENCE_FOR_THE_PAST) };
        let deadline = began + for_the_past;
        let (mut command, mut asked) = (command, 0_usize);
        loop {
            let patience = deadline.saturating_duration_since(Instant::now()).min(patience);
            let options = Options { deadline: Some(patience), ..options.clone() };
            match self.run_with(tenant, command.clone(), options).await {
                Err(Failure::Refused(StockRefusal::HistoryNeeded { questions })) => {
                    // Each step of a walk makes what was looked up too old; so it is brought to its end first.
                    if asked >= QUESTIONS_AMID_WALKS_MAX {
                        let items = questions.iter().map(|question| &question.item);
                        let walks = self.revalue_items(tenant, items);
                        // Where the time is not enough the background goes on.
                        timeout_at(deadline, walks).await.map_err(time_is_up)??;
                    }
                    let answers = self.views().histories(tenant, &questions);
                    let answers = timeout_at(deadline, answers).await.map_err(time_is_up)??;
                    let known = command.histories();
                    // What was asked for again was too old.
                    let is_asked = |item: &ItemKey| questions.iter().any(|question| question.item == *item);
                    known.retain(|history| !is_asked(&history.item));
                    known.extend(answers);
                }
                // What was looked up is not so any more.
                Err(Failure::Refused(StockRefusal::Changed { .. })) if !command.histories().is_empty() => {
                    command.histories().clear();
                }
                outcome => {
                    if outcome.is_ok() && !command.histories().is_empty() {
                        self.wake(REVALUING);
                    }
                    return outcome;
                }
            }
            if deadline <= Instant::now() {
                return Err(Failure::Fault(Fault::NotExecuted));
            }
            asked = asked.saturating_add(1);
        }
    }

    /// What posting would come to; changes nothing.
    pub async fn preview_document(
        &self,
        tenant: TenantId,
        id: DocumentId,
        content: DocumentContent,
    ) -> Result<DocumentPreview, Failure<StockRefusal>> {
        let preview = PreviewDocument::new(id, content);
        self.run_stock(tenant, preview, Options::default()).await.map(|done| done.reply)
    }
}

/// Nothing was done.
fn time_is_up(_: Elapsed) -> Failure<StockRefusal> {
    Failure::Fault(Fault::NotExecuted)
}
