//! Measuring a server over HTTP from one process that must cost little: it shares its machine with what it measures.
//!
//! Own client instead of a library: one write and one read per request, nothing allocated once a connection is warm.
//! It speaks only what it needs: HTTP/1.1 in the clear, answers with a length. Start reading at `load.rs`.

mod answer;
pub mod bare;
mod connection;
mod crowd;
mod load;
mod request;
mod schedule;

pub use answer::{BadAnswer, Head};
pub use connection::{Connection, Target, Whole};
pub use crowd::{Crowd, CrowdSize};
pub use load::{Asks, HttpLoad, HttpMeasured, Pace, Requests, run};
pub use request::{Expected, HoldAsks, HoldRequest, HoldShape};
pub use schedule::Schedule;
