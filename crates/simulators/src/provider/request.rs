//! A request as it comes over a connection. Bodies have a length; chunks are refused.

use std::io::{Error, ErrorKind, Result};

use axum::http::Uri;
use httparse::{EMPTY_HEADER, Header, Status};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

const HEADERS_MAX: usize = 64;
const HEAD_BYTES_MAX: usize = 16 << 10;
const BODY_BYTES_MAX: usize = 256 << 10;

#[derive(Debug)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) uri: Uri,
    pub(super) idempotency_key: Option<String>,
    pub(super) body: Vec<u8>,
    /// The client wants no further answer on this connection.
    pub(super) closes: bool,
}

/// All of a request but its body.
struct Head {
    request: Request,
    bytes: usize,
    body_bytes: usize,
}

impl Request {
    /// `None` when the client has left. The buffer keeps what belongs to the next request.
    pub(super) async fn read(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Result<Option<Request>> {
        let head = loop {
            if let Some(head) = Head::parse(buffer)? {
                break head;
            }
            if buffer.len() > HEAD_BYTES_MAX {
                return Err(bad("the head is too long"));
            }
            if stream.read_buf(buffer).await? == 0 {
                return if buffer.is_empty() { Ok(None) } else { Err(ErrorKind::UnexpectedEof.into()) };
            }
        };
        let whole = head.bytes + head.body_bytes;
        while buffer.len() < whole {
            if stream.read_buf(buffer).await? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        let body = buffer.drain(..whole).skip(head.bytes).collect();
        Ok(Some(Request { body, ..head.request }))
    }
}

impl Head {
    /// `None` until the head is there to its end.
    fn parse(bytes: &[u8]) -> Result<Option<Head>> {
        let mut headers = [EMPTY_HEADER; HEADERS_MAX];
        let mut parsed = httparse::Request::new(&mut headers);
        let head_bytes = match parsed.parse(bytes).map_err(bad)? {
            Status::Complete(head_bytes) => head_bytes,
            Status::Partial => return Ok(None),
        };
        if value(parsed.headers, "transfer-encoding")?.is_some() {
            return Err(bad("chunks are not read here"));
        }
        let body_bytes = match value(parsed.headers, "content-length")? {
            None => 0,
            Some(length) => length.parse().map_err(bad)?,
        };
        if body_bytes > BODY_BYTES_MAX {
            return Err(bad("the body is too long"));
        }
        let connection = value(parsed.headers, "connection")?;
        let request = Request {
            method: parsed.method.unwrap_or_default().to_owned(),
            uri: parsed.path.unwrap_or_default().parse().map_err(bad)?,
            idempotency_key: value(parsed.headers, "idempotency-key")?.map(str::to_owned),
            body: Vec::new(),
            closes: parsed.version == Some(0) || connection.is_some_and(|word| word.eq_ignore_ascii_case("close")),
        };
        Ok(Some(Head { request, bytes: head_bytes, body_bytes }))
    }
}

fn value<'a>(headers: &[Header<'a>], name: &str) -> Result<Option<&'a str>> {
    let header = headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
    header.map(|header| std::str::from_utf8(header.value).map(str::trim).map_err(bad)).transpose()
}

fn bad(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::new(ErrorKind::InvalidData, error)
}
