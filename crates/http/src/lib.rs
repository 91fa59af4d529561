//! The front door: the HTTP API over an engine, and the server that carries it. Sees no store.
//!
//! Start reading at `api/`; `server/` knows connections and nothing of what is said on them.
#![cfg_attr(not(test), allow(unused_imports, reason = "attributes of the description mention them; tests check which"))]

mod api;
mod describe;
pub mod inbox;
mod keys;
mod observe;
mod openapi;
pub mod problem;
mod routes;
pub mod server;
mod strict;
pub mod wire;

#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub use api::fuzz;
pub use api::{AddressRefused, Api, ApiConfig, CheckWebhookUrl, RateLimit};
pub use keys::{KeyMode, KeyRef, KeyRefMalformed, Secret};
pub use openapi::COMMITTED as OPENAPI_DOCUMENT;
