//! Windows: what changed a pool between two of its versions, and what was seen and refused meanwhile.

use std::collections::HashMap;

use super::Judged;
use super::pool::{Action, Shown, State};
use super::search::{OPERATIONS_MAX, Operation, Window};
use crate::torture::auditor::effects::Effect;
use crate::torture::auditor::feed::What;
use crate::torture::auditor::model::differences;
use crate::torture::auditor::requests::Request;
use crate::torture::history::{Ask, Units};

pub(super) struct Windows<'a> {
    judged: &'a Judged<'a>,
    effects: HashMap<usize, Effect>,
    /// By pool, in the order of the feed: versions, and the events that made them.
    changes: HashMap<&'a str, Vec<(i64, usize)>>,
    /// By pool: who was refused it, and nothing else beside it.
    refused: HashMap<&'a str, Vec<(usize, Action)>>,
}

impl<'a> Windows<'a> {
    pub(super) fn new(judged: &'a Judged<'a>) -> Windows<'a> {
        let effects = judged.effects.iter().map(|effect| (effect.event, *effect)).collect();
        let mut changes: HashMap<&str, Vec<(i64, usize)>> = HashMap::new();
        for (event, touched) in judged.replay.touched.iter().enumerate() {
            for (pool, version) in touched {
                changes.entry(pool).or_default().push((*version, event));
            }
        }
        let mut refused: HashMap<&str, Vec<(usize, Action)>> = HashMap::new();
        for (place, request) in judged.requests.iter().enumerate() {
            if let Some((pool, action)) = refused_alone(request) {
                refused.entry(pool).or_default().push((place, action));
            }
        }
        Windows { judged, effects, changes, refused }
    }

    /// What changed the pool after one version and up to another.
    pub(super) fn cut(&self, pool: &str, after: i64, until: i64) -> Option<Window> {
        let timeline = self.judged.replay.pools.get(pool)?;
        let start = timeline.at_version(after).map(|step| step.pool).unwrap_or_default();
        // Before the first version nothing is known, overbooking included.
        let first = timeline.at_version(after.max(1))?.pool;
        let start = State {
            spare: first.overbook - first.granted,
            total: start.total,
            held: start.held,
            booked: start.booked,
            closed: start.closed,
        };
        let (mut operations, last) = self.changes_of(pool, after, until);
        self.add_seen(pool, after, last, &mut operations);
        Some(Window { start, operations })
    }

    /// In the order of versions, and the last of these that is whole.
    fn changes_of(&self, pool: &str, after: i64, until: i64) -> (Vec<Operation>, i64) {
        let changes = self.changes.get(pool).map(Vec::as_slice).unwrap_or_default();
        let begin = changes.partition_point(|(version, _)| *version <= after);
        let mut operations: Vec<Operation> = Vec::new();
        let mut last = after;
        let mut holds: HashMap<uuid::Uuid, usize> = HashMap::new();
        for (version, event) in changes[begin..].iter().take_while(|(version, _)| *version <= until) {
            if operations.len() >= OPERATIONS_MAX {
                // Holds that were expired together share a version.
                last = last.min(*version - 1);
                break;
            }
            last = *version;
            let what = &self.judged.replay.events[*event].what;
            let place = operations.len();
            let before = what.hold().and_then(|hold| holds.insert(hold, place));
            operations.push(Operation { after: before, ..self.operation(pool, *event) });
        }
        (operations, last)
    }

    fn operation(&self, pool: &str, event: usize) -> Operation {
        let effect = self.effects.get(&event);
        let request = effect.map(|effect| &self.judged.requests[effect.request]);
        let action = action(pool, &self.judged.replay.events[event].what, self.judged, request);
        let shown = request.filter(|request| request.done() < u64::MAX).and_then(shown);
        Operation {
            begun: effect.map_or(0, |effect| effect.begun),
            done: effect.map_or(u64::MAX, |effect| effect.done),
            action,
            shown,
            after: None,
            request: effect.map(|effect| effect.request),
        }
    }

    /// Reads and refusals that can only belong here.
    fn add_seen(&self, pool: &str, after: i64, last: i64, operations: &mut Vec<Operation>) {
        let requests = self.judged.requests;
        let reads = self.judged.moments.pools.get(pool).into_iter().flatten();
        let inside = |version: i64| after.max(1) <= version && version <= last;
        for read in reads.filter(|moment| moment.is_read() && inside(moment.version())) {
            if operations.len() >= OPERATIONS_MAX {
                return;
            }
            let request = &requests[read.request];
            let shown = shown(request);
            operations.push(seen(request, read.request, Action::Look, shown));
        }
        let Some(bounds) = self.judged.bounds.get(pool) else { return };
        for (place, action) in self.refused.get(pool).into_iter().flatten() {
            if operations.len() >= OPERATIONS_MAX {
                return;
            }
            let request = &requests[*place];
            let (low, high) = bounds.during(request.begun(), request.done());
            if low <= high && inside(low) && inside(high) {
                operations.push(seen(request, *place, *action, None));
            }
        }
    }
}

