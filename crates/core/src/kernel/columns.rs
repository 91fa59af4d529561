//! How a field becomes columns. What [`Record`](super::Record) and [`Columnar`] derive is put together from these.
//!
//! A type says once how it is stored: in one column ([`ColumnValue`]) or in several ([`Columnar`]). Whether a column is
//! part of the key, fixed or a counter is said by the record that has it.

use std::ops::Deref;
use std::sync::Arc;

use smol_str::SmolStr;

use super::Timestamp;
use super::record::{Column, ColumnType, Columns, Corrupt, Row, Value};

/// A value that is stored in one column.
pub trait ColumnValue: Sized {
    const TYPE: ColumnType;

    /// Whether a value of it may be stored as null, so that null does not say that there is none.
    const MAY_BE_NULL: bool = false;

    fn value(&self) -> Value<'_>;

    fn from_value(value: Value<'_>) -> Result<Self, Corrupt>;
}

/// A value that is stored in one column or in several.
pub trait Columnar: Sized {
    /// In their order. A value of one column leaves the name to the field that holds it.
    const COLUMNS: &'static [Column];

    /// Whether a value of it may be null in all its columns. An `Option` of it could not be told from it.
    const MAY_BE_NULL: bool;

    fn put<'a>(&'a self, out: &mut dyn Columns<'a>);

    fn take(row: &mut dyn Row) -> Result<Self, Corrupt>;

    /// There is a value only if no column of it is null that may not be. Reads all columns either way.
    fn take_or_null(row: &mut dyn Row) -> Result<Option<Self>, Corrupt>;
}

impl<T: ColumnValue> Columnar for T {
    const COLUMNS: &'static [Column] = &[Column::changing("", T::TYPE)];
    const MAY_BE_NULL: bool = T::MAY_BE_NULL;

    fn put<'a>(&'a self, out: &mut dyn Columns<'a>) {
        out.put(self.value());
    }

    fn take(row: &mut dyn Row) -> Result<T, Corrupt> {
        T::from_value(row.next_value()?)
    }

    fn take_or_null(row: &mut dyn Row) -> Result<Option<T>, Corrupt> {
        let value = row.next_value()?;
        if T::MAY_BE_NULL { T::from_value(value).map(Some) } else { value.or_null(T::from_value) }
    }
}

/// Absent is null in every column.
impl<T: Columnar> Columnar for Option<T> {
    const COLUMNS: &'static [Column] = {
        assert!(!T::MAY_BE_NULL, "what may be null in all its columns cannot be optional");
        T::COLUMNS
    };
    const MAY_BE_NULL: bool = true;

    fn put<'a>(&'a self, out: &mut dyn Columns<'a>) {
        match self {
            Some(value) => value.put(out),
            None => T::COLUMNS.iter().for_each(|_| out.put(Value::Null)),
        }
    }

    fn take(row: &mut dyn Row) -> Result<Option<T>, Corrupt> {
        if let [_] = T::COLUMNS {
            return T::take_or_null(row);
        }
        let mut row = Watched { row, has_value: false };
        match T::take_or_null(&mut row)? {
            None if row.has_value => Err(Corrupt::new("null in a column whose neighbours have a value")),
            value => Ok(value),
        }
    }

    /// What may be absent does not make that absent which it is a part of.
    fn take_or_null(row: &mut dyn Row) -> Result<Option<Option<T>>, Corrupt> {
        Columnar::take(row).map(Some)
    }
}

/// Sees whether any value was not null.
struct Watched<'a> {
    row: &'a mut dyn Row,
    has_value: bool,
}

impl Row for Watched<'_> {
    fn next_value(&mut self) -> Result<Value<'_>, Corrupt> {
        let value = self.row.next_value()?;
        self.has_value |= value != Value::Null;
        Ok(value)
    }
}

/// A field of a struct, as its derive describes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    name: &'static str,
    /// Of the field's type.
    columns: &'static [Column],
    /// Instead of the field's name or those of its type's columns, unless empty.
    names: &'static [&'static str],
    role: Role,
    is_json: bool,
}

/// What a record says of a column.
#[derive(Clone, Copy, Debug)]
enum Role {
    /// It never changes.
    Key,
    Fixed,
    Counter,
    Changing,
}

impl Field {
    pub(crate) const fn of<T: Columnar>(name: &'static str) -> Field {
        let (columns, names) = (T::COLUMNS, &[]);
        Field { name, columns, names, role: Role::Changing, is_json: false }
    }

    #[must_use]
    pub(crate) const fn key(self) -> Field {
        Field { role: Role::Key, ..self }
    }

    #[must_use]
    pub(crate) const fn fixed(self) -> Field {
        Field { role: Role::Fixed, ..self }
    }

    #[must_use]
    pub(crate) const fn counter(self) -> Field {
        assert!(matches!(self.columns, [Column { kind: ColumnType::Int, .. }]), "a counter is a number");
        Field { role: Role::Counter, ..self }
    }

    #[must_use]
    pub(crate) const fn json(self) -> Field {
        assert!(matches!(self.columns, [Column { kind: ColumnType::Text, .. }]), "only a text may be JSON");
        Field { is_json: true, ..self }
    }

