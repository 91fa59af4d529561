//! A small disk that can be filled: a tmpfs in a mount namespace of its own, kept by a process that does nothing else.
//! Whoever uses it enters the namespace; what is on it survives them all, but not its keeper.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::memory;

const KEEPER: &str = r#"mount -t tmpfs -o "size=$2,mode=700" surehold-torture "$1" && echo mounted && exec cat"#;
/// Whether all that is needed is there and allowed; over whatever folder, which nobody else sees.
const TRIAL: &str = "mount -t tmpfs surehold-torture /tmp && nsenter --version";
const SIZE_BYTES_MAX: u64 = 1 << 30;
const SIZE_BYTES_MIN: u64 = 128 << 20;
const CHUNK_BYTES: usize = 1 << 20;
const LAST_CHUNK_BYTES: usize = 4 << 10;

#[derive(Debug)]
pub(super) struct SmallDisk {
    keeper: Child,
    folder: PathBuf,
}

/// Why there can be none here, if so.
pub(super) fn forbidden() -> Option<String> {
    let tried = Command::new("unshare").args(["-Urm", "sh", "-c", TRIAL]).output();
    match tried {
        Ok(output) if output.status.success() => {
            size_bytes().err().map(|error| format!("there is not enough memory for a small disk: {error:#}"))
        }
        Ok(output) => {
            let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            Some(format!("no namespace of its own is allowed: {why}"))
        }
        Err(error) => Some(format!("`unshare` (util-linux) is missing: {error}")),
    }
}

/// A part of the memory that is free.
fn size_bytes() -> Result<u64> {
    let bytes = (memory::free_bytes()? / 4).min(SIZE_BYTES_MAX);
    ensure!(bytes >= SIZE_BYTES_MIN, "a quarter of what is available is {} MiB", bytes >> 20);
    Ok(bytes)
}

impl SmallDisk {
    /// Puts it over the folder, for those who enter.
    pub(super) fn mount(folder: &Path, group: i32) -> Result<SmallDisk> {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let folder = folder.canonicalize().context("cannot find the folder again")?;
        let mut unshare = Command::new("unshare");
        unshare.args(["-Urm", "sh", "-c", KEEPER, "surehold-torture-disk"]).arg(&folder).arg(size_bytes()?.to_string());
        unshare.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(group);
        let mut keeper = unshare.spawn().context("cannot start `unshare`")?;
        let mut said = String::new();
        let stdout = keeper.stdout.take().context("its output is piped")?;
        BufReader::new(stdout).read_line(&mut said).context("cannot hear from the keeper of the disk")?;
        ensure!(said.trim_end() == "mounted", "cannot make a small disk; see what it says above");
        Ok(SmallDisk { keeper, folder })
    }

    /// What to put in front of a command.
    pub(super) fn enter(&self) -> Vec<String> {
        let target = self.keeper.id().to_string();
        ["nsenter", "--user", "--mount", "--preserve-credentials", "--target", &target].map(str::to_owned).to_vec()
    }

    /// As it is seen from outside.
    pub(super) fn outside(&self) -> PathBuf {
        let folder = self.folder.strip_prefix("/").unwrap_or(&self.folder);
        Path::new(&format!("/proc/{}/root", self.keeper.id())).join(folder)
    }

    fn ballast(&self) -> PathBuf {
        self.outside().join("ballast")
    }

    /// Leaves not a page.
    pub(super) fn fill(&self) -> Result<()> {
        let mut file = File::create(self.ballast()).context("cannot make a ballast")?;
        for chunk in [CHUNK_BYTES, LAST_CHUNK_BYTES] {
            let zeros = vec![0; chunk];
            loop {
                match file.write(&zeros) {
                    Ok(_) => {}
                    Err(error) if error.kind() == ErrorKind::StorageFull => break,
                    Err(error) => return Err(error).context("cannot write a ballast"),
                }
            }
        }
        Ok(())
    }

    pub(super) fn empty(&self) -> Result<()> {
        match std::fs::remove_file(self.ballast()) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error).context("cannot remove the ballast"),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Waiting closes its input first, and with it goes the disk.
        let _ = self.keeper.wait();
    }
}
