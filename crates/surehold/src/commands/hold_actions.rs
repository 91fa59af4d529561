//! What can happen to a hold: more time, conversion, and afterwards moving and giving back.

use clap::Args;
use surehold_api::Call;
use surehold_api::kernel::{self, ConvertHold, ConvertMode, ExtendHold, Hold, Line, MoveBooked};
use surehold_core::kernel::Timestamp;

use super::hold::HoldArgs;
use super::input::{IdempotencyKey, duration_secs, instant, line};
use super::screen::Screen;

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
    pub(super) fn call(&self, screen: Screen) -> Call<Hold> {
        let HoldArgs { tenant, hold } = &self.hold;
        let extend = ExtendHold { until: self.until, by_secs: self.by, for_payment: self.for_payment };
        let call = kernel::extend_hold(tenant, *hold, &extend);
        // An instant that is said twice means the same, so it needs no key.
        if self.until.is_some() { call } else { self.key.put_on(call, screen) }
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
    #[arg(value_name = "LINE", value_parser = line)]
    lines: Vec<Line>,
}

impl Convert {
    pub(super) fn call(&self) -> Call<Hold> {
        let HoldArgs { tenant, hold } = &self.hold;
        let mode = if self.consume { ConvertMode::Consume } else { ConvertMode::Book };
        kernel::convert_hold(tenant, *hold, &ConvertHold { mode, lines: unless_all(&self.lines) })
    }
}

/// None are named where all are meant.
fn unless_all(lines: &[Line]) -> Option<Vec<Line>> {
    Some(lines.to_vec()).filter(|lines| !lines.is_empty())
}

/// Exchange booked units for others, all or nothing
#[derive(Args)]
pub(super) struct Move {
    #[command(flatten)]
    hold: HoldArgs,
    /// What is given up; may be repeated
    #[arg(long, value_name = "LINE", required = true, value_parser = line)]
    from: Vec<Line>,
    /// What is taken instead; may be repeated
    #[arg(long, value_name = "LINE", required = true, value_parser = line)]
    to: Vec<Line>,
    #[command(flatten)]
    key: IdempotencyKey,
}

impl Move {
    pub(super) fn call(&self, screen: Screen) -> Call<Hold> {
        let HoldArgs { tenant, hold } = &self.hold;
        let moved = MoveBooked { from: self.from.clone(), to: self.to.clone() };
        self.key.put_on(kernel::move_booked(tenant, *hold, &moved), screen)
    }
}

/// Give booked units back
#[derive(Args)]
pub(super) struct GiveBack {
    #[command(flatten)]
    hold: HoldArgs,
    /// What to give back, if not everything
    #[arg(value_name = "LINE", value_parser = line)]
    lines: Vec<Line>,
    #[command(flatten)]
    key: IdempotencyKey,
}

impl GiveBack {
    pub(super) fn call(&self, screen: Screen) -> Call<Hold> {
        let HoldArgs { tenant, hold } = &self.hold;
        let back = kernel::GiveBack { lines: unless_all(&self.lines) };
        self.key.put_on(kernel::give_back(tenant, *hold, &back), screen)
    }
}
