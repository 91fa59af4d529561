//! Measuring hold rates: our engine, the textbook transaction, and the disk under both.

mod clients;
mod disk;
mod latency;
mod reader;
mod textbook;

pub use clients::{HoldsLoad, Prefill, prepare, run};
pub use disk::fdatasync_per_s;
pub use latency::{Latencies, Measured};
pub use reader::Reader;
pub use textbook::Textbook;
