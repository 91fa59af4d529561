//! Schedules: put, removed, fired. Firing asks for an operation whose key is the schedule's name and the instant that
//! it was planned for; with the tenant's turn this makes it once per instant, whoever fires and how often.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::cases::{NewCase, open_case};
use super::overdue::{Overdue, SKIPPED_COUNTED_MAX, overdue};
use super::{
    CORRELATIONS_MAX, Case, CaseKey, Correlation, Cron, DeadLetter, Enqueued, NewOperation, Operation,
    OperationInvalid, OperationKey, OperationRefusal, OperationRun, OperationType, OperationsEvent, Payload, Schedule,
    ScheduleName, TimeZoneName, TypeName, enqueue,
};
use crate::kernel::{Command, Facts, Halt, Invalid, Reads, Stop, Timestamp};

/// The key form of types that a schedule can ask for.
pub(super) const SCHEDULED_KEY: &[&str] = &["scheduleName", "plannedFor"];

/// Schedules are read many at once, so they stay smaller than what others may ask for.
pub const SCHEDULE_PAYLOAD_BYTES_MAX: usize = 32 * 1024;

/// Fired by one command. Each may bring dozens of records.
const FIRED_MAX: usize = 50;

const CASE_SCHEDULE_CONFLICT: &str = "schedule-conflict";

pub fn is_schedulable(kind: &OperationType) -> bool {
    kind.key == SCHEDULED_KEY
}

/// Creates or replaces a schedule. A repeat changes nothing.
///
/// It counts from now on: instants before it are not made up for. If neither `cron`, zone nor `enabled` change, the next
/// instant stays what it was, so that none is lost to a change of the payload.
///
/// Refuses nothing.
#[derive(Clone, Debug)]
pub struct PutSchedule {
    name: ScheduleName,
    cron: Cron,
    zone: TimeZoneName,
    kind: TypeName,
    payload: Payload,
    correlations: Vec<Correlation>,
    enabled: bool,
}

impl PutSchedule {
    pub fn new(
        name: ScheduleName,
        cron: Cron,
        zone: TimeZoneName,
        kind: &'static OperationType,
        payload: Payload,
    ) -> Result<PutSchedule, Invalid> {
        if !is_schedulable(kind) {
            let schedulable = format!("those with the key {}", SCHEDULED_KEY.join(", "));
            return Err(OperationInvalid::NotSchedulable { kind: kind.name.to_owned(), schedulable }.into());
        }
        let bytes = payload.as_str().len();
        if bytes > SCHEDULE_PAYLOAD_BYTES_MAX {
            let what = "the payload".to_owned();
            return Err(Invalid::NameTooLong { what, bytes, bytes_max: SCHEDULE_PAYLOAD_BYTES_MAX });
        }
        let kind = kind.type_name();
        Ok(PutSchedule { name, cron, zone, kind, payload, correlations: Vec::new(), enabled: true })
    }

    /// What its operations have to do with. One that is listed twice counts once.
    pub fn correlations(mut self, mut correlations: Vec<Correlation>) -> Result<PutSchedule, Invalid> {
        correlations.sort();
        correlations.dedup();
        let items = correlations.len();
        if items > CORRELATIONS_MAX {
            let what = "correlations".to_owned();
            return Err(Invalid::ItemCount { what, items, items_max: CORRELATIONS_MAX });
        }
        self.correlations = correlations;
        Ok(self)
    }

    #[must_use]
    pub fn enabled(self, enabled: bool) -> PutSchedule {
        PutSchedule { enabled, ..self }
    }

    fn has_content_of(&self, known: &Schedule) -> bool {
        self.keeps_time_of(known)
            && self.kind == known.kind
            && self.payload == known.payload
            && self.correlations[..] == known.correlations[..]
    }

    fn keeps_time_of(&self, known: &Schedule) -> bool {
        self.cron == known.cron && self.zone == known.zone && self.enabled == known.enabled
    }
}

impl Command for PutSchedule {
    const NAME: &'static str = "put_schedule";
    type Reply = Schedule;
    type Refusal = OperationRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Schedule>(&self.name);
    }

    fn decide(&self, facts: &mut Facts) -> Result<Schedule, Stop<OperationRefusal>> {
        let now = facts.now();
        let known = facts.get::<Schedule>(&self.name)?.cloned();
        if let Some(known) = known.as_ref().filter(|known| self.has_content_of(known)) {
            facts.mark_replayed();
            return Ok(known.clone());
        }
        let next_at = match &known {
            Some(known) if self.keeps_time_of(known) => known.next_at,
            Some(_) | None if self.enabled => self.cron.next_after(&self.zone, now),
            Some(_) | None => None,
        };
        let schedule = Schedule {
            name: self.name.clone(),
            cron: self.cron.clone(),
            zone: self.zone.clone(),
            kind: self.kind.clone(),
            payload: self.payload.clone(),
            correlations: self.correlations.clone().into(),
            enabled: self.enabled,
            next_at,
            last_fired_at: known.as_ref().and_then(|known| known.last_fired_at),
            created_at: known.as_ref().map_or(now, |known| known.created_at),
            version: 0,
        };
        facts.emit(&OperationsEvent::ScheduleChanged { name: self.name.clone().into() }.into());
        match facts.get_mut::<Schedule>(&self.name)? {
            Some(known) => {
                *known = Schedule { version: known.version, ..schedule };
                Ok(known.clone())
            }
            None => Ok(facts.insert(schedule).clone()),
        }
    }
}

/// What it has asked for already is carried out. Replies with the schedule as it was.
///
/// Refuses: no such schedule.
#[derive(Clone, Debug)]
pub struct RemoveSchedule {
    pub name: ScheduleName,
}

