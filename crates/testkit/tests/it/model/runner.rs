//! Plays a sequence on a store and on the pure core, and compares after every step and at the end.

use std::collections::BTreeMap;
use std::ops::Add;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;
use surehold_core::kernel::commands::PlaceHold;
use surehold_core::kernel::{Event, HoldPolicy, Owner, Record, Refusal, TenantId, Timestamp};
use surehold_engine::{Done, Engine, Failure, Options, RequestKey};
use surehold_testkit::fixture::{Fixture, StoreKind};

use super::deed::{Request, Verdict};
use super::pure::Pure;
use super::workload::{Action, HALF_UNIT_SECS, Part, UNIT_SECS};
use crate::conformance::{Dump, check_audit};

type Outcome = Result<Done<Value>, Failure<Refusal>>;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) done: u32,
    pub(super) refused: u32,
}

impl Add for Tally {
    type Output = Tally;
    fn add(self, other: Tally) -> Tally {
        Tally { done: self.done + other.done, refused: self.refused + other.refused }
    }
}

/// A store on which one sequence after the other is played, each with a tenant of its own.
pub(super) struct Stage {
    fixture: Fixture,
    engine: Engine,
    offset_secs: i64,
    tenants: i64,
}

impl Stage {
    pub(super) async fn new(store: StoreKind) -> Stage {
        let fixture = Fixture::new(store).await.unwrap();
        let engine = fixture.engine().await.unwrap();
        Stage { fixture, engine, offset_secs: 0, tenants: 0 }
    }

    pub(super) async fn play(&mut self, actions: &[Action]) -> Tally {
        self.tenants += 1;
        let tenant = TenantId(self.tenants);
        let pure = Pure::new(tenant);
        let mut play =
            Play { stage: self, tenant, pure, seq: 0, asked: Vec::new(), keyed: Vec::new(), tally: <_>::default() };
        play.open().await;
        for action in actions {
            play.act(action).await;
        }
        play.compare().await;
        play.tally
    }

    /// What the store's clock says, give or take a moment.
    pub(super) fn clock(&self) -> Timestamp {
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        Timestamp::from_micros(i64::try_from(elapsed.as_micros()).unwrap()).plus_secs(self.offset_secs)
    }
}

pub(super) struct Play<'s> {
    pub(super) stage: &'s mut Stage,
    pub(super) tenant: TenantId,
    pub(super) pure: Pure,
    pub(super) asked: Vec<PlaceHold>,
    keyed: Vec<Request>,
    /// The last row of the journal that was looked at.
    seq: i64,
    tally: Tally,
}

#[derive(Clone, Copy, Debug)]
enum Turn {
    Request(usize),
    Expiry,
}

pub(super) fn policy() -> HoldPolicy {
    HoldPolicy {
        lifetime_secs_default: 5 * UNIT_SECS + HALF_UNIT_SECS,
        lifetime_secs_max: 12 * UNIT_SECS,
        owner_holds_max: 2,
        owner_lifetime_secs_max: 20 * UNIT_SECS,
    }
}

