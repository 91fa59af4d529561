//! What the clients were told, held against the journal, with the pure core as the judge.
//!
//! The journal is the order in which things happened. Each of its events must be what some request does at that point,
//! and that request must not have been told otherwise. Whatever was answered without an event (a refusal, a repeat) must
//! be what the core says at some point between asking and answering.

use std::collections::{BTreeMap, BTreeSet};

use surehold_core::kernel::commands::{CreateTenant, ExpireHold, ExpireLapsedHolds, HoldReply};
use surehold_core::kernel::{
    Command, Event, Facts, Halt, Hold, HoldId, LapsedHolds, Pool, PoolKey, Refusal, Slug, Stop, Timestamp,
    decode_events,
};
use surehold_engine::JournalRow;

use super::deed::{Deed, Reply, Subject};
use super::dump::TenantDump;
use super::point::{Coverage, Point};
use super::requests::{Ask, Call, Request, Verdict};
use super::shared::Attempt;

pub(super) struct Replay<'a> {
    requests: &'a [Request],
    attempts: &'a [Attempt],
    dump: &'a TenantDump,
    facts: Facts,
    /// By subject: the requests about it.
    about: BTreeMap<&'a Subject, Vec<usize>>,
    /// By key: the request under it and the reply that is kept.
    kept: BTreeMap<&'a str, (usize, Reply)>,
    /// Calls whose effect has been found.
    found: BTreeSet<(usize, usize)>,
    /// By journal row: answers that may have been decided there, and when.
    open: BTreeMap<i64, Vec<(usize, usize, Timestamp)>>,
    coverage: &'a mut Coverage,
}

/// Judges all that was asked of one tenant. The first contradiction ends it: what follows would only be confused.
pub(super) fn judge(
    requests: &[Request],
    attempts: &[Attempt],
    dump: &TenantDump,
    coverage: &mut Coverage,
) -> Result<(), String> {
    let mut replay = Replay {
        requests,
        attempts,
        dump,
        facts: Facts::complete(dump.tenant),
        about: BTreeMap::new(),
        kept: BTreeMap::new(),
        found: BTreeSet::new(),
        open: BTreeMap::new(),
        coverage,
    };
    replay.prepare();
    for row in &dump.journal {
        replay.row(row)?;
    }
    let end = dump.journal.last().map_or(1, |row| row.seq + 1);
    replay.judge_open(end);
    replay.finish()
}

impl<'a> Replay<'a> {
    fn prepare(&mut self) {
        let tenant = self.dump.tenant;
        for (index, request) in self.requests.iter().enumerate().filter(|(_, it)| it.tenant == tenant) {
            let Ask::Deed { subject, .. } = &request.ask else { continue };
            self.about.entry(subject).or_default().push(index);
            for (number, call) in request.calls.iter().enumerate() {
                match call.verdict {
                    Verdict::Refused(_) | Verdict::KeyReused | Verdict::Done { replayed: true, .. } => {}
                    // It may have changed nothing, and its reply be kept all the same.
                    Verdict::Unknown if request.key.is_some() => {}
                    Verdict::Done { .. }
                    | Verdict::TaskKept
                    | Verdict::TaskRefused(_)
                    | Verdict::Nothing
                    | Verdict::Defect
                    | Verdict::Unknown => continue,
                }
                for attempt in self.window(call) {
                    let places = self.open.entry(attempt.seq).or_default();
                    let place = (index, number, attempt.now);
                    if !places.contains(&place) {
                        places.push(place);
                    }
                }
            }
        }
    }

    fn window(&self, call: &Call) -> impl Iterator<Item = &'a Attempt> + use<'a> {
        let tenant = self.dump.tenant;
        let window = &self.attempts[call.from..call.to.unwrap_or(self.attempts.len())];
        window.iter().filter(move |attempt| attempt.tenant == tenant)
    }

    fn row(&mut self, row: &'a JournalRow) -> Result<(), String> {
        self.judge_open(row.seq);
        let mut events = &row.events[..];
        while let Some(event) = events.first() {
            let count = self.explain(row, event, events)?;
            events = &events[count..];
            self.judge_open(row.seq);
        }
        Ok(())
    }

