//! A hold: a timed, all-or-nothing claim on pools, and what became of it.
//! Invariant: the lines never change; what was kept of them is recorded apart.

use serde::{Deserialize, Serialize};

use super::record::{Column, ColumnType, Columns, Corrupt, Due, Record, Row, Table, Value};
use super::{HoldId, Lines, Metadata, OwnerName, Reference, Timestamp};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HoldState {
    Active,
    Converted,
    Cancelled,
    Expired,
}

impl HoldState {
    pub const ALL: [HoldState; 4] = [HoldState::Active, HoldState::Converted, HoldState::Cancelled, HoldState::Expired];

    pub fn as_str(self) -> &'static str {
        match self {
            HoldState::Active => "active",
            HoldState::Converted => "converted",
            HoldState::Cancelled => "cancelled",
            HoldState::Expired => "expired",
        }
    }
}

/// What converting does to the units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConvertMode {
    /// They stay in the pool as booked: rooms, seats.
    Book,
    /// They leave the pool, and its total goes down: goods.
    Consume,
}

impl ConvertMode {
    pub fn as_str(self) -> &'static str {
        match self {
            ConvertMode::Book => "book",
            ConvertMode::Consume => "consume",
        }
    }
}

/// What a converted hold has: the units booked as of now, or the units consumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    pub mode: ConvertMode,
    /// As converted, so that a repeated request can be told from a different one.
    pub converted: Lines,
    /// As of now: booked units may be given back and moved.
    pub lines: Lines,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hold {
    pub id: HoldId,
    pub state: HoldState,
    pub lines: Lines,
    pub kept: Option<Kept>,
    pub owner: Option<OwnerName>,
    pub reference: Option<Reference>,
    pub metadata: Option<Metadata>,
    /// As asked for, so that a repeated request can be told from a different one; `None` took the default.
    pub lifetime_secs: Option<i64>,
    pub placed_at: Timestamp,
    pub expires_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub version: i64,
}

impl Hold {
    /// Half-open: at the instant of expiry the hold is dead for everybody.
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.state == HoldState::Active && !self.has_lapsed(now)
    }

    fn has_lapsed(&self, now: Timestamp) -> bool {
        self.expires_at <= now
    }

    /// What the hold is to everybody at `now`, swept or not.
    pub fn state_at(&self, now: Timestamp) -> HoldState {
        match self.state {
            HoldState::Active if self.has_lapsed(now) => HoldState::Expired,
            state => state,
        }
    }

    /// The hold as everybody sees it at `now`, swept or not.
    #[must_use]
    pub fn as_of(&self, now: Timestamp) -> Hold {
        let state = self.state_at(now);
        let lapsed_at = (state != self.state).then_some(self.expires_at);
        Hold { state, ended_at: self.ended_at.or(lapsed_at), ..self.clone() }
    }

    pub(super) fn granted_lifetime_secs(&self) -> i64 {
        self.expires_at.secs_since(self.placed_at)
    }
}

impl Record for Hold {
    const TABLE: &'static Table = &Table {
        name: "holds",
        columns: &[
            Column::fixed("id", ColumnType::Uuid),
            Column::changing("state", ColumnType::Text),
            Column::fixed("lines", ColumnType::Json),
            Column::changing("kept_as", ColumnType::Text),
            Column::changing("converted", ColumnType::Json),
            Column::changing("kept", ColumnType::Json),
            Column::fixed("owner", ColumnType::Text),
            Column::fixed("reference", ColumnType::Text),
            Column::fixed("metadata", ColumnType::Json),
            Column::fixed("lifetime_secs", ColumnType::Int),
            Column::fixed("placed_at", ColumnType::Time),
            Column::changing("expires_at", ColumnType::Time),
            Column::changing("ended_at", ColumnType::Time),
        ],
        key_columns: 1,
        due: Some(Due { column: "expires_at", filter: "state = 'active'", records_max: 1_000 }),
    };

    type Key = HoldId;

    fn key(&self) -> HoldId {
        self.id
    }

    fn write_key<'a>(id: &'a HoldId, out: &mut dyn Columns<'a>) {
        out.put(Value::Uuid(id.uuid()));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        out.put(Value::Uuid(self.id.uuid()));
        out.put(Value::Text(self.state.as_str()));
        out.put(Value::Text(self.lines.as_json()));
        out.put_text(self.kept.as_ref().map(|kept| kept.mode.as_str()));
        out.put_text(self.kept.as_ref().map(|kept| kept.converted.as_json()));
        out.put_text(self.kept.as_ref().map(|kept| kept.lines.as_json()));
        out.put_text(self.owner.as_ref().map(OwnerName::as_str));
        out.put_text(self.reference.as_ref().map(Reference::as_str));
        out.put_text(self.metadata.as_ref().map(Metadata::as_str));
        out.put_int(self.lifetime_secs);
        out.put(Value::Time(self.placed_at));
        out.put(Value::Time(self.expires_at));
        out.put_time(self.ended_at);
    }

    fn read(row: &mut dyn Row) -> Result<Hold, Corrupt> {
        let corrupt = |invalid: super::Invalid| Corrupt::new(invalid.to_string());
        let id = HoldId::new(row.uuid()?).map_err(corrupt)?;
        let state = read_state(row.text()?)?;
        let lines = Lines::parse_stored(row.text()?)?;
        let mode = row.text_or_null()?.map(read_mode).transpose()?;
        let converted = row.text_or_null()?.map(Lines::parse_stored).transpose()?;
        let kept_lines = row.text_or_null()?.map(Lines::parse_stored).transpose()?;
        Ok(Hold {
            id,
            state,
            lines,
            kept: mode.zip(converted.zip(kept_lines)).map(|(mode, (converted, lines))| Kept { mode, converted, lines }),
            owner: row.text_or_null()?.map(OwnerName::new).transpose().map_err(corrupt)?,
            reference: row.text_or_null()?.map(Reference::new).transpose().map_err(corrupt)?,
            metadata: row.text_or_null()?.map(Metadata::stored),
            lifetime_secs: row.int_or_null()?,
            placed_at: row.time()?,
            expires_at: row.time()?,
            ended_at: row.time_or_null()?,
            version: row.int()?,
        })
    }

    fn version(&self) -> i64 {
        self.version
    }

    fn set_version(&mut self, version: i64) {
        self.version = version;
    }

    fn due_at(&self) -> Option<Timestamp> {
        (self.state == HoldState::Active).then_some(self.expires_at)
    }
}

fn read_state(text: &str) -> Result<HoldState, Corrupt> {
    let state = HoldState::ALL.into_iter().find(|state| state.as_str() == text);
    state.ok_or_else(|| Corrupt::new(format!("hold state {text:?}")))
}

fn read_mode(text: &str) -> Result<ConvertMode, Corrupt> {
    let mode = [ConvertMode::Book, ConvertMode::Consume].into_iter().find(|mode| mode.as_str() == text);
    mode.ok_or_else(|| Corrupt::new(format!("convert mode {text:?}")))
}