    #[must_use]
    pub(crate) const fn named(self, names: &'static [&'static str]) -> Field {
        assert!(names.len() == self.columns.len(), "a field has as many names as columns");
        Field { names, ..self }
    }

    pub(crate) const fn count(fields: &[Field]) -> usize {
        let (mut columns, mut rest) = (0_usize, fields);
        while let Some((field, later)) = rest.split_first() {
            columns = columns.strict_add(field.columns.len());
            rest = later;
        }
        columns
    }

    /// Columns of fields that are part of the key, which come first.
    pub(crate) const fn count_keys(fields: &[Field]) -> usize {
        let mut keys = 0_usize;
        while keys < fields.len() && matches!(fields[keys].role, Role::Key) {
            keys = keys.strict_add(1);
        }
        Field::count(fields.split_at(keys).0)
    }

    /// All columns of these fields, of which there are as many as [`Field::count`] says.
    pub(crate) const fn columns<const COUNT: usize>(fields: &[Field]) -> [Column; COUNT] {
        let mut columns = [Column::changing("", ColumnType::Int); COUNT];
        let (mut filled, mut rest) = (0_usize, fields);
        while let Some((field, later)) = rest.split_first() {
            let mut index = 0_usize;
            while index < field.columns.len() {
                columns[filled] = field.column(index);
                filled = filled.strict_add(1);
                index = index.strict_add(1);
            }
            rest = later;
        }
        columns
    }

    const fn column(&self, index: usize) -> Column {
        let Column { name, kind, .. } = self.columns[index];
        let name = match self.names {
            [] if name.is_empty() => self.name,
            [] => name,
            names => names[index],
        };
        let kind = if self.is_json { ColumnType::Json } else { kind };
        let (fixed, is_counter) = match self.role {
            Role::Key | Role::Fixed => (true, false),
            Role::Counter => (false, true),
            Role::Changing => (false, false),
        };
        Column { name, kind, fixed, is_counter }
    }
}

/// Stored as the text of `as_str`, and read by a function that may refuse it.
macro_rules! text_column {
    ($type:ty, $kind:ident, $read:expr) => {
        impl $crate::kernel::ColumnValue for $type {
            const TYPE: $crate::kernel::ColumnType = $crate::kernel::ColumnType::$kind;

            fn value(&self) -> $crate::kernel::Value<'_> {
                $crate::kernel::Value::Text(self.as_str())
            }

            fn from_value(value: $crate::kernel::Value<'_>) -> Result<$type, $crate::kernel::Corrupt> {
                let read: $type = $read(value.text()?)?;
                Ok(read)
            }
        }
    };
}

/// Stored as the number that it holds.
macro_rules! int_column {
    ($type:ident) => {
        impl $crate::kernel::ColumnValue for $type {
            const TYPE: $crate::kernel::ColumnType = $crate::kernel::ColumnType::Int;

            fn value(&self) -> $crate::kernel::Value<'_> {
                $crate::kernel::Value::Int(self.0)
            }

            fn from_value(value: $crate::kernel::Value<'_>) -> Result<$type, $crate::kernel::Corrupt> {
                value.int().map($type)
            }
        }
    };
}

/// Stored as bytes, and read by a function that may refuse them.
macro_rules! bytes_column {
    ($type:ty, $bytes:expr, $read:expr) => {
        impl $crate::kernel::ColumnValue for $type {
            const TYPE: $crate::kernel::ColumnType = $crate::kernel::ColumnType::Bytes;

            fn value(&self) -> $crate::kernel::Value<'_> {
                $crate::kernel::Value::Bytes($bytes(self))
            }

            fn from_value(value: $crate::kernel::Value<'_>) -> Result<$type, $crate::kernel::Corrupt> {
                let read: $type = $read(value.bytes()?)?;
                Ok(read)
            }
        }
    };
}

pub(crate) use {bytes_column, int_column, text_column};

text_column!(SmolStr, Text, |text| Ok::<_, Corrupt>(SmolStr::new(text)));
text_column!(String, Text, |text: &str| Ok::<_, Corrupt>(text.to_owned()));
bytes_column!([u8; 32], <[u8; 32]>::as_slice, |bytes| {
    <[u8; 32]>::try_from(bytes).map_err(|_| Corrupt::new("a hash that is not 32 bytes long"))
});
bytes_column!(Arc<[u8]>, Arc::deref, |bytes: &[u8]| Ok::<Arc<[u8]>, Corrupt>(bytes.into()));

impl ColumnValue for i64 {
    const TYPE: ColumnType = ColumnType::Int;

    fn value(&self) -> Value<'_> {
        Value::Int(*self)
    }

    fn from_value(value: Value<'_>) -> Result<i64, Corrupt> {
        value.int()
    }
}

macro_rules! smaller_int {
    ($($type:ty),*) => { $(
        impl ColumnValue for $type {
            const TYPE: ColumnType = ColumnType::Int;

            fn value(&self) -> Value<'_> {
                Value::Int(i64::from(*self))
            }

            fn from_value(value: Value<'_>) -> Result<$type, Corrupt> {
                let int = value.int()?;
                int.try_into().map_err(|_| Corrupt::new(format!("the number {int} is out of range")))
            }
        }
    )* };
}
smaller_int!(u16, u32);

impl ColumnValue for bool {
    const TYPE: ColumnType = ColumnType::Bool;

    fn value(&self) -> Value<'_> {
        Value::Bool(*self)
    }

    fn from_value(value: Value<'_>) -> Result<bool, Corrupt> {
        value.bool()
    }
}

impl ColumnValue for Timestamp {
    const TYPE: ColumnType = ColumnType::Time;

    fn value(&self) -> Value<'_> {
        Value::Time(*self)
    }

    fn from_value(value: Value<'_>) -> Result<Timestamp, Corrupt> {
        value.time()
    }
}

#[cfg(test)]
mod tests;
