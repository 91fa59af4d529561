//! The modules of the engine, each in the folder of its name. A new module adds a line here, one for its folder and one for
//! what it shows in `lib.rs`, and nothing else outside of its folder.

use crate::module::{Background, Module};
use crate::{kernel, operations, stays, stock};

/// In the order in which an audit reports.
pub(crate) const MODULES: &[Module] = &[kernel::MODULE, operations::MODULE, stays::MODULE, stock::MODULE];

/// What all of them do beside the lanes.
pub(crate) fn background() -> impl Iterator<Item = &'static Background> {
    MODULES.iter().flat_map(|module| module.background)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// By its name it is woken.
    #[test]
    fn names_of_background_work_are_used_once() {
        let names: Vec<&str> = background().map(|work| work.name).collect();
        let different: BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(names.len(), different.len(), "{names:?}");
    }
}