fn seen(request: &Request<'_>, place: usize, action: Action, shown: Option<Shown>) -> Operation {
    let (begun, done) = (request.begun(), request.done());
    Operation { begun, done, action, shown, after: None, request: Some(place) }
}

fn shown(request: &Request<'_>) -> Option<Shown> {
    let (seen, _) = request.pool_told()?;
    Some(Shown { total: seen.total, held: seen.held, booked: seen.booked, closed: seen.closed })
}

/// A refusal that one pool alone explains.
fn refused_alone<'a>(request: &Request<'a>) -> Option<(&'a str, Action)> {
    let Ask::Place { lines, .. } = request.ask() else { return None };
    let (pool, units) = lines.iter().next().filter(|_| lines.len() == 1)?;
    match request.refusal()? {
        "sold-out" => Some((pool, Action::Short { units: *units })),
        "pool-closed" => Some((pool, Action::Closed)),
        _ => None,
    }
}

/// What the event does to this pool. Of capacity it is the request that counts: what it set, not what became of it.
fn action(pool: &str, what: &What, judged: &Judged<'_>, request: Option<&Request<'_>>) -> Action {
    let none = Units::new();
    let lines = what.hold().and_then(|hold| judged.replay.holds.get(&hold)).map_or(&none, |life| &life.lines);
    let of = |units: &Units| units.get(pool).copied().unwrap_or(0);
    let had = of(lines);
    let change = |claim, held, booked, total| Action::Change { claim, held, booked, total };
    match what {
        What::Placed { .. } => change(had, had, 0, 0),
        What::Cancelled { .. } | What::Expired { .. } => change(0, -had, 0, 0),
        What::Converted { consume: true, kept, .. } => change(0, -had, 0, -of(kept)),
        What::Converted { consume: false, kept, .. } => change(0, -had, of(kept), 0),
        What::GivenBack { lines, .. } => change(0, 0, -of(lines), 0),
        What::Moved { from, to, .. } => {
            let units = differences(from, to).get(pool).copied().unwrap_or(0);
            change(units.max(0), 0, units, 0)
        }
        What::PoolChanged { total, closed, .. } => match request.map(Request::ask) {
            Some(Ask::PutPool { total, closed, .. }) => Action::Put { total: *total, closed: *closed },
            Some(Ask::Adjust { total_delta, .. }) => change(0, 0, 0, *total_delta),
            Some(_) | None => Action::Put { total: Some(*total), closed: Some(*closed) },
        },
        What::Extended { .. }
        | What::PoolOversold { .. }
        | What::Succeeded { .. }
        | What::Died { .. }
        | What::Redriven
        | What::Received { .. }
        | What::Other => Action::Look,
    }
}
