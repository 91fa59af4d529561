//! Values in and out of Postgres: columns as arrays going in, typed cells coming out.

use std::error::Error;

use surehold_core::kernel::{Column, ColumnType, Columns, Corrupt, Row, Table, Timestamp, Value};
use tokio_postgres::Row as PostgresRow;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, accepts, to_sql_checked};
use uuid::Uuid;

/// Postgres counts from 2000.
const EPOCH_MICROS: i64 = 946_684_800_000_000;

#[derive(Clone, Copy, Debug)]
pub(crate) struct PgTime(pub(crate) Timestamp);

impl ToSql for PgTime {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        let micros = self.0.micros().checked_sub(EPOCH_MICROS).ok_or("an instant out of range")?;
        out.extend_from_slice(&micros.to_be_bytes());
        Ok(IsNull::No)
    }

    accepts!(TIMESTAMPTZ);
    to_sql_checked!();
}

impl<'a> FromSql<'a> for PgTime {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<PgTime, Box<dyn Error + Sync + Send>> {
        let micros = i64::from_be_bytes(raw.try_into()?).checked_add(EPOCH_MICROS).ok_or("an instant out of range")?;
        Ok(PgTime(Timestamp::from_micros(micros)))
    }

    accepts!(TIMESTAMPTZ);
}

/// Rows on their way in, column by column. A column ends with its last value: Postgres takes what is missing for null where
/// arrays of different lengths are taken apart side by side, and whole columns of nulls cost nothing.
#[derive(Debug)]
pub(crate) struct Block<'a> {
    columns: Vec<ColumnArray<'a>>,
    next: usize,
    rows: usize,
}

#[derive(Debug)]
enum ColumnArray<'a> {
    Int(Vec<Option<i64>>),
    Bool(Vec<Option<bool>>),
    Text(Vec<Option<&'a str>>),
    Bytes(Vec<Option<&'a [u8]>>),
    Uuid(Vec<Option<Uuid>>),
    Time(Vec<Option<PgTime>>),
    /// A column that the statement does not need.
    Skipped,
}

impl<'a> Block<'a> {
    /// The tenant, the columns, then extra integers.
    pub(crate) fn new(columns: &[Column], extra_ints: usize) -> Block<'a> {
        let kinds = columns.iter().map(|column| ColumnArray::new(column.kind));
        let tenant = std::iter::once(ColumnArray::new(ColumnType::Int));
        let extra = (0..extra_ints).map(|_| ColumnArray::new(ColumnType::Int));
        Block { columns: tenant.chain(kinds).chain(extra).collect(), next: 0, rows: 0 }
    }

    /// For an update: columns that never change stay here.
    pub(crate) fn for_update(table: &Table, extra_ints: usize) -> Block<'a> {
        let mut block = Block::new(table.columns, extra_ints);
        let needed: Vec<usize> = table.updated().map(|(index, _)| index).collect();
        for index in (0..table.columns.len()).filter(|index| !needed.contains(index)) {
            // The tenant comes first.
            block.columns[index + 1] = ColumnArray::Skipped;
        }
        block
    }

    /// The row is complete.
    pub(crate) fn end_row(&mut self) {
        debug_assert_eq!(self.next, self.columns.len(), "a row fills all columns");
        self.next = 0;
        self.rows += 1;
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn params(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.columns.iter().filter_map(ColumnArray::param).collect()
    }
}

impl<'a> Columns<'a> for Block<'a> {
    fn put(&mut self, value: Value<'a>) {
        self.columns[self.next].put(self.rows, value);
        self.next += 1;
    }
}

