//! What this installation knows beside what is in the modules: types of operation, and who prepares facts for commands.

use std::collections::BTreeMap;
use std::sync::Arc;

use surehold_core::kernel::Invalid;
use surehold_core::operations::{
    EffectHandler, OperationKey, OperationType, Payload, ReconcileStuckOperation, StateHandler, TypeName,
    is_schedulable,
};

use crate::Provider;
use crate::modules::MODULES;
use crate::preparation::{AnyPreparer, Preparer};

/// How operations of a type are carried out.
#[derive(Clone)]
pub enum Registered {
    State(Arc<dyn StateHandler>),
    Effect(Arc<dyn EffectHandler>, Arc<dyn Provider>),
}

impl std::fmt::Debug for Registered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.kind().name)
    }
}

impl Registered {
    pub fn kind(&self) -> &'static OperationType {
        match self {
            Registered::State(handler) => handler.kind(),
            Registered::Effect(handler, _) => handler.kind(),
        }
    }

    /// Whether the type understands the payload, as far as it can tell beforehand.
    pub fn check(&self, payload: &Payload) -> Result<(), Invalid> {
        match self {
            Registered::State(handler) => handler.check(payload),
            Registered::Effect(..) => Ok(()),
        }
    }
}

/// Put together once, at the start.
#[derive(Clone)]
pub struct Registry {
    types: BTreeMap<&'static str, Registered>,
    preparers: Vec<Arc<dyn AnyPreparer>>,
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.types.keys()).finish()
    }
}

impl Default for Registry {
    fn default() -> Registry {
        Registry { types: BTreeMap::new(), preparers: Vec::new() }.state(ReconcileStuckOperation)
    }
}

impl Registry {
    #[must_use]
    pub fn state(self, handler: impl StateHandler) -> Registry {
        self.add(Registered::State(Arc::new(handler)))
    }

    #[must_use]
    pub fn effect(self, handler: impl EffectHandler, provider: Arc<dyn Provider>) -> Registry {
        self.add(Registered::Effect(Arc::new(handler), provider))
    }

    /// Prepares facts for commands, outside of the turn.
    #[must_use]
    pub fn preparer(mut self, preparer: impl Preparer) -> Registry {
        self.preparers.push(Arc::new(preparer));
        self
    }

    pub(crate) fn preparers(&self) -> impl Iterator<Item = &dyn AnyPreparer> {
        self.preparers.iter().map(AsRef::as_ref)
    }

    fn add(mut self, registered: Registered) -> Registry {
        let kind = registered.kind();
        let known = self.types.insert(kind.name, registered);
        assert!(known.is_none(), "{} is registered twice", kind.name);
        self
    }

    pub fn get(&self, name: &TypeName) -> Option<&Registered> {
        self.types.get(name.as_str())
    }

    pub fn kind(&self, name: &TypeName) -> Option<&'static OperationType> {
        self.get(name).map(Registered::kind)
    }

    pub fn kind_of(&self, key: &OperationKey) -> Option<&'static OperationType> {
        self.kind(&key.kind)
    }

    pub fn kinds(&self) -> impl Iterator<Item = &'static OperationType> {
        self.types.values().map(Registered::kind)
    }

    /// The type, if a schedule can ask for it: its key is the schedule's name and the planned instant.
    pub fn schedulable(&self, name: &TypeName) -> Option<&Registered> {
        self.get(name).filter(|registered| is_schedulable(registered.kind()))
    }

    pub fn schedulable_kinds(&self) -> impl Iterator<Item = &'static OperationType> {
        self.kinds().filter(|kind| is_schedulable(kind))
    }
}

/// Adds the types that every installation carries out.
#[must_use]
pub fn builtin(registry: Registry) -> Registry {
    MODULES.iter().fold(registry, |registry, module| (module.register)(registry))
}

#[cfg(test)]
mod tests {
    use surehold_core::operations::{OperationType, TypeName, lint};

    use super::*;

    #[test]
    fn all_types_together_are_sound() {
        let registry = builtin(Registry::default());
        let kinds: Vec<&OperationType> = registry.kinds().collect();
        assert!(kinds.len() >= 5, "{kinds:?}");
        assert_eq!(lint(&kinds), Vec::<String>::new());
        assert!(registry.schedulable(&TypeName::new("ANNOUNCE").unwrap()).is_some());
        assert!(registry.schedulable(&TypeName::new("RECONCILE_STUCK_OPERATION").unwrap()).is_none());
        assert_eq!(registry.schedulable_kinds().map(|kind| kind.name).collect::<Vec<_>>(), ["ANNOUNCE"]);
    }
}
