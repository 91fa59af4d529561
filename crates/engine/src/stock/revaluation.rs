//! Works out costs that a change in the past has made provisional, in steps between which everybody else goes on.
//!
//! An item is walked to its end. Should it be marked again by what follows from it in other stores, goods go back and forth:
//! from then on the items of its product take turns, the earliest first, and stop where they make others provisional. So
//! each row is reached when everything before it is settled.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use surehold_core::kernel::TenantId;
use surehold_core::stock::{ItemKey, ProductCode, Revaluing, StockItem, StockRefusal};
use tokio::time::timeout;
use tracing::{debug, error, warn};

use super::views::Step;
use crate::engine::EngineRef;
use crate::module::Background;
use crate::{Engine, Failure, Fault, Options};

const ITEMS_PER_LOOK: u16 = 100;
const TENANTS_AT_ONCE: usize = 4;
/// Then other tenants have their turn.
const STEPS_PER_LOOK: u64 = 50;
/// Steps of one item that others were faster than, one after the other.
const OVERTAKEN_MAX: usize = 100;
/// In the background: whoever is faster does the work.
const OVERTAKEN_IN_BACKGROUND_MAX: usize = 2;

/// How a walk goes on.
#[derive(Clone, Copy, Debug)]
struct Pace {
    steps_max: u64,
    overtaken_max: usize,
    background: bool,
}

impl Pace {
    /// Somebody waits for the end of it.
    const AWAITED: Pace = Pace { steps_max: u64::MAX, overtaken_max: OVERTAKEN_MAX, background: false };

    fn in_background(steps_max: u64) -> Pace {
        Pace { steps_max, overtaken_max: OVERTAKEN_IN_BACKGROUND_MAX, background: true }
    }

    fn less(self, steps: u64) -> Pace {
        Pace { steps_max: self.steps_max.saturating_sub(steps), ..self }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Nothing is left to be worked out.
    Done,
    /// Its steps were used up, or it has stopped to let another item go first.
    More,
    /// Somebody else works on it.
    Overtaken,
}

/// What is known of a tenant's walks. To forget it costs time, and nothing else.
#[derive(Debug, Default)]
struct Walks {
    done: HashSet<ItemKey>,
    /// Products whose items take turns.
    in_turn: HashSet<ProductCode>,
}

impl Walks {
    fn takes_turns(&mut self, item: &StockItem) -> bool {
        let product = &item.key.product;
        if self.done.contains(&item.key) && !self.in_turn.contains(product) {
            self.in_turn.insert(product.clone());
        }
        self.in_turn.contains(product)
    }
}

/// One pass over the items of a tenant.
#[derive(Debug, Default)]
struct Pass {
    steps: u64,
    failed: HashMap<ItemKey, Fault>,
    more: bool,
}

impl Engine {
    /// Works out all costs of the tenant that are provisional. Tells in how many steps.
    pub async fn revalue(&self, tenant: TenantId) -> Result<u64, Fault> {
        let (mut walks, mut steps) = (Walks::default(), 0_u64);
        loop {
            let pass = self.revalue_pass(tenant, &mut walks, Pace::AWAITED).await?;
            steps = steps.saturating_add(pass.steps);
            // One item's trouble is not that of all others: they are done by now.
            if let Some(fault) = pass.failed.into_values().next().filter(|_| pass.steps == 0) {
                return Err(fault);
            }
            if !pass.more && pass.steps == 0 {
                return Ok(steps);
            }
        }
    }

    /// The same for some items only, because somebody has to know what they cost.
    pub(super) async fn revalue_items<'i>(
        &self,
        tenant: TenantId,
        items: impl Iterator<Item = &'i ItemKey>,
        background: bool,
    ) -> Result<(), Fault> {
        for item in items {
            self.walk(tenant, item, Pace { background, ..Pace::AWAITED }).await?;
        }
        Ok(())
    }

    /// Goes through all items that are provisional now, page by page, as far as the steps suffice.
    async fn revalue_pass(&self, tenant: TenantId, walks: &mut Walks, pace: Pace) -> Result<Pass, Fault> {
        let (mut pass, mut after) = (Pass::default(), None);
        loop {
            let items = self.views().revaluing_items(tenant, after.as_ref(), ITEMS_PER_LOOK).await?;
            let is_last = items.len() < usize::from(ITEMS_PER_LOOK);
            after = items.last().map(|item| item.key.clone());
            self.revalue_page(tenant, walks, &mut pass, pace, items).await;
            if pass.steps >= pace.steps_max {
                pass.more = true;
                return Ok(pass);
            }
            if is_last {
                return Ok(pass);
            }
        }
    }

    async fn revalue_page(
        &self,
        tenant: TenantId,
        walks: &mut Walks,
        pass: &mut Pass,
        pace: Pace,
        mut items: Vec<StockItem>,
    ) {
        // What is earlier is settled first.
        items.sort_by_key(|item| item.revaluing.as_deref().map(Revaluing::turn));
        let mut had_their_turn: HashSet<ProductCode> = HashSet::new();
        for item in items {
            let left = pace.less(pass.steps);
            if left.steps_max == 0 {
                return;
            }
            let in_turn = walks.takes_turns(&item);
            if in_turn && !had_their_turn.insert(item.key.product.clone()) {
                pass.more = true;
                continue;
            }
            let walked = if in_turn {
                self.walk_up_to_others(tenant, &item.key, left).await
            } else {
                self.walk(tenant, &item.key, left).await
            };
            match walked {
                Ok((steps, end)) => {
                    pass.steps = pass.steps.saturating_add(steps);
                    match end {
                        End::Done => drop(walks.done.insert(item.key)),
                        End::More => pass.more = true,
                        // Whoever waits for the end looks again; in the background there is a next time.
                        End::Overtaken => pass.more |= !pace.background,
                    }
                }
                Err(fault) => drop(pass.failed.insert(item.key, fault)),
            }
        }
    }

