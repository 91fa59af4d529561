//! What only a file has: one writer and any number of readers, damage, and a schema from another time.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use surehold_core::kernel::commands::PlaceHold;
use surehold_engine::SchemaError;
use surehold_sqlite::{OpenError, SqliteSnapshot, SqliteStore, facts_for_doctor, migrate, migrations_pending};
use surehold_testkit::fixture::{Fixture, StoreKind};

use crate::conformance::{World, new_id, parse_lines};

async fn fixture() -> Fixture {
    Fixture::new(StoreKind::Sqlite).await.unwrap()
}

/// A file with something in it that nobody has open.
async fn filled() -> Fixture {
    let fixture = fixture().await;
    let mut world = World::open(&fixture).await;
    world.play("put room=5000; show room").await;
    let place = |_| PlaceHold::new(new_id(), parse_lines("room=1"));
    world.engine.run_all(world.tenant, (0..4_000).map(place).collect()).await;
    world.engine.stop().await;
    fixture
}

fn reader(path: &Path) -> Connection {
    Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap()
}

fn holds(reader: &Connection) -> i64 {
    reader.query_row("select count(*) from holds", [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn a_second_writer_is_refused() {
    let fixture = fixture().await;
    let file = fixture.file();
    let require_refused = || match SqliteStore::open(&file) {
        Err(error @ OpenError::InUse { .. }) => {
            let text = error.to_string();
            assert!(text.contains(&file.display().to_string()) && text.contains("another process writes"), "{text}");
        }
        other => panic!("{other:?}"),
    };
    let mut world = World::open(&fixture).await;
    require_refused();
    world.play("put room=1; hold a room=1").await;
    require_refused();
    for _ in 0..20 {
        world.restart().await;
        require_refused();
    }
    world.engine.stop().await;

    let idle = SqliteStore::open(&file).unwrap();
    require_refused();
    drop(idle);
    SqliteStore::open(&file).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_are_welcome() {
    let fixture = fixture().await;
    let mut world = World::open(&fixture).await;
    world.play("put room=1000").await;
    let (patient, fresh) = (reader(&fixture.file()), reader(&fixture.file()));
    patient.execute_batch("begin").unwrap();
    let before = holds(&patient);
    let mut seen = 0;
    for count in 1..=200 {
        world.engine.run(world.tenant, PlaceHold::new(new_id(), parse_lines("room=1"))).await.unwrap();
        let now = holds(&fresh);
        assert!(seen < now && now == count, "what is answered can be read at once");
        seen = now;
    }
    assert_eq!(holds(&patient), before, "a reader sees one moment");
    patient.execute_batch("commit").unwrap();
    assert_eq!(holds(&patient), 200);
    world.audit().await;
}

fn require_damaged(file: &Path) {
    let before = fs::read(file).unwrap();
    match SqliteStore::open(file) {
        Err(error @ OpenError::Damaged { .. }) => {
            let text = error.to_string();
            assert!(text.contains(&file.display().to_string()) && text.contains("backup"), "{text}");
        }
        other => panic!("{other:?}"),
    }
    let refused = SqliteSnapshot::open(file).map(drop);
    assert!(matches!(refused, Err(OpenError::Damaged { .. })), "whoever audits is told the same: {refused:?}");
    assert!(fs::read(file).unwrap() == before, "a damaged file is evidence, and is left as it is");
}

/// An audit says no good of a file that a server would refuse.
#[tokio::test]
async fn a_damaged_log_is_refused_by_whoever_reads() {
    let fixture = fixture().await;
    let mut world = World::open(&fixture).await;
    world.play("put room=9; hold a room=1; hold b room=1; book a; cancel b; show room").await;
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.db");
    let [log, copied_log] = [&fixture.file(), &copy].map(|file| file.with_extension("db-wal"));
    fs::copy(fixture.file(), &copy).unwrap();
    let sound = fs::read(log).unwrap();
    fs::write(&copied_log, &sound).unwrap();
    drop(SqliteSnapshot::open(&copy).unwrap());

    let mut harmed = sound;
    harmed[100] ^= 1;
    fs::write(&copied_log, &harmed).unwrap();
    let refused = SqliteSnapshot::open(&copy).map(drop).unwrap_err();
    assert!(matches!(refused, OpenError::Damaged { .. }), "{refused:?}");
    for advice in ["copy.db", "-wal", "-shm", "backup"] {
        assert!(refused.to_string().contains(advice), "{refused}");
    }
    require_damaged(&copy);
    assert_eq!(fs::read(copied_log).unwrap(), harmed);
    // Who writes has looked at its log itself, and changes it all the time.
    let writer = fs::File::open(folder.path().join("copy.db.lock")).unwrap();
    writer.lock().unwrap();
    let beside = SqliteSnapshot::open(&copy).map(drop);
    assert!(!matches!(beside, Err(OpenError::Damaged { .. })), "{beside:?}");
    world.engine.stop().await;
}

#[tokio::test]
async fn what_is_no_database_is_refused() {
    let fixture = fixture().await;
    fs::write(fixture.file(), "Dear diary, today I sold a room.\n".repeat(1_000)).unwrap();
    require_damaged(&fixture.file());
    fs::write(fixture.file(), [0xff; 8_192]).unwrap();
    require_damaged(&fixture.file());
}

#[tokio::test]
async fn a_damaged_file_is_refused() {
    let fixture = filled().await;
    let sound = fs::read(fixture.file()).unwrap();
    let pages = u64::try_from(sound.len()).unwrap() / 4_096;
    for page in [0, pages / 4, pages / 2, pages - 2] {
        fs::write(fixture.file(), &sound).unwrap();
        let file = fs::OpenOptions::new().write(true).open(fixture.file()).unwrap();
        file.write_all_at(&[0xa5; 4_096], page * 4_096).unwrap();
        require_damaged(&fixture.file());
    }
    fs::write(fixture.file(), &sound).unwrap();
    SqliteStore::open(&fixture.file()).unwrap();
}

#[tokio::test]
async fn a_truncated_file_is_refused() {
    let fixture = filled().await;
    let sound = fs::read(fixture.file()).unwrap();
    for bytes in [sound.len() / 2, sound.len() - 4_096, 5_000, 1_000] {
        fs::write(fixture.file(), &sound[..bytes]).unwrap();
        require_damaged(&fixture.file());
    }
}

#[tokio::test]
async fn what_cannot_be_opened_says_so() {
    let fixture = fixture().await;
    let nowhere = fixture.file().join("no/such/folder.db");
    let error = SqliteStore::open(&nowhere).unwrap_err();
    assert!(matches!(error, OpenError::Io { .. }), "{error:?}");
    assert!(error.to_string().contains("folder.db"), "{error}");
    // Its lock and its log can be had, and SQLite cannot open it.
    let folder = fixture.file().with_file_name("folder");
    fs::create_dir(&folder).unwrap();
    let error = SqliteStore::open(&folder).unwrap_err();
    assert!(matches!(error, OpenError::Unusable { .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.contains(&folder.display().to_string()) && text.contains("its code is 14"), "{text}");
}

async fn open_after(sql: &str) -> Result<SqliteStore, OpenError> {
    let fixture = filled().await;
    Connection::open(fixture.file()).unwrap().execute_batch(sql).unwrap();
    SqliteStore::open(&fixture.file())
}

#[tokio::test]
async fn a_newer_schema_is_refused_unless_it_can_be_lived_with() {
    let newer = |usable_from: i64| {
        format!(
            "insert into schema_migrations (number, name, checksum, usable_from) values (99, 'new', 'x', {usable_from})"
        )
    };
    match open_after(&newer(99)).await {
        Err(OpenError::Schema(SchemaError::TooNew { applied: 99, .. })) => {}
        other => panic!("{other:?}"),
    }
    open_after(&newer(1)).await.unwrap();
}

#[tokio::test]
async fn a_changed_migration_is_refused() {
    match open_after("update schema_migrations set checksum = 'x' where number = 1").await {
        Err(OpenError::Schema(SchemaError::Changed { number: 1 })) => {}
        other => panic!("{other:?}"),
    }
}

/// Somebody may copy it, or mail it.
#[tokio::test]
async fn a_stopped_file_is_complete_by_itself() {
    let fixture = filled().await;
    let copy = fixture.file().with_extension("copy");
    fs::copy(fixture.file(), &copy).unwrap();
    let (original, copy) = (reader(&fixture.file()), reader(&copy));
    assert_eq!((holds(&original), holds(&copy)), (4_000, 4_000));
    let mode: String = copy.query_row("pragma journal_mode", [], |row| row.get(0)).unwrap();
    assert_eq!(mode, "wal");
}

#[tokio::test]
async fn a_database_of_somebody_else_is_left_alone() {
    let fixture = fixture().await;
    Connection::open(fixture.file()).unwrap().execute_batch("create table diary (day text)").unwrap();
    let before = fs::read(fixture.file()).unwrap();
    let error = SqliteStore::open(&fixture.file()).unwrap_err();
    assert!(matches!(error, OpenError::NotOurs { .. }), "{error:?}");
    assert!(fs::read(fixture.file()).unwrap() == before);
}

#[tokio::test]
async fn another_name_of_the_file_meets_the_same_lock() {
    let fixture = fixture().await;
    let world = World::open(&fixture).await;
    let alias = fixture.file().with_file_name("alias.db");
    std::os::unix::fs::symlink(fixture.file(), &alias).unwrap();
    let error = SqliteStore::open(&alias).unwrap_err();
    assert!(matches!(error, OpenError::InUse { .. }), "{error:?}");
    world.engine.stop().await;
    SqliteStore::open(&alias).unwrap();
}

#[tokio::test]
async fn migrating_tells_what_it_did() {
    let fixture = fixture().await;
    let file = fixture.file();
    let all = migrations_pending(&file).unwrap();
    assert_eq!((all[0].as_str(), all[2].as_str()), ("0001_kernel", "0003_reading_role"));
    assert!(!file.exists(), "asking makes no file");
    assert_eq!(migrate(&file).unwrap(), all);
    assert_eq!((migrations_pending(&file).unwrap(), migrate(&file).unwrap()), (Vec::new(), Vec::new()));
    let connection = Connection::open(&file).unwrap();
    // As an earlier version left it.
    let triggers = "select group_concat('drop trigger ' || name, ';') from sqlite_master where type = 'trigger'";
    let newer: String = connection.query_row(triggers, [], |row| row.get(0)).unwrap();
    connection.execute_batch(&newer).unwrap();
    let newer = "delete from schema_migrations where number > 2; drop index journal_by_time; drop view hold_nights; \
                 alter table pools drop column tracked";
    connection.execute_batch(newer).unwrap();
    let before = "select group_concat('drop table ' || name, ';') from sqlite_master where type = 'table' and name not in \
                  ('slugs', 'tenants', 'pools', 'holds', 'owners', 'replies', 'journal', 'api_keys', 'schema_migrations')";
    let drops: String = connection.query_row(before, [], |row| row.get(0)).unwrap();
    connection.execute_batch(&drops).unwrap();
    assert_eq!(migrations_pending(&file).unwrap(), all[2..]);
    let store = fixture.store().await.unwrap();
    assert_eq!(migrations_pending(&file).unwrap(), [""; 0], "asked beside a writer");
    let error = migrate(&file).unwrap_err();
    assert!(matches!(error, OpenError::InUse { .. }), "{error:?}");
    drop(store);
}

#[tokio::test]
async fn the_doctor_looks_beside_a_server() {
    let fixture = fixture().await;
    let file = fixture.file();
    let error = facts_for_doctor(&file).unwrap_err();
    assert!(matches!(error, OpenError::Io { .. }), "{error:?}");
    let mut world = World::open(&fixture).await;
    world.play("put room=1").await;
    let facts = facts_for_doctor(&file).unwrap();
    assert_eq!((facts.path, facts.journal_mode.as_str(), facts.synchronous), (file.clone(), "wal", 2));
    assert_eq!((facts.sqlite_version, facts.pages_free), (rusqlite::version(), 0));
    assert!(facts.wal_bytes > 0 && facts.pages > 0, "the writer has not put its log away");
    world.engine.stop().await;

    let connection = Connection::open(&file).unwrap();
    connection.execute_batch("create table much as select randomblob(99999) as it; drop table much").unwrap();
    connection.pragma_update(None, "journal_mode", "delete").unwrap();
    drop(connection);
    let facts = facts_for_doctor(&file).unwrap();
    assert_eq!((facts.journal_mode.as_str(), facts.wal_bytes), ("delete", 0));
    assert_eq!(facts.file_bytes, fs::metadata(&file).unwrap().len());
    assert!(facts.pages_free > 20 && facts.pages > facts.pages_free, "{facts:?}");
    fs::write(&file, [7; 4096]).unwrap();
    let error = facts_for_doctor(&file).unwrap_err();
    assert!(matches!(error, OpenError::Damaged { .. }), "{error:?}");
}
