//! How often the disk can make 4 KiB durable: the yardstick of every commit.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use super::Measured;

const APPEND_BYTES: usize = 4096;

/// Appends and syncs in a file of its own in `folder`, which it removes. Each append is counted as one hold.
pub fn fdatasync(folder: &Path, duration: Duration) -> std::io::Result<Measured> {
    let path = folder.join(format!("fdatasync-{}.probe", std::process::id()));
    let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
    let block = [0x5a; APPEND_BYTES];
    let started = Instant::now();
    let mut measured = Measured::default();
    while started.elapsed() < duration {
        let asked_at = Instant::now();
        file.write_all(&block)?;
        file.sync_data()?;
        measured.latencies.record(asked_at.elapsed(), 1);
        measured.holds += 1;
    }
    measured.elapsed = started.elapsed();
    drop(file);
    std::fs::remove_file(path)?;
    Ok(measured)
}
