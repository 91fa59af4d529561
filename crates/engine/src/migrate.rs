//! Migrations: numbered, checksummed, the same names in every store. The stores bring the SQL, each in its folder
//! `migrations`, and the lock.

use std::fmt::Write;

use sha2::{Digest, Sha256};
use thiserror::Error;

/// All migrations with the SQL of the store that asks: the names of their files, and from which on an older binary can live
/// with the schema (see [`Migration::usable_from`]).
#[macro_export]
macro_rules! migrations {
    () => {
        $crate::migrations! {
            "0001_kernel" 1,
            "0002_keys" 1,
            "0003_reading_role" 1,
            "0004_operations" 1,
            "0005_inbox" 1,
            "0006_schedules" 1,
            "0007_webhooks" 1,
            // Before it nobody can read the event that tells of a repair, and so not the row of the journal that has it.
            "0008_repairs" 8,
            // Before it nobody can read the events of stays.
            "0009_stays" 9,
            // Before it nobody can read the events of reservations.
            "0010_reservations" 10,
            // Before it nobody can read the options of a quote.
            "0011_quotes" 11,
            // Before it nobody can read the events of stock, or knows which totals are not to be changed.
            "0012_stock" 12,
        }
    };
    ($($file:literal $usable_from:literal,)+) => {
        &[$($crate::Migration::new(
            $file,
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/", $file, ".sql")),
            $usable_from,
        )),+]
    };
}

#[derive(Clone, Copy, Debug)]
pub struct Migration {
    pub number: i64,
    pub name: &'static str,
    pub sql: &'static str,
    /// The oldest binary, by the last migration that it knows, that can live with the schema after this one.
    /// Expanding keeps it; contracting raises it, and so does an event that older ones cannot read in the journal.
    pub usable_from: i64,
}

impl Migration {
    /// The file's name begins with four digits, which are the number.
    pub const fn new(file: &'static str, sql: &'static str, usable_from: i64) -> Migration {
        let (number, name) = file.split_at(4);
        let Ok(number) = i64::from_str_radix(number, 10) else { panic!("a migration has a number of four digits") };
        let (_, name) = name.split_at(1);
        Migration { number, name, sql, usable_from }
    }

    /// As its file is called.
    pub fn title(&self) -> String {
        format!("{:04}_{}", self.number, self.name)
    }

    pub fn checksum(&self) -> String {
        let mut text = String::with_capacity(64);
        for byte in Sha256::digest(self.sql) {
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

/// A migration that the store says it has had.
#[derive(Clone, Debug)]
pub struct Applied {
    pub number: i64,
    pub checksum: String,
    pub usable_from: i64,
}

#[derive(Debug, Error, PartialEq, Eq)]
pub enum SchemaError {
    #[error("migration {number:04} was changed after it ran; restore the file, or write the next one")]
    Changed { number: i64 },
    #[error(
        "migration {number:04} is missing from the store although a later one ran; restore the store from a backup"
    )]
    Gap { number: i64 },
    #[error(
        "the store was migrated to {applied:04} by a newer version; this one knows {known:04} and cannot use it. Update surehold"
    )]
    TooNew { applied: i64, known: i64 },
}

/// What is still to be run, or why this binary cannot live with the store.
pub fn pending<'m>(known: &'m [Migration], applied: &[Applied]) -> Result<&'m [Migration], SchemaError> {
    let last_known = known.last().map_or(0, |migration| migration.number);
    for applied in applied {
        match known.iter().find(|migration| migration.number == applied.number) {
            Some(migration) if migration.checksum() != applied.checksum => {
                return Err(SchemaError::Changed { number: applied.number });
            }
            None if applied.usable_from > last_known => {
                return Err(SchemaError::TooNew { applied: applied.number, known: last_known });
            }
            Some(_) | None => {}
        }
    }
    let done = known.iter().take_while(|migration| applied.iter().any(|a| a.number == migration.number)).count();
    let (_, pending) = known.split_at(done);
    let gap = pending.first().filter(|first| applied.iter().any(|a| a.number > first.number));
    match gap {
        Some(migration) => Err(SchemaError::Gap { number: migration.number }),
        None => Ok(pending),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Migration = Migration { number: 1, name: "one", sql: "select 1", usable_from: 1 };
    const TWO: Migration = Migration { number: 2, name: "two", sql: "select 2", usable_from: 1 };

    fn applied(number: i64, sql: &'static str, usable_from: i64) -> Applied {
        let checksum = Migration { number, name: "", sql, usable_from }.checksum();
        Applied { number, checksum, usable_from }
    }

    #[test]
    fn verdicts() {
        let check = |applied: &[Applied], expected: Result<Vec<i64>, SchemaError>| {
            let verdict = pending(&[ONE, TWO], applied).map(|p| p.iter().map(|m| m.number).collect());
            assert_eq!(verdict, expected);
        };
        check(&[], Ok(vec![1, 2]));
        check(&[applied(1, "select 1", 1)], Ok(vec![2]));
        check(&[applied(1, "select 1", 1), applied(2, "select 2", 1)], Ok(vec![]));
        check(&[applied(1, "select 9", 1)], Err(SchemaError::Changed { number: 1 }));
        check(&[applied(2, "select 2", 1)], Err(SchemaError::Gap { number: 1 }));
        // A newer node has expanded the schema: an older one may go on.
        let expanded = [applied(1, "select 1", 1), applied(2, "select 2", 1), applied(3, "x", 2)];
        check(&expanded, Ok(vec![]));
        let contracted = [applied(1, "select 1", 1), applied(2, "select 2", 1), applied(3, "x", 3)];
        check(&contracted, Err(SchemaError::TooNew { applied: 3, known: 2 }));
    }
}
