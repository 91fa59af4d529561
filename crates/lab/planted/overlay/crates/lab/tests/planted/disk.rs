//! The power goes while somebody sells on a file: what was acknowledged is there, or not.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::process::Command;

use rusqlite::{Connection, OpenFlags};
use surehold_core::kernel::HoldId;
use surehold_lab::crash::{Report, read_reports};
use surehold_lab::disk::{Call, Disk, Fate, Moment, Recording, Syncs, record, write_files};
use surehold_simulators::Dice;

use super::Harm;

const FILE: &str = "surehold.db";
/// Spread over the run.
const CUTS: usize = 20;

/// The disk keeps what was synced and nothing else.
pub(super) async fn a_commit_that_is_not_synced() -> Harm {
    tokio::task::spawn_blocking(lose_power).await.unwrap()
}

fn lose_power() -> Harm {
    let recording = sell();
    let mut disk = Disk::new(&recording, Syncs::All);
    let (mut acknowledged, mut heard) = (HashMap::new(), 0);
    for number in 1..=CUTS {
        let cut = recording.moments.len() * number / CUTS;
        disk.play_to(cut);
        hear(&mut acknowledged, &recording.moments[heard..cut], &recording);
        heard = cut;
        let folder = tempfile::tempdir().unwrap();
        write_files(folder.path(), &disk.files(Fate::Lost, &mut Dice::new(number))).unwrap();
        let there = holds(&folder.path().join(FILE));
        let placed = acknowledged.iter().filter(|(_, report)| **report != Report::Asked);
        let lost = placed.filter(|(id, _)| !there.contains(*id)).count();
        if lost > 0 {
            return Some(format!("{lost} of {} acknowledged holds are gone", acknowledged.len()));
        }
    }
    assert!(acknowledged.len() > 50, "{} holds were placed", acknowledged.len());
    None
}

/// In a process of its own, with the bug that is planted in this one.
fn sell() -> Recording {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Command::new(env!("CARGO_BIN_EXE_sell_on_disk"));
    writer.arg(folder.path().join(FILE)).args(["1", "1", "8"]);
    if surehold_core::planted!("commit-unsynced") {
        writer.env(surehold_core::planted::HERE, "commit-unsynced");
    }
    record(&mut writer, folder.path()).unwrap()
}

fn hear(acknowledged: &mut HashMap<HoldId, Report>, moments: &[Moment], recording: &Recording) {
    for moment in moments {
        if let Moment::Begin(call) = moment
            && let Call::Say { text } = &recording.calls[*call]
        {
            acknowledged.extend(read_reports(text.as_bytes()).unwrap());
        }
    }
}

/// None where there is no file, or nothing in it yet.
fn holds(file: &Path) -> HashSet<HoldId> {
    let read = || {
        let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let mut holds = connection.prepare("select id from holds")?;
        let ids = holds.query_map([], |row| row.get::<_, Vec<u8>>(0))?;
        ids.collect::<rusqlite::Result<Vec<_>>>()
    };
    let ids = read().unwrap_or_default();
    ids.iter().map(|id| HoldId::parse(&uuid::Uuid::from_slice(id).unwrap().to_string()).unwrap()).collect()
}
