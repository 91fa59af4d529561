//! The front door from outside. `server` is about connections only.
#![allow(clippy::unwrap_used, reason = "a test that unwraps what is not there has failed, as it should")]

mod server;
