//! What a file is: which commits it has in it, and whether they make sense.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use surehold_core::kernel::HoldId;
use surehold_engine::{AuditConfig, Engine, EngineConfig, audit};
use surehold_lab::crash::{Report, read_reports};
use surehold_lab::disk::{Call, Disk, Fate, Moment, Recording, Syncs, hotels};
use surehold_simulators::Dice;
use surehold_sqlite::{OpenError, SqliteSnapshot, SqliteStore};

use super::super::sound::Snapshot;
use super::{FILE, folder_of};

/// What was acknowledged, by hold.
pub(super) type Acknowledged = HashMap<HoldId, Report>;

/// What is equal to what the run left after a commit is only as sound as the run, so a sample is enough.
const AUDITED_EVERY: usize = 8;

/// What the file was after each commit.
pub(super) struct Commits {
    by_content: HashMap<u64, usize>,
    /// After how many commits the content was audited: that need not be done twice.
    audited: Mutex<HashSet<usize>>,
}

/// What became of a file, in the eyes of somebody who opens it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Everything of the first commits, nothing of the others, and what was acknowledged is among it.
    Whole { commits: usize },
    /// The same, but something that was acknowledged is not there.
    Short { commits: usize },
    /// With a message that says which file it is and what to do.
    Refused(String),
    /// Content that the file never had. Whether those who look at all of it would tell.
    NeverWas { integrity_check: bool, audit: bool },
}

impl Commits {
    /// Every commit is synced in the log before anything else is done, so what was written up to each sync has them all.
    pub(super) fn of(recording: &Recording) -> Commits {
        let mut disk = Disk::new(recording, Syncs::All);
        let mut by_content = HashMap::from([(DefaultHasher::new().finish(), 0)]);
        for (index, moment) in recording.moments.iter().enumerate() {
            let Moment::End(call) = moment else { continue };
            if matches!(&recording.calls[*call], Call::Sync { name } if name.ends_with("-wal")) {
                disk.play_to(index + 1);
                let folder = folder_of(&disk.files(Fate::Kept, &mut Dice::new(0)));
                let commits = by_content.len();
                by_content.entry(read(&folder.path().join(FILE)).unwrap().content).or_insert(commits);
            }
        }
        Commits { by_content, audited: Mutex::default() }
    }

    pub(super) fn count(&self) -> usize {
        self.by_content.len()
    }

    /// Opens the file as a server would, and looks at everything in it.
    pub(super) fn look(&self, file: &Path, acknowledged: &Acknowledged) -> Verdict {
        let store = match SqliteStore::open(file) {
            Ok(store) => store,
            // What ran is recorded in the file, with checksums; and by the name of that record, a file is known as ours.
            Err(error @ (OpenError::Schema(_) | OpenError::NotOurs { .. })) => {
                return Verdict::Refused(error.to_string());
            }
            Err(error) => {
                let text = error.to_string();
                let named = text.contains(&file.display().to_string());
                assert!(named && text.contains("backup"), "which file it is and what to do: {text}");
                return Verdict::Refused(text.replace(&file.display().to_string(), ""));
            }
        };
        let Ok(there) = read(file) else {
            return Verdict::NeverWas { integrity_check: true, audit: true };
        };
        let commits = match self.by_content.get(&there.content).copied() {
            Some(commits) if there.integrity => commits,
            _ => {
                drop(store);
                let audit = is_noticed_by_audit(file);
                return Verdict::NeverWas { integrity_check: !there.integrity, audit };
            }
        };
        if commits % AUDITED_EVERY == 0 && self.audited.lock().unwrap().insert(commits) {
            assert_consistent(store, &there.tenants);
            assert!(!is_noticed_by_audit(file), "after {commits} commits");
        }
        let kept = |(id, report): (&HoldId, &Report)| is_kept(*report, there.holds.get(id).map(String::as_str));
        if acknowledged.iter().all(kept) { Verdict::Whole { commits } } else { Verdict::Short { commits } }
    }
}

