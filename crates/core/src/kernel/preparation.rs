//! Facts from outside of the turn: what no record says by itself, and takes too long to be worked out while everybody waits.
//! A decision asks for it and halts; whoever runs the command has it prepared without the turn, and runs the command again
//! with the answer. Nothing holds still meanwhile, so an answer says what it rests on, and the decision judges whether it
//! still holds. Only for what may be asked twice without harm: all else is an operation.

use std::any::{Any, TypeId};
use std::fmt::Debug;
use std::sync::Arc;

/// A kind of facts that are prepared outside of the turn. Its default is what is known before anything was asked.
pub trait Preparation: Any + Debug + Default + Send + Sync {
    type Question: Any + Debug + Send + Sync;
}

/// What was prepared for a command: at most one preparation of each kind.
#[derive(Clone, Debug, Default)]
pub struct Prepared(Vec<Arc<dyn Any + Send + Sync>>);

impl Prepared {
    pub fn get<P: Preparation>(&self) -> Arc<P> {
        self.0.iter().find_map(|known| Arc::clone(known).downcast().ok()).unwrap_or_default()
    }

    /// In the place of another one of its kind.
    #[must_use]
    pub fn with<P: Preparation>(mut self, preparation: P) -> Prepared {
        self.0.retain(|known| !known.is::<P>());
        self.0.push(Arc::new(preparation));
        self
    }

    /// Whether there is one of this kind.
    pub fn has(&self, kind: TypeId) -> bool {
        self.0.iter().any(|known| (**known).type_id() == kind)
    }
}

/// What a decision has asked for.
#[derive(Debug)]
pub struct Asked {
    kind: TypeId,
    question: Box<dyn Any + Send + Sync>,
}

impl Asked {
    pub(super) fn new<P: Preparation>(question: P::Question) -> Asked {
        Asked { kind: TypeId::of::<P>(), question: Box::new(question) }
    }

    pub fn kind(&self) -> TypeId {
        self.kind
    }

    /// `None` if another kind of preparation was asked for.
    pub fn question<P: Preparation>(&self) -> Option<&P::Question> {
        let is_meant = self.kind == TypeId::of::<P>();
        self.question.downcast_ref().filter(|_| is_meant)
    }
}
