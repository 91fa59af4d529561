//! What a type of operation does. The pure half: calls to the outside are made by whoever runs the worker.

use std::fmt::Debug;

use crate::kernel::{Facts, Invalid, Stop};

use super::{Effect, Operation, OperationType, Payload, Trouble};

/// A state operation: a change of our own records, completed in the transaction that makes it.
pub trait StateHandler: Debug + Send + Sync + 'static {
    fn kind(&self) -> &'static OperationType;

    /// Whether the payload can be understood at all: told to whoever asks for the operation, where that is somebody
    /// outside.
    fn check(&self, _: &Payload) -> Result<(), Invalid> {
        Ok(())
    }

    /// Decides like a command. What it changed is dropped unless it returns `Ok` with the result.
    fn run(&self, operation: &Operation, facts: &mut Facts) -> Result<Payload, Stop<Trouble>>;
}

/// What an effect operation does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Make this call. The request is frozen before it is sent.
    Call { request: Payload },
    /// Everything has been done.
    Done { result: Payload },
}

/// What follows when the provider says no for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AfterRejection {
    /// The operation dies, and somebody has to look at it.
    Die,
    /// The answer is a result like any other: a declined card.
    Done { result: Payload },
}

/// An effect operation: calls to the outside, one after the other.
pub trait EffectHandler: Debug + Send + Sync + 'static {
    fn kind(&self) -> &'static OperationType;

    /// Decides what to do after the steps that are confirmed. Follow-ups and our own records are changed here: in the
    /// transaction that writes the next intent or, at the end, that completes the operation.
    fn next(&self, operation: &Operation, confirmed: &[Effect], facts: &mut Facts) -> Result<Step, Stop<Trouble>>;

    fn rejected(&self, _: &Operation, _: &Effect, _: &mut Facts) -> Result<AfterRejection, Stop<Trouble>> {
        Ok(AfterRejection::Die)
    }
}
