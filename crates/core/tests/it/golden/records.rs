//! Records, as stores have them: the columns of their tables, and what is written to them.

use std::fmt::Debug;

use serde::de::DeserializeOwned;
use surehold_core::TABLES;
use surehold_core::kernel::{Column, ColumnType, Columns, Corrupt, Record, Row, Timestamp, Value};
use surehold_samples::{Golden, Source, explore, samples_with};
use uuid::Uuid;

use super::forms::FORMS;
use super::listed::add_records;
use crate::codec::check_record;

/// Words and forms that columns hold and that no other column has.
const WORDS: &[&str] = &[
    "PENDING",
    "SUCCEEDED",
    "INTENT",
    "none",
    "open",
    "enabled",
    "succeeded",
    "[{\"kind\":\"hold\",\"value\":\"1\"}]",
    "{}",
];

pub(super) struct Records {
    golden: Golden,
    tables: Vec<&'static str>,
}

impl Records {
    fn add<R: Record>(&mut self, samples: &[R]) {
        let table = R::TABLE;
        self.tables.push(table.name);
        let is_remembered = if R::IS_REMEMBERED { ", remembered" } else { "" };
        self.golden.line(&format!("# {}, due by {:?}{is_remembered}", table.name, table.due));
        for (index, column) in table.columns.iter().enumerate() {
            let is_key = if index < table.key_columns { " key" } else { "" };
            let is_fixed = if column.fixed { " fixed" } else { "" };
            let is_counter = if column.is_counter { " counter" } else { "" };
            self.golden.line(&format!("  {} {:?}{is_key}{is_fixed}{is_counter}", column.name, column.kind));
        }
        for sample in samples {
            check_record(sample);
            let mut values = Shown(Vec::new());
            sample.write(&mut values);
            let due = sample.due_at().map_or_else(String::new, |due| format!(", due at {due}"));
            self.golden.line(&format!("{}{due}", values.0.join(" | ")));
        }
    }

    pub(super) fn sampled<R: Record + DeserializeOwned>(&mut self) {
        self.add::<R>(&samples_with(FORMS));
    }

    /// Records that are read from rows only.
    pub(super) fn read<R: Record>(&mut self) {
        self.add(&explore(|source| {
            let mut row = Fed { source, left: R::TABLE.columns, text: String::new(), bytes: Vec::new() };
            R::read(&mut row).map_err(|corrupt| corrupt.what)
        }));
    }
}

struct Shown(Vec<String>);

impl<'a> Columns<'a> for Shown {
    fn put(&mut self, value: Value<'a>) {
        fn shown(value: impl Debug) -> String {
            format!("{value:?}")
        }
        self.0.push(match value {
            Value::Null => "null".to_owned(),
            Value::Int(int) => shown(int),
            Value::Bool(bool) => shown(bool),
            Value::Text(text) => shown(text),
            Value::Bytes(bytes) => shown(bytes),
            Value::Uuid(uuid) => uuid.to_string(),
            Value::Time(time) => time.to_string(),
        });
    }
}

/// A row whose values come from a source.
struct Fed<'a> {
    source: &'a mut Source,
    left: &'static [Column],
    text: String,
    bytes: Vec<u8>,
}

impl Row for Fed<'_> {
    fn next_value(&mut self) -> Result<Value<'_>, Corrupt> {
        const UUID_BASE: u128 = 0x0198_0000_0000_7000_8000_0000_0000_0000;
        let Some((column, left)) = self.left.split_first() else { return Ok(Value::Int(1)) };
        self.left = left;
        if !self.source.is_present() {
            return Ok(Value::Null);
        }
        let number = |source: &mut Source| i64::try_from(source.int(u64::from(u32::MAX))).unwrap();
        Ok(match column.kind {
            ColumnType::Int => Value::Int(number(self.source)),
            ColumnType::Bool => Value::Bool(self.source.bool()),
            ColumnType::Time => Value::Time(Timestamp::from_micros(number(self.source))),
            ColumnType::Uuid => Value::Uuid(Uuid::from_u128(UUID_BASE + u128::from(self.source.int(u64::MAX)))),
            ColumnType::Bytes => {
                self.bytes = self.source.bytes();
                Value::Bytes(&self.bytes)
            }
            ColumnType::Text | ColumnType::Json => {
                self.text = self.source.text(WORDS);
                Value::Text(&self.text)
            }
        })
    }
}

#[test]
fn stored_records_stay_readable() {
    let mut records = Records { golden: Golden::new(env!("CARGO_MANIFEST_DIR"), "records.txt"), tables: Vec::new() };
    add_records(&mut records);

    let mut listed = records.tables.clone();
    let mut tables: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
    listed.sort_unstable();
    tables.sort_unstable();
    assert_eq!(listed, tables, "every table is listed in `listed.rs`");
    records.golden.check();
}
