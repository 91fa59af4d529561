//! Guests: clients that hold, extend, book, buy and let go, ask again with the same id when something fails, and write
//! down what they are told.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use surehold_core::kernel::commands::{
    AdjustPool, CancelHold, ConvertHold, ExtendHold, Extension, GiveBack, HoldReply, PlaceHold,
};
use surehold_core::kernel::{Command, ConvertMode, HoldId, HoldState, Lines, OwnerName, Refusal};
use surehold_engine::{Done, Engine, Failure, Fault, Options, RequestKey, new_hold_id};
use surehold_simulators::Dice;
use surehold_testkit::hotel::{Hotel, one_of_each};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::told::{Answers, Ending, Nothing, Promise};

const ATTEMPTS_MAX: usize = 1_000;
/// Far beyond anything that a busy machine makes guests wait.
const STANDSTILL: Duration = Duration::from_mins(2);
const LIFETIME_SECS: i64 = 600;
const EXTENSION_SECS: i64 = 60;

/// How long guests wait for an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    pub(super) usual: Duration,
    /// Of every fourth request, so that some outcomes stay unknown at first.
    pub(super) sometimes: Duration,
}

impl Patience {
    pub(super) const LONG: Patience = Patience { usual: Duration::from_mins(1), sometimes: Duration::from_mins(1) };
    pub(super) const MIXED: Patience = Patience { usual: Duration::from_mins(1), sometimes: Duration::from_millis(80) };
}

/// When guests stop coming: after so many visits, or when told.
#[derive(Clone, Debug)]
pub(super) struct Hours {
    pub(super) visits_max: usize,
    pub(super) closed: Arc<AtomicBool>,
    /// How many holds guests were told of.
    placed: watch::Sender<usize>,
}

impl Hours {
    pub(super) fn visits(visits_max: usize) -> Hours {
        Hours { visits_max, closed: Arc::default(), placed: watch::Sender::new(0) }
    }

    /// Bounded all the same.
    pub(super) fn until_closed() -> Hours {
        Hours::visits(20_000)
    }

    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    /// Waits until guests were told of so many holds from now on, however busy the machine is.
    pub(super) async fn placed(&self, more: usize) {
        let mut placed = self.placed.subscribe();
        let wanted = *placed.borrow() + more;
        let reached = timeout(STANDSTILL, placed.wait_for(|count| *count >= wanted)).await;
        reached.expect("guests get something").expect("guests have not left");
    }
}

/// Guests on their way, spread over the hotels.
pub(super) fn let_in(
    engine: &Engine,
    hotels: &[Hotel],
    guests: usize,
    patience: Patience,
    hours: &Hours,
) -> JoinSet<Answers> {
    let mut set = JoinSet::new();
    for (number, hotel) in (0..guests).zip(hotels.iter().cycle()) {
        let (engine, hotel, dice) = (engine.clone(), hotel.clone(), Dice::new(number + 1));
        let placed = hours.placed.clone();
        let mut guest = Guest { engine, hotel, dice, patience, placed, told: Answers::default() };
        let hours = hours.clone();
        set.spawn(async move {
            for _ in 0..hours.visits_max {
                if hours.closed.load(Ordering::Relaxed) {
                    break;
                }
                guest.visit().await;
            }
            guest.told
        });
    }
    set
}

/// Waits for all, and for what they have to tell.
pub(super) async fn see_out(mut guests: JoinSet<Answers>) -> Answers {
    let mut told = Answers::default();
    while let Some(guest) = guests.join_next().await {
        told.add(guest.unwrap());
    }
    told
}

struct Guest {
    engine: Engine,
    hotel: Hotel,
    dice: Dice,
    patience: Patience,
    placed: watch::Sender<usize>,
    told: Answers,
}

/// How a request ended, after as many attempts as it took.
enum Answer<T> {
    Done(Done<T>),
    Refused(Refusal),
    /// Failed with the word that nothing was changed, and not tried again.
    GivenUp,
}

