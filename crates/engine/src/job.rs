//! Commands on their way through a lane, without their types.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use smol_str::SmolStr;
use surehold_core::kernel::{Command, Facts, Halt, KeptReply, Reads, ReplyKey, Stop, TenantId};
use tokio::sync::oneshot;
use tokio::time::Instant;
use tracing::error;

use crate::{Done, Failure, Fault, RequestKey};

pub(crate) type Outcome<C> = Result<Done<<C as Command>::Reply>, Failure<<C as Command>::Refusal>>;

/// Agrees between the caller, who may give up, and the lane, which may begin: only one of them comes first.
#[derive(Debug, Default)]
pub(crate) struct Ticket(AtomicU8);

const WAITING: u8 = 0;
const BEGUN: u8 = 1;
const GIVEN_UP: u8 = 2;

impl Ticket {
    /// True if the lane may carry the job out.
    fn begin(&self) -> bool {
        let was = self.0.compare_exchange(WAITING, BEGUN, Ordering::AcqRel, Ordering::Acquire);
        was != Err(GIVEN_UP)
    }

    /// True if the job will never be carried out.
    pub(crate) fn give_up(&self) -> bool {
        self.0.compare_exchange(WAITING, GIVEN_UP, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

/// One request: one or more commands of one tenant, each decided and answered by itself.
pub(crate) trait Job: Send {
    fn tenant(&self) -> TenantId;
    fn command_count(&self) -> usize;
    fn deadline(&self) -> Instant;
    /// Nobody waits for it: those who are waited for come first.
    fn is_background(&self) -> bool;
    /// False if the caller has given up.
    fn begin(&self) -> bool;
    fn reads(&self, index: usize, facts: &mut Facts);
    /// Keeps the outcome, which is told only by `answer`; or tells what the decision waits for.
    fn decide(&mut self, index: usize, facts: &mut Facts) -> Result<(), Halt>;
    /// Finds out what `decide` will ask for, and leaves no trace of it but the asking.
    fn rehearse(&self, index: usize, facts: &mut Facts);
    fn fail(&mut self, index: usize, reason: FailReason);
    fn answer(self: Box<Self>);
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum FailReason {
    Fault(Fault),
    Defect,
}

pub(crate) struct CommandJob<C: Command> {
    pub(crate) tenant: TenantId,
    pub(crate) commands: Vec<C>,
    pub(crate) key: Option<RequestKey>,
    pub(crate) background: bool,
    pub(crate) deadline: Instant,
    pub(crate) ticket: Arc<Ticket>,
    pub(crate) outcomes: Vec<Option<Outcome<C>>>,
    pub(crate) respond: oneshot::Sender<Vec<Outcome<C>>>,
}

impl<C: Command> CommandJob<C> {
    /// The kept reply of an earlier request under this key, or the command's own decision with its reply kept.
    fn decide_once(&self, index: usize, facts: &mut Facts) -> Result<Result<C::Reply, Failure<C::Refusal>>, Halt> {
        let Some(RequestKey { key, request_hash }) = &self.key else { return self.decide_anew(index, facts) };
        let reply_key = ReplyKey { operation: SmolStr::new_static(C::NAME), key: key.clone() };
        if let Some(kept) = facts.expect_absent::<KeptReply>(&reply_key)? {
            if kept.request_hash != *request_hash {
                return Ok(Err(Failure::KeyReused));
            }
            let Ok(reply) = serde_json::from_str(&kept.reply) else {
                return Ok(Err(Failure::Fault(Fault::Corrupt)));
            };
            facts.mark_replayed();
            return Ok(Ok(reply));
        }
        let decision = self.decide_anew(index, facts)?;
        if let Ok(reply) = &decision {
            let reply = serde_json::to_string(reply).expect("replies are plain data");
            let at = facts.now();
            facts.insert(KeptReply { key: reply_key, request_hash: *request_hash, reply, at, version: 0 });
        }
        Ok(decision)
    }

    fn decide_anew(&self, index: usize, facts: &mut Facts) -> Result<Result<C::Reply, Failure<C::Refusal>>, Halt> {
        match self.commands[index].decide(facts) {
            Ok(reply) => Ok(Ok(reply)),
            Err(Stop::Refused(refusal)) => Ok(Err(Failure::Refused(refusal))),
            Err(Stop::Halted(halt)) => Err(halt),
        }
    }
}

impl<C: Command> Job for CommandJob<C> {
    fn tenant(&self) -> TenantId {
        self.tenant
    }

    fn command_count(&self) -> usize {
        self.commands.len()
    }

    fn deadline(&self) -> Instant {
        self.deadline
    }

    fn is_background(&self) -> bool {
        self.background
    }

    fn begin(&self) -> bool {
        self.ticket.begin()
    }

    fn reads(&self, index: usize, facts: &mut Facts) {
        if let Some(RequestKey { key, .. }) = &self.key {
            facts.ask_expecting_absent::<KeptReply>(&ReplyKey {
                operation: SmolStr::new_static(C::NAME),
                key: key.clone(),
            });
        }
        // A command that breaks here will break while deciding, where it is reported.
        let _ = catch_unwind(AssertUnwindSafe(|| self.commands[index].reads(&mut Reads::new(facts))));
    }

    fn decide(&mut self, index: usize, facts: &mut Facts) -> Result<(), Halt> {
        // The facts are put back to what they were before the command, so a panic leaves nothing half done in them.
        let decided = catch_unwind(AssertUnwindSafe(|| self.decide_once(index, facts)));
        let outcome = match decided {
            Ok(Ok(Ok(reply))) => {
                let replayed = facts.keep_changes();
                Ok(Done { reply, replayed, at: facts.now() })
            }
            Ok(Ok(Err(failure))) => {
                facts.drop_refused()?;
                if matches!(failure, Failure::Fault(Fault::Corrupt)) {
                    let key = self.key.as_ref().map_or("", |key| key.key.as_str());
                    error!(command = C::NAME, tenant = %self.tenant, key, "The reply of `{}` that is kept under the key `{key}` cannot be read", C::NAME);
                }
                Err(failure)
            }
            Ok(Err(halt)) => {
                facts.drop_changes();
                return Err(halt);
            }
            Err(_panic) => {
                facts.drop_changes();
                error!(defect = true, command = C::NAME, tenant = %self.tenant, "Command `{}` panicked while deciding", C::NAME);
                Err(Failure::Defect)
            }
        };
        self.outcomes[index] = Some(outcome);
        Ok(())
    }

    fn rehearse(&self, index: usize, facts: &mut Facts) {
        // A command that breaks here will break while deciding, where it is reported.
        let _ = catch_unwind(AssertUnwindSafe(|| self.decide_once(index, facts)));
        // What it assumed is asked for too: it may be refused once those before it are decided.
        let _ = facts.drop_refused();
    }

    fn fail(&mut self, index: usize, reason: FailReason) {
        self.outcomes[index] = Some(Err(match reason {
            FailReason::Fault(fault) => Failure::Fault(fault),
            FailReason::Defect => Failure::Defect,
        }));
    }

    fn answer(self: Box<Self>) {
        let outcomes = self.outcomes.into_iter().map(|outcome| outcome.expect("every command is settled")).collect();
        // Nobody listens any more: the effect stands all the same.
        let _ = self.respond.send(outcomes);
    }
}
