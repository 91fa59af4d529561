//! Operations for people: one with everything that is known of it, lists by state, and what has to do with something.
//! Lists leave the contents out: a page of payloads could be of any size.

use surehold_core::kernel::{ColumnType, Corrupt, Record, TenantId, Timestamp, Value};
use surehold_core::operations::{
    Attempt, Correlation, DeadLetter, DedupeKey, Effect, Operation, OperationKey, OperationRun, OperationState,
    Outcome, TypeName,
};

use crate::views::{Views, aliased_list, corrupt, part, part_or_none, text};
use crate::{Fault, OwnedValue, ReadRow, Scope};

/// A page looks at no more runs than these, however few of them are in the state that is asked for.
const RUNS_LOOKED_AT_MAX: i64 = 20_000;
/// What one operation may show of its steps and of its history; of longer histories the newest part.
const STEPS_MAX: i64 = 1_000;
const ATTEMPTS_MAX: i64 = 1_000;

/// One operation with everything that is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationView {
    pub operation: Operation,
    pub run: Option<OperationRun>,
    /// Also one that somebody has dealt with since.
    pub dead_letter: Option<DeadLetter>,
    pub effects: Vec<Effect>,
    /// Oldest first.
    pub attempts: Vec<Attempt>,
}

impl OperationView {
    pub fn state(&self) -> OperationState {
        OperationState::of(&self.operation, self.run.as_ref())
    }
}

/// An operation in a list. What a list does not read is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationBrief {
    pub key: OperationKey,
    pub state: OperationState,
    pub generation: Option<u32>,
    /// Spent by the present generation, or by the last one.
    pub attempts: Option<u32>,
    pub created_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    pub run: Option<OperationRun>,
    /// Of an operation that is dead.
    pub dead_letter: Option<DeadLetter>,
}

/// The states of operations that have not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    Pending,
    Running,
    Failed,
}

impl RunState {
    fn condition(self) -> &'static str {
        match self {
            RunState::Pending => "worker is null and attempts = 0",
            RunState::Running => "worker is not null",
            RunState::Failed => "worker is null and attempts > 0",
        }
    }
}

/// Operations in the order of their keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationPage {
    pub operations: Vec<OperationBrief>,
    /// Where to go on. The page may be short and there may be more all the same: it looks at so many rows only.
    pub next: Option<OperationKey>,
}

/// How many operations of a type are in a state, in the whole installation, and since when the oldest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationDepth {
    pub kind: TypeName,
    pub state: OperationState,
    pub operations: i64,
    pub oldest_at: Timestamp,
}

/// Before all keys, if there is none.
pub(super) fn key_params(key: Option<&OperationKey>) -> [OwnedValue; 2] {
    let (kind, key) = key.map_or(("", ""), |key| (key.kind.as_str(), key.key.as_str()));
    [text(kind), text(key)]
}

pub(super) fn operation_key(kind: &str, key: &str) -> Result<OperationKey, Corrupt> {
    let unreadable = |invalid| Corrupt::new(format!("the name of an operation: {invalid}"));
    Ok(OperationKey { kind: TypeName::new(kind).map_err(unreadable)?, key: DedupeKey::new(key).map_err(unreadable)? })
}

fn count(row: &ReadRow, index: usize) -> Result<u32, Corrupt> {
    let int = row.int(index)?;
    u32::try_from(int).map_err(|_| Corrupt::new(format!("the number {int} is out of range")))
}

fn time_or_none(row: &ReadRow, index: usize) -> Result<Option<Timestamp>, Corrupt> {
    match row.value(index, ColumnType::Time)? {
        Value::Null => Ok(None),
        _ => row.time(index).map(Some),
    }
}

impl From<OperationRun> for OperationBrief {
    fn from(run: OperationRun) -> OperationBrief {
        OperationBrief {
            key: run.key.clone(),
            state: run.state(),
            generation: None,
            attempts: Some(run.attempts),
            created_at: None,
            finished_at: None,
            run: Some(run),
            dead_letter: None,
        }
    }
}

