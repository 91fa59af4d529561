//! Descriptions that no derive can give.

mod events;
mod problem;
mod shape;

pub use shape::{schema_of, sentence};
