//! Commands on their way through a lane, without their types.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use smol_str::SmolStr;
use surehold_core::kernel::{Asked, Command, Facts, Halt, KeptReply, Prepared, Reads, ReplyKey, Stop, TenantId};
use tokio::sync::oneshot;
use tokio::time::Instant;
use tracing::error;

use crate::{Done, Failure, Fault, RequestKey};

pub(crate) type Outcome<C> = Result<Done<<C as Command>::Reply>, Failure<<C as Command>::Refusal>>;

/// What a job comes to.
pub(crate) enum Answer<C: Command> {
    /// One outcome for each command.
    Decided(Vec<Outcome<C>>),
    /// Nothing was done. The only command waits for what it has asked for.
    Unprepared(C, Asked),
}

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
    /// What was prepared for the command.
    pub(crate) prepared: Prepared,
    /// What it waits for instead of an outcome.
    pub(crate) asked: Option<Asked>,
    pub(crate) outcomes: Vec<Option<Outcome<C>>>,
    pub(crate) respond: oneshot::Sender<Answer<C>>,
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

    /// What the command waits for that has halted because it is unprepared.
    fn ask(&self, facts: &mut Facts) -> Result<Option<Asked>, Halt> {
        let asked = facts.take_asked();
        // What is kept under the key may be there all the same: for a repeat nothing is prepared.
        facts.drop_refused()?;
        Ok(asked.filter(|_| self.commands.len() == 1))
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
        facts.set_prepared(self.prepared.clone());
        self.asked = None;
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
            Ok(Err(Halt::Unprepared)) => {
                if let Some(asked) = self.ask(facts)? {
                    self.asked = Some(asked);
                    return Ok(());
                }
                error!(defect = true, command = C::NAME, tenant = %self.tenant, "Command `{}` asks for something while it is one of several", C::NAME);
                Err(Failure::Defect)
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
        facts.set_prepared(Prepared::default());
        // A command that breaks here will break while deciding, where it is reported.
        let _ = catch_unwind(AssertUnwindSafe(|| self.decide_once(index, facts)));
        // What it assumed is asked for too: it may be refused once those before it are decided.
        let _ = facts.drop_refused();
    }

    fn fail(&mut self, index: usize, reason: FailReason) {
        self.asked = None;
        self.outcomes[index] = Some(Err(match reason {
            FailReason::Fault(fault) => Failure::Fault(fault),
            FailReason::Defect => Failure::Defect,
        }));
    }

    fn answer(self: Box<Self>) {
        let CommandJob { mut commands, asked, outcomes, respond, .. } = *self;
        let answer = if let Some((asked, command)) = asked.zip(commands.pop()) {
            Answer::Unprepared(command, asked)
        } else {
            let outcomes = outcomes.into_iter().map(|outcome| outcome.expect("every command is settled"));
            Answer::Decided(outcomes.collect())
        };
        // Nobody listens any more: the effect stands all the same.
        let _ = respond.send(answer);
    }
}
