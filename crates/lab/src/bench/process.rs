//! What Linux says about a process: the CPU time it took, and the most memory it had.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};

/// Linux counts in hundredths of a second towards programs, whatever its own tick is.
pub const CPU_TICK: Duration = Duration::from_millis(10);

#[derive(Clone, Debug)]
pub struct Process {
    folder: PathBuf,
}

impl Process {
    pub fn new(pid: u32) -> Process {
        Process { folder: PathBuf::from(format!("/proc/{pid}")) }
    }

    pub fn myself() -> Process {
        Process { folder: PathBuf::from("/proc/self") }
    }

    /// Of all its threads, in the kernel and out of it.
    pub fn cpu(&self) -> Result<Duration> {
        let stat = std::fs::read_to_string(self.folder.join("stat")).context("the process has ended")?;
        Ok(CPU_TICK * cpu_ticks(&stat).context("/proc/PID/stat is not as expected")?)
    }

    pub fn peak_rss_bytes(&self) -> Result<u64> {
        let status = std::fs::read_to_string(self.folder.join("status")).context("the process has ended")?;
        peak_rss_bytes(&status).context("/proc/PID/status has no VmHWM")
    }
}

/// The name comes in brackets and may hold anything, also brackets and blanks.
fn cpu_ticks(stat: &str) -> Option<u32> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11).map(str::parse::<u32>);
    Some(fields.next()?.ok()? + fields.next()?.ok()?)
}

fn peak_rss_bytes(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1_024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found() {
        let stat = "77 (a (b) c) S 1 77 77 0 -1 4194304 2053 0 0 0 1234 66 0 0 20 0 4 0 9 1 2";
        assert_eq!(cpu_ticks(stat), Some(1_300));
        assert_eq!(cpu_ticks("77 (x) S 1"), None);
        assert_eq!(peak_rss_bytes("Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t 1 kB\n"), Some(2_097_152));
        assert_eq!(peak_rss_bytes("Name:\tx\n"), None);
    }

    #[test]
    fn this_process_has_both() {
        let me = Process::myself();
        me.cpu().unwrap();
        assert!(me.peak_rss_bytes().unwrap() > 100_000);
        assert_eq!(Process::new(std::process::id()).peak_rss_bytes().unwrap() / (1 << 30), 0);
        assert!(Process::new(u32::MAX).cpu().is_err());
    }
}
