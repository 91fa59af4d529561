//! What proves it: workloads, faults, an auditor, a simulation, and rivals to measure against. Nothing here is part of a
//! running server.

pub mod bench;
pub mod crash;
pub mod disk;
pub mod proxy;
#[cfg(feature = "simulation")]
pub mod simulation;
pub mod torture;
