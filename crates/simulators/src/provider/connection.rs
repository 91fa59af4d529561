//! One connection: request after request, each answered once, twice or not at all.

use std::io::{ErrorKind, Result};
use std::sync::Arc;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::answer::{Answer, Reaction};
use super::request::Request;
use super::routes::Shared;

pub(super) async fn serve(mut stream: TcpStream, shared: Arc<Shared>) {
    // A client that leaves in the middle is its own business: what it asked for has been done or will be.
    let _ = converse(&mut stream, &shared).await;
}

async fn converse(stream: &mut TcpStream, shared: &Shared) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = Vec::new();
    loop {
        let request = match Request::read(stream, &mut buffer).await {
            Ok(Some(request)) => request,
            Ok(None) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                let answer = Answer::invalid("request_invalid", &error.to_string());
                return stream.write_all(&answer.bytes(true)).await;
            }
            Err(error) => return Err(error),
        };
        // Nothing reads from the stream meanwhile, so a client that leaves cancels nothing.
        match shared.react(&request).await {
            Reaction::Once(answer) => stream.write_all(&answer.bytes(request.closes)).await?,
            // In one write, so that a client that reads one answer has the other behind it.
            Reaction::Twice(answer) => stream.write_all(&answer.bytes(request.closes).repeat(2)).await?,
            Reaction::HangUp => return Ok(()),
        }
        if request.closes {
            return Ok(());
        }
    }
}
