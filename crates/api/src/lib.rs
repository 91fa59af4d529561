//! What travels: requests, answers, events and problems, each readable and writable. A folder for each module of the core.
//! Requests become commands here; answers are made of what commands and views found. Nothing is asked of a store, and nothing
//! of HTTP is known. Types are lenient readers, so that a client understands a newer server; the server's own reader of
//! requests is strict.
#![cfg_attr(
    not(feature = "schema"),
    allow(unused_imports, reason = "attributes of the description mention them; builds with it check which")
)]

mod call;
mod describe;
pub mod described;
pub mod kernel;
pub mod operations;
mod problem;
#[cfg(feature = "schema")]
pub mod schema;
pub mod stays;
pub mod stock;

pub use call::{Call, Page, Request};
pub use kernel::*;
pub use operations::*;
pub use problem::Problem;
pub use stays::*;

/// The most items that a page has, and how many it has unless told.
pub const PAGE_ITEMS_MAX: u16 = 1_000;
pub const PAGE_ITEMS_DEFAULT: u16 = 100;
