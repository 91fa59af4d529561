//! One connection to the server under measurement.

use std::io::{Error, ErrorKind, Result};
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::answer::Head;

/// Larger than the answer to one hold: a read that leaves room tells the runtime that nothing more is there.
const READ_BYTES: usize = 4_096;

/// Where requests go, and in whose name.
#[derive(Clone, Debug)]
pub struct Target {
    pub address: SocketAddr,
    pub tenant: String,
    /// Sent as a bearer token.
    pub key: Option<String>,
}

/// An answer as a whole, for the few requests around a measurement.
#[derive(Clone, Debug)]
pub struct Whole {
    pub status: u16,
    pub body: String,
}

impl Target {
    /// The head of a request, up to and with the empty line.
    pub fn head(&self, method: &str, path: &str, body_bytes: usize) -> String {
        let Target { address, key, .. } = self;
        let key = key.as_ref().map(|key| format!("authorization: Bearer {key}\r\n")).unwrap_or_default();
        format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\n{key}content-type: application/json\r\ncontent-length: \
             {body_bytes}\r\n\r\n"
        )
    }

    /// One request on a connection of its own.
    pub async fn ask(&self, method: &str, path: &str, body: &str) -> Result<Whole> {
        let request = self.head(method, path, body.len()) + body;
        let mut connection = Connection::open(self.address).await?;
        let head = connection.ask(request.as_bytes()).await?;
        Ok(Whole { status: head.status, body: String::from_utf8_lossy(connection.body(head)).into_owned() })
    }
}

#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    /// Keeps its size, and so its place, from answer to answer.
    buffer: Vec<u8>,
}

impl Connection {
    pub async fn open(address: SocketAddr) -> Result<Connection> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Connection { stream, buffer: vec![0; READ_BYTES] })
    }

    /// Sends a whole request and reads its whole answer.
    pub async fn ask(&mut self, request: &[u8]) -> Result<Head> {
        self.stream.write_all(request).await?;
        let mut filled = self.read(0).await?;
        let head = loop {
            match Head::parse(&self.buffer[..filled]) {
                Ok(Some(head)) => break head,
                Ok(None) => filled += self.read(filled).await?,
                Err(bad) => return Err(Error::new(ErrorKind::InvalidData, bad)),
            }
        };
        let whole = head.head_bytes + head.body_bytes;
        // One byte more than the answer, for the reason given at `READ_BYTES`.
        if self.buffer.len() <= whole {
            self.buffer.resize(whole + 1, 0);
        }
        while filled < whole {
            filled += self.read(filled).await?;
        }
        if filled > whole {
            return Err(Error::new(ErrorKind::InvalidData, "the server sent more than the answer"));
        }
        Ok(head)
    }

    /// The body of the last answer.
    pub fn body(&self, head: Head) -> &[u8] {
        &self.buffer[head.head_bytes..head.head_bytes + head.body_bytes]
    }

    /// Returns when the other side closes, or says something that nobody asked for.
    pub async fn closed(&mut self) {
        let _ = self.read(0).await;
    }

    async fn read(&mut self, filled: usize) -> Result<usize> {
        if filled == self.buffer.len() {
            self.buffer.resize(filled * 2, 0);
        }
        match self.stream.read(&mut self.buffer[filled..]).await? {
            0 => Err(ErrorKind::UnexpectedEof.into()),
            count => Ok(count),
        }
    }
}
