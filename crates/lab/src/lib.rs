//! What proves it: workloads, rivals to measure against, faults, and the suite that every store must pass.
//! Nothing here is part of a running server.

pub mod bench;
pub mod fixture;
