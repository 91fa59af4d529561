//! Facts about this machine: its disk, its limits, and whether a server runs. Leaves no trace: the probe of the disk
//! writes to a file without a name, and locks are looked up, not tried.

use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::facts::{AccountsFile, FolderFacts, ServerFacts};
use crate::accounts::Accounts;
use crate::config::{Config, StoreTarget};

const PROBES_MAX: usize = 32;
const PROBING_MAX: Duration = Duration::from_millis(500);

pub(super) fn kernel() -> Option<String> {
    let read = |name: &str| fs::read_to_string(Path::new("/proc/sys/kernel").join(name)).ok();
    Some(format!("{} {}", read("ostype")?.trim(), read("osrelease")?.trim()))
}

pub(super) fn open_files_max() -> Option<u64> {
    open_files_max_in(&fs::read_to_string("/proc/self/limits").ok()?)
}

pub(super) fn open_files_max_in(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    match line.split_whitespace().next()? {
        "unlimited" => Some(u64::MAX),
        number => number.parse().ok(),
    }
}

pub(super) fn unreadable_files(config: &Config) -> Vec<(PathBuf, String)> {
    let files = [&config.server.tls_certificate_file, &config.server.tls_key_file];
    let fails = |path: &PathBuf| match File::open(path).and_then(|mut file| file.read(&mut [0])) {
        Ok(_) => None,
        Err(error) => Some((path.clone(), error.to_string())),
    };
    files.into_iter().flatten().filter_map(fails).collect()
}

pub(super) fn accounts(config: &Config) -> Option<AccountsFile> {
    let path = config.stripe.accounts_file.clone()?;
    Some(match Accounts::load(config) {
        Err(error) => AccountsFile::Unusable(error.to_string()),
        Ok(Accounts { facts, .. }) => AccountsFile::Read { mode: mode_of(&path), path, accounts: facts },
    })
}

fn mode_of(path: &Path) -> Option<u32> {
    fs::metadata(path).ok().map(|metadata| metadata.permissions().mode() & 0o777)
}

pub(super) fn folder(config: &Config) -> FolderFacts {
    let (path, on_this_disk) = match config.store.target() {
        StoreTarget::Sqlite(file) => (folder_of(&file), true),
        StoreTarget::Postgres(_) => (config.store.data_dir.clone(), false),
    };
    let mode = mode_of(&path);
    let nearest = std::path::absolute(&path).ok().and_then(|path| {
        let existing = path.ancestors().find(|folder| folder.is_dir())?;
        existing.canonicalize().ok()
    });
    match nearest.filter(|_| on_this_disk) {
        None => FolderFacts { path, mode, ..FolderFacts::default() },
        Some(nearest) => FolderFacts {
            path,
            mode,
            file_system: fs::read_to_string("/proc/self/mountinfo")
                .ok()
                .and_then(|mounts| file_system_of(&mounts, &nearest)),
            bytes: rustix::fs::statvfs(&nearest).ok().map(|found| {
                (found.f_bavail.saturating_mul(found.f_frsize), found.f_blocks.saturating_mul(found.f_frsize))
            }),
            flush_micros: flush_micros(&nearest).ok().flatten(),
        },
    }
}

fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        Some(_) | None => PathBuf::from("."),
    }
}

/// The type of the file system that a path is on: of the mounts above it the deepest, and of equals the last.
pub(super) fn file_system_of(mounts: &str, path: &Path) -> Option<String> {
    let above = mounts.lines().filter_map(|line| {
        let (mount, file_system) = line.split_once(" - ")?;
        let point = mount.split(' ').nth(4)?.replace("\\040", " ");
        let depth = path.starts_with(&point).then(|| Path::new(&point).components().count())?;
        Some((depth, file_system.split(' ').next()?.to_owned()))
    });
    above.max_by_key(|(depth, _)| *depth).map(|(_, file_system)| file_system)
}

fn flush_micros(folder: &Path) -> io::Result<Option<u64>> {
    let mut file = tempfile::tempfile_in(folder)?;
    let started_at = Instant::now();
    let mut micros = Vec::new();
    // The first one also makes room on the disk, and is not counted.
    for probe in 0..=PROBES_MAX {
        file.rewind()?;
        file.write_all(&[u8::try_from(probe).unwrap_or(0); 4096])?;
        let flushed_at = Instant::now();
        file.sync_data()?;
        if probe > 0 {
            micros.push(u64::try_from(flushed_at.elapsed().as_micros()).unwrap_or(u64::MAX));
        }
        if started_at.elapsed() > PROBING_MAX {
            break;
        }
    }
    micros.sort_unstable();
    Ok(micros.get(micros.len() / 2).copied())
}

pub(super) fn server(config: &Config) -> ServerFacts {
    let lock_held_by = match config.store.target() {
        StoreTarget::Postgres(_) => None,
        StoreTarget::Sqlite(file) => holder_of(&file.canonicalize().unwrap_or(file)),
    };
    ServerFacts { lock_held_by, socket_answers: UnixStream::connect(config.store.socket()).is_ok() }
}

/// Trying the lock would, for a moment, keep a server from starting.
fn holder_of(file: &Path) -> Option<u32> {
    let mut name = file.as_os_str().to_owned();
    name.push(".lock");
    let inode = fs::metadata(name).ok()?.ino();
    holder_in(&fs::read_to_string("/proc/locks").ok()?, inode)
}

/// By the file's number alone: the device is not the one that `stat` tells on btrfs and on overlays, and a chance
/// meeting of numbers would make a wrong remark, not a wrong verdict.
pub(super) fn holder_in(locks: &str, inode: u64) -> Option<u32> {
    locks.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, "FLOCK", _, "WRITE", process, file, ..] = words.as_slice() else { return None };
        let found: u64 = file.rsplit(':').next()?.parse().ok()?;
        if found == inode { process.parse().ok() } else { None }
    })
}
