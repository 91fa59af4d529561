//! Simulators are as strict as what they simulate, and as unreliable as they are asked to be.
#![allow(clippy::unwrap_used, reason = "a test that unwraps what is not there has failed, as it should")]

mod provider;
mod stripe;
