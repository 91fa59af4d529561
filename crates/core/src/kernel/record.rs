//! A kind of record is declared once: a struct that derives [`Record`], from whose fields the table's descriptor follows.
//! Stores derive their statements from the descriptor, so a new kind touches no store. This is a row codec: no queries, no
//! relations. How a field becomes columns is said in `columns.rs`.

use std::fmt::Debug;
use std::hash::Hash;

use thiserror::Error;
use uuid::Uuid;

use super::{Invalid, Timestamp};

/// A table. Its columns are stored between `tenant` (always first, leads the primary key) and `version` (always last).
#[derive(Debug)]
pub struct Table {
    pub name: &'static str,
    /// The first `key_columns` of these, after the tenant, form the primary key.
    pub columns: &'static [Column],
    pub key_columns: usize,
    /// The partial index through which records that have become due are read, if the kind has one.
    pub due: Option<Due>,
}

#[derive(Clone, Copy, Debug)]
pub struct Column {
    pub name: &'static str,
    pub kind: ColumnType,
    /// Fixed columns never change after the insert and are left out of updates.
    pub fixed: bool,
    /// Counters are put right by differences: what is wrong in the store must stay wrong until then, so an update says what
    /// it expects to find there. The record tells it in [`Record::counters`].
    pub is_counter: bool,
}

impl Column {
    pub const fn fixed(name: &'static str, kind: ColumnType) -> Column {
        Column { name, kind, fixed: true, is_counter: false }
    }

    pub const fn changing(name: &'static str, kind: ColumnType) -> Column {
        Column { name, kind, fixed: false, is_counter: false }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    Int,
    Bool,
    Text,
    /// JSON text: written as text, queryable as JSON by people.
    Json,
    Bytes,
    Uuid,
    Time,
}

/// Records matching `filter`, in the order of a time column, up to an instant.
#[derive(Debug)]
pub struct Due {
    pub column: &'static str,
    /// Which rows can be due, in SQL that all stores speak.
    pub filter: &'static str,
    pub records_max: usize,
}

impl Table {
    pub fn key(&self) -> &'static [Column] {
        self.columns.split_at(self.key_columns).0
    }

    /// What an update has to know: which row, and what may have changed in it. With its place among all columns.
    pub fn updated(&self) -> impl Iterator<Item = (usize, &'static Column)> {
        let key_columns = self.key_columns;
        self.columns.iter().enumerate().filter(move |(index, column)| *index < key_columns || !column.fixed)
    }

    pub fn counters(&self) -> impl Iterator<Item = &'static Column> {
        self.columns.iter().filter(|column| column.is_counter)
    }

    pub fn changing(&self) -> impl Iterator<Item = &'static Column> {
        self.columns.iter().filter(|column| !column.fixed)
    }

    pub(crate) const fn count(lists: &[&[&Table]]) -> usize {
        let (mut tables, mut rest) = (0_usize, lists);
        while let Some((list, later)) = rest.split_first() {
            tables = tables.strict_add(list.len());
            rest = later;
        }
        tables
    }

    /// All tables of these lists, of which there are as many as [`Table::count`] says.
    pub(crate) const fn joined<const COUNT: usize>(lists: &[&[&'static Table]]) -> [&'static Table; COUNT] {
        let mut tables = [lists[0][0]; COUNT];
        let (mut filled, mut rest) = (0_usize, lists);
        while let Some((list, later)) = rest.split_first() {
            let mut index = 0_usize;
            while index < list.len() {
                tables[filled] = list[index];
                filled = filled.strict_add(1);
                index = index.strict_add(1);
            }
            rest = later;
        }
        tables
    }
}

/// A column's value on its way to or from a store.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    Null,
    Int(i64),
    Bool(bool),
    Text(&'a str),
    Bytes(&'a [u8]),
    Uuid(Uuid),
    Time(Timestamp),
}

/// Where a store takes a record's values from, one after the other, in the descriptor's order.
pub trait Columns<'a> {
    fn put(&mut self, value: Value<'a>);
}

/// A loaded row: its values one after the other, in the descriptor's order, `version` last.
pub trait Row {
    fn next_value(&mut self) -> Result<Value<'_>, Corrupt>;
}

/// A row in memory, to be read again.
impl<'a> Columns<'a> for Vec<Value<'a>> {
    fn put(&mut self, value: Value<'a>) {
        self.push(value);
    }
}

impl Row for std::vec::IntoIter<Value<'_>> {
    fn next_value(&mut self) -> Result<Value<'_>, Corrupt> {
        self.next().ok_or_else(|| Corrupt::new("a row that is too short"))
    }
}

/// A row that cannot be what we wrote.
#[derive(Debug, Error)]
#[error("a stored value is not what was written: {what}")]
pub struct Corrupt {
    pub what: String,
}

impl Corrupt {
    pub fn new(what: impl Into<String>) -> Corrupt {
        Corrupt { what: what.into() }
    }

