//! What views found about operations, as it travels.

use serde::Deserialize;
use serde_json::Value;
use surehold_core::kernel::Invalid;
use surehold_core::operations::{
    self as commands, Correlation, Cron, OperationInvalid, OperationKey, Payload, ScheduleName, TimeZoneName, TypeName,
};
use surehold_engine::{self as engine, OperationBrief, OperationView, Registry};

use crate::wire::{
    Attempt, DeadLetter, DeliveryState, Effect, Json, Operation, OperationName, OperationSummary, PutSchedule, Run,
    Timeline, TimelineEntry, TimelineFact, WebhookDelivery,
};

pub(super) fn summary_of(brief: OperationBrief) -> OperationSummary {
    let OperationKey { kind, key } = brief.key;
    OperationSummary {
        r#type: kind,
        key,
        state: brief.state,
        generation: brief.generation,
        attempts: brief.attempts,
        created_at: brief.created_at,
        finished_at: brief.finished_at,
        run: brief.run.map(Run::from),
        dead_letter: brief.dead_letter.map(DeadLetter::from),
    }
}

pub(super) fn operation_seen(view: OperationView) -> Operation {
    let state = view.state();
    let OperationView { operation, run, dead_letter, effects, attempts } = view;
    let OperationKey { kind, key } = operation.key;
    let spent = run.as_ref().map_or(operation.attempts, |run| run.attempts);
    let summary = OperationSummary {
        r#type: kind,
        key,
        state,
        generation: Some(operation.generation),
        attempts: Some(spent),
        created_at: Some(operation.created_at),
        finished_at: operation.finished_at,
        run: run.map(Run::from),
        dead_letter: dead_letter.map(DeadLetter::from),
    };
    Operation {
        summary,
        aggregate: operation.aggregate,
        correlations: operation.correlations.iter().map(ToString::to_string).collect(),
        payload: Json(operation.payload),
        result: operation.result.map(Json),
        effects: effects.into_iter().map(Effect::from).collect(),
        history: attempts.into_iter().map(Attempt::from).collect(),
    }
}

pub(super) fn timeline_seen(correlation: &Correlation, timeline: engine::Timeline) -> Timeline {
    Timeline {
        correlation: correlation.to_string(),
        operations: timeline.operations.into_iter().map(summary_of).collect(),
        entries: timeline.entries.into_iter().map(entry_seen).collect(),
        cut: timeline.cut,
    }
}

fn entry_seen(entry: engine::TimelineEntry) -> TimelineEntry {
    use engine::TimelineFact as F;
    let OperationKey { kind, key } = entry.operation;
    let fact = match entry.fact {
        F::Asked => TimelineFact::Asked,
        F::Intended { step, idempotency_key } => {
            TimelineFact::EffectIntended { step, idempotency_key: idempotency_key.into() }
        }
        F::Settled { step, state, provider_ref } => {
            TimelineFact::EffectSettled { step, state, provider_ref: provider_ref.map(String::from) }
        }
        F::Attempted(attempt) => TimelineFact::Attempt { attempt: (*attempt).into() },
        F::Event { seq, index, event } => {
            TimelineFact::Event { cursor: format!("{seq}-{index}"), event: (*event).into() }
        }
        F::Finished { state } => TimelineFact::Finished { state },
    };
    let operation = OperationName { r#type: kind.to_string(), key: key.to_string() };
    TimelineEntry { at: entry.at, operation, fact }
}

/// What a finished delivery says of itself.
#[derive(Default, Deserialize)]
struct Settled {
    status: Option<u16>,
}
pub(super) fn delivery_seen(delivery: engine::WebhookDelivery) -> WebhookDelivery {
    let result: Option<Settled> = delivery.result.as_deref().and_then(|text| serde_json::from_str(text).ok());
    let status = result.unwrap_or_default().status;
    let state = match (delivery.outcome.as_deref(), delivery.next_at) {
        (None, None) => DeliveryState::Waiting,
        (None, Some(_)) => DeliveryState::Pending,
        (Some("SUCCEEDED"), _) if status.is_some_and(|status| (200..300).contains(&status)) => DeliveryState::Delivered,
        (Some("SUCCEEDED"), _) => DeliveryState::Skipped,
        (Some(_), _) => DeliveryState::Failed,
    };
    WebhookDelivery {
        cursor: delivery.cursor.to_string(),
        replay: delivery.replay,
        state,
        attempts: delivery.attempts,
        status,
        error: delivery.last_error,
        created_at: delivery.created_at,
        next_attempt_at: delivery.next_at,
        finished_at: delivery.finished_at,
    }
}

pub(super) fn schedule_command(
    put: PutSchedule,
    name: ScheduleName,
    registry: &Registry,
) -> Result<commands::PutSchedule, Invalid> {
    let kind = TypeName::new(&put.r#type)?;
    let registered = registry.schedulable(&kind).ok_or_else(|| {
        let schedulable = registry.schedulable_kinds().map(|kind| kind.name).collect::<Vec<_>>().join(", ");
        OperationInvalid::NotSchedulable { kind: kind.to_string(), schedulable }
    })?;
    let (cron, zone) = (Cron::parse(&put.cron)?, TimeZoneName::parse(&put.zone)?);
    let payload = Payload::new(&Value::Object(put.payload))?;
    registered.check(&payload)?;
    let correlations = put.correlations.iter().map(|text| Correlation::parse(text)).collect::<Result<_, _>>()?;
    let command = commands::PutSchedule::new(name, cron, zone, registered.kind(), payload)?;
    Ok(command.correlations(correlations)?.enabled(put.enabled))
}
