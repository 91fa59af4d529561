//! Holds: what they add up to, whether they agree with themselves, and what is remembered of each for the journal.

use surehold_core::kernel::{ColumnType, Corrupt, HoldState, Row, TenantId, Timestamp};
use uuid::Uuid;

use super::journal::Beginning;
use super::lines::{LineLists, NO_POOL, Places, Read};
use super::owners::OwnersPrint;
use super::pools::Pools;
use super::{HOLD_INSTANTS, HOLD_KEPT, HOLD_LAPSED, HOLD_LINES, HOLD_TOLD, ROW_READABLE};
use crate::audit::findings::Findings;
use crate::audit::{Auditing, Remedy};
use crate::{OwnedValue, SnapshotError};

const SQL: &str = "select id, state, cast(lines as text), kept_as, cast(kept as text), owner, placed_at, expires_at, \
                   ended_at, version from holds where tenant = $1";

const COLUMNS: [ColumnType; 10] = {
    use ColumnType::{Int, Json, Text, Time, Uuid};
    [Uuid, Text, Json, Text, Json, Text, Time, Time, Time, Int]
};

const COMPARE: Remedy =
    Remedy::Person("compare with a backup and with what the customer has; then cancel or place it through the API");

/// What the journal must say of a hold. Small: there are millions.
#[derive(Debug)]
pub(super) struct HoldSeen {
    id: Uuid,
    lines_start: u32,
    /// The largest stands for all that are too large to be counted.
    version: u16,
    events: u16,
    lines_len: u8,
    state: HoldState,
    marks: u8,
}

const _: () = assert!(size_of::<HoldSeen>() <= 28, "there are millions of them");

/// It was placed, and ended, in rows that are kept.
const PLACED_EXPECTED: u8 = 1;
const ENDED_EXPECTED: u8 = 2;
/// The journal says so.
const PLACED_TOLD: u8 = 4;
const ENDED_TOLD: u8 = 8;

/// Sorted by id.
#[derive(Debug)]
pub(super) struct Holds {
    lists: LineLists,
    seen: Vec<HoldSeen>,
}

/// Pieces of this many, so that a growing list is never there twice.
const PIECE_HOLDS: usize = 1 << 16;

struct Reading<'a> {
    tenant: TenantId,
    /// Nobody has swept what had expired by then, though there was somebody.
    overdue_before: Option<Timestamp>,
    beginning: Beginning,
    pools: &'a mut Pools,
    lists: LineLists,
    pieces: Vec<Vec<HoldSeen>>,
    owners: OwnersPrint,
}

impl Holds {
    /// Adds to the pools what holds claim, and tells who owns them.
    pub(super) fn read(
        audit: &mut Auditing<'_>,
        tenant: TenantId,
        pools: &mut Pools,
        beginning: Beginning,
    ) -> Result<(Holds, OwnersPrint), SnapshotError> {
        let overdue_before = last_worked_at(audit, tenant)?.map(|at| at.plus_secs(-audit.config.sweep_grace_secs));
        let mut reading = Reading {
            tenant,
            overdue_before,
            beginning,
            pools,
            lists: LineLists::default(),
            pieces: Vec::new(),
            owners: OwnersPrint::default(),
        };
        audit.each(SQL, &[OwnedValue::Int(tenant.0)], &COLUMNS, |findings, row| reading.visit(findings, row))?;
        let Reading { lists, pieces, owners, .. } = reading;
        let mut seen = Vec::with_capacity(pieces.iter().map(Vec::len).sum());
        for piece in pieces {
            seen.extend(piece);
        }
        // One store gives them in this order, the other in that of their making, which is nearly the same.
        if !seen.is_sorted_by_key(|hold: &HoldSeen| hold.id) {
            seen.sort_unstable_by_key(|hold| hold.id);
        }
        Ok((Holds { lists, seen }, owners))
    }

    pub(super) fn get(&mut self, id: Uuid) -> Option<&mut HoldSeen> {
        let place = self.seen.binary_search_by_key(&id, |hold| hold.id).ok()?;
        self.seen.get_mut(place)
    }

    /// The pools of a hold that is there, in the order of its lines.
    pub(super) fn pools(&self, places: Places) -> &[u32] {
        self.lists.pools(places)
    }

