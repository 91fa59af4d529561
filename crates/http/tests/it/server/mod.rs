//! The server against real sockets: what clients do to it, by mistake and on purpose.

mod cap;
mod drain;
mod http1;
mod http2;
mod timeouts;
mod tls;
mod unix;
mod world;
