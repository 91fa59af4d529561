//! What a module brings to the engine, beside its views: see `modules.rs` for those that there are.

use crate::audit::Audit;
use crate::engine::EngineRef;
use crate::preparation::AnyPreparer;
use crate::{BoxFuture, EngineConfig, Registry};

/// A folder of this crate, in one declaration.
pub(crate) struct Module {
    /// What must hold of its rows, in the order of the report.
    pub(crate) audits: &'static [Audit],
    /// What runs beside the lanes.
    pub(crate) background: &'static [Background],
    /// What prepares facts for its commands, outside of the turn.
    pub(crate) preparers: &'static [&'static dyn AnyPreparer],
    /// Adds the types of operation that every installation carries out.
    pub(crate) register: fn(Registry) -> Registry,
}

/// Work that goes on beside the lanes, for as long as the engine lives. Nothing depends on it but how soon something is
/// done: any number of nodes may do it at once, and a command decides what is true.
pub(crate) struct Background {
    /// Unlike that of any other.
    pub(crate) name: &'static str,
    /// `None` if the configuration leaves it to others.
    pub(crate) start: fn(&EngineConfig, EngineRef) -> Option<BoxFuture<'static, ()>>,
}
