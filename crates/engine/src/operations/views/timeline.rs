//! Everything that has to do with something, as one line of time: its operations, what was tried, what was sent, and what
//! the journal says about them. Bounded: what is too much is cut, and it says so.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;
use surehold_core::kernel::{Corrupt, Event, Record, TenantId, Timestamp, decode_events};
use surehold_core::operations::{
    Attempt, Case, Correlation, Effect, EffectState, OperationKey, OperationName, OperationState, OperationsEvent,
};

use super::OperationBrief;
use crate::views::text;
use crate::views::{Views, aliased_list, corrupt, read_record};
use crate::{Fault, JournalRow, OwnedValue, ReadRow, Scope};

pub const TIMELINE_OPERATIONS_MAX: u16 = 200;
pub const TIMELINE_ENTRIES_MAX: usize = 2_000;
/// How many instants of the journal are looked up, and how many at once.
const INSTANTS_MAX: usize = 4_000;
const INSTANTS_AT_ONCE: usize = 20;
const ROWS_AT_ONCE_MAX: i64 = 500;
/// A row has the events of everybody who was in the same batch.
const EVENTS_LOOKED_AT_MAX: usize = 500_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    /// In the order of their keys.
    pub operations: Vec<OperationBrief>,
    /// In the order of time.
    pub entries: Vec<TimelineEntry>,
    /// There is more than is shown.
    pub cut: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineEntry {
    pub at: Timestamp,
    pub operation: OperationKey,
    pub fact: TimelineFact,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimelineFact {
    /// The operation was asked for.
    Asked,
    /// A request was frozen; from here on it may have been sent.
    Intended { step: u16, idempotency_key: SmolStr },
    /// What became of the request is known.
    Settled { step: u16, state: EffectState, provider_ref: Option<SmolStr> },
    /// An attempt ended, or somebody did something about the operation.
    Attempted(Box<Attempt>),
    /// The journal's: the `index`-th event of the row `seq`.
    Event { seq: i64, index: usize, event: Box<Event> },
    /// The operation ended, and the journal no longer has it.
    Finished { state: OperationState },
}

impl TimelineFact {
    /// In which order things happen that happen in one transaction.
    fn rank(&self) -> (u8, i64, usize) {
        match self {
            TimelineFact::Settled { step, .. } => (0, i64::from(*step), 0),
            TimelineFact::Intended { step, .. } => (1, i64::from(*step), 0),
            TimelineFact::Attempted(attempt) => (2, i64::from(attempt.key.number), 0),
            TimelineFact::Event { seq, index, .. } => (3, *seq, *index),
            TimelineFact::Finished { .. } => (4, 0, 0),
            // Of a follow-up: its own beginning is before everything else of it anyway.
            TimelineFact::Asked => (5, 0, 0),
        }
    }
}

impl Views {
    pub async fn timeline(&self, tenant: TenantId, correlation: &Correlation) -> Result<Timeline, Fault> {
        let wanted = TIMELINE_OPERATIONS_MAX.strict_add(1);
        let mut operations = self.operations_of(tenant, correlation, None, wanted).await?;
        let mut cut = operations.len() == usize::from(wanted);
        operations.truncate(usize::from(TIMELINE_OPERATIONS_MAX));
        let attempts: Vec<Attempt> = self.correlated(tenant, correlation, "number").await?;
        let effects: Vec<Effect> = self.correlated(tenant, correlation, "step").await?;
        let cases = self.cases_of(tenant, &operations).await?;
        cut |= attempts.len() > TIMELINE_ENTRIES_MAX || effects.len() > TIMELINE_ENTRIES_MAX;

        let named: BTreeSet<OperationKey> = operations.iter().map(|operation| operation.key.clone()).collect();
        let mut line = Line { instants: BTreeSet::new(), entries: Vec::new() };
        for operation in &operations {
            line.add_operation(operation);
        }
        for attempt in attempts.into_iter().filter(|attempt| named.contains(&attempt.key.operation)) {
            line.add_attempt(attempt);
        }
        for effect in effects.into_iter().filter(|effect| named.contains(&effect.key.operation)) {
            line.add_effect(effect);
        }
        for case in &cases {
            line.instants.extend([case.opened_at, case.reported_at].into_iter().chain(case.resolved_at));
        }
        cut |= line.instants.len() > INSTANTS_MAX;
        cut |= self.add_journal(tenant, &mut line, &Named::new(named)).await?;
        line.add_endings(&operations);

        let mut entries = line.entries;
        entries.sort_by_cached_key(|entry| (entry.at, entry.fact.rank(), entry.operation.clone()));
        cut |= entries.len() > TIMELINE_ENTRIES_MAX;
        entries.truncate(TIMELINE_ENTRIES_MAX);
        Ok(Timeline { operations, entries, cut })
    }

    /// What belongs to the operations of a correlation.
    async fn correlated<R: Record>(
        &self,
        tenant: TenantId,
        correlation: &Correlation,
        order: &str,
    ) -> Result<Vec<R>, Fault> {
        let sql = format!(
            "select {} from operation_correlations c join {} x on x.tenant = c.tenant and x.type = c.type and \
             x.key = c.key where c.tenant = $1 and c.correlation_kind = $2 and c.correlation_value = $3 \
             order by c.type, c.key, x.{order} limit $4",
            aliased_list("x", R::TABLE),
            R::TABLE.name
        );
        let limit = i64::try_from(TIMELINE_ENTRIES_MAX).expect("a few thousand").strict_add(1);
        let params = correlation_params(tenant, correlation, limit);
        let rows = self.store.query(Scope::Tenant(tenant), &sql, params).await?;
        rows.iter().map(read_record).collect()
    }

    async fn cases_of(&self, tenant: TenantId, operations: &[OperationBrief]) -> Result<Vec<Case>, Fault> {
        let sql = format!(
            "select {} from cases x where tenant = $1 and kind = $2 and key = $3",
            aliased_list("x", Case::TABLE)
        );
        let each = operations.iter().flat_map(|operation| {
            // Cases about an operation are named after it.
            ["effect-unknown", "operation-stuck"]
                .map(|kind| vec![OwnedValue::Int(tenant.0), text(kind), OwnedValue::Text(operation.key.to_string())])
        });
        let rows = self.store.query_each(Scope::Tenant(tenant), &sql, each.collect()).await?;
        rows.iter().map(read_record).collect()
    }

    /// Adds what the journal says at the instants of the line; tells whether it was too much.
    async fn add_journal(&self, tenant: TenantId, line: &mut Line, named: &Named) -> Result<bool, Fault> {
        let instants: Vec<Timestamp> = line.instants.iter().copied().take(INSTANTS_MAX).collect();
        let mut events_looked_at = 0_usize;
        for some in instants.chunks(INSTANTS_AT_ONCE) {
            let rows = self.journal_at(tenant, some).await?;
            let full = i64::try_from(rows.len()).is_ok_and(|rows| rows == ROWS_AT_ONCE_MAX);
            for row in rows {
                events_looked_at = events_looked_at.saturating_add(row.events.len());
                line.add_row(row, named);
            }
            if full || events_looked_at > EVENTS_LOOKED_AT_MAX {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The rows of the journal at these instants, which are no more than fit.
    async fn journal_at(&self, tenant: TenantId, instants: &[Timestamp]) -> Result<Vec<JournalRow>, Fault> {
        // One lookup per instant. Asked for all of them at once and in order, Postgres would rather walk through the
        // whole journal of the tenant; asked for without a range, SQLite without statistics would too.
        let one = |index: usize| {
            let n = index.strict_add(3);
            format!("select seq, at, events from journal where tenant = $1 and at >= ${n} and at <= ${n}")
        };
        let each: Vec<String> = (0..INSTANTS_AT_ONCE).map(one).collect();
        let sql = format!("{} limit $2", each.join(" union all "));
        let mut params = vec![OwnedValue::Int(tenant.0), OwnedValue::Int(ROWS_AT_ONCE_MAX)];
        // Always as many, so that it is always the same statement; nothing happened at the last ones.
        let filled = instants.iter().copied().chain(std::iter::repeat(Timestamp::from_micros(0)));
        params.extend(filled.take(INSTANTS_AT_ONCE).map(OwnedValue::Time));
        let read = |row: &ReadRow| {
            let events = decode_events(row.bytes(2)?).map_err(|error| Corrupt::new(error.to_string()))?;
            Ok(JournalRow { seq: row.int(0)?, at: row.time(1)?, events })
        };
        let rows = self.store.query(Scope::Tenant(tenant), &sql, params).await?;
        rows.iter().map(read).collect::<Result<_, Corrupt>>().map_err(|what| corrupt(&what))
    }
}

fn correlation_params(tenant: TenantId, correlation: &Correlation, limit: i64) -> Vec<OwnedValue> {
    vec![OwnedValue::Int(tenant.0), text(&correlation.kind), text(&correlation.value), OwnedValue::Int(limit)]
}

/// The operations of a timeline, by the names under which events and cases mention them.
struct Named {
    operations: BTreeSet<OperationKey>,
    by_case: BTreeMap<String, OperationKey>,
}

impl Named {
    fn new(operations: BTreeSet<OperationKey>) -> Named {
        let by_case = operations.iter().map(|key| (key.to_string(), key.clone())).collect();
        Named { operations, by_case }
    }

    fn operation(&self, OperationName { kind, key }: &OperationName) -> Option<OperationKey> {
        let key = super::operations::operation_key(kind, key).ok()?;
        self.operations.contains(&key).then_some(key)
    }

    /// Whom the event is about, and how many events right before it belong to it.
    fn about(&self, event: &Event) -> Option<(OperationKey, usize)> {
        let Event::Operations(event) = event else { return None };
        match event {
            OperationsEvent::OperationSucceeded { operation, events, .. } => {
                let before = usize::try_from(*events).unwrap_or(usize::MAX);
                self.operation(operation).map(|operation| (operation, before))
            }
            OperationsEvent::OperationDied { operation, .. }
            | OperationsEvent::OperationRedriven { operation, .. }
            | OperationsEvent::EffectSettled { operation, .. }
            | OperationsEvent::InboxReceived { operation, .. } => self.operation(operation).map(|key| (key, 0)),
            OperationsEvent::CaseOpened { case }
            | OperationsEvent::CaseAssigned { case }
            | OperationsEvent::CaseResolved { case } => self.by_case.get(case.key.as_str()).map(|key| (key.clone(), 0)),
            OperationsEvent::EpochRaised { .. }
            | OperationsEvent::ScheduleChanged { .. }
            | OperationsEvent::ScheduleRemoved { .. }
            | OperationsEvent::ScheduleFired { .. }
            | OperationsEvent::EndpointChanged { .. }
            | OperationsEvent::EndpointDisabled { .. }
            | OperationsEvent::EndpointRemoved { .. }
            | OperationsEvent::Announced { .. } => None,
        }
    }
}

/// A timeline in the making.
struct Line {
    /// When something happened, so that the journal may know more.
    instants: BTreeSet<Timestamp>,
    entries: Vec<TimelineEntry>,
}

impl Line {
    fn add(&mut self, at: Timestamp, operation: OperationKey, fact: TimelineFact) {
        self.instants.insert(at);
        self.entries.push(TimelineEntry { at, operation, fact });
    }

    fn add_operation(&mut self, operation: &OperationBrief) {
        if let Some(created_at) = operation.created_at {
            self.add(created_at, operation.key.clone(), TimelineFact::Asked);
        }
        self.instants.extend(operation.finished_at);
    }

    fn add_attempt(&mut self, attempt: Attempt) {
        self.instants.insert(attempt.started_at);
        self.add(attempt.ended_at, attempt.key.operation.clone(), TimelineFact::Attempted(Box::new(attempt)));
    }

    fn add_effect(&mut self, effect: Effect) {
        let (operation, step) = (effect.key.operation, effect.key.step);
        let intended = TimelineFact::Intended { step, idempotency_key: effect.idempotency_key };
        self.add(effect.intent_at, operation.clone(), intended);
        if let Some(settled_at) = effect.settled_at {
            let settled = TimelineFact::Settled { step, state: effect.state, provider_ref: effect.provider_ref };
            self.add(settled_at, operation, settled);
        }
    }

    fn add_row(&mut self, row: JournalRow, named: &Named) {
        let mut taken: BTreeMap<usize, OperationKey> = BTreeMap::new();
        for (index, event) in row.events.iter().enumerate() {
            if let Some((operation, before)) = named.about(event) {
                for earlier in index.saturating_sub(before)..index {
                    taken.entry(earlier).or_insert_with(|| operation.clone());
                }
                taken.insert(index, operation);
            }
        }
        for (index, event) in row.events.into_iter().enumerate() {
            if let Some(operation) = taken.remove(&index) {
                let fact = TimelineFact::Event { seq: row.seq, index, event: Box::new(event) };
                self.entries.push(TimelineEntry { at: row.at, operation, fact });
            }
        }
    }

    /// What the journal no longer says.
    fn add_endings(&mut self, operations: &[OperationBrief]) {
        for operation in operations {
            let Some(finished_at) = operation.finished_at else { continue };
            let told = self
                .entries
                .iter()
                .any(|entry| entry.at == finished_at && entry.operation == operation.key && is_ending(&entry.fact));
            if !told {
                self.add(finished_at, operation.key.clone(), TimelineFact::Finished { state: operation.state });
            }
        }
    }
}

fn is_ending(fact: &TimelineFact) -> bool {
    match fact {
        TimelineFact::Event { event, .. } => matches!(
            **event,
            Event::Operations(OperationsEvent::OperationSucceeded { .. } | OperationsEvent::OperationDied { .. })
        ),
        TimelineFact::Asked
        | TimelineFact::Intended { .. }
        | TimelineFact::Settled { .. }
        | TimelineFact::Attempted(_)
        | TimelineFact::Finished { .. } => false,
    }
}
