//! What proves it: workloads, rivals to measure against, faults, and the suite that every store must pass.
//! Nothing here is part of a running server, but for the simulated Stripe of a demo.

pub mod bench;
pub mod charge;
pub mod crash;
mod deeds;
pub mod disk;
pub mod fixture;
pub mod hotel;
pub mod operations;
pub mod ports;
pub mod private_postgres;
pub mod provider;
pub mod proxy;
#[cfg(feature = "simulation")]
pub mod simulation;
pub mod stripe;
pub mod torture;
