//! The types of operation that every installation has.

use surehold_core::operations::Announce;

use super::Registry;

/// Adds them to what is known already.
#[must_use]
pub fn builtin(registry: Registry) -> Registry {
    registry.state(Announce)
}

#[cfg(test)]
mod tests {
    use surehold_core::operations::{OperationType, TypeName, lint};

    use super::*;

    #[test]
    fn types_are_sound() {
        let registry = builtin(Registry::default());
        let kinds: Vec<&OperationType> = registry.kinds().collect();
        assert_eq!(lint(&kinds), Vec::<String>::new());
        assert!(registry.schedulable(&TypeName::new("ANNOUNCE").unwrap()).is_some());
        assert!(registry.schedulable(&TypeName::new("RECONCILE_STUCK_OPERATION").unwrap()).is_none());
        assert_eq!(registry.schedulable_kinds().map(|kind| kind.name).collect::<Vec<_>>(), ["ANNOUNCE"]);
    }
}
