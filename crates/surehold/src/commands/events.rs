//! `surehold events`: what happened, a line each; with `--follow` also what happens next, across restarts of the server.

use std::time::Duration;

use clap::Args;
use futures_util::StreamExt;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::input::{TestMode, slug};
use super::screen::Screen;
use super::view::{lines, pool_name, text};
use super::{Act, Common};
use crate::client::{Chunks, Client, ClientError, Parser, Purpose, Request};

const PAUSE_MIN: Duration = Duration::from_millis(100);
const PAUSE_MAX: Duration = Duration::from_secs(5);

/// Show what happened, oldest first; with --follow, what happens from now on
#[derive(Args)]
pub(crate) struct Events {
    /// The tenant\'s slug
    #[arg(value_parser = slug)]
    tenant: String,
    /// Begin behind this event; 0-0 is before all of them
    #[arg(long, value_name = "CURSOR")]
    after: Option<String>,
    /// Stay and show events as they happen, until Ctrl-C
    #[arg(long, short)]
    follow: bool,
    #[command(flatten)]
    mode: TestMode,
    #[command(flatten)]
    common: Common,
}

/// A page, with its events as they came.
#[derive(Deserialize)]
struct Page<'p> {
    #[serde(borrow)]
    events: Vec<&'p RawValue>,
    next: String,
    more: bool,
}

impl Act for Events {
    fn common(&self) -> &Common {
        &self.common
    }

    fn purpose(&self) -> Purpose {
        if self.follow { Purpose::Follow } else { Purpose::Use }
    }

    async fn act(&self, client: &Client, screen: &Screen) -> Result<(), ClientError> {
        if self.follow { self.follow(client, *screen).await } else { self.list(client, *screen).await }
    }
}

impl Events {
    fn request(&self, after: Option<&str>) -> Request {
        Request::get(&["v1", &self.tenant, "events"]).test(self.mode.test).query_if("after", after)
    }

    async fn list(&self, client: &Client, screen: Screen) -> Result<(), ClientError> {
        let mut after = self.after.clone();
        loop {
            let answer = client.send(&self.request(after.as_deref()).query("limit", "1000")).await?;
            let page: Page<'_> =
                serde_json::from_slice(&answer.body).map_err(|_| ClientError::NotSurehold { status: 200 })?;
            let shown: Result<String, ClientError> =
                page.events.iter().map(|event| line(screen, event.get())).collect();
            screen.print(&shown?)?;
            if !page.more {
                return Ok(());
            }
            after = Some(page.next);
        }
    }

    /// Ends only with an error: Ctrl-C is seen outside of here.
    async fn follow(&self, client: &Client, screen: Screen) -> Result<(), ClientError> {
        let mut cursor = self.after.clone();
        let mut chunks = client.stream(&self.request(cursor.as_deref())).await?;
        let mut pause = PAUSE_MIN;
        loop {
            let mut parser = Parser::default();
            while let Some(Ok(chunk)) = chunks.next().await {
                let messages = parser.push(&chunk).map_err(|_| ClientError::NotSurehold { status: 200 })?;
                for message in messages {
                    if !message.data.is_empty() {
                        // Only who brings events has really come back.
                        pause = PAUSE_MIN;
                        screen.print(&line(screen, &message.data)?)?;
                    }
                    cursor = message.id.or(cursor);
                }
            }
            screen.note("the server went away; waiting for it to come back");
            chunks = self.reopen(client, cursor.as_deref(), &mut pause).await?;
            screen.note("connected again");
        }
    }

    /// Tries until somebody answers; a refusal that will not pass is final.
    async fn reopen(&self, client: &Client, cursor: Option<&str>, pause: &mut Duration) -> Result<Chunks, ClientError> {
        loop {
            tokio::time::sleep(*pause).await;
            *pause = (*pause * 2).min(PAUSE_MAX);
            let mut request = self.request(None);
            if let Some(cursor) = cursor {
                request = request.header("last-event-id", cursor);
            }
            match client.stream(&request).await {
                Err(error) if error.passes() => {}
                opened => return opened,
            }
        }
    }
}

fn line(screen: Screen, event: &str) -> Result<String, ClientError> {
    if screen.json {
        return Ok(format!("{event}\n"));
    }
    let event: Value = serde_json::from_str(event).map_err(|_| ClientError::NotSurehold { status: 200 })?;
    let head = [&event["cursor"], &event["at"], &event["type"]].map(text).join("  ");
    Ok(format!("{head}  {}\n", about(&event)).trim_end().to_owned() + "\n")
}

/// What it is about, in the order in which a reader wants to know it.
pub(super) fn about(event: &Value) -> String {
    let mut parts = Vec::new();
    if !event["pool"].is_null() {
        parts.push(pool_name(&event["pool"]));
    }
    if !event["hold"].is_null() {
        parts.push(text(&event["hold"]));
    }
    for name in ["slug", "key", "replaced_by", "mode", "total", "overbook", "oversold", "expires_at", "ends_at"] {
        match &event[name] {
            Value::Null => {}
            value if matches!(name, "slug" | "key" | "mode") => parts.push(text(value)),
            value => parts.push(format!("{name}={}", text(value))),
        }
    }
    for name in ["kept", "lines", "from", "to"] {
        if event[name].is_array() {
            parts.push(format!("{name}: {}", lines(&event[name])));
        }
    }
    if event["closed"] == true {
        parts.push("closed".to_owned());
    }
    parts.join("  ")
}