impl From<DeadLetter> for OperationBrief {
    /// Of an operation that is dead: a letter alone does not say so.
    fn from(letter: DeadLetter) -> OperationBrief {
        OperationBrief {
            key: letter.key.clone(),
            state: OperationState::DeadLetter,
            generation: Some(letter.generation),
            attempts: None,
            created_at: None,
            finished_at: Some(letter.dead_at),
            run: None,
            dead_letter: Some(letter),
        }
    }
}

const IDENTITY: &str = "o.type, o.key, o.generation, o.attempts, o.created_at, o.finished_at";
const IDENTITY_COLUMNS: usize = 6;

/// From the columns of [`IDENTITY`].
fn read_brief(row: &ReadRow, state: OperationState) -> Result<OperationBrief, Corrupt> {
    Ok(OperationBrief {
        key: operation_key(row.text(0)?, row.text(1)?)?,
        state,
        generation: Some(count(row, 2)?),
        attempts: Some(count(row, 3)?),
        created_at: Some(row.time(4)?),
        finished_at: time_or_none(row, 5)?,
        run: None,
        dead_letter: None,
    })
}

impl Views {
    pub async fn operation(&self, tenant: TenantId, key: &OperationKey) -> Result<Option<OperationView>, Fault> {
        // In one statement, so that the identity and the run are of the same instant.
        let sql = format!(
            "select {}, {}, {} from operations o \
             left join operation_runs r on r.tenant = o.tenant and r.type = o.type and r.key = o.key \
             left join operation_dead_letters d on d.tenant = o.tenant and d.type = o.type and d.key = o.key \
             where o.tenant = $1 and o.type = $2 and o.key = $3",
            aliased_list("o", Operation::TABLE),
            aliased_list("r", OperationRun::TABLE),
            aliased_list("d", DeadLetter::TABLE),
        );
        let [kind, dedupe_key] = key_params(Some(key));
        let params = vec![OwnedValue::Int(tenant.0), kind.clone(), dedupe_key.clone()];
        let rows = self.store.query(Scope::Tenant(tenant), &sql, params).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        let (operation, next) = part::<Operation>(row, 0)?;
        let (run, next) = part_or_none::<OperationRun>(row, next)?;
        let (dead_letter, _) = part_or_none::<DeadLetter>(row, next)?;
        let own = |limit| [kind.clone(), dedupe_key.clone(), OwnedValue::Int(limit)];
        let effects = "and type = $2 and key = $3 order by step limit $4";
        let effects = self.records(tenant, effects, own(STEPS_MAX)).await?;
        let attempts = "and type = $2 and key = $3 order by number desc limit $4";
        let mut attempts: Vec<Attempt> = self.records(tenant, attempts, own(ATTEMPTS_MAX)).await?;
        attempts.reverse();
        Ok(Some(OperationView { operation, run, dead_letter, effects, attempts }))
    }

    /// Operations that have not ended, of one type or of all, in the order of their keys.
    pub async fn operation_runs(
        &self,
        tenant: TenantId,
        state: RunState,
        kind: Option<&TypeName>,
        after: Option<&OperationKey>,
        rows_max: u16,
    ) -> Result<OperationPage, Fault> {
        let of_type = if kind.is_some() { "and type = $6 " } else { "" };
        let looked_at =
            format!("from operation_runs where tenant = $1 {of_type}and (type, key) > ($2, $3) order by type, key");
        let columns = aliased_list("looked_at", OperationRun::TABLE);
        let sql = format!(
            "select {columns} from (select * {looked_at} limit $4) looked_at where {} order by type, key limit $5",
            state.condition()
        );
        let mut params = vec![OwnedValue::Int(tenant.0)];
        params.extend(key_params(after));
        params.extend([OwnedValue::Int(RUNS_LOOKED_AT_MAX), OwnedValue::Int(i64::from(rows_max))]);
        params.extend(kind.map(|kind| text(kind.as_str())));
        let rows = self.store.query(Scope::Tenant(tenant), &sql, params.clone()).await?;
        let runs = rows.iter().map(crate::views::read_record).collect::<Result<Vec<OperationRun>, Fault>>()?;
        let operations: Vec<OperationBrief> = runs.into_iter().map(OperationBrief::from).collect();
        if operations.len() == usize::from(rows_max) {
            let next = operations.last().map(|last| last.key.clone());
            return Ok(OperationPage { operations, next });
        }
        let sql = format!("select type, key {looked_at} limit $5 offset $4");
        // The last of those that were looked at, if there were that many.
        params[3] = OwnedValue::Int(RUNS_LOOKED_AT_MAX - 1);
        params[4] = OwnedValue::Int(1);
        let rows = self.store.query(Scope::Tenant(tenant), &sql, params).await?;
        let read = |row: &ReadRow| operation_key(row.text(0)?, row.text(1)?);
        let next = rows.first().map(read).transpose().map_err(|what| corrupt(&what))?;
        Ok(OperationPage { operations, next })
    }

