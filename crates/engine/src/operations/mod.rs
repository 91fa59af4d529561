//! Carrying operations out: which types there are, who is called, and the worker that does it.

mod builtin;
mod provider;
mod registry;

pub use builtin::builtin;
pub use provider::{Provider, Told};
pub use registry::{Registered, Registry};
