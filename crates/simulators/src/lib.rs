//! The outside world, simulated over real HTTP: strict, and unreliable on request. The demo uses it, and so do tests.

pub mod charge;
mod dice;
mod fault_plan;
pub mod provider;
pub mod stripe;

pub use dice::Dice;
pub use fault_plan::{Fault, RandomFaults, Stage};