    /// Dead operations that nobody has dealt with, of one type or of all, the longest dead first.
    pub async fn open_dead_letters(
        &self,
        tenant: TenantId,
        kind: Option<&TypeName>,
        after: Option<&(Timestamp, OperationKey)>,
        rows_max: u16,
    ) -> Result<Vec<DeadLetter>, Fault> {
        let of_type = if kind.is_some() { "and type = $6 " } else { "" };
        let condition = format!(
            "and resolved_at is null {of_type}and (dead_at, type, key) > ($2, $3, $4) order by dead_at, type, key limit $5"
        );
        let dead_at = after.map_or(Timestamp::from_micros(0), |(dead_at, _)| *dead_at);
        let mut params = vec![OwnedValue::Time(dead_at)];
        params.extend(key_params(after.map(|(_, key)| key)));
        params.push(OwnedValue::Int(i64::from(rows_max)));
        params.extend(kind.map(|kind| text(kind.as_str())));
        self.records(tenant, &condition, params).await
    }

    /// Dead operations, dealt with or not, of one type or of all, in the order of their keys.
    pub async fn dead_letters(
        &self,
        tenant: TenantId,
        kind: Option<&TypeName>,
        after: Option<&OperationKey>,
        rows_max: u16,
    ) -> Result<OperationPage, Fault> {
        let of_type = if kind.is_some() { "and d.type = $5 " } else { "" };
        let sql = format!(
            "select {}, (select o.outcome from operations o where o.tenant = $1 and o.type = d.type and o.key = d.key) \
             from operation_dead_letters d where d.tenant = $1 {of_type}and (d.type, d.key) > ($2, $3) \
             order by d.type, d.key limit $4",
            aliased_list("d", DeadLetter::TABLE)
        );
        let mut params = vec![OwnedValue::Int(tenant.0)];
        params.extend(key_params(after));
        params.push(OwnedValue::Int(i64::from(rows_max)));
        params.extend(kind.map(|kind| text(kind.as_str())));
        let rows = self.store.query(Scope::Tenant(tenant), &sql, params).await?;
        let mut page = OperationPage { operations: Vec::new(), next: None };
        for row in &rows {
            let (letter, end) = part::<DeadLetter>(row, 0)?;
            page.next = Some(letter.key.clone()).filter(|_| rows.len() == usize::from(rows_max));
            // A letter stays when its operation is done anew.
            if row.0.get(end) == Some(&text(Outcome::DeadLetter.as_str())) {
                page.operations.push(letter.into());
            }
        }
        Ok(page)
    }

    /// Operations of a type that have succeeded, in the order of their keys.
    pub async fn succeeded_operations(
        &self,
        tenant: TenantId,
        kind: &TypeName,
        after: Option<&DedupeKey>,
        rows_max: u16,
    ) -> Result<Vec<OperationBrief>, Fault> {
        let sql = format!(
            "select {IDENTITY} from operations o where o.tenant = $1 and o.type = $2 and o.key > $3 \
             and o.outcome = 'SUCCEEDED' order by o.key limit $4"
        );
        let after = text(after.map_or("", DedupeKey::as_str));
        let limit = OwnedValue::Int(i64::from(rows_max));
        let params = vec![OwnedValue::Int(tenant.0), text(kind.as_str()), after, limit];
        let rows = self.store.query(Scope::Tenant(tenant), &sql, params).await?;
        let read = |row: &ReadRow| read_brief(row, OperationState::Succeeded);
        rows.iter().map(read).collect::<Result<_, Corrupt>>().map_err(|what| corrupt(&what))
    }

