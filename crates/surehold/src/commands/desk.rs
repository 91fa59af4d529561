//! Makes calls for a command, and shows the answers: machines get them as they came, people what a view makes of them.

use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use surehold_api::{Call, Page};

use super::screen::Screen;
use super::show::{Show, details, rows};
use crate::client::{Answer, Client, ClientError};

/// How long a server that is in trouble is left alone.
const PAUSES_MS: [u64; 5] = [200, 500, 1_500, 3_000, 5_000];

/// Who answers, where it is shown, and whose data it is.
#[derive(Clone, Copy)]
pub(super) struct Desk<'a> {
    pub(super) client: &'a Client,
    pub(super) screen: Screen,
    pub(super) test: bool,
    /// What the user adds to send this very request again.
    repeat_with: Option<&'a str>,
}

impl<'a> Desk<'a> {
    pub(super) fn new(client: &'a Client, screen: Screen, test: bool) -> Desk<'a> {
        Desk { client, screen, test, repeat_with: None }
    }

    /// For calls that are made once, however often they are sent with this flag.
    pub(super) fn repeat_with<'b>(self, flag: &'b str) -> Desk<'b>
    where
        'a: 'b,
    {
        Desk { repeat_with: Some(flag), ..self }
    }

    pub(super) async fn send<T>(self, call: &Call<T>) -> Result<Answer<T>, ClientError> {
        let call = call.clone().test(self.test);
        self.client.send(&call).await.map_err(|error| error.repeat_with(self.repeat_with, call.request()))
    }

    /// An answer that cannot be read is likely to be that of a newer server.
    pub(super) async fn read<T: DeserializeOwned>(self, answer: &Answer<T>) -> Result<T, ClientError> {
        match answer.read() {
            Ok(answer) => Ok(answer),
            Err(error) => Err(ClientError::unreadable(&error, self.client.server_version().await)),
        }
    }

    pub(super) async fn ask<T: DeserializeOwned>(self, call: Call<T>) -> Result<T, ClientError> {
        let answer = self.send(&call).await?;
        self.read(&answer).await
    }

    /// What is there, if there is such a thing.
    pub(super) async fn find<T: DeserializeOwned>(self, call: Call<T>) -> Result<Option<T>, ClientError> {
        match self.ask(call).await {
            Err(error) if error.says_that_it_is_not_there() => Ok(None),
            answered => answered.map(Some),
        }
    }

    /// Asks again if the server is busy or restarts, for about ten seconds. Only for what may be repeated.
    pub(super) async fn insist<T: DeserializeOwned>(self, call: &Call<T>) -> Result<T, ClientError> {
        let mut pauses = PAUSES_MS.into_iter();
        loop {
            match self.ask(call.clone()).await {
                Err(error) if error.passes() => match pauses.next() {
                    Some(pause_ms) => tokio::time::sleep(Duration::from_millis(pause_ms)).await,
                    None => return Err(error),
                },
                answered => return answered,
            }
        }
    }

    /// All items of a list, page by page.
    pub(super) async fn all<P: Page>(self, call: Call<P>) -> Result<Vec<P::Item>, ClientError> {
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let (items, next) = self.ask(call.page(after.as_deref())).await?.into_parts();
            found.extend(items);
            match next {
                Some(_) => after = next,
                None => return Ok(found),
            }
        }
    }

    /// What the answer says, for people; machines are shown it as it came.
    pub(super) async fn for_people<T: DeserializeOwned>(self, answer: &Answer<T>) -> Result<Option<T>, ClientError> {
        if answer.replayed {
            self.screen.note("this repeats an earlier request; nothing was changed");
        }
        if self.screen.json {
            return self.screen.raw(&answer.body).map(|()| None);
        }
        self.read(answer).await.map(Some)
    }

    pub(super) async fn present<T: DeserializeOwned>(
        self,
        call: Call<T>,
        view: impl FnOnce(&T) -> String,
    ) -> Result<(), ClientError> {
        let answer = self.send(&call).await?;
        match self.for_people(&answer).await? {
            Some(answer) => self.screen.print(&view(&answer)),
            None => Ok(()),
        }
    }

    /// One thing, a line for each of its properties.
    pub(super) async fn detail<T: DeserializeOwned>(self, call: Call<T>, shows: &[Show<T>]) -> Result<(), ClientError> {
        self.present(call, |one| details(shows, one, &())).await
    }

    /// Several things, one a row.
    pub(super) async fn list<P: Page>(
        self,
        call: Call<P>,
        shows: &[Show<P::Item>],
        none: &str,
    ) -> Result<(), ClientError> {
        self.present_all(call, |found| rows(shows, found, &()), none).await
    }

    /// A whole list: for people in one table, or `none` is said when there are no items.
    pub(super) async fn present_all<P: Page>(
        self,
        call: Call<P>,
        view: impl FnOnce(&[P::Item]) -> String,
        none: &str,
    ) -> Result<(), ClientError> {
        if self.screen.json {
            return self.pass_all(&call).await;
        }
        let found = self.all(call).await?;
        if found.is_empty() {
            self.screen.note(none);
            return Ok(());
        }
        self.screen.print(&view(&found))
    }

    /// Page after page as it came; only where to go on is read.
    async fn pass_all<P: Page>(self, call: &Call<P>) -> Result<(), ClientError> {
        #[derive(Deserialize)]
        struct NextPage {
            next: Option<String>,
        }
        let mut after = None;
        loop {
            let answer = self.send(&call.page(after.as_deref())).await?;
            self.screen.raw(&answer.body)?;
            after = answer.read_as::<NextPage>().map_err(|error| ClientError::unreadable(&error, None))?.next;
            if after.is_none() {
                return Ok(());
            }
        }
    }
}
