//! The whole feed, replayed: every pool at every version, every hold after each of its events. What does not follow is
//! a violation; the replay then believes the event and goes on.

use std::collections::{BTreeSet, HashMap};

use uuid::Uuid;

use super::feed::{Event, What};
use super::findings::{Verdict, count_of};
use super::instant;
use super::model::{HoldState, Kept, Pool, differences, exchanged, in_order};
use super::requests::{Fate, Request};
use super::state::FinalState;
use crate::torture::history::{Ask, Units};

/// A pool after one of its versions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) pool: Pool,
    /// Units of holds that had lapsed by then and were not swept: dead for everybody.
    pub(crate) lapsed: i64,
    /// The last event that made it so.
    pub(crate) event: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Timeline {
    pub(crate) steps: Vec<Step>,
    /// Holds that are active, by their expiry.
    active: BTreeSet<(i64, Uuid)>,
    /// The row whose sweep made the last step: holds expired together share a version.
    swept_in: Option<i64>,
}

impl Timeline {
    pub(crate) fn now(&self) -> Pool {
        self.steps.last().map(|step| step.pool).unwrap_or_default()
    }

    pub(crate) fn at_version(&self, version: i64) -> Option<&Step> {
        let place = self.steps.binary_search_by_key(&version, |step| step.pool.version).ok()?;
        self.steps.get(place)
    }
}

/// A hold after one of its events.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    pub(crate) event: usize,
    pub(crate) state: HoldState,
    pub(crate) kept: Option<Kept>,
    /// `None` while nobody has told.
    pub(crate) expires_at: Option<i64>,
    pub(crate) ended_at: Option<i64>,
}

/// The version of a hold is the number of its stages.
#[derive(Debug, Default)]
pub(crate) struct Life {
    pub(crate) lines: Units,
    pub(crate) owner: Option<String>,
    pub(crate) stages: Vec<Stage>,
}

#[derive(Debug)]
pub(crate) struct Replay {
    pub(crate) events: Vec<Event>,
    pub(crate) pools: HashMap<String, Timeline>,
    pub(crate) holds: HashMap<Uuid, Life>,
    /// What each event changed: pools, and their versions after it.
    pub(crate) touched: Vec<Vec<(String, i64)>>,
}

/// What is known of a hold beside the feed, which does not tell its lines.
#[derive(Clone, Debug, Default)]
struct Placement {
    lines: Option<Units>,
    owner: Option<String>,
    /// Somebody was told that it was placed for this owner, or for none.
    owner_told: bool,
    expires_at: Option<i64>,
    lifetime_secs: Option<i64>,
    /// If it was never extended.
    expires_at_last: Option<i64>,
}

