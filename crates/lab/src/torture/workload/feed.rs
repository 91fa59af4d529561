//! A reader that follows the event feed live, through restarts and from node to node, and writes down what it is told
//! in the order in which it is told. Whether that is right is not its business; what it cannot read, and where it is not
//! let in, it writes down, and goes on.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderValue};
use reqwest::{Client, Response};
use serde::Deserialize;
use serde_json::Value;
use tokio::time::{sleep, timeout_at};
use tokio_util::sync::CancellationToken;

use super::asker::{bearer, http_client};
use crate::torture::history::EventSeen;
use surehold_simulators::Dice;

/// Before everything that is kept.
const BEGINNING: &str = "0-0";
/// A stream gives a sign of life every 15 s.
const SILENCE_MAX: Duration = Duration::from_secs(20);
/// Where it was told nothing: nobody was there, or nobody had time.
const PAUSE: Duration = Duration::from_millis(100);
/// It goes away by itself now and then, after so many events at most: in the middle of what one commit tells, too.
const EVENTS_AT_ONCE_MAX: usize = 300;
/// When it is stopped, nobody is harmed any more.
const CATCH_UP_WITHIN: Duration = Duration::from_mins(1);

/// More tell nothing new.
const DEFECTS_KEPT: usize = 20;
const DEFECT_CHARS_MAX: usize = 500;

/// How far a reader came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Followed {
    /// The cursor of the last event that was there when it was stopped; `None` if that cannot be found out.
    pub end: Option<String>,
    /// Of the last event that it was told.
    pub told: String,
    /// Whether it was told everything up to that end.
    pub caught_up: bool,
    /// Answers that nobody may be given: events that cannot be read, refusals. The first of them.
    pub defects: Vec<String>,
}

/// Follows the feed from its beginning until it is stopped, and then on to the end that the feed has at that moment.
pub async fn follow(
    nodes: Vec<String>,
    tenant: String,
    api_key: String,
    seed: u64,
    path: &Path,
    stop: CancellationToken,
) -> Result<Followed> {
    let file = File::create(path).with_context(|| format!("cannot write the feed to {}", path.display()))?;
    let mut reader = Reader {
        http: http_client(|builder| builder.read_timeout(SILENCE_MAX))?,
        authorization: bearer(&api_key)?,
        last_id: BEGINNING.to_owned(),
        told: BEGINNING.to_owned(),
        dice: Dice::new(usize::try_from(seed).unwrap_or(usize::MAX)),
        file: BufWriter::new(file),
        defects: Vec::new(),
    };
    let addresses = nodes.iter().map(|node| format!("{}/v1/{tenant}/events", node.trim_end_matches('/')));
    let addresses: Vec<String> = addresses.collect();
    ensure!(!addresses.is_empty(), "a reader needs a node to ask");
    if let Some(read) = stop.run_until_cancelled(reader.read_on(&addresses, None)).await {
        read?;
    }
    let (end, caught_up) = reader.catch_up(&addresses).await?;
    reader.file.flush().context("cannot write the feed")?;
    let Reader { told, defects, .. } = reader;
    Ok(Followed { end, told, caught_up, defects })
}

/// Where an event is: the journal's row, and the place in it.
fn place(cursor: &str) -> Result<(u64, u64)> {
    let (seq, index) = cursor.split_once('-').with_context(|| format!("{cursor} is no cursor"))?;
    Ok((seq.parse()?, index.parse()?))
}

/// Of the feed as a list.
#[derive(Deserialize)]
struct Page {
    next: String,
    more: bool,
}

#[derive(Debug)]
struct Reader {
    http: Client,
    authorization: HeaderValue,
    last_id: String,
    /// The cursor of the last event.
    told: String,
    dice: Dice,
    file: BufWriter<File>,
    defects: Vec<String>,
}

impl Reader {
    /// From node to node, until it was told the event at `end`; for ever if there is none.
    async fn read_on(&mut self, addresses: &[String], end: Option<(u64, u64)>) -> Result<()> {
        for address in addresses.iter().cycle() {
            if self.has_reached(end)? {
                break;
            }
            let told_before = self.told.clone();
            self.read(address, end).await?;
            if self.told == told_before {
                sleep(PAUSE).await;
            }
        }
        Ok(())
    }

    fn has_reached(&self, end: Option<(u64, u64)>) -> Result<bool> {
        Ok(end.is_some() && Some(place(&self.told)?) >= end)
    }

    /// Reads on to where the feed ends now: whoever stops in the middle has seen nothing of what came last. That end, if
    /// it can be found out, and whether it was reached.
    async fn catch_up(&mut self, addresses: &[String]) -> Result<(Option<String>, bool)> {
        let deadline = (Instant::now() + CATCH_UP_WITHIN).into();
        let Ok(end) = timeout_at(deadline, self.find_end(addresses)).await else { return Ok((None, false)) };
        let end = end?;
        let at = match place(&end) {
            Ok(at) => at,
            Err(error) => {
                self.note(&format!("the feed ends nowhere: {error:#}"));
                return Ok((None, false));
            }
        };
        let read = timeout_at(deadline, self.read_on(addresses, Some(at))).await;
        let caught_up = read.is_ok();
        read.unwrap_or(Ok(()))?;
        Ok((Some(end), caught_up))
    }

