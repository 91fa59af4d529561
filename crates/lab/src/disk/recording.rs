//! Runs a writer under `strace` and keeps what it did to the files of one folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::parse::parse;
use super::state::Files;

/// Everything by which a file can be changed, or a change be made durable, other than through mapped memory. What is
/// traced and not understood fails the recording.
const TRACED: &str = "openat,creat,write,writev,pwrite64,pwritev,pwritev2,fsync,fdatasync,sync_file_range,ftruncate,\
                      truncate,fallocate,copy_file_range,sendfile,unlink,unlinkat,rename,renameat,renameat2,link,linkat";
/// No single write is as long.
const BYTES_SHOWN_MAX: &str = "16777216";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// Opens the file, or makes it.
    Make {
        name: String,
    },
    Write {
        name: String,
        offset: usize,
        bytes: Vec<u8>,
    },
    Cut {
        name: String,
        length: usize,
    },
    Sync {
        name: String,
    },
    SyncFolder,
    Remove {
        name: String,
    },
    /// To whoever listens: from then on it counts as acknowledged.
    Say {
        text: String,
    },
}

/// Calls of different threads overlap, so each has a beginning and an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    Begin(usize),
    End(usize),
}

#[derive(Debug)]
pub struct Recording {
    /// The folder before the first call; all of it durable.
    pub before: Files,
    pub calls: Vec<Call>,
    pub moments: Vec<Moment>,
    /// The folder as the writer really left it, to compare with.
    pub after: Files,
}

/// Shared memory and the lock say nothing that outlives a process.
pub(super) fn is_on_disk(name: &str) -> bool {
    !["-shm", ".lock"].iter().any(|ending| name.ends_with(ending))
}

/// Runs the writer to its end. It must do its work in `folder`, and say what it acknowledges on its standard output.
pub fn record(writer: &mut Command, folder: &Path) -> Result<Recording> {
    let folder = folder.canonicalize()?;
    let before = read_folder(&folder)?;
    let log = tempfile::NamedTempFile::new()?;
    let mut strace = Command::new("strace");
    strace.args(["-f", "--seccomp-bpf", "-y", "-xx", "-s", BYTES_SHOWN_MAX, "-e"]).arg(format!("trace={TRACED}"));
    strace.args(["-e", "signal=none", "-o"]).arg(log.path()).arg("--").arg(writer.get_program());
    strace.args(writer.get_args()).stdin(Stdio::null()).stdout(Stdio::null());
    strace.envs(writer.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let status = strace.status().context("cannot run `strace`; `cargo xtask test` installs it")?;
    ensure!(status.success(), "the writer failed under strace: {status}");
    let log = fs::read_to_string(log.path())?;
    let (calls, moments) = parse(&log, &folder)?;
    Ok(Recording { before, calls, moments, after: read_folder(&folder)? })
}

fn read_folder(folder: &Path) -> Result<Files> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().into_string().ok().context("a name that is no text")?;
        if is_on_disk(&name) {
            files.insert(name, fs::read(entry.path())?);
        }
    }
    Ok(files)
}
