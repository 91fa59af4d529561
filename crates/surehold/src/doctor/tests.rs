//! Verdicts as rows: one fact that differs from a sound installation, and what is said about it.

use std::path::{Path, PathBuf};

use surehold_core::kernel::Slug;
use surehold_postgres::PostgresFacts;
use surehold_sqlite::SqliteFacts;

use super::facts::{AccountsFile, Facts, FolderFacts, SchemaFacts, ServerFacts, StoreFacts};
use super::host::{file_system_of, holder_in, open_files_max_in};
use super::judge::{Finding, Verdict, bytes_for_people, judge};
use crate::accounts::AccountFacts;
use crate::config::{Config, ConfigArgs};

const GIB: u64 = 1 << 30;

fn sqlite() -> SqliteFacts {
    SqliteFacts {
        path: PathBuf::from("data/surehold.db"),
        sqlite_version: "3.54.1",
        journal_mode: "wal".to_owned(),
        synchronous: 2,
        file_bytes: 1 << 20,
        wal_bytes: 0,
        pages: 256,
        pages_free: 0,
    }
}

fn postgres() -> PostgresFacts {
    PostgresFacts {
        server_version: "15.9".to_owned(),
        fsync: true,
        full_page_writes: true,
        data_checksums: true,
        synchronous_commit: "on".to_owned(),
        default_transaction_isolation: "read committed".to_owned(),
        is_in_recovery: false,
        connections_max: 100,
        connections_used: 10,
        clock_ahead_ms: -3,
        login: "shop".to_owned(),
        login_is_superuser: false,
        login_bypasses_row_security: false,
        login_owns_tables: false,
        tls: true,
    }
}

fn up_to_date() -> SchemaFacts {
    SchemaFacts::Pending(Vec::new())
}

fn sound() -> Facts {
    Facts {
        store: StoreFacts::Sqlite(sqlite(), up_to_date()),
        folder: FolderFacts {
            path: PathBuf::from("data"),
            mode: Some(0o700),
            file_system: Some("ext4".to_owned()),
            bytes: Some((50 * GIB, 100 * GIB)),
            flush_micros: Some(300),
        },
        server: ServerFacts::default(),
        kernel: Some("Linux 6.1".to_owned()),
        open_files_max: Some(20_000),
        unreadable_files: Vec::new(),
        accounts: None,
    }
}

