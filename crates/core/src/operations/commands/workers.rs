//! The installation's own book-keeping: which workers are alive, and whether its data was put back.

use smol_str::SmolStr;

use crate::kernel::{Command, Facts, Reads, Stop};
use crate::operations::{Actor, Epoch, OperationRefusal, OperationsEvent, Reason, WorkerBeat, WorkerId};

/// I am alive. Refuses nothing.
#[derive(Clone, Debug)]
pub struct Beat {
    pub worker: WorkerId,
    pub host: SmolStr,
}

impl Command for Beat {
    const NAME: &'static str = "beat";
    type Reply = ();
    type Refusal = OperationRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<WorkerBeat>(&self.worker);
    }

    fn decide(&self, facts: &mut Facts) -> Result<(), Stop<OperationRefusal>> {
        let now = facts.now();
        if let Some(worker) = facts.get_mut::<WorkerBeat>(&self.worker)? {
            worker.beat_at = now;
        } else {
            let (id, host) = (self.worker, self.host.clone());
            facts.insert(WorkerBeat { id, host, started_at: now, beat_at: now, version: 0 });
        }
        Ok(())
    }
}

/// The worker is gone: it said so, or has been silent for too long. Refuses nothing.
#[derive(Clone, Debug)]
pub struct LeaveWork {
    pub worker: WorkerId,
}

impl Command for LeaveWork {
    const NAME: &'static str = "leave_work";
    type Reply = ();
    type Refusal = OperationRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<WorkerBeat>(&self.worker);
    }

    fn decide(&self, facts: &mut Facts) -> Result<(), Stop<OperationRefusal>> {
        if facts.get::<WorkerBeat>(&self.worker)?.is_some() {
            facts.remove::<WorkerBeat>(&self.worker);
        }
        Ok(())
    }
}

/// The data was put back to an earlier state: what was sent since then is asked about before anything is sent.
///
/// Refuses: somebody else raised it meanwhile.
#[derive(Clone, Debug)]
pub struct RaiseEpoch {
    /// One more than the last one.
    pub number: i64,
    pub actor: Actor,
    pub reason: Reason,
}

impl Command for RaiseEpoch {
    const NAME: &'static str = "raise_epoch";
    type Reply = ();
    type Refusal = OperationRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Epoch>(&self.number);
    }

    fn decide(&self, facts: &mut Facts) -> Result<(), Stop<OperationRefusal>> {
        if facts.get::<Epoch>(&self.number)?.is_some() {
            return Err(OperationRefusal::Changed { what: "the epoch".into() }.into());
        }
        let raised_at = facts.now();
        let (raised_by, reason) = (self.actor.clone(), self.reason.clone());
        facts.insert(Epoch { number: self.number, raised_at, raised_by, reason, version: 0 });
        facts.emit(&OperationsEvent::EpochRaised { number: self.number }.into());
        Ok(())
    }
}
