//! What the fuzzer may reach of this module: its bodies, its cursors, its query strings and the ids of tasks.

use std::sync::LazyLock;

use axum::http::HeaderMap;
use secrecy::ExposeSecret;
use surehold_connect::webhooks::Secret;
use surehold_core::operations::outbox::EventCursor;
use surehold_core::operations::{self, DedupeKey, InboxName, OperationKey, ScheduleName, SigningSecret, TypeName};
use surehold_engine::{Registry, builtin};

use super::cases::ListCases;
use super::endpoints::ListDeliveries;
use super::inbox::EXPIRE_HOLD_TASK;
use super::look::{AskTimeline, Asked, ListOperations};
use super::schedules::ListSchedules;
use super::webhooks::WebhookQuery;
use super::{cases, look, tasks};
use crate::api::malformed;
use crate::problem::Problem;
use crate::readers::{Readers, Understood, canonical, plain, taken, understood};
use crate::wire;

pub(super) const READERS: Readers = Readers {
    bodies: &[
        ("Act", |body| canonical(body, plain::<wire::Act>)),
        ("AssignCase", |body| canonical(body, plain::<wire::AssignCase>)),
        ("SettleEffect", |body| canonical(body, |settle: wire::SettleEffect| settle.into_command(some_operation()))),
        ("PutInbox", |body| understood(body, |put: wire::PutInbox| inbox(&put))),
        ("PutSchedule", |body| {
            let name = ScheduleName::new("nightly").expect("a good name");
            understood(body, |put: wire::PutSchedule| super::seen::schedule_command(put, name, &REGISTRY))
        }),
        ("PutWebhookEndpoint", |body| understood(body, plain::<wire::PutWebhookEndpoint>)),
        ("RotateWebhookSecret", |body| understood(body, plain::<wire::RotateWebhookSecret>)),
        ("EnableWebhookEndpoint", |body| understood(body, plain::<wire::EnableWebhookEndpoint>)),
        ("ReplayEvents", |body| {
            let cursors =
                |replay: wire::ReplayEvents| (EventCursor::parse(&replay.from), EventCursor::parse(&replay.to));
            understood(body, |replay| plain(cursors(replay)))
        }),
        ("ExpireHoldTask", |body| {
            let operation = (EXPIRE_HOLD_TASK.read)(body).ok()?;
            Some(Understood { meaning: format!("{operation:?}"), is_command: true, canonical: None })
        }),
    ],
    cursors: &[
        ("replay", |text| Some(EventCursor::parse(text)?.to_string())),
        ("operations", |text| {
            let OperationKey { kind, key } = look::parse_key(text).ok()?;
            Some(format!("{kind} {key}"))
        }),
        ("dead letters", |text| {
            let (dead_at, OperationKey { kind, key }) = look::parse_dead(text).ok()?;
            Some(format!("{} {kind} {key}", dead_at.micros()))
        }),
        ("cases", |text| {
            let (opened_at, key) = cases::parse_cursor(text).ok()?;
            Some(format!("{} {} {}", opened_at.micros(), key.kind, key.key))
        }),
    ],
    queries: &[
        ("cases", |uri| taken::<ListCases>(uri, |_| true)),
        ("operations", |uri| taken::<ListOperations>(uri, |query| Asked::of(query).is_ok())),
        ("timeline", |uri| taken::<AskTimeline>(uri, |_| true)),
        ("schedules", |uri| taken::<ListSchedules>(uri, |_| true)),
        ("deliveries", |uri| taken::<ListDeliveries>(uri, |_| true)),
        ("webhook", |uri| taken::<WebhookQuery>(uri, |_| true)),
    ],
};

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| builtin(Registry::default()));

fn some_operation() -> OperationKey {
    let (kind, key) = (TypeName::new("CHARGE").expect("a good name"), DedupeKey::new("1").expect("a good key"));
    OperationKey { kind, key }
}

fn inbox(body: &wire::PutInbox) -> Result<(String, operations::PutInbox), Problem> {
    let text = body.secret.as_deref().unwrap_or("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    let secret = Secret::parse(text).map_err(|error| malformed(error.to_string()))?;
    let name = InboxName::new("orders").expect("a good name");
    let put = operations::PutInbox::new(name, SigningSecret::new(secret.key())?, body.overlap_secs)?;
    Ok((secret.reveal().expose_secret().to_owned(), put))
}

/// The id of a task, from the headers of its scheduler.
pub fn task_id(headers: &HeaderMap) -> Option<String> {
    tasks::task_id(headers).ok().map(|id| id.to_string())
}
