//! What must hold of everything that is stored, asked of the store: reads only, for `surehold audit` and for tests.

mod inbox;

use surehold_core::kernel::TenantId;

use crate::{Fault, Views};

/// Something that cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Which rule is broken, in a word.
    pub invariant: &'static str,
    pub detail: String,
}

/// A rule that is broken everywhere is shown by a few examples.
const EXAMPLES_MAX: u16 = 100;

/// What is wrong with a tenant's operations and what surrounds them; nothing if all is well.
pub async fn operations_findings(views: &Views, tenant: TenantId) -> Result<Vec<Finding>, Fault> {
    inbox::findings(views, tenant).await
}
