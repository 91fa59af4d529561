//! How often the disk can make 4 KiB durable: the yardstick of every commit.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

const APPEND_BYTES: usize = 4096;

/// Appends and syncs in a file of its own in `folder`, which it removes.
pub fn fdatasync_per_s(folder: &Path, duration: Duration) -> std::io::Result<f64> {
    let path = folder.join(format!("fdatasync-{}.probe", std::process::id()));
    let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
    let block = [0x5a; APPEND_BYTES];
    let started = Instant::now();
    let mut count = 0_u32;
    while started.elapsed() < duration {
        file.write_all(&block)?;
        file.sync_data()?;
        count += 1;
    }
    let rate = f64::from(count) / started.elapsed().as_secs_f64();
    drop(file);
    std::fs::remove_file(path)?;
    Ok(rate)
}