impl Guest {
    async fn visit(&mut self) {
        match self.dice.roll(10) {
            0 => self.deliver().await,
            1 => self.shop().await,
            _ => self.stay().await,
        }
    }

    async fn stay(&mut self) {
        let lines = self.hotel.stay(&mut self.dice);
        // The short-lived are mostly forgotten, and lapse while others want the rooms.
        let lifetime_secs = if self.dice.roll(8) == 0 { 1 } else { LIFETIME_SECS };
        let Some(id) = self.place(lines, lifetime_secs).await else { return };
        match self.dice.roll(20) {
            0 => {}
            1 => self.book(id).await,
            2 | 3 => {
                self.book(id).await;
                self.give_back(id).await;
            }
            4..=7 => {
                self.extend(id).await;
                self.cancel(id).await;
            }
            8..=10 if lifetime_secs == 1 => {}
            _ => self.cancel(id).await,
        }
    }

    /// Asks until the outcome is known. Who asks again afterwards is told the same.
    async fn ask<C: Command<Refusal = Refusal> + Clone>(
        &mut self,
        command: C,
        key: Option<HoldId>,
        may_give_up: bool,
    ) -> Answer<C::Reply> {
        let answer = self.insist(command.clone(), key, false, may_give_up).await;
        if matches!(answer, Answer::Done(_)) && self.dice.roll(5) == 0 {
            match self.insist(command, key, true, false).await {
                Answer::Done(again) => assert!(again.replayed, "`{}` was done twice", C::NAME),
                Answer::Refused(refusal) => panic!("`{}` was done, and refused when repeated: {refusal}", C::NAME),
                Answer::GivenUp => unreachable!("a repeat is not given up"),
            }
        }
        answer
    }

    /// An answer may only be a replay if an earlier attempt may have been carried out: otherwise the engine did something
    /// twice, or said that nothing was changed when it was.
    async fn insist<C: Command<Refusal = Refusal> + Clone>(
        &mut self,
        command: C,
        key: Option<HoldId>,
        mut may_be_done: bool,
        may_give_up: bool,
    ) -> Answer<C::Reply> {
        for _ in 0..ATTEMPTS_MAX {
            let key = key.map(|id| RequestKey::new(&id.to_string(), C::NAME.as_bytes()).unwrap());
            let hasty = self.dice.roll(4) == 0;
            let deadline = Some(if hasty { self.patience.sometimes } else { self.patience.usual });
            let outcome = self
                .engine
                .run_with(self.hotel.tenant, command.clone(), Options { key, deadline, ..Options::default() })
                .await;
            match outcome {
                Ok(done) => {
                    assert!(may_be_done || !done.replayed, "`{}` was there before it was asked for", C::NAME);
                    self.told.replays += usize::from(done.replayed);
                    return Answer::Done(done);
                }
                Err(Failure::Refused(refusal)) => return Answer::Refused(refusal),
                Err(Failure::Fault(fault)) => {
                    self.told.fault(fault);
                    may_be_done |= self.after(fault);
                    if may_give_up && !may_be_done && self.dice.roll(4) == 0 {
                        return Answer::GivenUp;
                    }
                }
                Err(failure @ (Failure::KeyReused | Failure::Defect)) => panic!("`{}`: {failure}", C::NAME),
            }
            sleep(Duration::from_millis(10)).await;
        }
        panic!("`{}` did not come to an end in {ATTEMPTS_MAX} attempts", C::NAME);
    }

    /// True if the command may have been carried out all the same.
    fn after(&self, fault: Fault) -> bool {
        match fault {
            Fault::OutcomeUnknown => true,
            Fault::Busy | Fault::NotExecuted | Fault::Unavailable => false,
            Fault::Corrupt | Fault::Stopping => panic!("{:?}: {fault}", self.hotel),
        }
    }