    fn note(&mut self, defect: &str) {
        if self.defects.len() < DEFECTS_KEPT {
            self.defects.push(defect.chars().take(DEFECT_CHARS_MAX).collect());
        }
    }

    /// As the pages tell it, from where the reader is.
    async fn find_end(&self, addresses: &[String]) -> Result<String> {
        let mut after = self.told.clone();
        for address in addresses.iter().cycle() {
            match self.page(address, &after).await {
                Ok(Page { next, more: false }) => return Ok(next),
                Ok(Page { next, more: true }) => after = next,
                Err(_again) => sleep(PAUSE).await,
            }
        }
        bail!("there is no node to ask")
    }

    async fn page(&self, address: &str, after: &str) -> Result<Page> {
        let request = self.http.get(format!("{address}?limit=1000&after={after}"));
        let response = request.header(AUTHORIZATION, self.authorization.clone()).send().await?;
        Ok(serde_json::from_slice(&response.error_for_status()?.bytes().await?)?)
    }

    /// Until the stream is cut, it has had enough for now, or was told the event at `end`. An error if what was told
    /// cannot be written down.
    async fn read(&mut self, address: &str, end: Option<(u64, u64)>) -> Result<()> {
        let request = self.http.get(address).header(AUTHORIZATION, self.authorization.clone());
        let request = request.header(ACCEPT, "text/event-stream").header("last-event-id", &self.last_id);
        let Ok(mut response) = request.send().await else { return Ok(()) };
        if !response.status().is_success() {
            self.refused(response).await;
            return Ok(());
        }
        let mut frames = Frames::default();
        let mut wanted = 1 + self.dice.roll(EVENTS_AT_ONCE_MAX);
        while let Ok(Some(bytes)) = response.chunk().await {
            for frame in frames.take(&bytes) {
                wanted -= usize::from(frame.data.is_some());
                self.write(frame)?;
                if wanted == 0 || self.has_reached(end)? {
                    return Ok(());
                }
            }
            self.file.flush().context("cannot write the feed")?;
        }
        Ok(())
    }

    /// Whoever is busy, or going, may send a reader away; nobody else.
    async fn refused(&mut self, response: Response) {
        let status = response.status();
        if matches!(status.as_u16(), 408 | 429 | 501..) {
            return;
        }
        let body = response.text().await.unwrap_or_default();
        self.note(&format!("the feed cannot be followed from {}: {status} {body}", self.last_id));
    }

    fn write(&mut self, frame: Frame) -> Result<()> {
        match frame.data.as_deref().map(|data| (data, event_seen(data))) {
            Some((_, Ok(seen))) => {
                serde_json::to_writer(&mut self.file, &seen).context("cannot write the feed")?;
                self.file.write_all(b"\n").context("cannot write the feed")?;
                self.told = seen.cursor;
            }
            Some((data, Err(error))) => self.note(&format!("an event that cannot be read: {error:#}: {data}")),
            None => {}
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
    place(&cursor)?;
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
    fn places_are_ordered_by_row_first() {
        let mut told: Vec<&str> = vec!["10-0", "9-12", "9-2", "0-0"];
        told.sort_by_key(|cursor| place(cursor).unwrap());
        assert_eq!(told, ["0-0", "9-2", "9-12", "10-0"]);
        assert!(place("9").is_err() && place("9-x").is_err());
    }

    #[test]
    fn events() {
        let data = r#"{"cursor":"12-1","at":"1970-01-01T00:00:01.5Z","type":"hold_placed","versions":[1]}"#;
        let seen = event_seen(data).unwrap();
        assert_eq!((seen.cursor.as_str(), seen.at), ("12-1", 1_500_000));
        assert_eq!(seen.body, serde_json::json!({"type": "hold_placed", "versions": [1]}));
        assert!(event_seen(r#"{"cursor":"12-1"}"#).is_err());
        assert!(event_seen(r#"{"cursor":"last","at":"1970-01-01T00:00:01.5Z"}"#).is_err());
    }

    #[test]
    fn what_cannot_be_read_is_noted_and_the_rest_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("feed.jsonl");
        let mut reader = Reader {
            http: http_client(|builder| builder).unwrap(),
            authorization: bearer("k").unwrap(),
            last_id: BEGINNING.to_owned(),
            told: BEGINNING.to_owned(),
            dice: Dice::new(1),
            file: BufWriter::new(File::create(&path).unwrap()),
            defects: Vec::new(),
        };
        let event = |cursor: &str| format!(r#"{{"cursor":"{cursor}","at":"1970-01-01T00:00:01Z","type":"x"}}"#);
        let long = "x".repeat(10_000);
        for (id, data) in [("1-0", event("1-0")), ("2-0", "{}".to_owned()), ("3-0", long), ("4-0", event("4-0"))] {
            reader.write(Frame { id: Some(id.to_owned()), data: Some(data) }).unwrap();
        }
        reader.file.flush().unwrap();
        assert_eq!((reader.told.as_str(), reader.last_id.as_str()), ("4-0", "4-0"));
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 2);
        assert_eq!(reader.defects.len(), 2);
        assert!(reader.defects.iter().all(|defect| defect.len() <= DEFECT_CHARS_MAX), "{:?}", reader.defects);
        (0..100).for_each(|_| reader.note("again"));
        assert_eq!(reader.defects.len(), DEFECTS_KEPT);
    }
}
