//! The power goes, at any moment: what the file can look like then, and what the store makes of it. And files that
//! were damaged while nobody looked.

mod flipped;
mod look;
mod states;

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use rusqlite::Connection;
use surehold_lab::disk::{Call, Files, Plan, Recording, record};
use tempfile::TempDir;

use self::look::Commits;

const FILE: &str = "surehold.db";

/// A run of the real store and engine, and what the file was after each of its commits.
struct Run {
    recording: Recording,
    commits: Commits,
}

impl Run {
    /// Three lives from no file at all.
    fn of_three_lives() -> &'static Run {
        static RUN: OnceLock<Run> = OnceLock::new();
        RUN.get_or_init(|| Run::new(Plan { seed: 1, lives: 3, rounds: 16 }, 4_096))
    }

    /// One life long enough for the log to start over. The store counts its log in pages, and so they are small here. A
    /// thread moves the log into the file; where it gets no core for long, a longer life is needed.
    fn of_a_long_life() -> &'static Run {
        static RUN: OnceLock<Run> = OnceLock::new();
        RUN.get_or_init(|| {
            let mut lives = [110, 220, 440, 880].map(|rounds| Plan { seed: 2, lives: 1, rounds }).into_iter();
            let run = lives.find_map(|plan| Some(Run::new(plan, 512)).filter(Run::log_started_over));
            run.expect("the log started over in one of them")
        })
    }

    fn log_started_over(&self) -> bool {
        let starts = |call: &&Call| matches!(call, Call::Write { name, offset: 0, .. } if name.ends_with("-wal"));
        self.recording.calls.iter().filter(starts).count() > 1
    }

    fn new(plan: Plan, page_bytes: u16) -> Run {
        let folder = scratch();
        let file = folder.path().join(FILE);
        if page_bytes != 4_096 {
            let sql = format!("pragma page_size = {page_bytes}; pragma journal_mode = wal; vacuum");
            Connection::open(&file).unwrap().execute_batch(&sql).unwrap();
        }
        let mut writer = Command::new(env!("CARGO_BIN_EXE_sell_on_disk"));
        writer.arg(file).args([plan.seed, plan.lives, plan.rounds].map(|number| number.to_string()));
        let recording = record(&mut writer, folder.path()).unwrap();
        let commits = Commits::of(&recording);
        Run { recording, commits }
    }
}

/// In memory where there is such a place: nothing here is to survive, and syncing it would take long.
fn scratch() -> TempDir {
    let memory = PathBuf::from("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}

/// A folder with these files.
fn folder_of(files: &Files) -> TempDir {
    let folder = scratch();
    surehold_lab::disk::write_files(folder.path(), files).unwrap();
    folder
}
