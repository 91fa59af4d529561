//! Repairs: what an audit proposed, put right.
//! Imports: nothing.

#[cfg(feature = "fuzz")]
mod fuzz;
mod make;

use crate::api::Module;
use crate::routes::{Routes, routes};
use crate::wire::described::RepairedThing;

pub(crate) const MODULE: Module = Module {
    public: || Routes::new().describes::<RepairedThing>(),
    admin: || routes! { make: repairs_make; },
    state: |_| {},
    refusals: &[],
    #[cfg(feature = "fuzz")]
    readers: fuzz::READERS,
};