    /// To the end, or as far as the steps suffice.
    async fn walk(&self, tenant: TenantId, item: &ItemKey, pace: Pace) -> Result<(u64, End), Fault> {
        let (views, mut steps, mut overtaken, mut ahead) = (self.views(), 0_u64, 0, None);
        while steps < pace.steps_max {
            let step = match ahead.take() {
                Some(step) => step,
                None => match views.revaluation_step(tenant, item).await? {
                    Some(step) => step,
                    None => return Ok((steps, End::Done)),
                },
            };
            // The next rows are read while these are written.
            let (end, next) = tokio::join!(self.take(tenant, item, &step, pace), views.step_ahead(tenant, &step));
            match end? {
                End::Done => return Ok((steps.saturating_add(1), End::Done)),
                End::More => {
                    (steps, overtaken) = (steps.saturating_add(1), 0);
                    ahead = next?;
                }
                End::Overtaken if overtaken < pace.overtaken_max => overtaken = overtaken.saturating_add(1),
                End::Overtaken => return Ok((steps, End::Overtaken)),
            }
        }
        Ok((steps, End::More))
    }

    /// One step, that ends where another item has to go first.
    async fn walk_up_to_others(&self, tenant: TenantId, item: &ItemKey, pace: Pace) -> Result<(u64, End), Fault> {
        let Some(mut step) = self.views().revaluation_step(tenant, item).await? else { return Ok((0, End::Done)) };
        step.command = step.command.up_to_others();
        let end = self.take(tenant, item, &step, pace).await?;
        Ok((u64::from(end != End::Overtaken), end))
    }

    async fn take(&self, tenant: TenantId, item: &ItemKey, step: &Step, pace: Pace) -> Result<End, Fault> {
        let options = Options { background: pace.background, ..Options::default() };
        match self.run_with(tenant, step.command.clone(), options).await {
            Ok(done) if done.reply.done => Ok(End::Done),
            Ok(_) => Ok(End::More),
            // Somebody else works on it, or on what it follows from.
            Err(Failure::Refused(StockRefusal::Changed { .. })) => Ok(End::Overtaken),
            Err(Failure::Fault(fault)) => Err(fault),
            Err(failure @ (Failure::Refused(_) | Failure::KeyReused | Failure::Defect)) => {
                error!(defect = true, %tenant, %item, ?failure, "Cannot work out what {item} costs");
                Err(Fault::Corrupt)
            }
        }
    }
}

/// Wakes it.
pub(super) const REVALUING: &str = "revaluing";

pub(super) const BACKGROUND: Background = Background {
    name: REVALUING,
    start: |config, engine| Some(Box::pin(revalue_forever(engine, config.revalue_pause?))),
};

/// Ends with the engine, which it does not keep alive.
async fn revalue_forever(engine: EngineRef, pause: Duration) {
    let mut known: HashMap<TenantId, Walks> = HashMap::new();
    loop {
        let Some(waiting) = engine.get() else { return };
        // Whoever has just changed the past need not wait for the next look.
        let _ = timeout(pause, waiting.woken(REVALUING)).await;
        drop(waiting);
        let Some(engine) = engine.get() else { return };
        match engine.views().tenants_with_revaluing_items().await {
            Ok(tenants) => {
                let engine = &engine;
                let tenants: Vec<(TenantId, Walks)> =
                    tenants.into_iter().map(|tenant| (tenant, known.remove(&tenant).unwrap_or_default())).collect();
                let looks = stream::iter(tenants).map(|(tenant, walks)| look_at(engine, tenant, walks));
                // Whoever has nothing to be worked out any more is forgotten.
                let looked: Vec<Option<(TenantId, Walks)>> = looks.buffer_unordered(TENANTS_AT_ONCE).collect().await;
                known = looked.into_iter().flatten().collect();
                if !known.is_empty() {
                    engine.wake(REVALUING);
                }
            }
            Err(fault) => warn!(%fault, "Cannot look for items that are revalued: {fault}"),
        }
    }
}

/// Takes some steps. Tells what is known of the tenant where more are left to be taken at once.
async fn look_at(engine: &Engine, tenant: TenantId, mut walks: Walks) -> Option<(TenantId, Walks)> {
    match engine.revalue_pass(tenant, &mut walks, Pace::in_background(STEPS_PER_LOOK)).await {
        Ok(pass) => {
            let steps = pass.steps;
            debug!(%tenant, steps, "Worked out costs in {steps} steps");
            for (item, fault) in &pass.failed {
                warn!(%tenant, %item, %fault, "Cannot work out what {item} costs: {fault}");
            }
            // What has become provisional by these steps is looked at again, too.
            (pass.steps > 0).then_some((tenant, walks))
        }
        Err(fault) => {
            warn!(%tenant, %fault, "Cannot work out costs: {fault}");
            None
        }
    }
}
