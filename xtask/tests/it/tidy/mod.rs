//! `tidy`: which module may know which, how long files and lines may be, and whether docs/architecture.md is true.

mod crates;
mod engine;
mod http;
mod lengths;
mod modules;
mod page;
mod sources;
mod torture;
