//! The types that every installation carries out.

use surehold_core::operations::builtin::{ExpireHoldOnce, ProcessInboxEvent};

use super::Registry;

/// Adds what is built in.
#[must_use]
pub fn builtin(registry: Registry) -> Registry {
    registry.state(ExpireHoldOnce).state(ProcessInboxEvent)
}

#[cfg(test)]
mod tests {
    use surehold_core::operations::lint;

    use super::*;

    #[test]
    fn all_types_together_are_sound() {
        let kinds: Vec<_> = builtin(Registry::default()).kinds().collect();
        assert!(kinds.len() >= 3, "{kinds:?}");
        assert_eq!(lint(&kinds), Vec::<String>::new());
    }
}
