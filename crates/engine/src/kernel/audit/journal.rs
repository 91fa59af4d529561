//! The journal: whole, in order, and about what is stored.

use std::collections::BTreeMap;

use surehold_core::kernel::{
    ColumnType, ConvertMode, Corrupt, Event, HoldId, HoldState, PoolKey, Row, TenantId, Timestamp, decode_events,
};
use surehold_core::repairs::{RepairedThing, RepairsEvent};

use super::holds::Holds;
use super::pools::Pools;
use super::told::Capacity;
use super::{JOURNAL_GAP, JOURNAL_READABLE, JOURNAL_STRANGERS, JOURNAL_TIME};
use crate::audit::findings::{Findings, KEPT_MAX};
use crate::audit::{Auditing, Remedy};
use crate::{OwnedValue, SnapshotError};

const HISTORY: Remedy = Remedy::Person(
    "what happened is not rewritten. Compare with a backup: somebody else wrote to the store, or the disk did not keep it",
);

/// The oldest row that is there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beginning(Option<(i64, Timestamp)>);

impl Beginning {
    pub(super) fn read(audit: &mut Auditing<'_>, tenant: TenantId) -> Result<Beginning, SnapshotError> {
        let sql = "select seq, at from journal where tenant = $1 order by seq limit 1";
        let mut oldest = None;
        audit.each(sql, &[OwnedValue::Int(tenant.0)], &[ColumnType::Int, ColumnType::Time], |_, row| {
            let mut read = || Ok::<_, Corrupt>((row.int()?, row.time()?));
            oldest = read().ok();
        })?;
        Ok(Beginning(oldest))
    }

    /// Nothing was trimmed: everything that ever happened is told.
    pub(super) fn is_first(self) -> bool {
        self.0.is_none_or(|(seq, _)| seq <= 1)
    }

    /// What happened then was told in rows that are gone.
    pub(super) fn is_after(self, at: Timestamp) -> bool {
        self.0.is_some_and(|(seq, oldest_at)| seq > 1 && at < oldest_at)
    }

    /// What happened then is told in a row that is there. At the very instant nobody knows: rows may share it.
    pub(super) fn must_tell(self, at: Timestamp) -> bool {
        self.0.is_none_or(|(seq, oldest_at)| seq <= 1 || at > oldest_at)
    }
}

const SQL: &str = "select seq, at, events_count, events from journal where tenant = $1 order by seq";
const COLUMNS: [ColumnType; 4] = [ColumnType::Int, ColumnType::Time, ColumnType::Int, ColumnType::Bytes];

pub(super) fn check(
    audit: &mut Auditing<'_>,
    tenant: TenantId,
    pools: &mut Pools,
    holds: &mut Holds,
    beginning: Beginning,
) -> Result<(), SnapshotError> {
    let mut reading = Reading {
        tenant,
        pools,
        holds,
        beginning,
        last: None,
        trimmed_before: 0,
        strangers: BTreeMap::new(),
        strangers_more: 0,
    };
    audit.each(SQL, &[OwnedValue::Int(tenant.0)], &COLUMNS, |findings, row| {
        if let Err(corrupt) = reading.row(findings, row) {
            findings
                .add(JOURNAL_READABLE, tenant, || ("a row of the journal".to_owned(), corrupt.to_string(), HISTORY));
        }
    })?;
    let Reading { trimmed_before, strangers, strangers_more, .. } = reading;
    if let Some((oldest, _)) = beginning.0
        && oldest > 1
        && trimmed_before < oldest
    {
        let detail = format!("begins with row {oldest}, and no event says that it was trimmed");
        audit.findings.add(JOURNAL_GAP, tenant, || ("the journal".to_owned(), detail, HISTORY));
    }
    tell_strangers(audit, tenant, strangers, strangers_more)
}

/// Who or what the journal tells of that is not there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stranger {
    Hold(HoldId),
    Pool(PoolKey),
}

