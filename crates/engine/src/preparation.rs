//! Facts from outside of the turn. A command that asks for some is answered like one that is refused, while its neighbours in
//! the batch go on; it comes back to its caller, who has them prepared and sends it again, as a request of its own. So each
//! run looks at the kept reply first, and nothing of the command is written before the run that carries it out.

use std::any::TypeId;
use std::sync::Arc;
use std::time::Duration;

use surehold_core::kernel::{Asked, Command, Preparation, Prepared, TenantId};
use tokio::time::{Instant, timeout_at};
use tracing::{error, warn};

use crate::job::{Answer, Outcome};
use crate::modules::MODULES;
use crate::{BoxFuture, Engine, Fault, Options};

/// Who is still not ready then is overtaken again and again, and is told that nothing was done.
const PREPARATIONS_MAX: usize = 3;

/// Prepares what decisions ask for, outside of the turn. It may be asked twice for the same thing, and in vain.
pub trait Preparer: Send + Sync + 'static {
    type Preparation: Preparation;

    /// Callers who do not say how long they wait, wait so long at least: what was prepared is lost when their time is up.
    fn patience_min(&self) -> Duration {
        Duration::ZERO
    }

    fn prepare<'a>(
        &'a self,
        preparing: Preparing<'a, Self::Preparation>,
    ) -> BoxFuture<'a, Result<Self::Preparation, Fault>>;

    /// A command was carried out with what was prepared.
    fn done(&self, _: &Engine) {}
}

/// What is to be prepared, for whom.
#[derive(Debug)]
pub struct Preparing<'a, P: Preparation> {
    pub engine: &'a Engine,
    pub tenant: TenantId,
    pub question: &'a P::Question,
    /// What was prepared before for the same command.
    pub known: Arc<P>,
    /// How often it is prepared by now. The third time is the last: then the command is not carried out.
    pub number: usize,
    /// Nobody waits for it: callers come first.
    pub background: bool,
}

/// The same without types.
pub(crate) struct AnyPreparing<'a> {
    engine: &'a Engine,
    tenant: TenantId,
    asked: &'a Asked,
    prepared: &'a Prepared,
    number: usize,
    background: bool,
}

pub(crate) trait AnyPreparer: Send + Sync {
    fn kind(&self) -> TypeId;
    fn patience_min(&self) -> Duration;
    fn prepare<'a>(&'a self, preparing: AnyPreparing<'a>) -> BoxFuture<'a, Result<Prepared, Fault>>;
    fn done(&self, engine: &Engine);
}

impl<T: Preparer> AnyPreparer for T {
    fn kind(&self) -> TypeId {
        TypeId::of::<T::Preparation>()
    }

    fn patience_min(&self) -> Duration {
        Preparer::patience_min(self)
    }

    fn prepare<'a>(&'a self, preparing: AnyPreparing<'a>) -> BoxFuture<'a, Result<Prepared, Fault>> {
        let AnyPreparing { engine, tenant, asked, prepared, number, background } = preparing;
        Box::pin(async move {
            let question = asked.question::<T::Preparation>().expect("found by its kind");
            let known = prepared.get();
            let preparing = Preparing { engine, tenant, question, known, number, background };
            Ok(prepared.clone().with(Preparer::prepare(self, preparing).await?))
        })
    }

    fn done(&self, engine: &Engine) {
        Preparer::done(self, engine);
    }
}

/// A command that has asked, and what was prepared for it.
pub(crate) struct Preparations {
    tenant: TenantId,
    options: Options,
    began: Instant,
    prepared: Prepared,
    count: usize,
}

impl Preparations {
    pub(crate) fn new(tenant: TenantId, options: Options, began: Instant) -> Preparations {
        Preparations { tenant, options, began, prepared: Prepared::default(), count: 0 }
    }

    /// Has the command prepared and runs it, until it is carried out or nobody would wait any longer.
    pub(crate) async fn run<C: Command>(
        mut self,
        engine: &Engine,
        mut command: C,
        mut asked: Asked,
    ) -> Result<Outcome<C>, Fault> {
        loop {
            let deadline = self.prepare(engine, C::NAME, &asked).await?;
            let run = engine.submit_once(self.tenant, vec![command], &self.options, deadline, self.prepared.clone());
            match run.await? {
                Answer::Decided(mut outcomes) => {
                    let outcome = outcomes.pop().expect("one command has one outcome");
                    if outcome.is_ok() {
                        self.done(engine);
                    }
                    return Ok(outcome);
                }
                Answer::Unprepared(again, more) => (command, asked) = (again, more),
            }
        }
    }

    /// Tells until when the command is to be run with it.
    async fn prepare(&mut self, engine: &Engine, command: &'static str, asked: &Asked) -> Result<Instant, Fault> {
        let Some(preparer) = engine.preparers().find(|preparer| preparer.kind() == asked.kind()) else {
            error!(defect = true, command, ?asked, "Nobody prepares what `{command}` asks for");
            return Err(Fault::NotExecuted);
        };
        if self.count == PREPARATIONS_MAX {
            warn!(command, tenant = %self.tenant, "`{command}` was prepared {PREPARATIONS_MAX} times, and was overtaken each time");
            return Err(Fault::NotExecuted);
        }
        self.count = self.count.saturating_add(1);
        let patience = engine.patience(&self.options);
        let patience_for_all = match self.options.deadline {
            Some(_) => patience,
            None => patience.max(preparer.patience_min()),
        };
        let deadline = self.began + patience_for_all;
        let preparing = AnyPreparing {
            engine,
            tenant: self.tenant,
            asked,
            prepared: &self.prepared,
            number: self.count,
            background: self.options.background,
        };
        let prepared = timeout_at(deadline, preparer.prepare(preparing)).await;
        // Nothing of the command is on its way, so it is certain that nothing was done.
        self.prepared = prepared.map_err(|_elapsed| Fault::NotExecuted)??;
        let now = Instant::now();
        if deadline <= now { Err(Fault::NotExecuted) } else { Ok(deadline.min(now + patience)) }
    }

    fn done(&self, engine: &Engine) {
        for preparer in engine.preparers().filter(|preparer| self.prepared.has(preparer.kind())) {
            preparer.done(engine);
        }
    }
}

impl Engine {
    /// Those of the modules and those that were registered.
    fn preparers(&self) -> impl Iterator<Item = &dyn AnyPreparer> {
        let of_modules = MODULES.iter().flat_map(|module| module.preparers).copied();
        of_modules.chain(self.registry().preparers())
    }
}
