//! Server-sent events, taken apart as they arrive in pieces of any size.

/// One message; a cursor may come without data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) id: Option<String>,
    pub(crate) data: String,
}

/// More than any event has; a stream without line ends must not fill the memory.
const LINE_BYTES_MAX: usize = 8 << 20;

#[derive(Debug, Default)]
pub(crate) struct Parser {
    line: Vec<u8>,
    message: Message,
}

/// The stream is none of events.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NotEvents;

impl Parser {
    /// Takes in a piece; gives the messages that it completes.
    pub(crate) fn push(&mut self, piece: &[u8]) -> Result<Vec<Message>, NotEvents> {
        let mut complete = Vec::new();
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if self.line.len() > LINE_BYTES_MAX {
                return Err(NotEvents);
            }
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                let line = std::str::from_utf8(&line).map_err(|_| NotEvents)?;
                complete.extend(self.take_line(line.trim_end_matches(['\r', '\n'])));
            }
        }
        Ok(complete)
    }

    /// An empty line ends a message. Comments and unknown fields mean nothing.
    fn take_line(&mut self, line: &str) -> Option<Message> {
        if line.is_empty() {
            let message = std::mem::take(&mut self.message);
            return (message != Message::default()).then_some(message);
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "id" => self.message.id = Some(value.to_owned()),
            "data" => {
                if !self.message.data.is_empty() {
                    self.message.data.push('\n');
                }
                self.message.data.push_str(value);
            }
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(id: Option<&str>, data: &str) -> Message {
        Message { id: id.map(ToOwned::to_owned), data: data.to_owned() }
    }

    #[test]
    fn messages_come_out_however_they_are_cut() {
        let check = |text: &str, expected: &[Message]| {
            for size in 1..=text.len() {
                let mut parser = Parser::default();
                let pieces = text.as_bytes().chunks(size);
                let found: Vec<Message> = pieces.flat_map(|piece| parser.push(piece).unwrap()).collect();
                assert_eq!(found, expected, "{text:?} in pieces of {size}");
            }
        };
        check("id: 1-0\ndata: {\"ü\":1}\n\n", &[message(Some("1-0"), "{\"ü\":1}")]);
        check("id:1\r\ndata:x\r\n\r\n:\n\ndata: y\n\n", &[message(Some("1"), "x"), message(None, "y")]);
        check("id: 7-3\n\n", &[message(Some("7-3"), "")]);
        check("data: a\ndata: b\n\n", &[message(None, "a\nb")]);
        check(": a sign of life\n\nevent: x\nretry: 1\n\n", &[]);
        check("data: not complete\n", &[]);
    }

    #[test]
    fn what_is_no_text_is_refused() {
        assert_eq!(Parser::default().push(b"data: \xff\n"), Err(NotEvents));
    }
}