    /// Finds out who did it, and does it too. Tells how many events it was.
    fn explain(&mut self, row: &JournalRow, event: &Event, events: &[Event]) -> Result<usize, String> {
        let subject = match event {
            Event::Operations(_) => return Ok(1),
            Event::TenantCreated { policy } => {
                let slug = Slug::new(&format!("t{}", self.dump.tenant)).expect("a legal slug");
                let create = CreateTenant::new(slug, *policy).expect("a legal policy");
                return self.apply(&create, row, events).map(|(_, count)| count).ok_or("no such tenant".to_owned());
            }
            Event::HoldExpired { hold, .. } => return self.explain_expiry(*hold, row, events),
            Event::HoldPlaced { hold, .. }
            | Event::HoldExtended { hold, .. }
            | Event::HoldCancelled { hold, .. }
            | Event::HoldConverted { hold, .. }
            | Event::BookedGivenBack { hold, .. }
            | Event::BookedMoved { hold, .. } => Subject::Hold(*hold),
            Event::PoolChanged { pool, .. } => Subject::Pool(pool.clone()),
            Event::SlugClaimed { .. }
            | Event::PolicyChanged { .. }
            | Event::PoolOversold { .. }
            | Event::KeyCreated { .. }
            | Event::KeyRotated { .. }
            | Event::KeyRevoked { .. }
            | Event::JournalTrimmed { .. }
            | surehold_core::module_event!() => return Err(format!("row {}: nobody asked for {event:?}", row.seq)),
        };
        let mut best: Option<(u8, usize, usize)> = None;
        for index in self.about.get(&subject).cloned().unwrap_or_default() {
            let Ask::Deed { deed, .. } = &self.requests[index].ask else { continue };
            if !self.may_act(index, row) {
                continue;
            }
            let Some((reply, _)) = self.try_out(deed, row.at, events) else { continue };
            let Some((rank, number)) = self.rank(index, row, &reply) else { continue };
            if best.is_none_or(|(known, _, _)| rank < known) {
                best = Some((rank, index, number));
            }
        }
        let Some((_, index, number)) = best else {
            let about = self.about.get(&subject).cloned().unwrap_or_default();
            let about: Vec<&Request> = about.iter().map(|index| &self.requests[*index]).collect();
            return Err(format!("row {} at {}: no request explains {event:?}; there are {about:?}", row.seq, row.at));
        };
        self.note_expiry(&subject, row.at);
        let Ask::Deed { deed, .. } = &self.requests[index].ask else { unreachable!("chosen among deeds") };
        let (reply, count) = self.apply(deed, row, events).expect("tried out before");
        self.settle(index, number, reply);
        Ok(count)
    }

    /// By the engine, the sweeper, a task or a client: it is the same.
    fn explain_expiry(&mut self, hold: HoldId, row: &JournalRow, events: &[Event]) -> Result<usize, String> {
        let swept = self.apply(&ExpireLapsedHolds, row, events).map(|(_, count)| count);
        let count = swept.or_else(|| self.apply(&ExpireHold { id: hold }, row, events).map(|(_, count)| count));
        let Some(count) = count else {
            let known = self.facts.get::<Hold>(&hold).ok().flatten();
            return Err(format!("row {} at {}: {hold} cannot expire: {known:?}", row.seq, row.at));
        };
        for event in &events[..count] {
            let Event::HoldExpired { hold, versions } = event else { continue };
            let found = self.facts.get::<Hold>(hold).expect("complete").cloned();
            let hold_now = found.ok_or_else(|| format!("{hold} expired and does not exist"))?;
            let reply = Reply::from(HoldReply { hold: hold_now, pool_versions: versions.clone() });
            let subject = Subject::Hold(*hold);
            for index in self.about.get(&subject).cloned().unwrap_or_default() {
                let is_expiry = matches!(&self.requests[index].ask, Ask::Deed { deed: Deed::ExpireHold(_), .. });
                if let Some((rank, number)) = self.rank(index, row, &reply).filter(|_| is_expiry)
                    && rank < UNKNOWN
                {
                    self.settle(index, number, reply.clone());
                    break;
                }
            }
        }
        Ok(count)
    }

    fn may_act(&self, index: usize, row: &JournalRow) -> bool {
        let request = &self.requests[index];
        let done = request.key.as_deref().is_some_and(|key| self.kept.contains_key(key));
        !done && request.calls.iter().any(|call| self.window(call).any(|it| it.seq == row.seq && it.now == row.at))
    }

