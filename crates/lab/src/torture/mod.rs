//! `surehold-lab torture`: real servers under load and faults, and a proof of what became of every request.
//!
//! Three parts that are written apart and know little of each other, so that they cannot share a mistake:
//!
//! - `environment`: starts stores, servers and workers, and harms them by a seeded schedule. Knows no domain.
//! - `workload`: clients that ask over HTTP and write down what they asked and were told ([`history`]). Checks nothing.
//! - `auditor`: reads the history, the final state and the event feed, and says what cannot be. Has a model of its own
//!   and uses neither the core nor the engine.
//!
//! They ask for what the kernel and its operations do. What the other modules do is asked for by a crowd of each
//! ([`crowd`]), in the folder of the module, with a [`book`] and an auditor of its own; [`crowds`] is the list.

pub mod auditor;
pub mod book;
pub mod crowd;
pub mod crowds;
pub mod environment;
pub mod history;
pub mod stays;
pub mod stock;
pub mod workload;
