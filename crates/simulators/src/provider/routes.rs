//! From requests to the books, and the waiting that the books must not do.

use std::sync::{Mutex, MutexGuard};

use axum::extract::Query;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::time::sleep;

use super::answer::{Answer, Reaction};
use super::books::{Books, Course};
use super::fault::{ProviderFault, RandomFaults};
use super::report::ProviderReport;
use super::request::Request;

#[derive(Debug, Default)]
pub(super) struct Shared {
    books: Mutex<Books>,
    /// How many requests are late. Changed only while the books are locked.
    waiting: watch::Sender<u64>,
    /// Changes when they are let go.
    released: watch::Sender<u64>,
}

#[derive(Debug, Deserialize)]
struct ListQuery {
    operation: Option<String>,
}

#[derive(Debug, Deserialize)]
struct WaitingQuery {
    count: u64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AdvanceClock {
    pub(super) advance_secs: u32,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct QueueFaults {
    pub(super) faults: Vec<ProviderFault>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SetListLag {
    pub(super) asks: u32,
}

/// The answer to a control call that has nothing to tell.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Done {}

impl Shared {
    pub(super) fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().expect("nothing panics while holding it")
    }

    pub(super) fn report(&self) -> ProviderReport {
        let books = self.books();
        books.report(*self.waiting.borrow())
    }

    pub(super) fn release(&self) {
        // With the books in hand: a request is either late by now, and let go, or comes after and is not.
        let _books = self.books();
        self.released.send_modify(|count| *count += 1);
    }

    pub(super) async fn waiting(&self, count: u64) {
        // The sender lives as long as `self`.
        let _ = self.waiting.subscribe().wait_for(|waiting| *waiting == count).await;
    }

    pub(super) async fn react(&self, request: &Request) -> Reaction {
        let path = request.uri.path();
        match (request.method.as_str(), path) {
            ("POST", "/charges") => self.charge(request).await,
            ("GET", "/_control/waiting") => Reaction::Once(self.wait_until(request).await),
            ("POST", _) if path.starts_with("/_control/") => Reaction::Once(self.control(path, &request.body)),
            ("GET", "/_control/report") => Reaction::Once(Answer::json(&self.report())),
            ("GET", _) => Reaction::Once(self.look_up(request)),
            _ => Reaction::Once(no_route()),
        }
    }

    async fn charge(&self, request: &Request) -> Reaction {
        let (course, mut released) = {
            let mut books = self.books();
            let course = books.charge(request.idempotency_key.as_deref(), &request.body);
            if matches!(course, Course::Late { .. }) {
                self.waiting.send_modify(|waiting| *waiting += 1);
            }
            (course, self.released.subscribe())
        };
        match course {
            Course::Now(reaction) => reaction,
            Course::Late { delay, admission } => {
                tokio::select! {
                    () = sleep(delay) => {}
                    _ = released.changed() => {}
                }
                let mut books = self.books();
                let reaction = books.finish(admission);
                self.waiting.send_modify(|waiting| *waiting -= 1);
                reaction
            }
        }
    }

    fn look_up(&self, request: &Request) -> Answer {
        let path = request.uri.path();
        if path == "/charges" {
            return match Query::<ListQuery>::try_from_uri(&request.uri) {
                Ok(Query(query)) => self.books().list(query.operation.as_deref()),
                Err(error) => Answer::invalid("parameter_invalid", &error.to_string()),
            };
        }
        path.strip_prefix("/charges/").map_or_else(no_route, |id| self.books().find(id))
    }

    async fn wait_until(&self, request: &Request) -> Answer {
        match Query::<WaitingQuery>::try_from_uri(&request.uri) {
            Ok(Query(query)) => {
                self.waiting(query.count).await;
                Answer::json(&Done {})
            }
            Err(error) => Answer::invalid("parameter_invalid", &error.to_string()),
        }
    }

    fn control(&self, path: &str, body: &[u8]) -> Answer {
        let done = match path {
            "/_control/clock" => read(body).map(|call: AdvanceClock| self.books().advance_secs(call.advance_secs)),
            "/_control/faults" => read(body).map(|call: QueueFaults| self.books().queue_faults(&call.faults)),
            "/_control/seed" => read(body).map(|call: RandomFaults| self.books().set_random_faults(&call)),
            "/_control/lag" => read(body).map(|call: SetListLag| self.books().set_list_lag(call.asks)),
            "/_control/release" => {
                self.release();
                Ok(())
            }
            _ => Err(no_route()),
        };
        done.map_or_else(|answer| answer, |()| Answer::json(&Done {}))
    }
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Answer> {
    serde_json::from_slice(body).map_err(|error| Answer::invalid("parameter_invalid", &error.to_string()))
}

fn no_route() -> Answer {
    Answer::not_found("no such route")
}