    /// How well a request fits as the one that got this reply, and which of its calls it was.
    fn rank(&self, index: usize, row: &JournalRow, reply: &Reply) -> Option<(u8, usize)> {
        let request = &self.requests[index];
        let replays = |call: &Call| match &call.verdict {
            Verdict::Done { reply: told, replayed: true, .. } => told == reply,
            _ => false,
        };
        if request.key.is_some() && request.calls.iter().any(|call| self.contradicts(call, row, reply)) {
            return None;
        }
        let known_by_repeat = request.key.is_some() && request.calls.iter().any(replays);
        let ranks = request.calls.iter().enumerate().filter_map(|(number, call)| {
            let was_there = self.window(call).any(|it| it.seq == row.seq && it.now == row.at);
            if !was_there || self.found.contains(&(index, number)) {
                return None;
            }
            match &call.verdict {
                Verdict::Done { reply: told, replayed: false, at } => {
                    (told == reply && *at == row.at).then_some((ACKNOWLEDGED, number))
                }
                Verdict::Unknown if known_by_repeat => Some((KNOWN_BY_REPEAT, number)),
                Verdict::Unknown => Some((UNKNOWN, number)),
                Verdict::Done { .. }
                | Verdict::TaskKept
                | Verdict::Refused(_)
                | Verdict::TaskRefused(_)
                | Verdict::KeyReused
                | Verdict::Nothing
                | Verdict::Defect => None,
            }
        });
        ranks.min()
    }

    /// Under a key: whoever asks once more gets the same reply, and is not refused.
    fn contradicts(&self, call: &Call, row: &JournalRow, reply: &Reply) -> bool {
        match &call.verdict {
            Verdict::Done { reply: told, .. } => told != reply,
            Verdict::Refused(_) => self.window(call).all(|it| it.seq > row.seq),
            Verdict::TaskKept
            | Verdict::TaskRefused(_)
            | Verdict::KeyReused
            | Verdict::Nothing
            | Verdict::Defect
            | Verdict::Unknown => false,
        }
    }

    fn settle(&mut self, index: usize, number: usize, reply: Reply) {
        self.found.insert((index, number));
        if let Some(key) = &self.requests[index].key {
            self.kept.insert(key, (index, reply));
        }
    }

    fn note_expiry(&mut self, subject: &Subject, now: Timestamp) {
        if let Subject::Hold(id) = subject
            && let Ok(Some(hold)) = self.facts.get::<Hold>(id)
            && hold.expires_at == now
        {
            self.coverage.visit(Point::DecidedAtExpiry);
        }
    }
}

/// Refused for want of something that a lapsed hold may still have.
fn is_shortage(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::SoldOut { .. } | Refusal::OwnerHoldsLimit { .. } | Refusal::OwnerLifetimeLimit { .. })
}

const ACKNOWLEDGED: u8 = 0;
const KNOWN_BY_REPEAT: u8 = 1;
const UNKNOWN: u8 = 2;

