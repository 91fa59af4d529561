//! The types that every installation carries out.

use surehold_core::operations::builtin::{Announce, ExpireHoldOnce, ProcessInboxEvent};
use surehold_core::stock::operations::PostDocumentPart;

use crate::Registry;

/// Adds what is built in.
#[must_use]
pub fn builtin(registry: Registry) -> Registry {
    registry.state(Announce).state(ExpireHoldOnce).state(ProcessInboxEvent).state(PostDocumentPart)
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
