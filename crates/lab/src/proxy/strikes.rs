//! Which harm a proxy is about to do, for whom, and to whom it was done. Strikes are numbered: a connection that comes to
//! its end after somebody has stopped waiting for it must not be taken for the harm that the next one waits for.

use std::sync::Mutex;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::sync::watch;
use tokio::time::timeout;

use super::Harm;

/// A harm that a connection has taken upon itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Strike {
    number: u64,
}

#[derive(Debug)]
pub(super) struct Strikes {
    /// Held by whoever waits: one harm at a time.
    turn: tokio::sync::Mutex<()>,
    plan: Mutex<Plan>,
    /// The latest that was done.
    done: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Plan {
    /// Of the latest that was asked for.
    number: u64,
    /// Gone when a connection took it, or nobody waits any more.
    armed: Option<Harm>,
    waiting: bool,
}

impl Strikes {
    pub(super) fn new() -> Strikes {
        Strikes { turn: tokio::sync::Mutex::default(), plan: Mutex::default(), done: watch::Sender::new(0) }
    }

    /// Waits for its turn, then until the harm is done. Afterwards nobody takes it any more.
    pub(super) async fn strike_within(&self, harm: Harm, patience: Duration) -> Result<()> {
        let _turn = self.turn.lock().await;
        let mut done = self.done.subscribe();
        let number = self.arm(harm);
        let struck = timeout(patience, done.wait_for(|done| *done == number)).await;
        self.disarm();
        struck.with_context(|| format!("no connection came to {harm:?}"))??;
        Ok(())
    }

    fn arm(&self, harm: Harm) -> u64 {
        self.change(|plan| {
            *plan = Plan { number: plan.number + 1, armed: Some(harm), waiting: true };
            plan.number
        })
    }

    pub(super) fn disarm(&self) {
        self.change(|plan| (plan.armed, plan.waiting) = (None, false));
    }

    /// By a connection that has come to where the harm can be done, if that is what is wanted.
    pub(super) fn take(&self, harm: Harm) -> Option<Strike> {
        self.change(|plan| plan.armed.take_if(|armed| *armed == harm).map(|_| Strike { number: plan.number }))
    }

    /// It turned out to be another harm: the next connection may do.
    pub(super) fn give_back(&self, strike: Strike, harm: Harm) {
        self.change(|plan| {
            if plan.waiting && plan.number == strike.number {
                plan.armed = Some(harm);
            }
        });
    }

    pub(super) fn done(&self, strike: Strike) {
        // One that comes late must not hide a later one.
        self.done.send_if_modified(|done| {
            let is_later = strike.number > *done;
            *done = strike.number.max(*done);
            is_later
        });
    }

    fn change<T>(&self, change: impl FnOnce(&mut Plan) -> T) -> T {
        change(&mut self.plan.lock().expect("nothing panics while holding it"))
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::Poll;

    use futures_util::poll;

    use super::*;

    const LONG: Duration = Duration::from_mins(1);

    /// Polls it once; it must not be over.
    async fn expect_waiting(waiting: &mut std::pin::Pin<&mut impl Future<Output = Result<()>>>) {
        assert!(matches!(poll!(waiting.as_mut()), Poll::Pending));
    }

    #[tokio::test]
    async fn each_harm_is_done_for_one_who_waits() {
        let strikes = Strikes::new();
        let mut first = pin!(strikes.strike_within(Harm::CutBeforeCommit, LONG));
        let mut second = pin!(strikes.strike_within(Harm::CutAfterCommit, LONG));
        expect_waiting(&mut first).await;
        expect_waiting(&mut second).await;
        assert_eq!(strikes.take(Harm::CutAfterCommit), None, "it is not its turn");
        strikes.done(strikes.take(Harm::CutBeforeCommit).unwrap());
        assert_eq!(strikes.take(Harm::CutBeforeCommit), None, "it was asked for once");
        first.await.unwrap();
        expect_waiting(&mut second).await;
        strikes.done(strikes.take(Harm::CutAfterCommit).unwrap());
        second.await.unwrap();
    }

    #[tokio::test]
    async fn one_that_comes_late_is_nobody_elses() {
        let strikes = Strikes::new();
        let late = {
            let mut given_up = pin!(strikes.strike_within(Harm::CutWithLateCommit, LONG));
            expect_waiting(&mut given_up).await;
            strikes.take(Harm::CutWithLateCommit).unwrap()
        };
        let mut next = pin!(strikes.strike_within(Harm::CutBeforeCommit, LONG));
        expect_waiting(&mut next).await;
        strikes.done(late);
        expect_waiting(&mut next).await;
        strikes.give_back(late, Harm::CutWithLateCommit);
        assert_eq!(strikes.take(Harm::CutWithLateCommit), None);
        let strike = strikes.take(Harm::CutBeforeCommit).unwrap();
        strikes.give_back(strike, Harm::CutBeforeCommit);
        strikes.done(strikes.take(Harm::CutBeforeCommit).unwrap());
        strikes.done(late);
        next.await.unwrap();
    }

    #[tokio::test]
    async fn nothing_comes_of_it_when_nobody_waits() {
        let strikes = Strikes::new();
        let waited = strikes.strike_within(Harm::CutAtBegin, Duration::ZERO).await;
        assert_eq!(waited.unwrap_err().to_string(), "no connection came to CutAtBegin");
        assert_eq!(strikes.take(Harm::CutAtBegin), None);
    }
}