/// Findings that are not ok, one a line.
fn complaints(set: &[&str], facts: &Facts) -> String {
    let set = set.iter().map(|set| (*set).to_owned().into()).collect();
    let config = Config::load(&ConfigArgs { set, ..ConfigArgs::default() }.sources_with([])).unwrap();
    let complaint = |finding: &Finding| {
        assert!(finding.next.as_ref().is_none_or(|next| !next.is_empty()), "{finding:?}");
        (finding.verdict != Verdict::Ok).then(|| format!("{:?} {}: {}", finding.verdict, finding.check, finding.found))
    };
    judge(&config, facts).iter().filter_map(complaint).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_sound_installation_is_told_so() {
    assert_eq!(complaints(&[], &sound()), "");
    let on_postgres = Facts { store: StoreFacts::Postgres(postgres(), up_to_date()), ..sound() };
    assert_eq!(complaints(&[], &on_postgres), "");
    let fresh = Facts { store: StoreFacts::Absent("data/surehold.db".into()), ..sound() };
    assert_eq!(complaints(&[], &fresh), "");
}

#[test]
fn stores() {
    let check = |store: StoreFacts, expected: &str| assert_eq!(complaints(&[], &Facts { store, ..sound() }), expected);
    check(StoreFacts::Unreachable("no answer".to_owned()), "Broken store: no answer");
    let pending = SchemaFacts::Pending(vec!["0002_keys".to_owned()]);
    check(StoreFacts::Sqlite(sqlite(), pending), "Warn schema: not yet applied: 0002_keys");
    check(StoreFacts::Sqlite(sqlite(), SchemaFacts::Refused("too new".to_owned())), "Broken schema: too new");
    let long_log = SqliteFacts { wal_bytes: 3 * GIB / 2, ..sqlite() };
    check(StoreFacts::Sqlite(long_log, up_to_date()), "Warn log: the write-ahead log has grown to 1.5 GiB");
    let no_log = SqliteFacts { journal_mode: "delete".to_owned(), ..sqlite() };
    check(StoreFacts::Sqlite(no_log, up_to_date()), "Warn log: the journal mode is delete");
}

#[test]
fn postgres_servers() {
    let check = |facts: PostgresFacts, expected: &str| {
        let facts = Facts { store: StoreFacts::Postgres(facts, up_to_date()), ..sound() };
        assert_eq!(complaints(&[], &facts), expected);
    };
    let off = "is off: a crash can lose or damage what was acknowledged";
    check(PostgresFacts { fsync: false, ..postgres() }, &format!("Unsafe durability: fsync {off}"));
    check(
        PostgresFacts { full_page_writes: false, ..postgres() },
        &format!("Unsafe durability: full_page_writes {off}"),
    );
    check(
        PostgresFacts { synchronous_commit: "off".to_owned(), ..postgres() },
        "Warn durability: synchronous_commit is off by default; Surehold turns it on for what it writes itself",
    );
    check(
        PostgresFacts { data_checksums: false, ..postgres() },
        "Warn checksums: damage on the disk would go unnoticed",
    );
    check(
        PostgresFacts { is_in_recovery: true, ..postgres() },
        "Broken primary: this server is a standby and takes no writes",
    );
    check(
        PostgresFacts { connections_used: 93, ..postgres() },
        "Warn connections: 93 of 100 in use; a server takes up to 8",
    );
    check(PostgresFacts { connections_used: 92, ..postgres() }, "");
    check(PostgresFacts { login_is_superuser: true, ..postgres() }, "Warn login: shop is a superuser");
    check(PostgresFacts { login_owns_tables: true, ..postgres() }, "Warn login: shop owns the tables");
    check(
        PostgresFacts { login_bypasses_row_security: true, ..postgres() },
        "Warn login: shop bypasses row-level security",
    );
    let in_the_clear = StoreFacts::Postgres(PostgresFacts { tls: false, ..postgres() }, up_to_date());
    let in_the_clear = Facts { store: in_the_clear, ..sound() };
    assert_eq!(complaints(&["store.url=postgres://127.0.0.1/db"], &in_the_clear), "");
    assert_eq!(
        complaints(&["store.url=postgres://db.example/db"], &in_the_clear),
        "Warn encryption: what is said to Postgres can be read on the way"
    );
}

#[test]
fn clocks() {
    let check = |ahead_ms: i64, expected: &str| {
        let facts = PostgresFacts { clock_ahead_ms: ahead_ms, ..postgres() };
        let facts = Facts { store: StoreFacts::Postgres(facts, up_to_date()), ..sound() };
        assert!(complaints(&[], &facts).starts_with(expected), "{ahead_ms}: {}", complaints(&[], &facts));
        assert_eq!(complaints(&[], &facts).is_empty(), expected.is_empty());
    };
    check(999, "");
    check(1_000, "Warn clock: this machine's clock is 1000 ms behind the database's");
    check(-9_999, "Warn clock: this machine's clock is 9999 ms ahead of the database's");
    check(10_000, "Unsafe clock: this machine's clock is 10000 ms behind");
    check(i64::MIN, "Unsafe clock");
}

#[test]
fn disks() {
    let check = |folder: FolderFacts, expected: &str| {
        assert_eq!(complaints(&[], &Facts { folder, ..sound() }), expected);
    };
    let sound = || sound().folder;
    check(FolderFacts { bytes: Some((9 * GIB, 100 * GIB)), ..sound() }, "Warn disk: 9.0 GiB free of 100.0 GiB (9 %)");
    check(FolderFacts { bytes: Some((GIB - 1, 2 * GIB)), ..sound() }, "Warn disk: 1023.9 MiB free of 2.0 GiB (49 %)");
    check(FolderFacts { bytes: Some((GIB, 2 * GIB)), ..sound() }, "");
    check(FolderFacts { bytes: Some((0, 0)), ..sound() }, "Warn disk: 0 B free of 0 B (0 %)");
    check(
        FolderFacts { flush_micros: Some(19), ..sound() },
        "Warn flush: fdatasync takes 19 µs: this disk probably does not flush",
    );
    check(FolderFacts { flush_micros: Some(20), ..sound() }, "");
    check(
        FolderFacts { mode: Some(0o755), ..sound() },
        "Warn permissions: every user of this machine can read data (mode 755)",
    );
    check(
        FolderFacts { mode: Some(0o777), ..sound() },
        "Warn permissions: every user of this machine can write to data (mode 777)",
    );
    check(FolderFacts { mode: Some(0o750), ..sound() }, "");
    let on = |name: &str| FolderFacts { file_system: Some(name.to_owned()), ..sound() };
    let memory = "is in memory: a restart of the machine loses everything";
    let network = "is on a network: locks and flushes cannot be trusted";
    check(on("tmpfs"), &format!("Unsafe file system: data (tmpfs) {memory}"));
    check(on("nfs4"), &format!("Unsafe file system: data (nfs4) {network}"));
    check(on("fuse.sshfs"), &format!("Unsafe file system: data (fuse.sshfs) {network}"));
    check(on("overlay"), "Warn file system: data (overlay) is a container's own layer: it goes with the container");
    check(on("9p"), "Warn file system: data (9p) is shared with the host, which may not flush");
    check(on("xfs"), "");
}

#[test]
fn networks() {
    let check = |set: &[&str], expected: &str| assert_eq!(complaints(set, &sound()), expected);
    let open = "can be reached from outside, without TLS: keys can be read";
    let tls = ["server.tls_certificate_file=c", "server.tls_key_file=k"];
    check(&["server.listen=[::1]:1"], "");
    check(&["server.listen=0.0.0.0:1"], &format!("Warn network: server.listen 0.0.0.0:1 {open}"));
    check(&["server.admin_listen=[::]:1"], &format!("Warn network: server.admin_listen [::]:1 {open}"));
    check(&[&["server.listen=0.0.0.0:1"], &tls[..]].concat(), "");
    check(&["server.metrics_open=true"], "");
    check(
        &[&["server.listen=0.0.0.0:1", "server.metrics_open=true"], &tls[..]].concat(),
        "Warn metrics: /metrics needs no key and can be reached from outside",
    );
    check(
        &["server.connections_max=19801"],
        "Warn open files: at most 20000, and server.connections_max = 19801 needs 20001",
    );
    check(&["server.connections_max=19800"], "");
    let unreadable = Facts { unreadable_files: vec![("k.pem".into(), "denied".to_owned())], ..sound() };
    assert_eq!(complaints(&[], &unreadable), "Broken tls: cannot read k.pem: denied");
}

#[test]
fn accounts_at_stripe() {
    let account = |is_test: bool, key_is_test: Option<bool>| AccountFacts {
        name: "main".to_owned(),
        tenant: Slug::new("casa").unwrap(),
        is_test,
        key_is_test,
        elsewhere: None,
    };
    let check = |accounts: AccountsFile, expected: &str| {
        let facts = Facts { accounts: Some(accounts), ..sound() };
        assert_eq!(complaints(&[], &facts), expected);
    };
    let file = |mode: u32, accounts: Vec<AccountFacts>| AccountsFile::Read {
        path: "stripe.toml".into(),
        mode: Some(mode),
        accounts,
    };
    let sound_accounts = vec![account(false, Some(false)), account(true, Some(true)), account(false, None)];
    check(file(0o600, sound_accounts), "");
    check(
        file(0o600, vec![account(false, Some(true)), account(true, Some(false))]),
        "Warn stripe: account main for the live data of casa: its key is one for tests: rooms are sold for no money\n\
         Warn stripe: account main for the test data of casa: its key is a live one: rehearsals cost money",
    );
    check(file(0o640, Vec::new()), "Warn stripe: stripe.toml names no account");
    check(
        file(0o644, vec![account(false, None)]),
        "Warn stripe: every user of this machine can open stripe.toml, which has keys that move money",
    );
    let unusable = AccountsFile::Unusable("stripe.toml:1: `x` is no account\nhint: write one".to_owned());
    check(unusable, "Broken stripe: stripe.toml:1: `x` is no account");
    let facts = Facts { accounts: Some(file(0o600, vec![account(false, None)])), ..sound() };
    let told = judge(&Config::default(), &facts);
    assert!(told.iter().any(|finding| finding.found == "account main for the live data of casa"), "{told:?}");
}

#[test]
fn what_the_system_tells() {
    let mounts = "\
27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/root rw
25 24 0:23 / /dev/shm rw,relatime - tmpfs tmpfs rw
30 27 0:40 / /mnt/my\\040data rw - nfs4 host:/x rw
31 27 0:41 / /mnt/twice rw - xfs /dev/a rw
32 27 0:42 / /mnt/twice rw - cifs //b rw
";
    let check = |path: &str, expected: &str| {
        assert_eq!(file_system_of(mounts, Path::new(path)).as_deref(), Some(expected), "{path}");
    };
    check("/srv/data", "ext4");
    check("/dev/shm/data", "tmpfs");
    check("/dev/shmx", "ext4");
    check("/mnt/my data/x", "nfs4");
    check("/mnt/twice", "cifs");

    let limits =
        "Limit  Soft Limit  Hard Limit  Units\nMax open files            1024                 4096        files\n";
    assert_eq!(open_files_max_in(limits), Some(1_024));
    assert_eq!(open_files_max_in("Max open files unlimited unlimited files"), Some(u64::MAX));
    assert_eq!(open_files_max_in(""), None);

    let locks = "1: FLOCK  ADVISORY  WRITE 10039 fe:00:77 0 EOF\n2: POSIX  ADVISORY  WRITE 5 fe:00:78 0 EOF\n";
    assert_eq!([77, 78, 79].map(|inode| holder_in(locks, inode)), [Some(10_039), None, None]);
}

#[test]
fn sizes_for_people() {
    let check = |bytes: u64, expected: &str| assert_eq!(bytes_for_people(bytes), expected);
    check(0, "0 B");
    check(1_023, "1023 B");
    check(1_024, "1.0 KiB");
    check(3 << 29, "1.5 GiB");
    check(u64::MAX, "16777215.9 TiB");
}
