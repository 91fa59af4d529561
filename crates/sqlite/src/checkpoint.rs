//! Moves what was committed from the write-ahead log into the file, on a thread of its own: the writer, for whom
//! everybody waits, appends meanwhile. Only when the log has become long does the writer move the last few pages
//! itself, because the log starts over only when nothing in it is left to move.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use rusqlite::{Connection, OpenFlags};
use tracing::warn;

/// The mover is woken when the log has grown by this much: little at a time, because what it makes durable at once
/// holds up the commits that are made durable meanwhile.
const PAGES_BETWEEN_MOVES: usize = 250;
/// What the writer may be asked to move itself.
const REST_PAGES_MAX: usize = 4_000;
/// From this length on the log is to start over.
const LOG_PAGES_LONG: usize = 8_000;

/// What the writer and the mover tell each other.
#[derive(Default)]
struct Shared {
    /// Pages in the log after the last commit.
    log_pages: AtomicUsize,
    /// The mover has moved nearly everything and waits for the writer to move the rest.
    rest_is_writers: AtomicBool,
}

pub(crate) struct Checkpointer {
    shared: Arc<Shared>,
    /// Gone when the mover is to end.
    wake: Option<SyncSender<()>>,
    mover: Option<JoinHandle<()>>,
    woken_at_pages: usize,
}

impl Checkpointer {
    /// Takes the log of the writer's connection over from SQLite's own checkpoints.
    pub(crate) fn start(path: &Path, writer: &mut Connection) -> rusqlite::Result<Checkpointer> {
        let shared = Arc::new(Shared::default());
        let told = Arc::clone(&shared);
        writer.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, pages: std::ffi::c_int| {
            told.log_pages.store(usize::try_from(pages).unwrap_or(0), Ordering::Relaxed);
            Ok(())
        }))?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.pragma_update(None, "synchronous", "full")?;
        let (wake, woken) = sync_channel(1);
        let theirs = Arc::clone(&shared);
        let mover = std::thread::Builder::new().name("surehold-log".to_owned());
        let mover = mover.spawn(move || move_when_woken(&connection, &woken, &theirs));
        if let Err(error) = &mover {
            warn!(%error, "Cannot start a thread for the write-ahead log; the writer does its work");
        }
        Ok(Checkpointer { shared, wake: Some(wake), mover: mover.ok(), woken_at_pages: 0 })
    }

    /// Called after each commit, outside of a transaction.
    pub(crate) fn committed(&mut self, writer: &Connection) {
        let pages = self.shared.log_pages.load(Ordering::Relaxed);
        if pages < self.woken_at_pages {
            // The log has started over.
            self.woken_at_pages = 0;
        }
        let alone = self.mover.is_none() && pages >= LOG_PAGES_LONG;
        if alone || self.shared.rest_is_writers.load(Ordering::Acquire) {
            if let Err(error) = checkpoint(writer) {
                warn!(%error, "Cannot move the rest of the write-ahead log: {error}");
            }
            self.shared.rest_is_writers.store(false, Ordering::Release);
        } else if pages >= self.woken_at_pages + PAGES_BETWEEN_MOVES {
            self.woken_at_pages = pages;
            // One that is at work already looks again when it is done.
            let _ = self.wake.as_ref().map(|wake| wake.try_send(()));
        }
    }
}

impl Drop for Checkpointer {
    /// Waits for the mover to let go of the file.
    fn drop(&mut self) {
        drop(self.wake.take());
        if let Some(mover) = self.mover.take() {
            let _ = mover.join();
        }
    }
}

fn move_when_woken(connection: &Connection, woken: &Receiver<()>, shared: &Shared) {
    while woken.recv().is_ok() {
        if shared.rest_is_writers.load(Ordering::Acquire) {
            continue;
        }
        match checkpoint(connection) {
            Ok(Log { pages, moved }) => {
                // A reader may keep pages from being moved; then there is no rest that the writer could move.
                let nearly_done = pages - moved.min(pages) <= REST_PAGES_MAX;
                if pages >= LOG_PAGES_LONG && nearly_done {
                    shared.rest_is_writers.store(true, Ordering::Release);
                }
            }
            Err(error) => warn!(%error, "Cannot move the write-ahead log into the file: {error}"),
        }
    }
}

struct Log {
    pages: usize,
    moved: usize,
}

/// Moves what readers allow, waiting for nobody.
fn checkpoint(connection: &Connection) -> rusqlite::Result<Log> {
    let count = |pages: i64| usize::try_from(pages).unwrap_or(0);
    connection.query_row("pragma wal_checkpoint(passive)", [], |row| {
        Ok(Log { pages: count(row.get(1)?), moved: count(row.get(2)?) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without anybody who moves the rest, a writer that never pauses would make the log grow for ever.
    #[test]
    fn the_log_starts_over_under_a_writer_that_never_pauses() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.db");
        let mut writer = Connection::open(&path).unwrap();
        writer.execute_batch("pragma journal_mode = wal; pragma synchronous = off; create table t (x)").unwrap();
        let mut checkpointer = Checkpointer::start(&path, &mut writer).unwrap();
        let (mut pages, mut started_over, mut written) = (0, 0, 0);
        // How long it gets before depends on when the mover gets a core.
        while started_over < 3 {
            assert!(written < 100_000, "the log only grows: {pages} pages");
            writer.execute("insert into t values (zeroblob(8000))", []).unwrap();
            checkpointer.committed(&writer);
            written += 1;
            let before = std::mem::replace(&mut pages, checkpointer.shared.log_pages.load(Ordering::Relaxed));
            started_over += i32::from(pages < before);
        }
        drop(checkpointer);
        let rows: i64 = writer.query_row("select count(*) from t", [], |row| row.get(0)).unwrap();
        assert_eq!(rows, written);
    }
}
