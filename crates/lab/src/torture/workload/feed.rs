//! A reader that follows the event feed live, through restarts and from node to node, and writes down what it is told
//! in the order in which it is told. Whether that is right is not its business.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderValue};
use reqwest::{Client, Response};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::asker::{bearer, http_client};
use crate::hotel::Dice;
use crate::torture::history::EventSeen;

/// Before everything that is kept.
const BEGINNING: &str = "0-0";
/// A stream gives a sign of life every 15 s.
const SILENCE_MAX: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(100);
/// It goes away by itself now and then, after so many events at most: in the middle of what one commit tells, too.
const EVENTS_AT_ONCE_MAX: usize = 60;

/// Follows the feed from its beginning until it is stopped.
pub async fn follow(
    nodes: Vec<String>,
    tenant: String,
    api_key: String,
    seed: u64,
    path: &Path,
    stop: CancellationToken,
) -> Result<()> {
    let file = File::create(path).with_context(|| format!("cannot write the feed to {}", path.display()))?;
    let mut reader = Reader {
        http: http_client(|builder| builder.read_timeout(SILENCE_MAX))?,
        authorization: bearer(&api_key)?,
        last_id: BEGINNING.to_owned(),
        dice: Dice::new(usize::try_from(seed).unwrap_or(usize::MAX)),
        file: BufWriter::new(file),
    };
    for node in nodes.iter().cycle() {
        let address = format!("{}/v1/{tenant}/events", node.trim_end_matches('/'));
        let Some(read) = stop.run_until_cancelled(reader.read(&address)).await else { break };
        read?;
        if stop.run_until_cancelled(tokio::time::sleep(PAUSE)).await.is_none() {
            break;
        }
    }
    reader.file.flush().context("cannot write the feed")
}

#[derive(Debug)]
struct Reader {
    http: Client,
    authorization: HeaderValue,
    last_id: String,
    dice: Dice,
    file: BufWriter<File>,
}

impl Reader {
    /// Until the stream is cut, or it has had enough for now. An error if there is no use in coming back.
    async fn read(&mut self, address: &str) -> Result<()> {
        let request = self.http.get(address).header(AUTHORIZATION, self.authorization.clone());
        let request = request.header(ACCEPT, "text/event-stream").header("last-event-id", &self.last_id);
        let Ok(mut response) = request.send().await else { return Ok(()) };
        if !response.status().is_success() {
            return self.refused(response).await;
        }
        let mut frames = Frames::default();
        let mut wanted = 1 + self.dice.roll(EVENTS_AT_ONCE_MAX);
        while let Ok(Some(bytes)) = response.chunk().await {
            for frame in frames.take(&bytes) {
                wanted -= usize::from(frame.data.is_some());
                self.write(frame)?;
                if wanted == 0 {
                    return Ok(());
                }
            }
            self.file.flush().context("cannot write the feed")?;
        }
        Ok(())
    }

    async fn refused(&self, response: Response) -> Result<()> {
        let status = response.status();
        if status.is_server_error() || status.as_u16() == 429 {
            return Ok(());
        }
        let body = response.text().await.unwrap_or_default();
        bail!("the feed cannot be followed from {}: {status} {body}", self.last_id)
    }

    fn write(&mut self, frame: Frame) -> Result<()> {
        if let Some(data) = frame.data {
            let seen = event_seen(&data).with_context(|| format!("an event that cannot be read: {data}"))?;
            serde_json::to_writer(&mut self.file, &seen).context("cannot write the feed")?;
            self.file.write_all(b"\n").context("cannot write the feed")?;
        }
        if let Some(id) = frame.id {
            self.last_id = id;
        }
        Ok(())
    }
}

fn event_seen(data: &str) -> Result<EventSeen> {
    let mut body: Value = serde_json::from_str(data)?;
    let fields = body.as_object_mut().context("not an object")?;
    let mut text = |name: &str| match fields.remove(name) {
        Some(Value::String(text)) => Ok(text),
        Some(_) | None => bail!("no {name}"),
    };
    let (cursor, at) = (text("cursor")?, text("at")?);
    let at: jiff::Timestamp = at.parse()?;
    Ok(EventSeen { cursor, at: at.as_microsecond(), body })
}

#[derive(Debug, Default, PartialEq)]
struct Frame {
    id: Option<String>,
    data: Option<String>,
}

/// Server-sent events out of bytes that come in any pieces. What is cut off in the middle of a frame never was.
#[derive(Debug, Default)]
struct Frames {
    line: Vec<u8>,
    frame: Frame,
}

impl Frames {
    fn take(&mut self, bytes: &[u8]) -> Vec<Frame> {
        let mut whole = Vec::new();
        for byte in bytes {
            if *byte == b'\n' {
                let line = std::mem::take(&mut self.line);
                whole.extend(self.end_line(&String::from_utf8_lossy(&line)));
            } else {
                self.line.push(*byte);
            }
        }
        whole
    }

    fn end_line(&mut self, line: &str) -> Option<Frame> {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "" if line.is_empty() => {
                let frame = std::mem::take(&mut self.frame);
                return (frame != Frame::default()).then_some(frame);
            }
            "id" => self.frame.id = Some(value.to_owned()),
            "data" => match &mut self.frame.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.frame.data = Some(value.to_owned()),
            },
            // Comments, and fields that are not used here.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_in_any_pieces() {
        let text =
            ": hello\n\nid: 1-999\n\nid: 2-0\r\ndata: {\"a\":\ndata: 1}\n\n:\n\nid:3-0\ndata:x\n\nid: 4-0\ndata: cut";
        let frame = |id: &str, data: Option<&str>| Frame { id: Some(id.to_owned()), data: data.map(str::to_owned) };
        let expected = [frame("1-999", None), frame("2-0", Some("{\"a\":\n1}")), frame("3-0", Some("x"))];
        for size in [1, 2, 3, 7, 1_000] {
            let mut frames = Frames::default();
            let seen: Vec<Frame> = text.as_bytes().chunks(size).flat_map(|piece| frames.take(piece)).collect();
            assert_eq!(seen, expected, "in pieces of {size}");
        }
    }

    #[test]
    fn events() {
        let data = r#"{"cursor":"12-1","at":"1970-01-01T00:00:01.5Z","type":"hold_placed","versions":[1]}"#;
        let seen = event_seen(data).unwrap();
        assert_eq!((seen.cursor.as_str(), seen.at), ("12-1", 1_500_000));
        assert_eq!(seen.body, serde_json::json!({"type": "hold_placed", "versions": [1]}));
        assert!(event_seen(r#"{"cursor":"12-1"}"#).is_err());
    }
}