struct Reading<'a> {
    tenant: TenantId,
    pools: &'a mut Pools,
    holds: &'a mut Holds,
    beginning: Beginning,
    last: Option<(i64, Timestamp)>,
    trimmed_before: i64,
    /// With the first row that tells of them.
    strangers: BTreeMap<Stranger, i64>,
    strangers_more: u64,
}

impl Reading<'_> {
    fn row(&mut self, findings: &mut Findings, row: &mut dyn Row) -> Result<(), Corrupt> {
        let (seq, at, events_count) = (row.int()?, row.time()?, row.int()?);
        let tenant = self.tenant;
        let name = || format!("row {seq} of the journal");
        if let Some((last_seq, last_at)) = self.last.replace((seq, at)) {
            if seq != last_seq.saturating_add(1) {
                let detail = format!("follows row {last_seq}: what is between them is lost");
                findings.add(JOURNAL_GAP, tenant, || (name(), detail, HISTORY));
            }
            if at < last_at {
                let detail = format!("is of {at}, before row {last_seq} of {last_at}");
                findings.add(JOURNAL_TIME, tenant, || (name(), detail, HISTORY));
            }
        }
        let events = match decode_events(row.bytes()?) {
            Ok(events) => events,
            Err(error) => {
                findings.add(JOURNAL_READABLE, tenant, || (name(), error.to_string(), HISTORY));
                return Ok(());
            }
        };
        if i64::try_from(events.len()) != Ok(events_count) {
            let detail = format!("says that it has {events_count} events, and has {}", events.len());
            findings.add(JOURNAL_READABLE, tenant, || (name(), detail, HISTORY));
        }
        for event in &events {
            self.event(findings, seq, event);
        }
        Ok(())
    }

    fn event(&mut self, findings: &mut Findings, seq: i64, event: &Event) {
        match event {
            Event::Repaired(RepairsEvent::Repaired { repaired: RepairedThing::Pool { pool, version, .. }, .. }) => {
                self.step(pool, *version, seq);
            }
            Event::SlugClaimed { .. }
            | Event::TenantCreated { .. }
            | Event::PolicyChanged { .. }
            | Event::KeyCreated { .. }
            | Event::KeyRotated { .. }
            | Event::KeyRevoked { .. }
            | surehold_core::module_event!() => {}
            Event::JournalTrimmed { before_seq } => self.trimmed_before = self.trimmed_before.max(*before_seq),
            Event::PoolChanged { pool, version, total, overbook, granted, closed } => {
                let capacity = Capacity { total: *total, overbook: *overbook, granted: *granted, closed: *closed };
                self.step(pool, *version, seq);
                if let Some(seen) = self.pools.by_key(pool) {
                    seen.told.set_capacity(capacity);
                }
            }
            Event::PoolOversold { pool, .. } => {
                if let Some(seen) = self.pools.by_key(pool) {
                    seen.told.oversold = true;
                }
            }
            Event::HoldPlaced { hold, versions } => {
                if self.steps_of(*hold, versions, seq)
                    && let Some(seen) = self.holds.get(hold.uuid())
                {
                    seen.tell_placed(findings, self.tenant);
                }
            }
            Event::HoldCancelled { hold, versions } => {
                self.ended(findings, *hold, HoldState::Cancelled, versions, seq);
            }
            Event::HoldExpired { hold, versions } => self.ended(findings, *hold, HoldState::Expired, versions, seq),
            Event::HoldConverted { hold, mode, kept, versions } => {
                self.ended(findings, *hold, HoldState::Converted, versions, seq);
                for line in kept.iter().filter(|_| *mode == ConvertMode::Consume) {
                    if let Some(seen) = self.pools.by_key(&line.pool) {
                        seen.told.consume(line.quantity);
                    }
                }
            }
            Event::HoldExtended { hold, expires_at: _ } => self.changed(*hold, seq, true),
            Event::BookedGivenBack { hold, lines, versions } => {
                self.changed(*hold, seq, self.beginning.is_first());
                lines.pools().zip(versions).for_each(|(pool, version)| self.step(pool, *version, seq));
            }
            Event::BookedMoved { hold, pools, versions, from: _, to: _ } => {
                self.changed(*hold, seq, self.beginning.is_first());
                pools.iter().zip(versions).for_each(|(pool, version)| self.step(pool, *version, seq));
            }
        }
    }

    fn step(&mut self, pool: &PoolKey, version: i64, seq: i64) {
        match self.pools.by_key(pool) {
            Some(seen) => seen.told.step(version, seq, self.beginning),
            None => self.stranger(Stranger::Pool(pool.clone()), seq),
        }
    }

    /// The pools of the hold's lines went on; tells whether the hold is there.
    fn steps_of(&mut self, hold: HoldId, versions: &[i64], seq: i64) -> bool {
        let Some(places) = self.holds.get(hold.uuid()).map(|seen| seen.places()) else {
            self.stranger(Stranger::Hold(hold), seq);
            return false;
        };
        for (place, version) in self.holds.pools(places).iter().zip(versions) {
            if let Some(seen) = self.pools.at(*place) {
                seen.told.step(*version, seq, self.beginning);
            }
        }
        true
    }

    fn ended(&mut self, findings: &mut Findings, hold: HoldId, state: HoldState, versions: &[i64], seq: i64) {
        if self.steps_of(hold, versions, seq)
            && let Some(seen) = self.holds.get(hold.uuid())
        {
            seen.tell_ended(state, findings, self.tenant);
        }
    }

    /// A hold that ended before the oldest row is not remembered, and may still give back what it had booked.
    fn changed(&mut self, hold: HoldId, seq: i64, must_exist: bool) {
        match self.holds.get(hold.uuid()) {
            Some(seen) => seen.tell_change(),
            None if must_exist => self.stranger(Stranger::Hold(hold), seq),
            None => {}
        }
    }

    fn stranger(&mut self, stranger: Stranger, seq: i64) {
        if self.strangers.len() < KEPT_MAX || self.strangers.contains_key(&stranger) {
            self.strangers.entry(stranger).or_insert(seq);
        } else {
            self.strangers_more += 1;
        }
    }
}

