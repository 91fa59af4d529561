//! How operations look to people.

use surehold_api::{Attempt, Effect, EffectSettled, Operation, OperationActed, OperationSummary};
use surehold_core::operations::OperationState;

use super::show::{Show, column, details, joined, line, number, rows, some};
use super::view::{ago, instant};

pub(super) const OPERATIONS: &[Show<OperationSummary>] = &[
    column("type", |operation, ()| operation.r#type.to_string()),
    column("key", |operation, ()| operation.key.to_string()),
    column("state", |operation, ()| operation.state.to_string()),
    number(column("attempts", |operation, ()| some(operation.attempts))),
    column("standing", |operation, ()| standing(operation)),
    column("error", |operation, ()| {
        let error = operation.run.as_ref().and_then(|run| run.last_error.as_deref());
        let error = error.or(operation.dead_letter.as_ref().map(|letter| letter.error.as_str()));
        shortened(error.unwrap_or_default(), 60)
    }),
];

/// What it waits for, what runs it, or how it ended.
fn standing(operation: &OperationSummary) -> String {
    let run = operation.run.as_ref();
    match operation.state {
        OperationState::Running => format!("began {}", some(run.and_then(|run| run.locked_at).map(ago))),
        OperationState::Pending | OperationState::Failed => {
            match run.map(|run| (run.waiting_on.as_ref(), run.run_at)) {
                Some((Some(waiting), _)) => format!("waiting on: {waiting}"),
                Some((None, Some(run_at))) => format!("due {}", ago(run_at)),
                Some((None, None)) | None => String::new(),
            }
        }
        OperationState::DeadLetter => some(operation.dead_letter.as_ref().map(|letter| {
            let dealt = if letter.resolved_at.is_none() { "" } else { ", dealt with" };
            format!("{} {}{dealt}", letter.code, ago(letter.dead_at))
        })),
        OperationState::Succeeded => some(operation.finished_at.map(ago)),
    }
}

/// To be read at a glance; the whole is shown with the thing itself.
fn shortened(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    text.chars().take(chars_max.saturating_sub(1)).chain(['…']).collect()
}

const OPERATION: &[Show<Operation>] = &[
    line("operation", |Operation { summary, .. }, ()| format!("{} {}", summary.r#type, summary.key)),
    line("state", |operation, ()| operation.summary.state.to_string()),
    line("about", |operation, ()| joined(&operation.correlations, " ")),
    line("aggregate", |operation, ()| some(operation.aggregate.as_ref())),
    line("generation", |operation, ()| some(operation.summary.generation.filter(|generation| *generation != 1))),
    line("attempts", |operation, ()| some(operation.summary.attempts)),
    line("created", |operation, ()| some(operation.summary.created_at.map(instant))),
    line("due", |operation, ()| some(operation.summary.run.as_ref().and_then(|run| run.run_at).map(instant))),
    line("waiting on", |operation, ()| some(operation.summary.run.as_ref().and_then(|run| run.waiting_on.as_ref()))),
    line("running since", |operation, ()| {
        some(operation.summary.run.as_ref().and_then(|run| run.locked_at).map(instant))
    }),
    line("lease until", |operation, ()| {
        some(operation.summary.run.as_ref().and_then(|run| run.lease_until).map(instant))
    }),
    line("worker", |operation, ()| some(operation.summary.run.as_ref().and_then(|run| run.worker.as_ref()))),
    line("leases lost", |operation, ()| {
        some(operation.summary.run.as_ref().map(|run| run.leases_lost).filter(|lost| *lost != 0))
    }),
    line("last error", |operation, ()| some(operation.summary.run.as_ref().and_then(|run| run.last_error.as_ref()))),
    line("finished", |operation, ()| some(operation.summary.finished_at.map(instant))),
    line("died", |operation, ()| some(operation.summary.dead_letter.as_ref().map(|letter| instant(letter.dead_at)))),
    line("died of", |operation, ()| {
        let died_of = |text: String| text.trim_matches(':').trim().to_owned();
        let letter = operation.summary.dead_letter.as_ref();
        some(letter.map(|letter| died_of(format!("{}: {}", letter.code, letter.error))))
    }),
    line("dealt with", |operation, ()| {
        some(operation.summary.dead_letter.as_ref().and_then(|letter| letter.resolved_at).map(instant))
    }),
    line("dealt with by", |operation, ()| {
        some(operation.summary.dead_letter.as_ref().and_then(|letter| letter.resolved_by.as_ref()))
    }),
    line("resolution", |operation, ()| {
        some(operation.summary.dead_letter.as_ref().and_then(|letter| letter.resolution.as_ref()))
    }),
    line("payload", |operation, ()| operation.payload.to_string()),
    line("result", |operation, ()| some(operation.result.as_ref())),
];

const EFFECTS: &[Show<Effect>] = &[
    number(column("step", |effect, ()| effect.step.to_string())),
    column("effect", |effect, ()| effect.state.to_string()),
    column("doubt", |effect, ()| effect.doubt.to_string()),
    column("intended", |effect, ()| effect.intent_at.to_string()),
    column("reference", |effect, ()| some(effect.provider_ref.as_ref())),
    column("idempotency key", |effect, ()| effect.idempotency_key.clone()),
    column("request", |effect, ()| shortened(&effect.request.to_string(), 80)),
];

const HISTORY: &[Show<Attempt>] = &[
    number(column("#", |attempt, ()| attempt.number.to_string())),
    column("at", |attempt, ()| attempt.ended_at.to_string()),
    column("what", |attempt, ()| attempt.outcome.to_string()),
    column("by", |attempt, ()| match &attempt.actor {
        Some(actor) => actor.to_string(),
        None => some(attempt.worker.as_ref()),
    }),
    column("code", |attempt, ()| some(attempt.code.as_ref())),
    column("error or reason", |attempt, ()| some(attempt.error.as_ref())),
];

pub(super) fn operation(operation: &Operation) -> String {
    let mut shown = details(OPERATION, operation, &());
    if !operation.effects.is_empty() {
        shown.push('\n');
        shown += &rows(EFFECTS, &operation.effects, &());
    }
    if !operation.history.is_empty() {
        shown.push('\n');
        shown += &rows(HISTORY, &operation.history, &());
    }
    shown
}

pub(super) const ACTED: &[Show<OperationActed>] = &[
    line("operation", |acted, ()| format!("{} {}", acted.r#type, acted.key)),
    line("state", |acted, ()| acted.state.to_string()),
];

pub(super) const SETTLED: &[Show<EffectSettled>] = &[
    line("operation", |settled, ()| format!("{} {}", settled.r#type, settled.key)),
    line("step", |settled, ()| settled.step.to_string()),
    line("effect", |settled, ()| settled.effect.to_string()),
];