    /// After the journal.
    pub(super) fn check_told(&self, audit: &mut Auditing<'_>, tenant: TenantId) {
        for hold in &self.seen {
            let missing = |expected: u8, told: u8| hold.marks & (expected | told) == expected;
            let (placed, ended) = (missing(PLACED_EXPECTED, PLACED_TOLD), missing(ENDED_EXPECTED, ENDED_TOLD));
            let is_counted = hold.marks & PLACED_EXPECTED != 0 && hold.version != u16::MAX;
            let counted = is_counted && hold.events != hold.version;
            let detail = if placed {
                "the journal does not tell that it was placed".to_owned()
            } else if ended {
                format!("is {}; the journal does not tell so", hold.state.as_str())
            } else if counted {
                format!("is at version {}; the journal tells of {} changes", hold.version, hold.events)
            } else {
                continue;
            };
            audit.findings.add(HOLD_TOLD, tenant, || (hold.name(), detail, COMPARE));
        }
    }
}

/// So much later a server that does anything for a tenant has swept its holds: at first after a start, then every second.
const SWEPT_AFTER_SECS: i64 = 60;

/// When a server was certainly at work for the tenant, and had the time to sweep. None can be blamed for what expired
/// while none ran.
fn last_worked_at(audit: &mut Auditing<'_>, tenant: TenantId) -> Result<Option<Timestamp>, SnapshotError> {
    let sql = "select at from journal where tenant = $1 and at <= $2 order by seq desc limit 1";
    let params = [OwnedValue::Int(tenant.0), OwnedValue::Time(audit.now.plus_secs(-SWEPT_AFTER_SECS))];
    let mut last = None;
    audit.each(sql, &params, &[ColumnType::Time], |_, row| last = row.time().ok())?;
    Ok(last)
}

impl HoldSeen {
    fn name(&self) -> String {
        format!("hold {}", self.id)
    }

    pub(super) fn places(&self) -> Places {
        Places { start: self.lines_start, len: self.lines_len }
    }

    /// Tells whether it was marked before.
    fn mark(&mut self, mark: u8) -> bool {
        let before = self.marks & mark != 0;
        self.marks |= mark;
        before
    }

    /// Anything that changed the hold.
    pub(super) fn tell_change(&mut self) {
        self.events = self.events.saturating_add(1).min(u16::MAX - 1);
    }

    pub(super) fn tell_placed(&mut self, findings: &mut Findings, tenant: TenantId) {
        self.tell_change();
        if self.mark(PLACED_TOLD) {
            let detail = "the journal tells twice that it was placed".to_owned();
            findings.add(HOLD_TOLD, tenant, || (self.name(), detail, COMPARE));
        }
    }

    pub(super) fn tell_ended(&mut self, state: HoldState, findings: &mut Findings, tenant: TenantId) {
        self.tell_change();
        let again = self.mark(ENDED_TOLD);
        if again || self.state != state {
            let (is, told) = (self.state.as_str(), state.as_str());
            let detail =
                format!("is {is}; the journal tells that it was {told}{}", if again { " as well" } else { "" });
            findings.add(HOLD_TOLD, tenant, || (self.name(), detail, COMPARE));
        }
    }
}

/// The instants of a hold.
struct Times {
    placed: Timestamp,
    expires: Timestamp,
    ended: Option<Timestamp>,
}