fn placements(requests: &[Request<'_>], last: &FinalState) -> HashMap<Uuid, Placement> {
    let mut placements: HashMap<Uuid, Placement> = HashMap::new();
    for request in requests.iter().filter(|request| request.fate != Fate::Fail) {
        let Ask::Place { hold, lines, lifetime_secs, owner } = request.ask() else { continue };
        let placement = placements.entry(*hold).or_default();
        let first = request.hold_told().filter(|(_, replayed)| !replayed);
        if placement.lines.is_none() || first.is_some() {
            placement.lines = Some(lines.clone());
            placement.lifetime_secs = *lifetime_secs;
        }
        if request.fate == Fate::Ok {
            (placement.owner, placement.owner_told) = (owner.clone(), true);
        }
        if let Some((seen, _)) = first {
            placement.expires_at = Some(seen.expires_at);
        }
    }
    for (id, seen) in &last.holds {
        let Some(seen) = seen else { continue };
        let placement = placements.entry(*id).or_default();
        placement.lines = Some(seen.lines.clone());
        placement.expires_at_last = Some(seen.expires_at);
        if !placement.owner_told {
            placement.owner.clone_from(&seen.owner);
        }
    }
    placements
}

pub(super) fn replay(events: Vec<Event>, requests: &[Request<'_>], last: &FinalState, verdict: &mut Verdict) -> Replay {
    let extended: BTreeSet<Uuid> = events
        .iter()
        .filter_map(|event| if let What::Extended { hold, .. } = &event.what { Some(*hold) } else { None })
        .collect();
    let mut placements = placements(requests, last);
    for id in &extended {
        if let Some(placement) = placements.get_mut(id) {
            placement.expires_at_last = None;
        }
    }
    let mut player = Player {
        verdict,
        placements,
        pools: HashMap::new(),
        holds: HashMap::new(),
        touched: Vec::with_capacity(events.len()),
        index: 0,
    };
    for (index, event) in events.iter().enumerate() {
        player.index = index;
        player.touched.push(Vec::new());
        player.play(event);
    }
    let Player { pools, holds, touched, .. } = player;
    verdict.checked.holds = count_of(holds.len());
    verdict.checked.pools = count_of(pools.len());
    verdict.checked.pool_versions = count_of(pools.values().map(|pool| pool.steps.len()).sum());
    Replay { events, pools, holds, touched }
}

struct Player<'a> {
    verdict: &'a mut Verdict,
    placements: HashMap<Uuid, Placement>,
    pools: HashMap<String, Timeline>,
    holds: HashMap<Uuid, Life>,
    touched: Vec<Vec<(String, i64)>>,
    index: usize,
}

impl Player<'_> {
    fn play(&mut self, event: &Event) {
        match &event.what {
            What::PoolChanged { pool, version, total, overbook, granted, closed } => {
                let (total, overbook, granted, closed) = (*total, *overbook, *granted, *closed);
                self.touch(event, pool, *version, |now| Pool { total, overbook, granted, closed, ..now });
            }
            What::PoolOversold { pool, oversold } => {
                let expected = self.pools.get(pool).map(|pool| pool.now().oversold());
                if expected != Some(*oversold) {
                    let at = place(event);
                    self.verdict.add("replay", || format!("{at}: {pool} oversold {oversold}, should be {expected:?}"));
                }
            }
            What::Placed { hold, versions } => self.place(event, *hold, versions),
            What::Extended { hold, expires_at } => self.extend(event, *hold, *expires_at),
            What::Cancelled { hold, versions } => self.end(event, *hold, versions, HoldState::Cancelled, None),
            What::Expired { hold, versions } => self.end(event, *hold, versions, HoldState::Expired, None),
            What::Converted { hold, consume, kept, versions } => {
                let kept = Kept { consume: *consume, units: kept.clone() };
                self.end(event, *hold, versions, HoldState::Converted, Some(kept));
            }
            What::GivenBack { hold, lines, versions } => {
                let pools: Vec<String> = in_order(lines.keys()).into_iter().map(str::to_owned).collect();
                self.rebook(event, *hold, lines, &Units::new(), &pools, versions);
            }
            What::Moved { hold, from, to, pools, versions } => self.rebook(event, *hold, from, to, pools, versions),
            What::Succeeded { .. } | What::Died { .. } | What::Redriven | What::Received { .. } | What::Other => {}
        }
    }

    /// One more version of a pool. Holds that are expired by one sweep share theirs.
    fn touch(&mut self, event: &Event, name: &str, version: i64, change: impl FnOnce(Pool) -> Pool) {
        let index = self.index;
        self.touched[index].push((name.to_owned(), version));
        let timeline = match self.pools.get_mut(name) {
            Some(timeline) => timeline,
            None => self.pools.entry(name.to_owned()).or_default(),
        };
        let is_sweep = matches!(event.what, What::Expired { .. });
        let before = timeline.now();
        let shared = is_sweep && version == before.version && timeline.swept_in == Some(event.seq);
        if !shared && version != before.version + 1 {
            let found = before.version;
            self.verdict.add("replay", || format!("{}: {name} has version {version} after {found}", place(event)));
        }
        let pool = Pool { version, ..change(before) };
        if !pool.is_sane() {
            self.verdict.add("replay", || format!("{}: a counter of {name} is below zero: {pool:?}", place(event)));
        }
        if shared {
            timeline.steps.pop();
        }
        timeline.swept_in = is_sweep.then_some(event.seq);
        let lapsed = timeline.active.range(..=(event.at, Uuid::max())).filter_map(|(_, id)| {
            let life = self.holds.get(id)?;
            life.lines.get(name).copied()
        });
        let lapsed = lapsed.sum();
        timeline.steps.push(Step { pool, lapsed, event: index });
    }

    /// A claim: more is promised than before, so it must have been there, in an open pool.
    fn check_claim(&mut self, event: &Event, name: &str) {
        let now = self.pools.get(name).map(Timeline::now).unwrap_or_default();
        if now.left() < 0 {
            self.verdict.add("oversold", || format!("{}: {name} promises more than there is: {now:?}", place(event)));
        }
        if now.closed {
            self.verdict
                .add("replay", || format!("{}: something was claimed in {name}, which is closed", place(event)));
        }
    }

    fn place(&mut self, event: &Event, id: Uuid, versions: &[i64]) {
        let placement = self.placements.get(&id).cloned().unwrap_or_default();
        let lifetime = placement.lifetime_secs.map(|secs| event.at + instant::from_secs(secs));
        if let (Some(told), Some(expected)) = (placement.expires_at, lifetime)
            && told != expected
        {
            self.verdict.add("expiry", || format!("hold {id} was told to expire at {told}, should be {expected}"));
        }
        if self.holds.contains_key(&id) {
            self.verdict.add("done-twice", || format!("{}: hold {id} is placed a second time", place(event)));
        }
        let Some(lines) = placement.lines else {
            self.verdict.add("fail-nowhere", || format!("{}: nobody asked for hold {id}", place(event)));
            return;
        };
        let expires_at = placement.expires_at.or(lifetime).or(placement.expires_at_last);
        let stage = Stage { event: self.index, state: HoldState::Active, kept: None, expires_at, ended_at: None };
        self.check_whole(event, id, &lines, versions);
        for (name, version) in in_order(lines.keys()).into_iter().zip(versions) {
            let units = lines[name];
            self.touch(event, name, *version, |now| Pool { held: now.held + units, ..now });
            self.check_claim(event, name);
            if let (Some(expires_at), Some(timeline)) = (expires_at, self.pools.get_mut(name)) {
                timeline.active.insert((expires_at, id));
            }
        }
        let life = self.holds.entry(id).or_default();
        (life.lines, life.owner) = (lines, placement.owner);
        life.stages.push(stage);
    }

    /// The event changed every pool of the hold.
    fn check_whole(&mut self, event: &Event, id: Uuid, lines: &Units, versions: &[i64]) {
        if lines.len() != versions.len() {
            let (found, all) = (versions.len(), lines.len());
            let at = place(event);
            self.verdict.add("all-or-nothing", || format!("{at}: {found} of {all} pools of hold {id} changed"));
        }
    }

    /// The present stage of a hold that the event is about.
    fn stage(&mut self, event: &Event, id: Uuid) -> Option<Stage> {
        let stage = self.holds.get(&id).and_then(|life| life.stages.last()).cloned();
        if stage.is_none() {
            self.verdict.add("replay", || format!("{}: hold {id} was never placed", place(event)));
        }
        stage
    }

    fn next_stage(&mut self, id: Uuid, stage: Stage) {
        let event = self.index;
        self.holds.entry(id).or_default().stages.push(Stage { event, ..stage });
    }

    /// Only a live hold can change: half-open, so that it is dead at the instant of its expiry.
    fn check_live(&mut self, event: &Event, id: Uuid, stage: &Stage) {
        if stage.state != HoldState::Active {
            let state = stage.state.as_str();
            self.verdict.add("replay", || format!("{}: hold {id} was {state} already", place(event)));
        } else if stage.expires_at.is_some_and(|expires_at| event.at >= expires_at) {
            self.verdict.add("expiry", || format!("{}: hold {id} was dead already: {:?}", place(event), event.what));
        }
    }

    fn extend(&mut self, event: &Event, id: Uuid, expires_at: i64) {
        let Some(stage) = self.stage(event, id) else { return };
        self.check_live(event, id, &stage);
        if stage.expires_at.is_some_and(|before| expires_at <= before) {
            self.verdict.add("expiry", || format!("{}: hold {id} was shortened", place(event)));
        }
        let lines = self.holds.get(&id).map(|life| life.lines.clone()).unwrap_or_default();
        for name in lines.keys() {
            let Some(timeline) = self.pools.get_mut(name) else { continue };
            if let Some(before) = stage.expires_at {
                timeline.active.remove(&(before, id));
            }
            timeline.active.insert((expires_at, id));
        }
        self.next_stage(id, Stage { expires_at: Some(expires_at), ..stage });
    }

    fn end(&mut self, event: &Event, id: Uuid, versions: &[i64], state: HoldState, kept: Option<Kept>) {
        let Some(stage) = self.stage(event, id) else { return };
        match state {
            HoldState::Expired => self.check_lapsed(event, id, &stage),
            HoldState::Active | HoldState::Converted | HoldState::Cancelled => self.check_live(event, id, &stage),
        }
        let lines = self.holds.get(&id).map(|life| life.lines.clone()).unwrap_or_default();
        self.check_whole(event, id, &lines, versions);
        if let Some(kept) = &kept
            && exchanged(&lines, &kept.units, &Units::new()).is_none()
        {
            self.verdict.add("replay", || format!("{}: hold {id} keeps more than it had", place(event)));
        }
        for (name, version) in in_order(lines.keys()).into_iter().zip(versions) {
            let had = lines[name];
            let (booked, consumed) = match &kept {
                Some(kept) => {
                    let units = kept.units.get(name).copied().unwrap_or(0);
                    if kept.consume { (0, units) } else { (units, 0) }
                }
                None => (0, 0),
            };
            if let (Some(expires_at), Some(timeline)) = (stage.expires_at, self.pools.get_mut(name)) {
                timeline.active.remove(&(expires_at, id));
            }
            self.touch(event, name, *version, |now| Pool {
                held: now.held - had,
                booked: now.booked + booked,
                total: now.total - consumed,
                ..now
            });
        }
        self.next_stage(id, Stage { state, kept, ended_at: Some(event.at), ..stage });
    }

    fn check_lapsed(&mut self, event: &Event, id: Uuid, stage: &Stage) {
        if stage.state != HoldState::Active {
            let state = stage.state.as_str();
            self.verdict.add("replay", || format!("{}: hold {id} was {state} already", place(event)));
        } else if stage.expires_at.is_some_and(|expires_at| event.at < expires_at) {
            self.verdict.add("expiry", || format!("{}: hold {id} was expired before its time", place(event)));
        }
    }

    /// Booked units given back (nothing comes in their place) or moved.
    fn rebook(&mut self, event: &Event, id: Uuid, from: &Units, to: &Units, pools: &[String], versions: &[i64]) {
        let Some(stage) = self.stage(event, id) else { return };
        let changes = differences(from, to);
        let named: BTreeSet<&str> = pools.iter().map(String::as_str).collect();
        if pools.len() != versions.len() || named != changes.keys().copied().collect() {
            let at = place(event);
            self.verdict.add("all-or-nothing", || format!("{at}: a part of what hold {id} exchanges was changed"));
        }
        let booked = stage.kept.as_ref().filter(|kept| !kept.consume);
        let after = booked.and_then(|kept| exchanged(&kept.units, from, to));
        if after.is_none() {
            self.verdict.add("replay", || format!("{}: hold {id} has not booked what it gives", place(event)));
        }
        for (name, version) in pools.iter().zip(versions) {
            let change = changes.get(name.as_str()).copied().unwrap_or(0);
            self.touch(event, name, *version, |now| Pool { booked: now.booked + change, ..now });
            if change > 0 {
                self.check_claim(event, name);
            }
        }
        let kept = after.map(|units| Kept { consume: false, units }).or_else(|| stage.kept.clone());
        self.next_stage(id, Stage { kept, ..stage });
    }
}

/// For messages.
pub(crate) fn place(event: &Event) -> String {
    format!("event {}-{}", event.seq, event.place)
}
