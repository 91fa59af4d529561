//! A clock that can be turned while its process runs: libfaketime, told by a file. Only the wall clock; what measures
//! durations goes on.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The one for processes with many threads.
const LIBRARY: &str = "libfaketimeMT.so.1";
/// Where it is instead, for those who keep it elsewhere.
const VARIABLE: &str = "SUREHOLD_LIBFAKETIME";
const FOLDERS: [&str; 4] =
    ["/usr/lib/faketime", "/usr/lib64/faketime", "/usr/local/lib/faketime", "/opt/homebrew/lib/faketime"];

/// Debian has it in `/usr/lib/<machine>/faketime`.
pub(super) fn find_library() -> Option<PathBuf> {
    let named = std::env::var_os(VARIABLE).map(PathBuf::from);
    let machines = std::fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    let debian = machines.map(|machine| machine.path().join("faketime").join(LIBRARY));
    let others = FOLDERS.iter().map(|folder| Path::new(folder).join(LIBRARY));
    named.into_iter().chain(debian).chain(others).find(|path| path.is_file())
}

#[derive(Clone, Debug)]
pub(super) struct FakeClock {
    library: PathBuf,
    file: PathBuf,
}

impl FakeClock {
    pub(super) fn new(library: PathBuf, file: PathBuf) -> Result<FakeClock> {
        let clock = FakeClock { library, file };
        clock.set(0)?;
        Ok(clock)
    }

    /// For the process whose clock it is. The file is looked at once a second.
    pub(super) fn variables(&self) -> Vec<(String, String)> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let pairs = [
            ("LD_PRELOAD", text(&self.library)),
            ("FAKETIME_TIMESTAMP_FILE", text(&self.file)),
            ("FAKETIME_CACHE_DURATION", "1".to_owned()),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
            ("DONT_FAKE_MONOTONIC", "1".to_owned()),
        ];
        pairs.map(|(name, value)| (name.to_owned(), value)).to_vec()
    }

    /// As it was last set.
    pub(super) fn offset_secs(&self) -> Result<i64> {
        let written = std::fs::read_to_string(&self.file).context("cannot look at a clock")?;
        written.trim().parse().context("a clock that shows no time")
    }

    /// Seconds beside the true time. In one step: a file that is half written would be no time at all.
    pub(super) fn set(&self, offset_secs: i64) -> Result<()> {
        let new = self.file.with_extension("new");
        let written = std::fs::write(&new, format!("{offset_secs:+}\n"));
        written.and_then(|()| std::fs::rename(&new, &self.file)).context("cannot turn a clock")
    }
}
