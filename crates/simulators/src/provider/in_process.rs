//! The same provider without a network, for simulations: it is told what time it is, and a late charge has its effect
//! at its time, whoever still waits for it.

use std::collections::BTreeMap;
use std::time::Duration;

use super::answer::{Answer, Reaction};
use super::books::{Admission, Books, Course};
use super::{ProviderReport, RandomFaults};

#[derive(Debug, Default)]
pub struct InProcess {
    books: Books,
    /// In flight, in the order in which they will end.
    late: BTreeMap<(Duration, u64), Admission>,
    /// Ended; who waits for them has not come yet.
    ended: BTreeMap<u64, Heard>,
    tickets: u64,
}

/// What the client meets on its connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    Answer { status: u16, retry_after_secs: Option<u32>, body: Vec<u8> },
    HungUp,
}

#[derive(Debug)]
pub enum Response {
    Now(Heard),
    /// To be collected then.
    Later {
        ticket: u64,
        due: Duration,
    },
}

impl From<Answer> for Heard {
    fn from(answer: Answer) -> Heard {
        let Answer { status, body, retry_after_secs, .. } = answer;
        Heard::Answer { status, retry_after_secs, body }
    }
}

impl From<Reaction> for Heard {
    fn from(reaction: Reaction) -> Heard {
        match reaction {
            // A client that reads one answer does not see the second.
            Reaction::Once(answer) | Reaction::Twice(answer) => answer.into(),
            Reaction::HangUp => Heard::HungUp,
        }
    }
}

impl InProcess {
    /// `now` is the time since the simulation began; it never goes back.
    pub fn charge(&mut self, now: Duration, key: Option<&str>, body: &[u8]) -> Response {
        self.catch_up(now);
        match self.books.charge(key, body) {
            Course::Now(reaction) => Response::Now(reaction.into()),
            Course::Late { delay, admission } => {
                self.tickets += 1;
                let (ticket, due) = (self.tickets, now + delay);
                self.late.insert((due, ticket), admission);
                Response::Later { ticket, due }
            }
        }
    }

    /// The answer to a late request, once.
    pub fn collect(&mut self, now: Duration, ticket: u64) -> Option<Heard> {
        self.catch_up(now);
        self.ended.remove(&ticket)
    }

    pub fn list(&mut self, now: Duration, operation: &str) -> Heard {
        self.catch_up(now);
        self.books.list(Some(operation)).into()
    }

    /// Nothing is in flight.
    pub fn is_idle(&mut self, now: Duration) -> bool {
        self.catch_up(now);
        self.late.is_empty()
    }

    /// For idempotency keys.
    pub fn advance_secs(&mut self, secs: u32) {
        self.books.advance_secs(secs);
    }

    pub fn set_random_faults(&mut self, random: &RandomFaults) {
        self.books.set_random_faults(random);
    }

    pub fn report(&mut self, now: Duration) -> ProviderReport {
        self.catch_up(now);
        self.books.report(u64::try_from(self.late.len()).expect("a usize fits"))
    }

    fn catch_up(&mut self, now: Duration) {
        while let Some(entry) = self.late.first_entry().filter(|entry| entry.key().0 <= now) {
            let ((_, ticket), admission) = entry.remove_entry();
            self.ended.insert(ticket, self.books.finish(admission).into());
        }
    }
}
