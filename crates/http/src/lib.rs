//! The front door: the HTTP API over an engine, and the server that carries it. Sees no store.
//!
//! Start reading at `api/`; `server/` knows connections and nothing of what is said on them.
#![cfg_attr(not(test), allow(unused_imports, reason = "attributes of the description mention them; tests check which"))]

mod api;
mod describe;
#[cfg(feature = "fuzz")]
mod examples;
mod kernel;
mod keys;
mod modules;
mod observe;
mod openapi;
mod operations;
pub mod problem;
#[cfg(feature = "fuzz")]
mod readers;
mod repairs;
mod routes;
pub mod server;
mod stays;
mod stock;
mod strict;

pub use api::Api;
pub use keys::{KeyMode, KeyRef, KeyRefMalformed, RateLimit, Secret};
pub use modules::ApiConfig;
pub use openapi::COMMITTED as OPENAPI_DOCUMENT;
pub use operations::{AddressRefused, CheckWebhookUrl, inbox};
pub use surehold_api as wire;

/// Readers of outside input and examples of it, for the fuzzer and for tests.
#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod fuzz {
    pub use crate::examples::{Body, Operation, example, operations};
    pub use crate::kernel::fuzz::batch;
    pub use crate::operations::fuzz::task_id;
    pub use crate::readers::{
        ReadBody, ReadQuery, ReadText, Readers, Understood, authorization, idempotency_key, key_reference, of_modules,
        page,
    };
}