impl<'a> ColumnArray<'a> {
    fn new(kind: ColumnType) -> ColumnArray<'a> {
        match kind {
            ColumnType::Int => ColumnArray::Int(Vec::new()),
            ColumnType::Bool => ColumnArray::Bool(Vec::new()),
            ColumnType::Text | ColumnType::Json => ColumnArray::Text(Vec::new()),
            ColumnType::Bytes => ColumnArray::Bytes(Vec::new()),
            ColumnType::Uuid => ColumnArray::Uuid(Vec::new()),
            ColumnType::Time => ColumnArray::Time(Vec::new()),
        }
    }

    fn put(&mut self, row: usize, value: Value<'a>) {
        match (self, value) {
            (ColumnArray::Int(array), Value::Int(int)) => put(array, row, int),
            (ColumnArray::Bool(array), Value::Bool(bool)) => put(array, row, bool),
            (ColumnArray::Text(array), Value::Text(text)) => put(array, row, text),
            (ColumnArray::Bytes(array), Value::Bytes(bytes)) => put(array, row, bytes),
            (ColumnArray::Uuid(array), Value::Uuid(uuid)) => put(array, row, uuid),
            (ColumnArray::Time(array), Value::Time(time)) => put(array, row, PgTime(time)),
            (ColumnArray::Skipped, _) | (_, Value::Null) => {}
            (column, value) => unreachable!("{value:?} put into {column:?}: a record disagrees with its descriptor"),
        }
    }

    fn param(&self) -> Option<&(dyn ToSql + Sync)> {
        match self {
            ColumnArray::Int(array) => Some(array),
            ColumnArray::Bool(array) => Some(array),
            ColumnArray::Text(array) => Some(array),
            ColumnArray::Bytes(array) => Some(array),
            ColumnArray::Uuid(array) => Some(array),
            ColumnArray::Time(array) => Some(array),
            ColumnArray::Skipped => None,
        }
    }
}

/// What was left out before it is null.
fn put<T>(array: &mut Vec<Option<T>>, row: usize, value: T) {
    array.resize_with(row, || None);
    array.push(Some(value));
}

/// A loaded row, read in the descriptor's order from column `next` on; the version, an integer, comes last.
pub(crate) struct LoadedRow<'r> {
    pub(crate) row: &'r PostgresRow,
    pub(crate) columns: &'static [Column],
    pub(crate) next: usize,
    pub(crate) first: usize,
}

impl Row for LoadedRow<'_> {
    fn next_value(&mut self) -> Result<Value<'_>, Corrupt> {
        let kind = self.columns.get(self.next - self.first).map_or(ColumnType::Int, |column| column.kind);
        let index = self.next;
        self.next += 1;
        read(self.row, index, kind).map_err(|error| Corrupt::new(error.to_string()))
    }
}

pub(crate) fn read(row: &PostgresRow, index: usize, kind: ColumnType) -> Result<Value<'_>, tokio_postgres::Error> {
    Ok(match kind {
        ColumnType::Int => row.try_get::<_, Option<i64>>(index)?.map_or(Value::Null, Value::Int),
        ColumnType::Bool => row.try_get::<_, Option<bool>>(index)?.map_or(Value::Null, Value::Bool),
        ColumnType::Text | ColumnType::Json => row.try_get::<_, Option<&str>>(index)?.map_or(Value::Null, Value::Text),
        ColumnType::Bytes => row.try_get::<_, Option<&[u8]>>(index)?.map_or(Value::Null, Value::Bytes),
        ColumnType::Uuid => row.try_get::<_, Option<Uuid>>(index)?.map_or(Value::Null, Value::Uuid),
        ColumnType::Time => row.try_get::<_, Option<PgTime>>(index)?.map_or(Value::Null, |time| Value::Time(time.0)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_end_with_their_last_value() {
        let columns = [Column::fixed("name", ColumnType::Text), Column::changing("units", ColumnType::Int)];
        let mut block = Block::new(&columns, 0);
        for (name, units) in [("a", None), ("b", Some(2)), ("c", None)] {
            block.put(Value::Int(7));
            block.put(Value::Text(name));
            block.put(units.map_or(Value::Null, Value::Int));
            block.end_row();
        }
        let [ColumnArray::Int(tenants), ColumnArray::Text(names), ColumnArray::Int(units)] = &block.columns[..] else {
            panic!("{block:?}")
        };
        assert_eq!(tenants, &[Some(7); 3]);
        assert_eq!(names, &["a", "b", "c"].map(Some));
        assert_eq!(units, &[None, Some(2)]);
    }
}
