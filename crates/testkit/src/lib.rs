//! What tests need: a store of its own for each, private servers, running nodes, small worlds to sell in. The suite that
//! every store must pass is in `tests/it`.

mod deeds;
pub mod fixture;
pub mod hotel;
pub mod live;
pub mod node;
pub mod on_each_store;
pub mod operations;

pub use surehold_private_servers::{ports, postgres as private_postgres};
