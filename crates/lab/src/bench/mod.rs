//! Measuring hold rates: our engine, the textbook transaction, and the disk under both; `http` measures a server,
//! `stays` a hotel's, `stock` what a warehouse posts, and `queues` what other job queues drain.

mod clients;
mod disk;
pub mod http;
mod latency;
pub mod operations;
mod own_database;
mod process;
pub mod queues;
mod reader;
pub mod stays;
pub mod stock;
mod textbook;

pub use clients::{HoldsLoad, Prefill, prepare, run};
pub use disk::fdatasync;
pub use latency::{Latencies, Measured};
pub use own_database::OwnDatabase;
pub use process::{CPU_TICK, Process};
pub use reader::Reader;
pub use textbook::{Textbook, vacuum};
