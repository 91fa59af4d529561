//! A reader that goes through whole tables while others write: a dump, a report that never ends.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::JoinHandle;

use anyhow::{Context, Result, ensure};
use rusqlite::{Connection, OpenFlags};

/// Reads until it is stopped.
#[derive(Debug)]
pub struct Reader {
    stop: Arc<AtomicBool>,
    scans: Arc<AtomicU32>,
    thread: JoinHandle<Result<()>>,
}

impl Reader {
    /// One read transaction over the file, as long as the reader lives, scanning all holds again and again.
    pub fn sqlite(path: &Path) -> Reader {
        let path = path.to_owned();
        Reader::start(move |stop, scans| {
            let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
            connection.execute_batch("begin")?;
            while !stop.load(Ordering::Relaxed) {
                connection.query_row("select sum(length(lines)) from holds", [], |_| Ok(()))?;
                scans.fetch_add(1, Ordering::Relaxed);
            }
            Ok(())
        })
    }

    /// `pg_dump` of the holds, again and again.
    pub fn postgres(url: &str) -> Result<Reader> {
        let (url, pg_dump) = (url.to_owned(), find_pg_dump()?);
        Ok(Reader::start(move |stop, scans| {
            while !stop.load(Ordering::Relaxed) {
                let mut dump = Command::new(&pg_dump);
                let mut dump = dump.args(["--data-only", "--table=holds", &url]).stdout(Stdio::null()).spawn()?;
                while dump.try_wait()?.is_none() {
                    if stop.load(Ordering::Relaxed) {
                        dump.kill()?;
                    }
                    std::thread::sleep(std::time::Duration::from_millis(20));
                }
                let status = dump.wait()?;
                ensure!(status.success() || stop.load(Ordering::Relaxed), "pg_dump failed");
                scans.fetch_add(1, Ordering::Relaxed);
            }
            Ok(())
        }))
    }

    fn start(read: impl FnOnce(&AtomicBool, &AtomicU32) -> Result<()> + Send + 'static) -> Reader {
        let (stop, scans) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
        let (stop_here, scans_here) = (Arc::clone(&stop), Arc::clone(&scans));
        Reader { stop, scans, thread: std::thread::spawn(move || read(&stop_here, &scans_here)) }
    }

    /// How often the tables were read to the end, the last time perhaps in part.
    pub fn stop(self) -> Result<u32> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().map_err(|_| anyhow::anyhow!("the reader broke"))?.context("the reader failed")?;
        Ok(self.scans.load(Ordering::Relaxed))
    }
}

fn find_pg_dump() -> Result<PathBuf> {
    let on_path =
        std::env::var_os("PATH").into_iter().flat_map(|path| std::env::split_paths(&path).collect::<Vec<_>>());
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    folders.sort();
    let candidates = on_path.chain(folders.into_iter().rev()).map(|folder| folder.join("pg_dump"));
    candidates.into_iter().find(|path| path.exists()).context("pg_dump is not installed; install postgresql-client")
}
