//! Connections: accepting, timing out, TLS, draining.
