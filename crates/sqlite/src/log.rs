//! Keeps the write-ahead log short. SQLite starts it over only in a moment without readers; where short reads overlap
//! all the time that moment never comes by itself, and the log would grow without bound.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tracing::{debug, warn};

use crate::checkpoint::Checkpointer;
use crate::store::BUSY_TIMEOUT;

const LOG_BYTES_MAX: u64 = 256 << 20;
/// Looking at the file costs a system call, so it is not done after every commit.
const COMMITS_BETWEEN_LOOKS: u32 = 200;
/// How long writers wait for readers to let go of the old log.
const PATIENCE: Duration = Duration::from_millis(100);
/// After a reader has stayed, this passes before writers wait again: one part in a hundred, however long it stays.
const PAUSE: Duration = Duration::from_secs(10);

pub(crate) struct LogKeeper {
    /// Absent where SQLite's own checkpoints are left alone.
    checkpointer: Option<Checkpointer>,
    path: PathBuf,
    bytes_max: u64,
    commits_until_look: u32,
    reader_stayed_at: Option<Instant>,
    pause: Duration,
}

impl LogKeeper {
    fn new(database: &Path) -> LogKeeper {
        let mut path = database.as_os_str().to_owned();
        path.push("-wal");
        LogKeeper {
            checkpointer: None,
            path: path.into(),
            bytes_max: LOG_BYTES_MAX,
            commits_until_look: COMMITS_BETWEEN_LOOKS,
            reader_stayed_at: None,
            pause: PAUSE,
        }
    }

    /// For a database without a log.
    #[cfg(feature = "simulation")]
    pub(crate) fn idle() -> LogKeeper {
        LogKeeper { commits_until_look: u32::MAX, ..LogKeeper::new(Path::new("")) }
    }

    /// Keeps the log of this connection, which writes to `database`.
    pub(crate) fn of(database: &Path, writer: &mut Connection) -> rusqlite::Result<LogKeeper> {
        let checkpointer = Some(Checkpointer::start(database, writer)?);
        Ok(LogKeeper { checkpointer, ..LogKeeper::new(database) })
    }

    /// Called after each commit, outside of a transaction.
    pub(crate) fn committed(&mut self, connection: &Connection) {
        if let Some(checkpointer) = &mut self.checkpointer {
            checkpointer.committed(connection);
        }
        self.commits_until_look = self.commits_until_look.saturating_sub(1);
        if self.commits_until_look > 0 {
            return;
        }
        self.commits_until_look = COMMITS_BETWEEN_LOOKS;
        let bytes = std::fs::metadata(&self.path).map_or(0, |metadata| metadata.len());
        let pausing = self.reader_stayed_at.is_some_and(|at| at.elapsed() < self.pause);
        if bytes <= self.bytes_max || pausing {
            return;
        }
        match start_over(connection) {
            Ok(done) => self.reader_stayed_at = (!done).then(Instant::now),
            Err(error) => warn!(%error, bytes, "Cannot start the write-ahead log over: {error}"),
        }
    }
}

/// Holds new readers off for a moment, so that the log can start over. False if a reader stays.
pub(crate) fn start_over(connection: &Connection) -> rusqlite::Result<bool> {
    connection.busy_timeout(PATIENCE)?;
    let busy: rusqlite::Result<i64> = connection.query_row("pragma wal_checkpoint(truncate)", [], |row| row.get(0));
    connection.busy_timeout(BUSY_TIMEOUT)?;
    let done = busy? == 0;
    if !done {
        debug!("A reader keeps the write-ahead log from starting over");
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    /// Two readers whose reads always overlap.
    fn overlapping_readers(path: &Path, stop: &AtomicBool) {
        let open = || Connection::open(path).unwrap();
        let [one, two] = [open(), open()];
        for reader in [&one, &two] {
            reader.busy_timeout(BUSY_TIMEOUT).unwrap();
        }
        one.execute_batch("begin; select count(*) from t").unwrap();
        for (next, last) in [(&two, &one), (&one, &two)].into_iter().cycle() {
            next.execute_batch("begin; select count(*) from t").unwrap();
            last.execute_batch("commit").unwrap();
            if stop.load(Ordering::Relaxed) {
                return;
            }
        }
    }

    fn longest_log(keeper_bytes_max: u64) -> u64 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.db");
        let writer = Connection::open(&path).unwrap();
        writer.execute_batch("pragma journal_mode = wal; pragma synchronous = off; create table t (x)").unwrap();
        let mut keeper = LogKeeper { bytes_max: keeper_bytes_max, pause: Duration::ZERO, ..LogKeeper::new(&path) };
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| overlapping_readers(&path, &stop));
            let mut longest = 0;
            for _ in 0..4_000 {
                writer.execute("insert into t values (zeroblob(8000))", []).unwrap();
                keeper.committed(&writer);
                longest = longest.max(std::fs::metadata(&keeper.path).unwrap().len());
            }
            stop.store(true, Ordering::Relaxed);
            longest
        })
    }

    #[test]
    fn overlapping_reads_do_not_make_the_log_grow_without_bound() {
        let bytes_max = 4 << 20;
        let kept = longest_log(bytes_max);
        // Between two looks the log may grow by that many commits, and a reader may make one attempt fail.
        assert!(kept < bytes_max + 8 * 200 * 16_000, "{kept} bytes");
        assert!(longest_log(u64::MAX) > kept, "the readers of this test do keep the log from starting over");
    }
}
