//! What must hold of everything that is stored, asked of the store: reads only, for `surehold audit` and for tests.

mod inbox;
mod operations;

pub use inbox::inbox_findings;
pub use operations::operation_findings;

/// Something that cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule that is broken.
    pub invariant: &'static str,
    pub detail: String,
}

/// A rule that is broken everywhere is shown by a few examples.
const EXAMPLES_MAX: u16 = 100;