    fn unexpected(wanted: &str, found: Value<'_>) -> Corrupt {
        Corrupt::new(format!("{found:?} where {wanted} was expected"))
    }
}

impl From<Invalid> for Corrupt {
    fn from(invalid: Invalid) -> Corrupt {
        Corrupt::new(invalid.to_string())
    }
}

impl<'a> Value<'a> {
    pub fn int(self) -> Result<i64, Corrupt> {
        match self {
            Value::Int(int) => Ok(int),
            other => Err(Corrupt::unexpected("an integer", other)),
        }
    }

    pub fn bool(self) -> Result<bool, Corrupt> {
        match self {
            Value::Bool(bool) => Ok(bool),
            other => Err(Corrupt::unexpected("a boolean", other)),
        }
    }

    pub fn uuid(self) -> Result<Uuid, Corrupt> {
        match self {
            Value::Uuid(uuid) => Ok(uuid),
            other => Err(Corrupt::unexpected("a UUID", other)),
        }
    }

    pub fn time(self) -> Result<Timestamp, Corrupt> {
        match self {
            Value::Time(time) => Ok(time),
            other => Err(Corrupt::unexpected("an instant", other)),
        }
    }

    pub fn text(self) -> Result<&'a str, Corrupt> {
        match self {
            Value::Text(text) => Ok(text),
            other => Err(Corrupt::unexpected("a text", other)),
        }
    }

    pub fn bytes(self) -> Result<&'a [u8], Corrupt> {
        match self {
            Value::Bytes(bytes) => Ok(bytes),
            other => Err(Corrupt::unexpected("bytes", other)),
        }
    }

    pub fn or_null<T>(self, read: impl FnOnce(Value<'a>) -> Result<T, Corrupt>) -> Result<Option<T>, Corrupt> {
        match self {
            Value::Null => Ok(None),
            value => read(value).map(Some),
        }
    }
}

impl dyn Row + '_ {
    pub fn int(&mut self) -> Result<i64, Corrupt> {
        self.next_value()?.int()
    }

    pub fn int_or_null(&mut self) -> Result<Option<i64>, Corrupt> {
        self.next_value()?.or_null(Value::int)
    }

    pub fn uuid(&mut self) -> Result<Uuid, Corrupt> {
        self.next_value()?.uuid()
    }

    pub fn uuid_or_null(&mut self) -> Result<Option<Uuid>, Corrupt> {
        self.next_value()?.or_null(Value::uuid)
    }

    pub fn time(&mut self) -> Result<Timestamp, Corrupt> {
        self.next_value()?.time()
    }

    pub fn time_or_null(&mut self) -> Result<Option<Timestamp>, Corrupt> {
        self.next_value()?.or_null(Value::time)
    }

    pub fn text(&mut self) -> Result<&str, Corrupt> {
        self.next_value()?.text()
    }

    pub fn text_or_null(&mut self) -> Result<Option<&str>, Corrupt> {
        self.next_value()?.or_null(Value::text)
    }

    pub fn bytes(&mut self) -> Result<&[u8], Corrupt> {
        self.next_value()?.bytes()
    }
}

/// As many as a kind of record has, and zeroes.
pub type Counters = [i64; 2];

/// What an update expects to find in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    pub version: i64,
    pub counters: Counters,
}

impl Stored {
    pub(super) fn of(record: &impl Record) -> Stored {
        Stored { version: record.version(), counters: record.counters() }
    }

    /// Of as many columns as the table has.
    pub fn counters_of(&self, table: &Table) -> impl Iterator<Item = i64> {
        table.counters().zip(self.counters).map(|(_, units)| units)
    }
}

/// Something that a tenant owns and that commands decide on.
pub trait Record: Clone + Debug + PartialEq + Send + Sync + 'static {
    const TABLE: &'static Table;

    /// Whether a lane remembers it from one batch of its tenant to the next: for small records that many commands look at.
    const IS_REMEMBERED: bool = false;

    /// The key within the tenant.
    type Key: Clone + Debug + Eq + Hash + Ord + Send + Sync + 'static;

    fn key(&self) -> Self::Key;

    /// Puts the key columns.
    fn write_key<'a>(key: &'a Self::Key, out: &mut dyn Columns<'a>);

    /// Puts all columns of the descriptor, without tenant and version.
    fn write<'a>(&'a self, out: &mut dyn Columns<'a>);

    /// Reads all columns of the descriptor, then the version.
    fn read(row: &mut dyn Row) -> Result<Self, Corrupt>;

    fn version(&self) -> i64;

    /// The engine counts versions: one step per command that changes the record.
    fn set_version(&mut self, version: i64);

    /// The values of columns that are counters, in their order.
    fn counters(&self) -> Counters {
        Counters::default()
    }

    /// When the record becomes due, in agreement with the descriptor's [`Due`].
    fn due_at(&self) -> Option<Timestamp> {
        None
    }
}