/// The next step may have been carried out without an answer.
fn is_kept(report: Report, state: Option<&str>) -> bool {
    match report {
        Report::Asked => true,
        Report::Placed => state.is_some(),
        Report::Cancelled => state == Some("cancelled"),
        Report::Booked => state == Some("converted"),
    }
}

/// Takes in what the writer said meanwhile.
pub(super) fn hear(acknowledged: &mut Acknowledged, recording: &Recording, moments: Range<usize>) {
    for moment in &recording.moments[moments] {
        if let Moment::Begin(call) = moment
            && let Call::Say { text } = &recording.calls[*call]
        {
            acknowledged.extend(read_reports(text.as_bytes()).unwrap());
        }
    }
}

/// To count messages that differ only in which page it is.
pub(super) fn without_numbers(text: &str) -> String {
    let words = text.split_whitespace().filter(|word| !word.contains(|letter: char| letter.is_ascii_digit()));
    words.collect::<Vec<_>>().join(" ")
}

struct There {
    /// A digest of every row.
    content: u64,
    holds: HashMap<HoldId, String>,
    tenants: Vec<i64>,
    integrity: bool,
}

/// Reads with nothing of ours in between.
fn read(file: &Path) -> rusqlite::Result<There> {
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let mut there = There { content: 0, holds: HashMap::new(), tenants: Vec::new(), integrity: false };
    // Its instants differ from one making of an empty file to the next.
    let tables = "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' \
                  and name <> 'schema_migrations' order by name";
    let mut tables = connection.prepare(tables)?;
    let tables: Vec<String> = tables.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let mut hasher = DefaultHasher::new();
    for table in &tables {
        digest(&connection, table, &mut hasher)?;
    }
    there.content = hasher.finish();
    if tables.iter().any(|table| table == "holds") {
        let mut holds = connection.prepare("select id, state from holds")?;
        let mut rows = holds.query([])?;
        while let Some(row) = rows.next()? {
            let id = uuid::Uuid::from_slice(&row.get::<_, Vec<u8>>(0)?).unwrap_or_default();
            if let Ok(id) = HoldId::parse(&id.to_string()) {
                there.holds.insert(id, row.get(1)?);
            }
        }
        let mut tenants = connection.prepare("select tenant from tenants")?;
        there.tenants = tenants.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    }
    let integrity: String = connection.query_row("pragma integrity_check(1)", [], |row| row.get(0))?;
    there.integrity = integrity == "ok";
    Ok(there)
}

fn digest(connection: &Connection, table: &str, hasher: &mut DefaultHasher) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(&format!("select * from \"{table}\""))?;
    let columns = statement.column_count();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        // An empty table and one that was not made yet are the same.
        table.hash(hasher);
        for column in 0..columns {
            match row.get_ref(column)? {
                ValueRef::Null => 0_u8.hash(hasher),
                ValueRef::Integer(int) => (1_u8, int).hash(hasher),
                ValueRef::Real(real) => (2_u8, real.to_bits()).hash(hasher),
                ValueRef::Text(bytes) => (3_u8, bytes).hash(hasher),
                ValueRef::Blob(bytes) => (4_u8, bytes).hash(hasher),
            }
        }
    }
    Ok(())
}

/// Sums, journal and all: the auditor of the other fault tests, through the engine.
fn assert_consistent(store: SqliteStore, tenants: &[i64]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let config =
            EngineConfig { sweep_pause: None, schedule_pause: None, outbox_pause: None, ..EngineConfig::default() };
        let engine = Engine::start(Arc::new(store), config).unwrap();
        for hotel in hotels().iter().filter(|hotel| tenants.contains(&hotel.tenant.0)) {
            Snapshot::read(&engine, hotel.tenant).await.assert_consistent();
        }
        engine.stop().await;
    });
}

/// Whether `surehold audit` finds something, or cannot look.
fn is_noticed_by_audit(file: &Path) -> bool {
    let report = SqliteSnapshot::open(file).ok().and_then(|mut there| audit(&mut there, &AuditConfig::default()).ok());
    report.is_none_or(|report| !report.is_clean())
}