    /// Operations that have to do with something, in the order of their keys.
    pub async fn operations_of(
        &self,
        tenant: TenantId,
        correlation: &Correlation,
        after: Option<&OperationKey>,
        rows_max: u16,
    ) -> Result<Vec<OperationBrief>, Fault> {
        let sql = format!(
            "select {IDENTITY}, o.outcome, {}, {} from operation_correlations c \
             join operations o on o.tenant = c.tenant and o.type = c.type and o.key = c.key \
             left join operation_runs r on r.tenant = c.tenant and r.type = c.type and r.key = c.key \
             left join operation_dead_letters d on d.tenant = c.tenant and d.type = c.type and d.key = c.key \
             where c.tenant = $1 and c.correlation_kind = $2 and c.correlation_value = $3 \
             and (c.type, c.key) > ($4, $5) order by c.type, c.key limit $6",
            aliased_list("r", OperationRun::TABLE),
            aliased_list("d", DeadLetter::TABLE),
        );
        let mut params = vec![OwnedValue::Int(tenant.0), text(&correlation.kind), text(&correlation.value)];
        params.extend(key_params(after));
        params.push(OwnedValue::Int(i64::from(rows_max)));
        let rows = self.store.query(Scope::Tenant(tenant), &sql, params).await?;
        rows.iter().map(read_correlated).collect()
    }

    /// How much waits, runs, has failed or is dead, by type. For metrics: it counts the runs, of which there are few
    /// while work gets done, and the dead letters that nobody has dealt with.
    pub async fn operation_depths(&self) -> Result<Vec<OperationDepth>, Fault> {
        let sql = "select type, state, count(*), min(since) from (select type, enqueued_at as since, \
                   case when worker is not null then 'RUNNING' when attempts > 0 then 'FAILED' else 'PENDING' end \
                   as state from operation_runs union all select type, dead_at, 'DEAD_LETTER' \
                   from operation_dead_letters where resolved_at is null) every group by type, state order by type, state";
        let rows = self.store.query(Scope::Installation, sql, Vec::new()).await?;
        let read = |row: &ReadRow| {
            let kind = TypeName::new(row.text(0)?).map_err(|invalid| Corrupt::new(invalid.to_string()))?;
            let state = OperationState::parse(row.text(1)?).ok_or_else(|| Corrupt::new("a state that is none"))?;
            Ok(OperationDepth { kind, state, operations: row.int(2)?, oldest_at: row.time(3)? })
        };
        rows.iter().map(read).collect::<Result<_, Corrupt>>().map_err(|what| corrupt(&what))
    }
}

fn read_correlated(row: &ReadRow) -> Result<OperationBrief, Fault> {
    let (run, next) = part_or_none::<OperationRun>(row, IDENTITY_COLUMNS + 1)?;
    let (letter, _) = part_or_none::<DeadLetter>(row, next)?;
    let read = || {
        let succeeded = match row.value(IDENTITY_COLUMNS, ColumnType::Text)? {
            Value::Text(outcome) => Outcome::parse(outcome) == Some(Outcome::Succeeded),
            _ => false,
        };
        let state = match &run {
            Some(run) => run.state(),
            None if succeeded => OperationState::Succeeded,
            None => OperationState::DeadLetter,
        };
        read_brief(row, state)
    };
    let brief = read().map_err(|what: Corrupt| corrupt(&what))?;
    let attempts = run.as_ref().map_or(brief.attempts, |run| Some(run.attempts));
    let dead_letter = letter.filter(|_| brief.state == OperationState::DeadLetter);
    Ok(OperationBrief { attempts, run, dead_letter, ..brief })
}
