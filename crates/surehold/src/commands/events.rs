//! `surehold events`: what happened, a line each; with `--follow` also what happens next, across restarts of the server.

use std::time::Duration;

use clap::Args;
use futures_util::StreamExt;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use surehold_api::kernel::{self, EventBody, EventPage};
use surehold_api::{Call, CaseName, PAGE_ITEMS_MAX, render_event};
use surehold_core::kernel::{LinesSent, PoolKey, Slug};

use super::desk::Desk;
use super::hints::Hints;
use super::input::TestMode;
use super::screen::Screen;
use super::view::lines;
use super::{Act, Common};
use crate::client::{Chunks, ClientError, Parser, Purpose};

const PAUSE_MIN: Duration = Duration::from_millis(100);
const PAUSE_MAX: Duration = Duration::from_secs(5);

/// Show what happened, oldest first; with --follow, what happens from now on
#[derive(Args)]
pub(crate) struct Events {
    /// The tenant\'s slug
    tenant: Slug,
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
    const HINTS: Hints = Hints {
        by_code: &[(&["cursor-gone"], "--after {cursor} begins with the oldest event that is kept")],
        names: &[("cursor", &["/cursor"], "0-0")],
    };

    fn common(&self) -> &Common {
        &self.common
    }

    fn purpose(&self) -> Purpose {
        if self.follow { Purpose::Follow } else { Purpose::Use }
    }

    fn test(&self) -> bool {
        self.mode.test
    }

    async fn act(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        if self.follow { self.follow(desk).await } else { self.list(desk).await }
    }
}

impl Events {
    fn call(&self, after: Option<&str>) -> Call<EventPage> {
        kernel::events(&self.tenant).test(self.mode.test).query_if("after", after)
    }

    async fn list(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let mut after = self.after.clone();
        loop {
            let answer = desk.send(&self.call(after.as_deref()).query("limit", PAGE_ITEMS_MAX)).await?;
            let page: Page<'_> = answer.read_as().map_err(|error| ClientError::unreadable(&error, None))?;
            let shown: Result<String, ClientError> =
                page.events.iter().map(|event| line(desk.screen, event.get())).collect();
            desk.screen.print(&shown?)?;
            if !page.more {
                return Ok(());
            }
            after = Some(page.next);
        }
    }

    /// Ends only with an error: Ctrl-C is seen outside of here.
    async fn follow(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let mut cursor = self.after.clone();
        let mut chunks = desk.client.stream(&self.call(cursor.as_deref())).await?;
        let mut pause = PAUSE_MIN;
        loop {
            let mut parser = Parser::default();
            while let Some(Ok(chunk)) = chunks.next().await {
                let messages = parser.push(&chunk).map_err(|_| ClientError::NotSurehold { status: 200 })?;
                for message in messages {
                    if !message.data.is_empty() {
                        // Only who brings events has really come back.
                        pause = PAUSE_MIN;
                        desk.screen.print(&line(desk.screen, &message.data)?)?;
                    }
                    cursor = message.id.or(cursor);
                }
            }
            desk.screen.note("the server went away; waiting for it to come back");
            chunks = self.reopen(desk, cursor.as_deref(), &mut pause).await?;
            desk.screen.note("connected again");
        }
    }

    /// Tries until somebody answers; a refusal that will not pass is final.
    async fn reopen(&self, desk: Desk<'_>, cursor: Option<&str>, pause: &mut Duration) -> Result<Chunks, ClientError> {
        loop {
            tokio::time::sleep(*pause).await;
            *pause = (*pause * 2).min(PAUSE_MAX);
            match desk.client.stream(&self.call(cursor)).await {
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
    let shown: Shown = serde_json::from_str(event).map_err(|error| ClientError::unreadable(&error, None))?;
    let [cursor, at] = ["cursor", "at"].map(|name| shown.text(name).unwrap_or_default());
    Ok(format!("{cursor}  {at}  {}  {}\n", shown.name(), shown.about()).trim_end().to_owned() + "\n")
}

/// An event as it came, of whatever type it is: what newer servers tell is shown as far as it has members that others have.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct Shown(Map<String, Value>);

impl Shown {
    pub(super) fn of(event: &EventBody) -> Shown {
        match render_event(&event.0) {
            Value::Object(members) => Shown(members),
            _ => Shown(Map::new()),
        }
    }

    /// A member, if it is there and has this type.
    fn member<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        self.0.get(name).and_then(|member| T::deserialize(member).ok())
    }

    /// Text as it is, anything else as its JSON.
    fn text(&self, name: &str) -> Option<String> {
        match self.0.get(name)? {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        }
    }

    pub(super) fn name(&self) -> String {
        self.text("type").unwrap_or_default()
    }

    /// What it is about, in the order in which a reader wants to know it.
    fn about(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.member::<PoolKey>("pool").as_ref().map(ToString::to_string));
        parts.extend(["hold", "slug", "key"].into_iter().filter_map(|name| self.text(name)));
        parts.extend(self.text("replaced_by").map(|by| format!("replaced_by={by}")));
        parts.extend(self.text("mode"));
        for name in ["total", "overbook", "oversold", "expires_at", "ends_at"] {
            parts.extend(self.text(name).map(|value| format!("{name}={value}")));
        }
        for name in ["kept", "lines", "from", "to"] {
            parts.extend(self.member::<LinesSent>(name).map(|units| format!("{name}: {}", lines(&units.0))));
        }
        parts.extend((self.member("closed") == Some(true)).then(|| "closed".to_owned()));
        parts.join("  ")
    }

    /// The same with what operations tell.
    pub(super) fn more(&self) -> String {
        let mut parts = Vec::new();
        // Which operation a case is about stands before it.
        parts.extend(self.member::<CaseName>("case").map(|case| case.kind).or_else(|| self.text("case")));
        parts.extend(["code", "topic"].into_iter().filter_map(|name| self.text(name)));
        let confirmed = |confirmed| if confirmed { "it happened" } else { "it did not happen" }.to_owned();
        parts.extend(self.member("confirmed").map(confirmed));
        let anew = self.member::<i64>("generation").filter(|generation| *generation > 1);
        parts.extend(anew.map(|generation| format!("generation {generation}")));
        parts.extend(Some(self.about()).filter(|about| !about.is_empty()));
        parts.join("  ")
    }
}
