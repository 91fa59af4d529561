//! Carries scenarios out, statement by statement.

use surehold_core::kernel::{Command, HoldId, Invalid, OwnerName, Refusal, Timestamp};

use crate::backend::{Backend, ClockTurn, Request};
use crate::commands::{KernelCommand, about_hold, without_hold};
use crate::describe::{Describe, Reply};
use crate::statement::{Statement, pool};

type Answer<B> = Result<String, <B as Backend>::Failure>;

/// The reply to the last statement. All before it must be accepted, unless they say `try`.
pub async fn play<B: Backend>(backend: &mut B, scenario: &str) -> String {
    let mut answer: Answer<B> = Ok(String::new());
    for text in scenario.split(';').map(str::trim) {
        if let Err(failure) = &answer {
            panic!("{} before {text:?} in {scenario:?}", backend.describe_failure(failure));
        }
        answer = match text.strip_prefix("try ") {
            Some(text) => {
                let answer = obey(backend, &Statement::parse(text)).await;
                answer.or_else(|failure| Ok(backend.describe_failure(&failure)))
            }
            None => obey(backend, &Statement::parse(text)).await,
        };
    }
    answer.unwrap_or_else(|failure| backend.describe_failure(&failure))
}

/// The id of a hold that the scenario calls by name, made when the name is first used.
pub fn hold_id<B: Backend>(backend: &mut B, name: &str) -> HoldId {
    backend.context().id(name).unwrap_or_else(|| new_hold_id(backend, name, 0))
}

fn new_hold_id<B: Backend>(backend: &mut B, name: &str, made_after_secs: i64) -> HoldId {
    let id = backend.new_id(made_after_secs);
    backend.context_mut().insert(name, id);
    id
}

async fn obey<B: Backend>(backend: &mut B, said: &Statement<'_>) -> Answer<B> {
    match said.verb {
        "clock" => {
            let instant = backend.context().instant(said.object());
            backend.turn_clock(ClockTurn::To(instant));
            Ok(String::new())
        }
        "advance" => {
            backend.turn_clock(ClockTurn::BySecs(said.parsed_object()));
            Ok(String::new())
        }
        "show" => Ok(show(backend, said).await),
        "news" => {
            let events = backend.news();
            Ok(events.iter().map(|event| event.describe(backend.context())).collect::<Vec<_>>().join("; "))
        }
        _ => {
            let command = command(backend, said).await.map_err(|invalid| B::refused(Refusal::Invalid(invalid)))?;
            let request = Request { idempotency_key: said.option("key"), text: said.text };
            run(backend, command, request).await
        }
    }
}

async fn command<B: Backend>(backend: &mut B, said: &Statement<'_>) -> Result<KernelCommand, Invalid> {
    if let Some(command) = without_hold(said, backend.context())? {
        return Ok(command);
    }
    let id = match (said.parsed("made"), said.object().strip_prefix('#')) {
        (Some(secs), _) => new_hold_id(backend, said.object(), secs),
        (None, Some(id)) => HoldId::parse(id)?,
        (None, None) => hold_id(backend, said.object()),
    };
    let until = match said.option("until") {
        Some(text) => Some(instant(backend, id, text).await),
        None => None,
    };
    let command = about_hold(said, id, until)?;
    Ok(if said.flag("any") { command.wrapped() } else { command })
}

/// An absolute instant, or `expiry+60`, which counts from the hold's expiry.
async fn instant<B: Backend>(backend: &B, id: HoldId, text: &str) -> Timestamp {
    let Some(secs) = text.strip_prefix("expiry") else { return backend.context().instant(text) };
    let hold = backend.hold(id).await.unwrap_or_else(|| panic!("{text}: there is no such hold"));
    hold.expires_at.plus_secs(secs.parse().unwrap_or_else(|error| panic!("{text}: {error}")))
}

async fn run<B: Backend>(backend: &mut B, command: KernelCommand, request: Request<'_>) -> Answer<B> {
    match command {
        KernelCommand::ClaimSlug(command) => answer(backend, command, request).await,
        KernelCommand::CreateTenant(command) => answer(backend, command, request).await,
        KernelCommand::SetPolicy(command) => answer(backend, command, request).await,
        KernelCommand::PutPool(command) => answer(backend, command, request).await,
        KernelCommand::PutPools(command) => answer(backend, command, request).await,
        KernelCommand::AdjustPool(command) => answer(backend, command, request).await,
        KernelCommand::GrantUnits(command) => answer(backend, command, request).await,
        KernelCommand::CreateKey(command) => answer(backend, command, request).await,
        KernelCommand::RotateKey(command) => answer(backend, command, request).await,
        KernelCommand::RevokeKey(command) => answer(backend, command, request).await,
        KernelCommand::TrimJournal(command) => answer(backend, command, request).await,
        KernelCommand::PlaceHold(command) => answer(backend, command, request).await,
        KernelCommand::ExtendHold(command) => answer(backend, command, request).await,
        KernelCommand::CancelHold(command) => answer(backend, command, request).await,
        KernelCommand::ExpireHold(command) => answer(backend, command, request).await,
        KernelCommand::ExpireLapsedHolds(command) => answer(backend, command, request).await,
        KernelCommand::ConvertHold(command) => answer(backend, command, request).await,
        KernelCommand::GiveBack(command) => answer(backend, command, request).await,
        KernelCommand::MoveBooked(command) => answer(backend, command, request).await,
        KernelCommand::AnyHold(command) => answer(backend, command, request).await,
    }
}

async fn answer<B, C>(backend: &mut B, command: C, request: Request<'_>) -> Answer<B>
where
    B: Backend,
    C: Command<Refusal = Refusal, Reply: Reply>,
{
    let done = backend.run(command, request).await?;
    let text = done.reply.describe(backend.context());
    Ok(if done.replayed { format!("again: {text}") } else { text })
}

async fn show<B: Backend>(backend: &B, said: &Statement<'_>) -> String {
    let context = backend.context();
    match said.words.as_slice() {
        ["owner", name] => {
            let key = OwnerName::new(name).unwrap_or_else(|invalid| panic!("{name:?}: {invalid}"));
            let owner = backend.owner(&key).await;
            owner.map_or_else(|| format!("{name} holds nothing"), |owner| owner.describe(context))
        }
        [name] if context.id(name).is_some() => {
            let hold = backend.hold(context.id(name).expect("checked above")).await;
            hold.map_or_else(|| "nothing".to_owned(), |hold| hold.describe(context))
        }
        pools => {
            let mut texts = Vec::new();
            for name in pools {
                let key = pool(name).unwrap_or_else(|invalid| panic!("{name:?}: {invalid}"));
                texts.push(backend.pool(&key).await.describe(context));
            }
            texts.join("; ")
        }
    }
}