/// The core.
impl Replay<'_> {
    fn decide<C: Command>(&mut self, command: &C, now: Timestamp) -> Result<C::Reply, Stop<C::Refusal>> {
        self.facts.set_now(now);
        let first = command.decide(&mut self.facts);
        if !matches!(first, Err(Stop::Halted(Halt::LapsedHolds))) {
            return first;
        }
        // A shortage counts where no lapsed hold is left.
        if self.none_has_lapsed() {
            self.facts.set_lapsed_holds(LapsedHolds::NoneLeft);
            return command.decide(&mut self.facts);
        }
        first
    }

    /// What it replies, if it does exactly what comes next in the journal. Leaves no trace.
    fn try_out<C: Command>(&mut self, command: &C, now: Timestamp, events: &[Event]) -> Option<(C::Reply, usize)> {
        let before = self.facts.events().0.len();
        let decided = self.decide(command, now);
        let emitted = decode_events(&self.facts.events().0[before..]).expect("just packed");
        self.facts.drop_changes();
        let reply = decided.ok()?;
        let same = !emitted.is_empty() && events.starts_with(&emitted);
        same.then_some((reply, emitted.len()))
    }

    fn apply<C: Command>(&mut self, command: &C, row: &JournalRow, events: &[Event]) -> Option<(C::Reply, usize)> {
        let tried = self.try_out(command, row.at, events)?;
        self.decide(command, row.at).ok()?;
        self.facts.keep_changes();
        Some(tried)
    }

    /// Lets go of the answers that the core gives too, as of now in the journal.
    fn judge_open(&mut self, seq: i64) {
        let Some(mut places) = self.open.remove(&seq) else { return };
        places.retain(|(index, number, now)| {
            if self.found.contains(&(*index, *number)) {
                return false;
            }
            let agrees = self.agrees(*index, *number, *now);
            if agrees {
                self.found.insert((*index, *number));
            }
            !agrees
        });
        self.open.insert(seq, places);
    }

    fn agrees(&mut self, index: usize, number: usize, now: Timestamp) -> bool {
        let request = &self.requests[index];
        let Ask::Deed { deed, subject } = &request.ask else { return false };
        let verdict = &request.calls[number].verdict;
        if let Some((first, reply)) = request.key.as_deref().and_then(|key| self.kept.get(key)) {
            return match verdict {
                Verdict::KeyReused => self.requests[*first].text() != request.text(),
                Verdict::Done { reply: told, replayed: true, at } => {
                    self.requests[*first].text() == request.text() && told == reply && *at == now
                }
                _ => false,
            };
        }
        let agrees = match (self.decide(deed, now), verdict) {
            (Ok(reply), Verdict::Done { reply: told, replayed: true, at }) => {
                *told == reply && *at == now && self.keep_repeat(index, reply)
            }
            (Ok(reply), Verdict::Unknown) => {
                let repeated = |call: &Call| match &call.verdict {
                    Verdict::Done { reply: told, replayed: true, .. } => *told == reply,
                    _ => false,
                };
                request.calls.iter().any(repeated) && self.keep_repeat(index, reply)
            }
            (Err(Stop::Refused(refusal)), Verdict::Refused(told)) => {
                refusal == *told && (!is_shortage(told) || self.none_has_lapsed())
            }
            (Ok(_) | Err(_), _) => false,
        };
        self.facts.drop_changes();
        if agrees {
            self.note_expiry(subject, now);
        }
        agrees
    }

    /// Whatever the core says.
    fn none_has_lapsed(&mut self) -> bool {
        self.facts.drop_changes();
        self.facts.due::<Hold>().is_ok_and(|(due, _)| due.is_empty())
    }

    /// Of a command that found done what it asks for.
    fn keep_repeat(&mut self, index: usize, reply: Reply) -> bool {
        if self.facts.events_of_command() > 0 {
            return false;
        }
        let replayed = self.facts.keep_changes();
        if let Some(key) = self.requests[index].key.as_deref().filter(|_| replayed) {
            self.kept.insert(key, (index, reply));
        }
        replayed
    }

    /// Nothing that was told is left unexplained, and the core ends with the same records.
    fn finish(&mut self) -> Result<(), String> {
        for (index, request) in self.requests.iter().enumerate().filter(|(_, it)| it.tenant == self.dump.tenant) {
            if matches!(request.ask, Ask::Task(_)) {
                continue;
            }
            for (number, call) in request.calls.iter().enumerate() {
                match call.verdict {
                    Verdict::Done { .. } | Verdict::Refused(_) | Verdict::KeyReused => {
                        if !self.found.contains(&(index, number)) {
                            let window: Vec<_> = self.window(call).collect();
                            return Err(format!(
                                "call {number} of request {index} was answered what was never so: {request:?} during {window:?}"
                            ));
                        }
                    }
                    Verdict::TaskKept
                    | Verdict::TaskRefused(_)
                    | Verdict::Nothing
                    | Verdict::Defect
                    | Verdict::Unknown => {}
                }
            }
        }
        for pool in &self.dump.pools {
            let expected = self.facts.get::<Pool>(&pool.key).expect("complete");
            if expected != Some(pool) {
                return Err(format!("stored is {pool:?}, and the core has {expected:?}"));
            }
        }
        for hold in &self.dump.holds {
            let expected = self.facts.get::<Hold>(&hold.id).expect("complete");
            if expected != Some(hold) {
                return Err(format!("stored is {hold:?}, and the core has {expected:?}"));
            }
        }
        self.check_stored()?;
        let kept: BTreeSet<&str> = self.dump.replies.iter().map(|reply| reply.key.key.as_str()).collect();
        match self.kept.keys().find(|key| !kept.contains(**key)) {
            Some(lost) => Err(format!("the reply under {lost} is not kept")),
            None => Ok(()),
        }
    }

    /// Whatever the core has of what anybody asked about is stored: what is stored has been compared.
    fn check_stored(&mut self) -> Result<(), String> {
        let holds: BTreeSet<HoldId> = self.dump.holds.iter().map(|hold| hold.id).collect();
        let pools: BTreeSet<&PoolKey> = self.dump.pools.iter().map(|pool| &pool.key).collect();
        for subject in self.about.keys() {
            let (known, is_stored) = match subject {
                Subject::Hold(id) => (self.facts.get::<Hold>(id).expect("complete").is_some(), holds.contains(id)),
                Subject::Pool(key) => (self.facts.get::<Pool>(key).expect("complete").is_some(), pools.contains(key)),
            };
            if known && !is_stored {
                return Err(format!("the core has {subject:?}, and it is not stored"));
            }
        }
        Ok(())
    }
}