    /// Some guests have a name; a few share one.
    async fn place(&mut self, lines: Lines, lifetime_secs: i64) -> Option<HoldId> {
        let id = new_hold_id();
        let mut place = PlaceHold::new(id, lines.clone()).lifetime_secs(lifetime_secs).unwrap();
        let name = self.dice.roll(12);
        let owner = (name < 6).then(|| OwnerName::new(&format!("guest-{name}")).unwrap());
        if let Some(owner) = &owner {
            place = place.owner(owner.clone());
        }
        let tenant = self.hotel.tenant;
        let sold_out = match self.ask(place, None, true).await {
            Answer::Done(Done { reply, replayed, .. }) => {
                let versions = (!replayed).then_some(reply.pool_versions);
                let promise = Promise { tenant, lines, owner, lifetime_secs, versions, ending: Ending::Left };
                self.told.holds.insert(id, promise);
                self.placed.send_modify(|placed| *placed += 1);
                return Some(id);
            }
            Answer::Refused(Refusal::SoldOut { .. }) => true,
            Answer::Refused(Refusal::OwnerHoldsLimit { .. }) | Answer::GivenUp => false,
            Answer::Refused(refusal) => panic!("placing {id}: {refusal}"),
        };
        self.told.nothing.push(Nothing { tenant, id, lines, sold_out });
        None
    }

    fn promise(&mut self, id: HoldId) -> &mut Promise {
        self.told.holds.get_mut(&id).unwrap()
    }

    /// The promise ends this way, unless its time was up before.
    fn end(&mut self, id: HoldId, answer: Answer<HoldReply>, ending: Ending) {
        match answer {
            Answer::Done(_) => self.promise(id).ending = ending,
            Answer::Refused(Refusal::HoldEnded { state: HoldState::Expired }) => {}
            Answer::Refused(refusal) => panic!("{ending:?} of {id}: {refusal}"),
            Answer::GivenUp => unreachable!("only placing is given up"),
        }
    }

    async fn cancel(&mut self, id: HoldId) {
        let answer = self.ask(CancelHold { id }, None, false).await;
        self.end(id, answer, Ending::Cancelled);
    }

    async fn book(&mut self, id: HoldId) {
        let answer = self.ask(ConvertHold { id, mode: ConvertMode::Book, part: None }, None, false).await;
        self.end(id, answer, Ending::Booked);
    }

    async fn give_back(&mut self, id: HoldId) {
        if self.promise(id).ending == Ending::Booked {
            let answer = self.ask(GiveBack { id, part: None }, Some(id), false).await;
            self.end(id, answer, Ending::GivenBack);
        }
    }

    async fn extend(&mut self, id: HoldId) {
        let extend = ExtendHold::new(id, Extension::BySecs(EXTENSION_SECS)).unwrap();
        match self.ask(extend, Some(id), false).await {
            Answer::Done(_) => self.promise(id).lifetime_secs += EXTENSION_SECS,
            answer => self.end(id, answer, Ending::Left),
        }
    }

    async fn shop(&mut self) {
        let Some(id) = self.place(one_of_each([self.hotel.stock()]), LIFETIME_SECS).await else { return };
        let answer = self.ask(ConvertHold { id, mode: ConvertMode::Consume, part: None }, None, false).await;
        self.end(id, answer, Ending::Consumed);
    }

    /// A delivery is not recognisable as a repeat: it is asked for again only after the word that nothing was changed.
    async fn deliver(&mut self) {
        let tenant = self.hotel.tenant;
        for _ in 0..ATTEMPTS_MAX {
            let command = AdjustPool::new(self.hotel.stock(), 1).unwrap();
            let options = Options { deadline: Some(self.patience.usual), ..Options::default() };
            match self.engine.run_with(tenant, command, options).await {
                Ok(done) => {
                    assert!(!done.replayed);
                    self.told.deliveries.entry(tenant).or_default().made += 1;
                    return;
                }
                Err(Failure::Fault(fault)) => {
                    self.told.fault(fault);
                    if self.after(fault) {
                        self.told.deliveries.entry(tenant).or_default().unknown += 1;
                        return;
                    }
                }
                Err(failure) => panic!("delivering: {failure}"),
            }
            sleep(Duration::from_millis(10)).await;
        }
        panic!("a delivery did not come to an end in {ATTEMPTS_MAX} attempts");
    }
}
