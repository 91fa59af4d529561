//! The outside world on loopback: real sockets, real TLS, endpoints that behave and endpoints that do not.
#![allow(clippy::unwrap_used, reason = "a test that unwraps what is not there has failed, as it should")]

mod answers;
mod deliveries;
mod endpoint;
mod reach;
mod stripe;
mod tls;
