//! What a module of the API says of itself, in the one declaration that ends its `mod.rs`.

use axum::http::Extensions;

use crate::problem::Refusals;
use crate::routes::Routes;

pub(crate) struct Module {
    /// For those who have a key of a tenant, or who need none.
    pub(crate) public: fn() -> Routes,
    /// For whoever runs the installation.
    pub(crate) admin: fn() -> Routes,
    /// Puts in what its handlers share on this node; they ask for it with `Api::state`.
    pub(crate) state: fn(&mut Extensions),
    pub(crate) refusals: &'static [Refusals],
    #[cfg(feature = "fuzz")]
    pub(crate) readers: crate::readers::Readers,
}