impl Play<'_> {
    /// A tenant and two of the three pools: the third may or may not come.
    async fn open(&mut self) {
        let create = Part::CreateTenant { same: true };
        let put = |pool, total| Part::Put { pool, total: Some(total), overbook: 0, closed: None, version_off: None };
        for part in [create, put(0, 4), put(1, 3)] {
            self.act(&Action::Alone { part, key: None }).await;
        }
    }

    async fn act(&mut self, action: &Action) {
        match action {
            Action::Wait { units } => {
                self.stage.offset_secs += units * UNIT_SECS;
                self.stage.fixture.advance_secs(units * UNIT_SECS);
            }
            Action::Restart => {
                self.stage.engine.clone().stop().await;
                self.stage.engine = self.stage.fixture.engine().await.unwrap();
            }
            Action::Together { parts, repeat } => {
                let mut requests: Vec<Request> = parts.iter().filter_map(|part| self.request(part, None)).collect();
                let first = requests.first().filter(|_| *repeat).cloned();
                requests.extend(first);
                let deeds = requests.iter().map(|request| request.deed.clone()).collect();
                let outcomes = self.stage.engine.run_all(self.tenant, deeds).await;
                self.agree(&requests, outcomes).await;
            }
            Action::Alone { part, key } => {
                if let Some(request) = self.request(part, *key) {
                    self.keyed.extend(request.key.is_some().then(|| request.clone()));
                    self.ask(request).await;
                }
            }
            Action::AskAgain { ago } => {
                if let Some(request) = self.keyed.iter().rev().nth(*ago).cloned() {
                    self.ask(request).await;
                }
            }
        }
    }

    async fn ask(&mut self, request: Request) {
        let key = request.key.as_ref().map(|key| RequestKey::new(key, request.text().as_bytes()).unwrap());
        let options = Options { key, ..Options::default() };
        let outcome = self.stage.engine.run_with(self.tenant, request.deed.clone(), options).await;
        self.agree(&[request], vec![outcome]).await;
    }

    /// Finds an order in which the pure core says the same.
    async fn agree(&mut self, requests: &[Request], outcomes: Vec<Outcome>) {
        let (at, events) = self.batch_of(&outcomes).await;
        let verdicts: Vec<Verdict> = outcomes.into_iter().map(verdict).collect();
        for verdict in &verdicts {
            match verdict {
                Verdict::Done { .. } => self.tally.done += 1,
                Verdict::Refused(_) | Verdict::KeyReused => self.tally.refused += 1,
            }
        }
        let (steps_before, events_before) = (self.pure.history_len(), self.pure.events().len());
        let mut first_try = None;
        for order in orders(requests.len()) {
            let mut said: Vec<Option<Verdict>> = vec![None; requests.len()];
            for turn in order {
                match turn {
                    Turn::Expiry => self.pure.expire(at),
                    Turn::Request(index) => said[index] = Some(self.pure.ask(at, &requests[index])),
                }
            }
            let news = told(self.pure.events().split_off(events_before));
            let agrees = said.iter().zip(&verdicts).all(|(said, verdict)| said.as_ref() == Some(verdict));
            if agrees && news == events {
                return;
            }
            first_try.get_or_insert((said, news));
            self.pure = self.pure.as_of(steps_before);
        }
        panic!("{requests:#?}\ngot {verdicts:#?}\n{events:#?}\nbut in no order from the pure core: {first_try:#?}");
    }

    /// The instant of the batch, which all its commands share and what it wrote bears; and what it told the journal.
    async fn batch_of(&mut self, outcomes: &[Outcome]) -> (Timestamp, Vec<Event>) {
        let mut rows = self.stage.engine.views().journal(self.tenant, self.seq, u16::MAX).await.unwrap();
        assert!(rows.len() <= 1, "one request of a few commands is one batch");
        let row = rows.pop();
        self.seq = row.as_ref().map_or(self.seq, |row| row.seq);
        let mut instants: Vec<Timestamp> =
            outcomes.iter().filter_map(|outcome| Some(outcome.as_ref().ok()?.at)).collect();
        instants.extend(row.as_ref().map(|row| row.at));
        instants.dedup();
        assert!(instants.len() <= 1, "commands of one batch were decided at different instants: {instants:?}");
        let at = instants.pop().unwrap_or_else(|| self.stage.clock());
        (at, row.map_or_else(Vec::new, |row| told(row.events)))
    }

    async fn compare(&mut self) {
        let dump = Dump::of(&self.stage.engine, self.tenant).await;
        check_audit(&dump);
        self.require_same(&dump.tenant);
        self.require_same(&dump.pools);
        self.require_same(&dump.holds);
        // An owner's row comes and goes; in which batch decides what its version starts from.
        let bare = |owner: &Owner| Owner { version: 0, ..owner.clone() };
        for owner in &dump.owners {
            assert_eq!(self.pure.record::<Owner>(&owner.name).as_ref().map(bare), Some(bare(owner)));
        }
        assert_eq!(self.pure.count_of::<Owner>(), dump.owners.len());
        let kept = dump.replies.iter().map(|kept| {
            let reply: Value = serde_json::from_str(&kept.reply).unwrap();
            (kept.key.key.to_string(), (reply, kept.at))
        });
        let expected = self.pure.replies.iter().map(|(key, kept)| (key.clone(), (kept.reply.clone(), kept.at)));
        assert_eq!(kept.collect::<BTreeMap<_, _>>(), expected.collect());
    }

    fn require_same<R: Record>(&mut self, stored: &[R]) {
        for record in stored {
            assert_eq!(self.pure.record::<R>(&record.key()).as_ref(), Some(record));
        }
        assert_eq!(self.pure.count_of::<R>(), stored.len(), "{}", R::TABLE.name);
    }
}

fn verdict(outcome: Outcome) -> Verdict {
    match outcome {
        Ok(Done { reply, replayed, .. }) => Verdict::Done { reply, replayed },
        Err(Failure::Refused(refusal)) => Verdict::Refused(refusal),
        Err(Failure::KeyReused) => Verdict::KeyReused,
        Err(failure @ (Failure::Fault(_) | Failure::Defect)) => panic!("{failure}"),
    }
}

/// All orders of so many requests; then all with lapsed holds expired somewhere on the way, which a request may have
/// caused before it had to wait for something else.
fn orders(requests: usize) -> impl Iterator<Item = Vec<Turn>> {
    let plain = permutations(requests);
    let expiring = plain.clone().into_iter().flat_map(|order| {
        (0..order.len()).map(move |position| {
            let mut order = order.clone();
            order.insert(position, Turn::Expiry);
            order
        })
    });
    plain.into_iter().chain(expiring)
}

fn permutations(requests: usize) -> Vec<Vec<Turn>> {
    let Some(last) = requests.checked_sub(1) else { return vec![Vec::new()] };
    let insert = |order: Vec<Turn>| {
        (0..=order.len()).rev().map(move |position| {
            let mut order = order.clone();
            order.insert(position, Turn::Request(last));
            order
        })
    };
    permutations(last).into_iter().flat_map(insert).collect()
}

/// Holds that expire in one sweep at one instant have no order among them.
fn told(mut events: Vec<Event>) -> Vec<Event> {
    let hold = |event: &Event| if let Event::HoldExpired { hold, .. } = event { Some(*hold) } else { None };
    for run in events.chunk_by_mut(|one, two| hold(one).is_some() && hold(two).is_some()) {
        run.sort_by_key(|event| hold(event));
    }
    events
}
