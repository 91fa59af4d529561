//! Asks the API for a command that belongs to a tenant, and shows the answers.

use std::time::Duration;

use serde_json::Value;

use super::screen::Screen;
use super::view::list;
use crate::client::{Answer, Client, ClientError, Request};

/// How long a server that is in trouble is left alone.
const PAUSES_MS: [u64; 5] = [200, 500, 1_500, 3_000, 5_000];

/// Who answers, where it is shown, and whose data it is.
#[derive(Clone, Copy)]
pub(super) struct Desk<'a> {
    pub(super) client: &'a Client,
    pub(super) screen: Screen,
    pub(super) test: bool,
}

impl Desk<'_> {
    pub(super) async fn ask(self, request: Request) -> Result<Answer, ClientError> {
        self.client.send(&request.test(self.test)).await
    }

    pub(super) async fn value(self, request: Request) -> Result<Value, ClientError> {
        self.ask(request).await?.value()
    }

    /// Asks, and shows the answer.
    pub(super) async fn show(self, request: Request, view: impl FnOnce(&Value) -> String) -> Result<(), ClientError> {
        let answer = self.ask(request).await?;
        self.screen.show(&answer, view)
    }

    /// What is there, or null if there is no such thing.
    pub(super) async fn find(self, request: Request) -> Result<Value, ClientError> {
        match self.ask(request).await {
            Ok(answer) => answer.value(),
            Err(error) if error.says_that_it_is_not_there() => Ok(Value::Null),
            Err(error) => Err(error),
        }
    }

    /// All items of a list, page by page.
    pub(super) async fn all(self, request: &Request, items: &str) -> Result<Vec<Value>, ClientError> {
        let mut found = Vec::new();
        let mut after: Option<String> = None;
        loop {
            let page = request.clone().query("limit", "1000").query_if("after", after.as_deref());
            let page = self.value(page).await?;
            found.extend_from_slice(list(&page[items]));
            match page["next"].as_str() {
                Some(next) => after = Some(next.to_owned()),
                None => return Ok(found),
            }
        }
    }

    /// Asks again if the server is busy or restarts, for about ten seconds. Only for what may be repeated.
    pub(super) async fn insist(self, request: &Request) -> Result<Value, ClientError> {
        let mut pauses = PAUSES_MS.into_iter();
        loop {
            match self.value(request.clone()).await {
                Err(error) if error.passes() => match pauses.next() {
                    Some(pause_ms) => tokio::time::sleep(Duration::from_millis(pause_ms)).await,
                    None => return Err(error),
                },
                answered => return answered,
            }
        }
    }
}
