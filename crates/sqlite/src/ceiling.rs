//! A file that may not grow: for the lab, which wants to see what becomes of a server that has no room. Only whoever names
//! a mark has it looked for.

use std::path::PathBuf;

use rusqlite::Connection;

/// As many pages as a file of SQLite can have.
const PAGES_MAX: i64 = 4_294_967_294;
/// SQLite takes this for as many as there are.
const PAGES_MIN: i64 = 1;

/// While the mark exists, a transaction that needs another page fails, as on a full disk.
#[derive(Clone, Debug)]
pub(crate) struct Ceiling {
    pub(crate) mark: PathBuf,
}

impl Ceiling {
    /// Before each transaction.
    pub(crate) fn look(&self, connection: &Connection) -> rusqlite::Result<()> {
        let pages = if self.mark.exists() { PAGES_MIN } else { PAGES_MAX };
        connection.pragma_update(None, "max_page_count", pages)
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::ErrorCode;

    use super::*;

    #[test]
    fn a_file_grows_only_while_there_is_no_mark() {
        let folder = tempfile::tempdir().unwrap();
        let ceiling = Ceiling { mark: folder.path().join("full") };
        let connection = Connection::open(folder.path().join("file.db")).unwrap();
        connection.execute_batch("create table luggage (much blob)").unwrap();
        let write = || {
            ceiling.look(&connection).unwrap();
            connection.execute("insert into luggage values (zeroblob(100000))", [])
        };
        write().unwrap();
        std::fs::write(&ceiling.mark, "").unwrap();
        let refused = write().unwrap_err();
        assert_eq!(refused.sqlite_error_code(), Some(ErrorCode::DiskFull));
        std::fs::remove_file(&ceiling.mark).unwrap();
        write().unwrap();
        let count: i64 = connection.query_row("select count(*) from luggage", [], |row| row.get(0)).unwrap();
        assert_eq!(count, 2);
    }
}
