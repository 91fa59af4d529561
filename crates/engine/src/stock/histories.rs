//! Looks up the past of items that commands ask for: once for those that they name, and once more for what they have learned
//! of; again only while others are faster.

use std::time::Duration;

use surehold_core::stock::history::Histories;

use super::revaluation::REVALUING;
use crate::preparation::{Preparer, Preparing};
use crate::{BoxFuture, Engine, Fault};

/// How long the past is looked into for callers who do not say how long they wait.
const PATIENCE_MIN: Duration = Duration::from_mins(1);

pub(super) struct HistoriesPreparer;

impl Preparer for HistoriesPreparer {
    type Preparation = Histories;

    fn patience_min(&self) -> Duration {
        PATIENCE_MIN
    }

    fn prepare<'a>(&'a self, preparing: Preparing<'a, Histories>) -> BoxFuture<'a, Result<Histories, Fault>> {
        let Preparing { engine, tenant, question: questions, known, number, background } = preparing;
        Box::pin(async move {
            // Each step of a walk makes what was looked up too old; so it is brought to its end first. Where the time is not
            // enough the background goes on.
            if number > 1 {
                let items = questions.iter().map(|question| &question.item);
                engine.revalue_items(tenant, items, background).await?;
            }
            Ok(known.with(engine.views().histories(tenant, questions).await?))
        })
    }

    /// Costs may have to be worked out anew.
    fn done(&self, engine: &Engine) {
        engine.wake(REVALUING);
    }
}
