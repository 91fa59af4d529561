//! Many hold commands in one request, each answered by itself.

use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use surehold_core::kernel::HoldId;
use surehold_core::kernel::commands::AnyHoldCommand;

use crate::api::{Api, Caller, Room, Sell, json_bytes, parse, read_body};
use crate::describe;
use crate::problem::{Code, Problem};
use crate::wire::{BatchRequest, BatchResponse, BatchResult, Hold};

const BATCH_BYTES_MAX: usize = 8 << 20;
const BATCH_COMMANDS_MAX: usize = 10_000;
/// Batches that are read and answered at once, by the size of what was sent.
const KIBIBYTES_AT_ONCE: usize = 48 << 10;
/// From here on holds are left out of an answer, as with `Prefer: return=minimal`.
const FULL_ANSWER_BYTES_MAX: usize = 16 << 20;

#[derive(Clone)]
pub(super) struct BatchRoom(Room);

impl Default for BatchRoom {
    fn default() -> BatchRoom {
        BatchRoom(Room::new(KIBIBYTES_AT_ONCE))
    }
}

/// A command that was understood, or what is wrong with it; and whether it places.
pub(super) struct Item {
    id: HoldId,
    places: bool,
    pub(super) problem: Option<Problem>,
}

/// Many hold commands at once
///
/// Up to 10,000 commands in up to 8 MiB. Each carries the id of its hold, is decided by itself and answered by itself;
/// the whole is not atomic. A command whose shape is wrong refuses the whole request; nothing is changed then. With
/// `Prefer: return=minimal` the holds are left out of the answer, as they are beyond its first 16 MiB.
#[describe::path(post, "/v1/{tenant}/holds/batch", tag = "Holds",
    params(("Prefer" = Option<String>, Header, example = "return=minimal")), request_body = BatchRequest,
    responses((status = 200, body = BatchResponse)))]
pub(super) async fn holds_batch(api: Api, caller: Caller<Sell>, request: Request) -> Result<Response, Problem> {
    let minimal = prefers_minimal(request.headers());
    // Kept until the answer is made: what is in memory at once is bounded, whoever asks.
    let busy = "other batches are being read; nothing was changed, try again later";
    let _room = api.state::<BatchRoom>().0.take(request.headers(), BATCH_BYTES_MAX, busy)?;
    let body = read_body(request, BATCH_BYTES_MAX).await?;
    // Megabytes of JSON must not keep a thread from answering everybody else.
    let (items, commands) = aside(move || understand(&body)).await.map_err(|_| {
        Problem::new(Code::Defect, "the batch could not be read because of a defect; nothing was changed")
    })??;
    let outcomes = api.engine().run_all(caller.tenant, commands).await;
    let answer = aside(move || {
        let mut outcomes = outcomes.into_iter();
        let mut answer = br#"{"results":["#.to_vec();
        for (index, item) in items.into_iter().enumerate() {
            let outcome = match item.problem {
                Some(problem) => Err(problem),
                None => outcomes.next().expect("one outcome per command").map_err(Problem::from),
            };
            if index > 0 {
                answer.push(b',');
            }
            // Few commands can be about large holds.
            let minimal = minimal || answer.len() > FULL_ANSWER_BYTES_MAX;
            let result = result(item.id, item.places, outcome, minimal);
            serde_json::to_writer(&mut answer, &result).expect("replies are plain data");
        }
        answer.extend(b"]}");
        answer
    });
    // By now commands may have been carried out.
    let unknown =
        |_| Problem::new(Code::OutcomeUnknown, "the answer could not be written; ask again with the same ids");
    Ok(json_bytes(StatusCode::OK, answer.await.map_err(unknown)?))
}

async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, tokio::task::JoinError> {
    tokio::task::spawn_blocking(work).await
}

fn prefers_minimal(headers: &HeaderMap) -> bool {
    let preferences = headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
    preferences.flat_map(|value| value.split(',')).any(|preference| preference.trim() == "return=minimal")
}

pub(super) fn understand(body: &[u8]) -> Result<(Vec<Item>, Vec<AnyHoldCommand>), Problem> {
    let BatchRequest { commands } = parse(body)?;
    let count = commands.len();
    if !(1..=BATCH_COMMANDS_MAX).contains(&count) {
        let detail = format!("a batch has 1 to {BATCH_COMMANDS_MAX} commands, not {count}");
        return Err(Problem::new(Code::Invalid, detail));
    }
    let mut items = Vec::with_capacity(count);
    let mut understood = Vec::with_capacity(count);
    for (index, command) in commands.into_iter().enumerate() {
        let missing =
            || Problem::new(Code::Invalid, format!("command {index} has no id; in a batch each needs its own"));
        let id = command.id().ok_or_else(missing)?;
        let places = matches!(command, crate::wire::BatchCommand::Place(_));
        match command.into_command(id) {
            Ok(command) => {
                understood.push(command);
                items.push(Item { id, places, problem: None });
            }
            Err(invalid) => items.push(Item { id, places, problem: Some(invalid.into()) }),
        }
    }
    Ok((items, understood))
}

fn result(
    id: HoldId,
    places: bool,
    outcome: Result<surehold_engine::Done<surehold_core::kernel::commands::HoldReply>, Problem>,
    minimal: bool,
) -> BatchResult {
    match outcome {
        Ok(done) => {
            let status = if places { StatusCode::CREATED } else { StatusCode::OK };
            let hold = (!minimal).then(|| Hold::from(done.reply));
            BatchResult { id, status: status.as_u16(), replayed: done.replayed, hold, problem: None }
        }
        Err(problem) => {
            let status = problem.status().as_u16();
            BatchResult { id, status, replayed: false, hold: None, problem: Some(Box::new(problem.into())) }
        }
    }
}
