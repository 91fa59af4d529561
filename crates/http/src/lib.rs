//! The front door: the HTTP API over an engine, and the server that carries it. Sees no store.
//!
//! Start reading at `api/`; `server/` knows connections and nothing of what is said on them.

pub mod server;
