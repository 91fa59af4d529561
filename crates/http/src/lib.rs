//! The front door: the HTTP API over an engine, and the server that carries it. Sees no store.
//!
//! Start reading at `api/`; `server/` knows connections and nothing of what is said on them.

mod api;
pub mod inbox;
mod keys;
mod observe;
mod openapi;
pub mod problem;
pub mod server;
pub mod wire;

#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub use api::fuzz;
pub use api::{AddressRefused, Api, ApiConfig, CheckWebhookUrl, RateLimit, openapi_document};
pub use keys::{KeyMode, KeyRef, KeyRefMalformed, Secret};
