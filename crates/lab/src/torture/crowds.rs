//! The crowds of torture, each in the folder of its module. A new module adds a line here and one for its folder in
//! `mod.rs`, and nothing else outside of its folder.

use super::crowd::Crowd;
use super::{stays, stock};

/// In the order in which they are let in, judged and reported.
pub const CROWDS: &[&Crowd] = &[&stays::CROWD, &stock::CROWD];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn they_share_no_tenant_and_no_file() {
        let mut names: Vec<&str> =
            CROWDS.iter().flat_map(|crowd| [crowd.tenant, crowd.book, crowd.final_state]).collect();
        names.push(crate::torture::environment::TENANT);
        let different: BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(names.len(), different.len(), "{names:?}");
    }
}
