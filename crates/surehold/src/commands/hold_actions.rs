//! What can happen to a hold: more time, conversion, and afterwards moving and giving back.

use clap::Args;
use jiff::Timestamp;
use serde_json::json;

use super::hold::HoldArgs;
use super::input::{IdempotencyKey, Line, duration_secs, instant, lines_json};
use super::screen::Screen;
use crate::client::Request;

/// Give a live hold more time
#[derive(Args)]
#[command(group(clap::ArgGroup::new("how").required(true)))]
pub(super) struct Extend {
    #[command(flatten)]
    hold: HoldArgs,
    /// Until this instant; an earlier one than its expiry changes nothing
    #[arg(long, value_name = "INSTANT", value_parser = instant, group = "how")]
    until: Option<Timestamp>,
    /// By so much, as in 10m
    #[arg(long, value_name = "DURATION", value_parser = duration_secs, group = "how")]
    by: Option<i64>,
    /// A payment is in progress: the tenant's limit does not apply
    #[arg(long)]
    for_payment: bool,
    #[command(flatten)]
    key: IdempotencyKey,
}

impl Extend {
    pub(super) fn request(&self, screen: Screen) -> Request {
        let request = self.hold.post("extend");
        match (self.until, self.by) {
            // Said twice it means the same, so it needs no key.
            (Some(until), _) => request.json(json!({"until": until.to_string(), "for_payment": self.for_payment})),
            (None, by_secs) => {
                let request = request.json(json!({"by_secs": by_secs, "for_payment": self.for_payment}));
                self.key.put_on(request, screen)
            }
        }
    }
}

/// Convert a live hold into what the customer keeps
#[derive(Args)]
#[command(group(clap::ArgGroup::new("how").required(true)))]
pub(super) struct Convert {
    #[command(flatten)]
    hold: HoldArgs,
    /// The units stay in the pool as booked: rooms, seats
    #[arg(long, group = "how")]
    book: bool,
    /// They leave the pool: goods
    #[arg(long, group = "how")]
    consume: bool,
    /// What to keep, if not everything; the rest is released
    #[arg(value_name = "LINE", value_parser = Line::parse)]
    lines: Vec<Line>,
}

impl Convert {
    pub(super) fn request(&self) -> Request {
        let mut body = json!({"mode": if self.consume { "consume" } else { "book" }});
        if !self.lines.is_empty() {
            body["lines"] = lines_json(&self.lines);
        }
        self.hold.post("convert").json(body)
    }
}

/// Exchange booked units for others, all or nothing
#[derive(Args)]
pub(super) struct Move {
    #[command(flatten)]
    hold: HoldArgs,
    /// What is given up; may be repeated
    #[arg(long, value_name = "LINE", required = true, value_parser = Line::parse)]
    from: Vec<Line>,
    /// What is taken instead; may be repeated
    #[arg(long, value_name = "LINE", required = true, value_parser = Line::parse)]
    to: Vec<Line>,
    #[command(flatten)]
    key: IdempotencyKey,
}

impl Move {
    pub(super) fn request(&self, screen: Screen) -> Request {
        let body = json!({"from": lines_json(&self.from), "to": lines_json(&self.to)});
        self.key.put_on(self.hold.post("move").json(body), screen)
    }
}

/// Give booked units back
#[derive(Args)]
pub(super) struct GiveBack {
    #[command(flatten)]
    hold: HoldArgs,
    /// What to give back, if not everything
    #[arg(value_name = "LINE", value_parser = Line::parse)]
    lines: Vec<Line>,
    #[command(flatten)]
    key: IdempotencyKey,
}

impl GiveBack {
    pub(super) fn request(&self, screen: Screen) -> Request {
        let body = if self.lines.is_empty() { json!({}) } else { json!({"lines": lines_json(&self.lines)}) };
        self.key.put_on(self.hold.post("give-back").json(body), screen)
    }
}
