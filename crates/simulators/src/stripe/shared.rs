//! The books behind their lock, the post that sends what they say, and the waiting that the books must not do.

use std::sync::{Mutex, MutexGuard};

use tokio::sync::watch;
use tokio::time::sleep;

use super::api::{ApiRequest, Course, Reaction};
use super::books::{Books, Cause};
use super::post::Post;

#[derive(Debug)]
pub(super) struct Shared {
    books: Mutex<Books>,
    pub(super) post: Post,
    /// How many requests are late. Changed only while the books are locked.
    waiting: watch::Sender<u64>,
    /// Changes when they are let go.
    released: watch::Sender<u64>,
}

impl Shared {
    pub(super) fn new(books: Books, post: Post) -> Shared {
        Shared { books: Mutex::new(books), post, waiting: watch::Sender::new(0), released: watch::Sender::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, Books> {
        self.books.lock().expect("nothing panics while holding it")
    }

    /// First happens what is due, then this; the post goes out in the order of the events.
    pub(super) fn with<T>(&self, act: impl FnOnce(&mut Books) -> T) -> T {
        let mut books = self.lock();
        books.cause = Cause::default();
        books.catch_up();
        let result = act(&mut books);
        self.post.send(books.take_deliveries());
        result
    }

    /// With the id of the request.
    pub(super) async fn react(&self, request: &ApiRequest) -> (String, Reaction) {
        let (request_id, course, mut released) = self.with(|books| {
            let request_id = books.ids.request();
            let course = books.react(request, &request_id);
            match &course {
                Course::Now(_) => {}
                Course::Answered { .. } | Course::Late { .. } => self.waiting.send_modify(|waiting| *waiting += 1),
            }
            (request_id, course, self.released.subscribe())
        });
        let delay = match &course {
            Course::Now(_) => None,
            Course::Answered { delay, .. } | Course::Late { delay, .. } => Some(*delay),
        };
        if let Some(delay) = delay {
            tokio::select! {
                () = sleep(delay) => {}
                _ = released.changed() => {}
            }
        }
        let reaction = match course {
            Course::Now(reaction) => reaction,
            Course::Answered { answer, .. } => {
                self.with(|_| self.waiting.send_modify(|waiting| *waiting -= 1));
                Reaction::Answer(answer)
            }
            Course::Late { admission, .. } => self.with(|books| {
                let answer = books.finish(admission, request, &request_id);
                self.waiting.send_modify(|waiting| *waiting -= 1);
                Reaction::Answer(answer)
            }),
        };
        (request_id, reaction)
    }

    pub(super) fn release(&self) {
        // With the books in hand: a request is either late by now, and let go, or comes after and is not.
        self.with(|_| self.released.send_modify(|count| *count += 1));
    }

    pub(super) async fn waiting(&self, count: u64) {
        // The sender lives as long as `self`.
        let _ = self.waiting.subscribe().wait_for(|waiting| *waiting == count).await;
    }
}
