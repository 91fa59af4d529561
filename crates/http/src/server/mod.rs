//! Connections: accepting, timing out, TLS, draining.

use std::net::SocketAddr;

/// Who is at the other end; in every request's extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    Network(SocketAddr),
    /// Whoever may open the data folder's socket.
    Local,
}

/// The body did not arrive in time.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the body did not arrive in time")]
pub struct BodyTimeout;