/// Also says where a hold is that has come to another tenant.
fn tell_strangers(
    audit: &mut Auditing<'_>,
    tenant: TenantId,
    strangers: BTreeMap<Stranger, i64>,
    more: u64,
) -> Result<(), SnapshotError> {
    for (stranger, seq) in strangers {
        let (key, elsewhere) = match stranger {
            Stranger::Hold(id) => (format!("hold {id}"), other_tenant_of(audit, id)?),
            Stranger::Pool(pool) => (format!("pool {pool}"), None),
        };
        let detail = match elsewhere {
            Some(other) => format!("row {seq} of the journal tells of it; it is stored under tenant {other}"),
            None => format!("row {seq} of the journal tells of it; it is not there"),
        };
        let remedy = Remedy::Person("restore the row from a backup: it was not Surehold that removed it");
        audit.findings.add(JOURNAL_STRANGERS, tenant, || (key, detail, remedy));
    }
    audit.findings.add_uncounted(JOURNAL_STRANGERS, more);
    Ok(())
}

fn other_tenant_of(audit: &mut Auditing<'_>, id: HoldId) -> Result<Option<TenantId>, SnapshotError> {
    let sql = "select t.tenant from tenants t where exists \
               (select 1 from holds h where h.tenant = t.tenant and h.id = $1) order by t.tenant";
    let mut found = None;
    audit.each(sql, &[OwnedValue::Uuid(id.uuid())], &[ColumnType::Int], |_, row| {
        found = found.or_else(|| row.int().ok().map(TenantId));
    })?;
    Ok(found)
}