impl Reading<'_> {
    fn visit(&mut self, findings: &mut Findings, row: &mut dyn Row) {
        let id = match row.uuid() {
            Ok(id) => id,
            Err(corrupt) => return self.unreadable(findings, "a hold".to_owned(), &corrupt),
        };
        if let Err(corrupt) = self.read(findings, id, row) {
            self.unreadable(findings, format!("hold {id}"), &corrupt);
        }
    }

    fn unreadable(&self, findings: &mut Findings, key: String, corrupt: &Corrupt) {
        let remedy = Remedy::Person("restore the row from a backup, or find out who wrote it");
        findings.add(ROW_READABLE, self.tenant, || (key, corrupt.to_string(), remedy));
    }

    fn read(&mut self, findings: &mut Findings, id: Uuid, row: &mut dyn Row) -> Result<(), Corrupt> {
        let state = HoldState::parse(row.text()?);
        let state = state.ok_or_else(|| Corrupt::new("the hold has a state that does not exist"))?;
        let place_of = |key: &_| self.pools.place_of(key);
        let lines = self.lists.read(row.text()?, place_of).map_err(Corrupt::new)?;
        let books = row.text_or_null()?.map(|mode| mode == "book");
        let kept = row.text_or_null()?.map(|kept| self.lists.read(kept, place_of).map_err(Corrupt::new)).transpose()?;
        let owner = row.text_or_null()?.map(|owner| self.owners.hash(owner));
        let times = Times { placed: row.time()?, expires: row.time()?, ended: row.time_or_null()? };
        let version = row.int()?;

        let name = || format!("hold {id}");
        let all_lines = lines.units.iter().chain(kept.iter().flat_map(|kept| kept.units.iter()));
        if lines.units.is_empty() || all_lines.clone().any(|(place, _)| *place == NO_POOL) {
            let detail = "has no lines, or one on a pool that its tenant does not have".to_owned();
            findings.add(HOLD_LINES, self.tenant, || (name(), detail, COMPARE));
        }
        if (state == HoldState::Converted) != kept.is_some() || kept.is_some() != books.is_some() {
            let keeps = if kept.is_some() { "keeps something" } else { "keeps nothing" };
            let detail = format!("is {} and {keeps}", state.as_str());
            findings.add(HOLD_KEPT, self.tenant, || (name(), detail, COMPARE));
        }
        self.check_times(findings, id, state, &times);
        if state == HoldState::Active {
            self.pools.add_held(&lines.units);
            if let Some(owner) = owner {
                self.owners.add(owner, 1, times.expires.secs_since(times.placed));
            }
        }
        if let (Some(kept), Some(true)) = (&kept, books) {
            self.pools.add_booked(&kept.units);
        }
        self.remember(id, &lines, state, &times, version)
    }

    fn check_times(&self, findings: &mut Findings, id: Uuid, state: HoldState, times: &Times) {
        let &Times { placed: placed_at, expires: expires_at, ended: ended_at } = times;
        let name = || format!("hold {id}");
        let expired = ended_at.is_some_and(|ended_at| expires_at <= ended_at);
        let ended = ended_at.is_some() == (state != HoldState::Active);
        if !ended || expired != (state == HoldState::Expired) || expires_at <= placed_at {
            let ended_at = ended_at.map_or("never".to_owned(), |ended_at| ended_at.to_string());
            let detail =
                || format!("is {}: placed {placed_at}, expires {expires_at}, ended {ended_at}", state.as_str());
            findings.add(HOLD_INSTANTS, self.tenant, || (name(), detail(), COMPARE));
        }
        if state == HoldState::Active && self.overdue_before.is_some_and(|before| expires_at < before) {
            let remedy = Remedy::Person(
                "servers sweep by themselves, every second: look into their logs for why they cannot. Nobody can use the hold",
            );
            let detail = format!("expired at {expires_at} and is still counted as held");
            findings.add(HOLD_LAPSED, self.tenant, || (name(), detail, remedy));
        }
    }

    /// Unless the rows of the journal that could tell of it are gone.
    fn remember(
        &mut self,
        id: Uuid,
        lines: &Read,
        state: HoldState,
        times: &Times,
        version: i64,
    ) -> Result<(), Corrupt> {
        let ended_earlier = times.ended.is_some_and(|ended_at| self.beginning.is_after(ended_at));
        if ended_earlier {
            return Ok(());
        }
        let mut marks = if self.beginning.must_tell(times.placed) { PLACED_EXPECTED } else { 0 };
        if state != HoldState::Active && times.ended.is_some_and(|at| self.beginning.must_tell(at)) {
            marks |= ENDED_EXPECTED;
        }
        let version = u16::try_from(version).ok().filter(|version| *version < u16::MAX - 1).unwrap_or(u16::MAX);
        let Places { start: lines_start, len: lines_len } = self.lists.keep(lines).map_err(Corrupt::new)?;
        let seen = HoldSeen { id, lines_start, version, events: 0, lines_len, state, marks };
        match self.pieces.last_mut() {
            Some(piece) if piece.len() < PIECE_HOLDS => piece.push(seen),
            Some(_) | None => {
                let mut piece = Vec::with_capacity(if self.pieces.is_empty() { 64 } else { PIECE_HOLDS });
                piece.push(seen);
                self.pieces.push(piece);
            }
        }
        Ok(())
    }
}