impl Command for RemoveSchedule {
    const NAME: &'static str = "remove_schedule";
    type Reply = Schedule;
    type Refusal = OperationRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Schedule>(&self.name);
    }

    fn decide(&self, facts: &mut Facts) -> Result<Schedule, Stop<OperationRefusal>> {
        let Some(known) = facts.get::<Schedule>(&self.name)?.cloned() else {
            return Err(OperationRefusal::ScheduleNotFound { schedule: self.name.clone().into() }.into());
        };
        facts.remove::<Schedule>(&self.name);
        facts.emit(&OperationsEvent::ScheduleRemoved { name: self.name.clone().into() }.into());
        Ok(known)
    }
}

/// Fires what is due, oldest first, as much as one command may. Of several instants that a schedule has missed, only the
/// latest is fired.
///
/// Refuses nothing. A schedule of a type that is not among `kinds` is left to nodes that know it.
#[derive(Clone, Debug)]
pub struct FireSchedules {
    pub kinds: Arc<[&'static OperationType]>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchedulesFired {
    pub fired: Vec<FiredSchedule>,
    /// Due, and of types that are not known here.
    pub unknown: Vec<ScheduleName>,
    pub more_left: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FiredSchedule {
    pub name: ScheduleName,
    pub planned_for: Timestamp,
    /// Missed before that, counted up to [`SKIPPED_COUNTED_MAX`].
    pub skipped: u32,
    pub operation: OperationKey,
    pub enqueued: Enqueued,
}

/// A due schedule, and what follows from that.
struct Firing {
    schedule: Schedule,
    overdue: Overdue,
    operation: NewOperation,
}

impl Command for FireSchedules {
    const NAME: &'static str = "fire_schedules";
    type Reply = SchedulesFired;
    type Refusal = OperationRefusal;

    fn reads(&self, _reads: &mut Reads<'_>) {}

    fn decide(&self, facts: &mut Facts) -> Result<SchedulesFired, Stop<OperationRefusal>> {
        let now = facts.now();
        let (due, all_known) = facts.due::<Schedule>()?;
        let mut more_left = !all_known;
        let mut unknown = Vec::new();
        let mut firings = Vec::new();
        let mut counted = 0_u32;
        for name in due {
            let schedule = facts.get::<Schedule>(&name)?.expect("just found").clone();
            let Some(kind) = self.kinds.iter().find(|kind| kind.name == schedule.kind.as_str()) else {
                unknown.push(name);
                continue;
            };
            if firings.len() >= FIRED_MAX || counted >= SKIPPED_COUNTED_MAX {
                more_left = true;
                break;
            }
            let firing = Firing::new(kind, schedule, now)?;
            counted = counted.saturating_add(firing.overdue.skipped);
            firings.push(firing);
        }
        ask_for_all(facts, &firings)?;
        let fired = firings.iter().map(|firing| firing.fire(facts)).collect::<Result<_, Halt>>()?;
        Ok(SchedulesFired { fired, unknown, more_left })
    }
}

/// What firing will look at, asked for together: one by one it would take a round each.
fn ask_for_all(facts: &mut Facts, firings: &[Firing]) -> Result<(), Halt> {
    for firing in firings {
        facts.ask_expecting_absent::<Operation>(&firing.operation.key);
    }
    for firing in firings {
        let key = &firing.operation.key;
        if facts.expect_absent::<Operation>(key)?.is_some() {
            facts.ask::<OperationRun>(key);
            facts.ask::<DeadLetter>(key);
            facts.ask::<Case>(&conflict_key(key));
        }
    }
    Ok(())
}

fn conflict_key(key: &OperationKey) -> CaseKey {
    CaseKey { kind: CASE_SCHEDULE_CONFLICT.into(), key: key.to_string().into() }
}

impl Firing {
    fn new(kind: &'static OperationType, schedule: Schedule, now: Timestamp) -> Result<Firing, Stop<OperationRefusal>> {
        let first = schedule.next_at.expect("what is due has its instant");
        let overdue = overdue(&schedule.cron, &schedule.zone, first, now);
        let planned_for = overdue.planned_for.to_string();
        let key = kind.key(&[schedule.name.as_str(), &planned_for]).map_err(OperationRefusal::from)?;
        let mut operation = NewOperation::new(kind, key, schedule.payload.clone());
        operation.correlations = schedule.correlations.to_vec();
        Ok(Firing { schedule, overdue, operation })
    }

    fn fire(&self, facts: &mut Facts) -> Result<FiredSchedule, Halt> {
        let now = facts.now();
        let Overdue { planned_for, skipped, next_at } = self.overdue;
        let name = &self.schedule.name;
        let enqueued = enqueue(facts, &self.operation)?;
        if enqueued == Enqueued::Conflict {
            self.tell_of_conflict(facts)?;
        }
        let schedule = facts.get_mut::<Schedule>(name)?.expect("read before");
        schedule.next_at = next_at;
        schedule.last_fired_at = Some(now);
        facts.emit(&OperationsEvent::ScheduleFired { name: name.clone().into(), planned_for, skipped }.into());
        let operation = self.operation.key.clone();
        Ok(FiredSchedule { name: name.clone(), planned_for, skipped, operation, enqueued })
    }

    /// Somebody else has used the key. The schedule goes on, but not in silence.
    fn tell_of_conflict(&self, facts: &mut Facts) -> Result<(), Halt> {
        let CaseKey { key, .. } = conflict_key(&self.operation.key);
        let summary = format!(
            "The schedule {} was to ask for {}, which exists with other content. That instant was left out",
            self.schedule.name, self.operation.key
        );
        let correlations = self.schedule.correlations.clone();
        open_case(facts, NewCase { kind: CASE_SCHEDULE_CONFLICT, key: key.into(), summary, correlations })
    }
}
