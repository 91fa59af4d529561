//! Tasks: what a scheduler delivers, at least once and perhaps too early. Kept by the task's id, then left to an
//! operation.

use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use surehold_core::kernel::TenantId;
use surehold_core::operations::{ExternalId, ReceiveEvent, SourceName};

use super::inbox::{Task, content_type};
use super::webhooks::{room_for, take};
use crate::api::{Answer, Api, BODY_BYTES_MAX, Caller, InPath, KeyHolder, Reply, Tasks, Text, malformed, read_body};
use crate::describe;
use crate::problem::{Code, Problem};
use crate::wire::{Delivered, ExpireHoldTask};

/// The task named in the path.
pub(crate) struct TaskPath(Task);

impl FromRequestParts<Api> for TaskPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<TaskPath, Problem> {
        let InPath(Text(name)) = InPath::from_request_parts(parts, api).await?;
        let inbox = &api.config().inbox;
        let unknown = || {
            let detail = format!("this server knows no task of this name; it knows {}", inbox.task_names());
            Problem::new(Code::TaskNotFound, detail)
        };
        inbox.task(&name).copied().map(TaskPath).ok_or_else(unknown)
    }
}

/// What the scheduler calls the task: the same in every delivery.
pub(crate) struct TaskId(ExternalId);

const OWN_HEADER: &str = "surehold-task-id";
const CLOUD_TASK_HEADER: &str = "x-cloudtasks-taskname";
/// Names of tasks are unique within their queue only.
const CLOUD_QUEUE_HEADER: &str = "x-cloudtasks-queuename";

impl FromRequestParts<Api> for TaskId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Api) -> Result<TaskId, Problem> {
        task_id(&parts.headers).map(TaskId)
    }
}

pub(super) fn task_id(headers: &HeaderMap) -> Result<ExternalId, Problem> {
    let id = match (only(headers, OWN_HEADER)?, only(headers, CLOUD_TASK_HEADER)?) {
        // Chosen by whoever made the task, so it says what is meant.
        (Some(own), _) => own.to_owned(),
        (None, Some(task)) => match only(headers, CLOUD_QUEUE_HEADER)? {
            Some(queue) => format!("{queue}/{task}"),
            None => task.to_owned(),
        },
        (None, None) => {
            let detail = "send the task's id as Surehold-Task-Id, the same in every delivery";
            return Err(Problem::new(Code::TaskIdMissing, detail));
        }
    };
    ExternalId::new(&id).map_err(|invalid| malformed(invalid.to_string()))
}

/// A header that is there once or not at all. Empty is as good as absent.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, Problem> {
    let mut values = headers.get_all(name).iter();
    let text = values.next().map(HeaderValue::to_str).transpose();
    match (text, values.next()) {
        (Ok(text), None) => Ok(text.filter(|text| !text.is_empty())),
        (Ok(_) | Err(_), Some(_)) | (Err(_), None) => Err(malformed(format!("{name} cannot be read"))),
    }
}

/// Deliver a task
///
/// The task's id comes as `Surehold-Task-Id`, or as `X-CloudTasks-TaskName` with `X-CloudTasks-QueueName`. Deliver it as
/// often as you like: it is kept once. A task that comes too early waits; it is neither lost nor done too soon. Needs
/// the scope `tasks`. The body is that of the task `expire-hold`, which may be spelled `expire_hold` too.
#[describe::path(post, "/v1/{tenant}/tasks/{task}", tag = "Inbox",
    params(("task" = String, Path, example = "expire-hold"),
        ("surehold-task-id" = Option<String>, Header, max_length = 640, pattern = "^[!-~]([ -~]*[!-~])?$",
            description = "The task's id, the same in every delivery")),
    request_body = ExpireHoldTask, status(202))]
pub(super) async fn task_deliver(
    api: Api,
    caller: Caller<Tasks>,
    TaskPath(task): TaskPath,
    TaskId(id): TaskId,
    request: Request,
) -> Answer<Delivered> {
    deliver(&api, caller.tenant, task, id, request).await
}

/// Deliver a task to the key's tenant
///
/// For schedulers that know a key and nothing else.
#[describe::path(post, "/tasks/{task}", tag = "Inbox",
    params(("task" = String, Path, example = "expire-hold"),
        ("surehold-task-id" = Option<String>, Header, max_length = 640, pattern = "^[!-~]([ -~]*[!-~])?$",
            description = "The task's id, the same in every delivery")),
    request_body = ExpireHoldTask, status(202))]
pub(super) async fn task_deliver_to_own(
    api: Api,
    caller: KeyHolder<Tasks>,
    TaskPath(task): TaskPath,
    TaskId(id): TaskId,
    request: Request,
) -> Answer<Delivered> {
    deliver(&api, caller.tenant, task, id, request).await
}

async fn deliver(api: &Api, tenant: TenantId, task: Task, id: ExternalId, request: Request) -> Answer<Delivered> {
    let _room = room_for(api, request.headers())?;
    let content_type = content_type(request.headers());
    let body = read_body(request, BODY_BYTES_MAX).await?;
    let operation = (task.read)(&body)?;
    let source = SourceName::new(&format!("tasks/{}", task.name))?;
    let event = ReceiveEvent::new(source, id, content_type.as_deref(), &body, operation)?;
    let delivered = take(api, tenant, "tasks", event).await?;
    Ok(Reply { status: StatusCode::ACCEPTED, ..Reply::found(delivered) })
}
