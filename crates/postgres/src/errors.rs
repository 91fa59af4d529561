//! What an error of the database means for a batch.

use std::error::Error;

use surehold_engine::StoreError;
use tokio_postgres::Error as PgError;
use tokio_postgres::error::{DbError, Severity, SqlState};

use crate::pipeline::Broken;

/// An error before anything was committed.
#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` hands over")]
pub(crate) fn read_error(error: PgError) -> StoreError {
    match error.as_db_error() {
        Some(cause) if cause.parsed_severity() == Some(Severity::Error) => verdict(cause, described(&error)),
        // The session was ended, for instance because it stood still in its turn for too long.
        Some(_) | None => StoreError::Unavailable(described(&error)),
    }
}

/// Waiting for a turn has its own bound.
pub(crate) fn turn_error(error: PgError) -> StoreError {
    if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) { StoreError::TurnTaken } else { read_error(error) }
}

/// An error of one of the statements of a commit.
pub(crate) struct WriteError {
    /// Whose records it writes; the server does not say it.
    pub(crate) table: Option<&'static str>,
    pub(crate) error: PgError,
}

impl From<PgError> for WriteError {
    fn from(error: PgError) -> WriteError {
        WriteError { table: None, error }
    }
}

/// An error while committing. Only an ordinary error from the server, or a commit that never left, proves that nothing
/// was written.
pub(crate) fn write_error(Broken { error: WriteError { table, error }, all_sent }: Broken<WriteError>) -> StoreError {
    match error.as_db_error() {
        Some(cause) if cause.parsed_severity() == Some(Severity::Error) => match table {
            Some(table) if cause.code().code() == OTHER_VERSION => {
                StoreError::Changed { table, source: described(&error) }
            }
            Some(_) | None => verdict(cause, described(&error)),
        },
        Some(_) => StoreError::Unknown(described(&error)),
        None => match (all_sent, error.is_closed()) {
            (true, _) => StoreError::Unknown(described(&error)),
            (false, true) => StoreError::Unavailable(described(&error)),
            (false, false) => StoreError::Rejected(described(&error)),
        },
    }
}

/// Raised by `surehold_expect`.
const OTHER_VERSION: &str = "SH001";

/// Classes: connection, resources, operator, system. The server cannot do it now.
const UNAVAILABLE_CLASSES: [&str; 4] = ["08", "53", "57", "58"];

fn verdict(cause: &DbError, source: Source) -> StoreError {
    let code = cause.code();
    let conflicts = [
        SqlState::UNIQUE_VIOLATION,
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::LOCK_NOT_AVAILABLE,
    ];
    if conflicts.contains(code) {
        return StoreError::Conflict(source);
    }
    // Too much for one statement: less may do.
    if *code == SqlState::QUERY_CANCELED {
        return StoreError::Rejected(source);
    }
    // A server that became a standby, or one that cannot go on.
    let unavailable = *code == SqlState::READ_ONLY_SQL_TRANSACTION
        || UNAVAILABLE_CLASSES.iter().any(|class| code.code().starts_with(class));
    if unavailable { StoreError::Unavailable(source) } else { StoreError::Rejected(source) }
}

type Source = Box<dyn Error + Send + Sync>;

/// Without the server's DETAIL, which quotes rows: what customers wrote does not belong into logs.
pub(crate) fn described(error: &PgError) -> Source {
    match error.as_db_error() {
        Some(cause) => {
            let place = [cause.table(), cause.constraint()].into_iter().flatten().collect::<Vec<_>>().join(" ");
            format!("{} {}: {} {place}", cause.severity(), cause.code().code(), cause.message()).into()
        }
        None => match error.source() {
            Some(source) => format!("{error}: {source}").into(),
            None => error.to_string().into(),
        },
    }
}
