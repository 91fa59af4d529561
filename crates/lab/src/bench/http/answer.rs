//! The head of an answer: its status and where it ends.

use httparse::{EMPTY_HEADER, Response, Status};

const HEADERS_MAX: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub status: u16,
    pub head_bytes: usize,
    pub body_bytes: usize,
    /// The server closes the connection after this answer.
    pub closes: bool,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadAnswer {
    #[error("the answer is not HTTP/1.1; check what listens at this address")]
    NotHttp(#[source] httparse::Error),
    #[error("the answer {status} has no `content-length`; the generator reads no chunks")]
    NoLength { status: u16 },
}

impl Head {
    /// `None` until the head is there to its end.
    pub fn parse(bytes: &[u8]) -> Result<Option<Head>, BadAnswer> {
        let mut headers = [EMPTY_HEADER; HEADERS_MAX];
        let mut response = Response::new(&mut headers);
        let head_bytes = match response.parse(bytes).map_err(BadAnswer::NotHttp)? {
            Status::Complete(head_bytes) => head_bytes,
            Status::Partial => return Ok(None),
        };
        let status = response.code.ok_or(BadAnswer::NotHttp(httparse::Error::Status))?;
        let (mut body_bytes, mut closes) = (None, response.version == Some(0));
        for header in response.headers.iter() {
            if header.name.eq_ignore_ascii_case("content-length") {
                body_bytes = std::str::from_utf8(header.value).ok().and_then(|text| text.trim().parse().ok());
            } else if header.name.eq_ignore_ascii_case("connection") {
                closes = header.value.eq_ignore_ascii_case(b"close");
            }
        }
        let body_bytes = body_bytes.ok_or(BadAnswer::NoLength { status })?;
        Ok(Some(Head { status, head_bytes, body_bytes, closes }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads() {
        let check = |text: &str, expected: Result<Option<(u16, usize, usize, bool)>, BadAnswer>| {
            let head = Head::parse(text.as_bytes());
            let head = head.map(|head| head.map(|head| (head.status, head.head_bytes, head.body_bytes, head.closes)));
            assert_eq!(head, expected, "{text:?}");
        };
        check("", Ok(None));
        check("HTTP/1.1 201 Created\r\ncontent-length: 5\r\n", Ok(None));
        check("HTTP/1.1 201 Created\r\ncontent-length: 5\r\n\r\n", Ok(Some((201, 43, 5, false))));
        check("HTTP/1.1 201 Created\r\ncontent-length: 5\r\n\r\nhello", Ok(Some((201, 43, 5, false))));
        check("HTTP/1.1 409 Conflict\r\nContent-Length: 0\r\n\r\n", Ok(Some((409, 44, 0, false))));
        check("HTTP/1.1 503 x\r\nconnection: close\r\ncontent-length: 1\r\n\r\n", Ok(Some((503, 56, 1, true))));
        check("HTTP/1.0 200 x\r\ncontent-length: 1\r\n\r\n", Ok(Some((200, 37, 1, true))));
        let unread = |status| Err(BadAnswer::NoLength { status });
        check("HTTP/1.1 200 x\r\ntransfer-encoding: chunked\r\n\r\n", unread(200));
        check("HTTP/1.1 200 x\r\ncontent-length: many\r\n\r\n", unread(200));
        check("SSH-2.0-OpenSSH\r\n", Err(BadAnswer::NotHttp(httparse::Error::Version)));
    }
}
