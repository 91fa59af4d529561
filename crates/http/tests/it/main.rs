//! The front door from outside. `server` is about connections only, `api` about what is said on them.
#![allow(clippy::unwrap_used, reason = "a test that unwraps what is not there has failed, as it should")]

mod api;
mod golden;
mod server;
