//! `surehold-lab torture`: real servers under load and faults, and a proof of what became of every request.
//!
//! Three parts that are written apart and know little of each other, so that they cannot share a mistake:
//!
//! - `environment`: starts stores, servers and workers, and harms them by a seeded schedule. Knows no domain.
//! - `workload`: clients that ask over HTTP and write down what they asked and were told ([`history`]), guests of a hotel
//!   who do the same and pay ([`guest_book`]), and clerks who move goods ([`stock_book`]). Checks nothing.
//! - `auditor`: reads the history, the final state and the event feed, and says what cannot be. Has a model of its own
//!   and uses neither the core nor the engine.

pub mod auditor;
pub mod book;
pub mod environment;
pub mod history;
pub mod stays;
pub mod stock;
pub mod workload;
