//! Descriptions that no derive can give.

mod events;
mod problem;
