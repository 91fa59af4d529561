//! What the facts mean. Pure: the same facts and settings always give the same findings, which is how it is tested.

use std::net::SocketAddr;
use std::path::Path;

use serde::Serialize;
use surehold_postgres::PostgresFacts;
use surehold_sqlite::SqliteFacts;

use super::facts::{AccountsFile, Facts, FolderFacts, SchemaFacts, StoreFacts};
use crate::accounts::AccountFacts;
use crate::config::Config;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    Ok,
    Warn,
    /// What was acknowledged may be lost, or worse.
    Unsafe,
    /// A server could not work.
    Broken,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    pub(super) check: &'static str,
    pub(super) verdict: Verdict,
    pub(super) found: String,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<String>,
}

fn ok(check: &'static str, found: impl Into<String>) -> Finding {
    Finding { check, verdict: Verdict::Ok, found: found.into(), next: None }
}

fn bad(check: &'static str, verdict: Verdict, found: impl Into<String>, next: impl Into<String>) -> Finding {
    Finding { check, verdict, found: found.into(), next: Some(next.into()) }
}

const GIB: u64 = 1 << 30;
const CLOCK_WARN_MS: u64 = 1_000;
const CLOCK_UNSAFE_MS: u64 = 10_000;
/// Faster than any disk that keeps what it was told to keep.
const FLUSH_SUSPICIOUS_MICROS: u64 = 20;
/// Files that the server has open beside its connections: the store, the log, listeners, exporters.
const FILES_BESIDE_CONNECTIONS: u64 = 200;

pub(super) fn judge(config: &Config, facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    match &facts.store {
        StoreFacts::Absent(path) => {
            findings.push(ok("store", format!("{} will be made at the first start", path.display())));
            findings.extend(disk(&facts.folder));
        }
        StoreFacts::Unreachable(why) => {
            let next = "start the store, or correct store.url or --data";
            findings.push(bad("store", Verdict::Broken, why.clone(), next));
        }
        StoreFacts::Sqlite(sqlite, pending) => {
            findings.extend(sqlite_file(sqlite));
            findings.extend(schema(pending));
            findings.extend(disk(&facts.folder));
        }
        StoreFacts::Postgres(postgres, pending) => {
            findings.extend(postgres_server(config, postgres));
            findings.extend(schema(pending));
        }
    }
    findings.extend(permissions(&facts.folder));
    findings.extend(network(config));
    findings.extend(facts.unreadable_files.iter().map(|(path, why)| {
        let found = format!("cannot read {}: {why}", path.display());
        bad("tls", Verdict::Broken, found, "correct the path, or let this user read the file")
    }));
    findings.extend(facts.accounts.iter().flat_map(accounts));
    findings.extend(facts.open_files_max.map(|max| open_files(config, max)));
    findings.push(running(facts));
    findings
}

fn schema(schema: &SchemaFacts) -> Option<Finding> {
    match schema {
        SchemaFacts::Pending(names) if names.is_empty() => Some(ok("schema", "up to date")),
        SchemaFacts::Pending(names) => {
            let found = format!("not yet applied: {}", names.join(", "));
            Some(bad("schema", Verdict::Warn, found, "run `surehold migrate`, or start the server, which does"))
        }
        // The reason says itself what to do.
        SchemaFacts::Refused(why) => {
            Some(Finding { check: "schema", verdict: Verdict::Broken, found: why.clone(), next: None })
        }
        SchemaFacts::NotAsked => None,
    }
}

fn sqlite_file(sqlite: &SqliteFacts) -> Vec<Finding> {
    let (file, log) = (bytes_for_people(sqlite.file_bytes), bytes_for_people(sqlite.wal_bytes));
    let mut findings = vec![ok("store", format!("{}: {file}, and {log} of log", sqlite.path.display()))];
    if sqlite.wal_bytes > GIB {
        let next = "end what has been reading for long; the log is emptied when it is gone";
        findings.push(bad("log", Verdict::Warn, format!("the write-ahead log has grown to {log}"), next));
    }
    if sqlite.journal_mode != "wal" {
        let found = format!("the journal mode is {}", sqlite.journal_mode);
        findings.push(bad("log", Verdict::Warn, found, "start the server once: it sets `wal`"));
    }
    findings
}

fn postgres_server(config: &Config, postgres: &PostgresFacts) -> Vec<Finding> {
    let mut findings = vec![ok("store", format!("Postgres {} answers {}", postgres.server_version, postgres.login))];
    for (is_on, name) in [(postgres.fsync, "fsync"), (postgres.full_page_writes, "full_page_writes")] {
        findings.push(if is_on {
            ok("durability", format!("{name} is on"))
        } else {
            let found = format!("{name} is off: a crash can lose or damage what was acknowledged");
            bad("durability", Verdict::Unsafe, found, format!("set {name} = on in postgresql.conf and reload"))
        });
    }
    findings.extend(synchronous_commit(postgres));
    if !postgres.data_checksums {
        let next = "run `pg_checksums --enable` while the server is stopped";
        findings.push(bad("checksums", Verdict::Warn, "damage on the disk would go unnoticed", next));
    }
    if postgres.is_in_recovery {
        let next = "name the primary in store.url";
        findings.push(bad("primary", Verdict::Broken, "this server is a standby and takes no writes", next));
    }
    findings.push(clock(postgres.clock_ahead_ms));
    findings.push(connections(config, postgres));
    findings.extend(login(postgres));
    findings.push(match (postgres.tls, config.store.is_local()) {
        (true, _) => ok("encryption", "the connection to Postgres is encrypted"),
        (false, true) => ok("encryption", "the connection to Postgres stays on this machine"),
        (false, false) => {
            let next = "add ?sslmode=verify-full&sslrootcert=FILE to store.url";
            bad("encryption", Verdict::Warn, "what is said to Postgres can be read on the way", next)
        }
    });
    findings
}

/// The default of the login. Surehold's own sessions set it on, so that this endangers others' data and not its own.
fn synchronous_commit(postgres: &PostgresFacts) -> Option<Finding> {
    let mode = &postgres.synchronous_commit;
    let is_weak = matches!(mode.as_str(), "off" | "local" | "remote_write");
    is_weak.then(|| {
        let found = format!("synchronous_commit is {mode} by default; Surehold turns it on for what it writes itself");
        let next = "set synchronous_commit = on for everybody else who writes here";
        bad("durability", Verdict::Warn, found, next)
    })
}

fn clock(ahead_ms: i64) -> Finding {
    let apart_ms = ahead_ms.unsigned_abs();
    let verdict = match apart_ms {
        CLOCK_UNSAFE_MS.. => Verdict::Unsafe,
        CLOCK_WARN_MS.. => Verdict::Warn,
        _ => return ok("clock", format!("{apart_ms} ms apart from the database's")),
    };
    let direction = if ahead_ms > 0 { "behind" } else { "ahead of" };
    let found =
        format!("this machine's clock is {apart_ms} ms {direction} the database's, which decides when holds end");
    bad("clock", verdict, found, "set both by NTP (`timedatectl status` tells)")
}

fn connections(config: &Config, postgres: &PostgresFacts) -> Finding {
    let needed = i64::try_from(config.store.lanes + config.store.readers).unwrap_or(i64::MAX);
    let free = postgres.connections_max - postgres.connections_used;
    let found =
        format!("{} of {} in use; a server takes up to {needed}", postgres.connections_used, postgres.connections_max);
    if free >= needed {
        return ok("connections", found);
    }
    bad("connections", Verdict::Warn, found, "raise max_connections, or lower store.lanes and store.readers")
}

fn login(postgres: &PostgresFacts) -> Vec<Finding> {
    let login = &postgres.login;
    let next = "serve with a login that owns nothing, and migrate with the owner";
    let excess = [
        (postgres.login_is_superuser, "is a superuser"),
        (postgres.login_bypasses_row_security && !postgres.login_is_superuser, "bypasses row-level security"),
        (postgres.login_owns_tables && !postgres.login_is_superuser, "owns the tables"),
    ];
    let excess = excess.into_iter().filter(|(is_so, _)| *is_so);
    let findings: Vec<Finding> =
        excess.map(|(_, what)| bad("login", Verdict::Warn, format!("{login} {what}"), next)).collect();
    if findings.is_empty() { vec![ok("login", format!("{login} can do no more than it needs"))] } else { findings }
}

fn disk(folder: &FolderFacts) -> Vec<Finding> {
    let space = folder.bytes.map(|(free, total)| {
        let percent = if total == 0 { 0 } else { u128::from(free) * 100 / u128::from(total) };
        let found = format!("{} free of {} ({percent} %)", bytes_for_people(free), bytes_for_people(total));
        if free < GIB || percent < 10 {
            bad("disk", Verdict::Warn, found, "make room, or move the data folder: a full disk stops all writing")
        } else {
            ok("disk", found)
        }
    });
    let kind = folder.file_system.as_deref().map(|name| file_system(name, &folder.path));
    let flush = folder.flush_micros.map(|micros| {
        if micros < FLUSH_SUSPICIOUS_MICROS {
            let found = format!("fdatasync takes {micros} µs: this disk probably does not flush");
            bad("flush", Verdict::Warn, found, "make sure that the disk or its controller survives a power cut")
        } else {
            ok("flush", format!("fdatasync takes {micros} µs"))
        }
    });
    [space, kind, flush].into_iter().flatten().collect()
}

fn file_system(name: &str, folder: &Path) -> Finding {
    const MEMORY: &[&str] = &["tmpfs", "ramfs", "devtmpfs"];
    const NETWORK: &[&str] = &["nfs", "nfs4", "cifs", "smb3", "smbfs", "ceph", "afs", "lustre", "gfs2", "ocfs2"];
    const SHARED: &[&str] = &["9p", "virtiofs", "vboxsf", "vmhgfs"];
    let (verdict, what, next) = if MEMORY.contains(&name) {
        (Verdict::Unsafe, "is in memory: a restart of the machine loses everything", "put the data folder on a disk")
    } else if NETWORK.contains(&name) || name.starts_with("fuse.") {
        (Verdict::Unsafe, "is on a network: locks and flushes cannot be trusted", "put the data folder on a local disk")
    } else if SHARED.contains(&name) {
        (Verdict::Warn, "is shared with the host, which may not flush", "put the data folder on a disk of this machine")
    } else if name == "overlay" {
        (Verdict::Warn, "is a container's own layer: it goes with the container", "mount a volume for the data folder")
    } else {
        return ok("file system", name);
    };
    bad("file system", verdict, format!("{} ({name}) {what}", folder.display()), next)
}

fn permissions(folder: &FolderFacts) -> Option<Finding> {
    let mode = folder.mode?;
    let path = folder.path.display();
    let others = mode & 0o007;
    Some(if others == 0 {
        ok("permissions", format!("{path} is closed to others (mode {mode:o})"))
    } else {
        let what = if others & 0o002 == 0 { "read" } else { "write to" };
        let found = format!("every user of this machine can {what} {path} (mode {mode:o})");
        bad("permissions", Verdict::Warn, found, format!("run `chmod o-rwx {path}`"))
    })
}

fn network(config: &Config) -> Vec<Finding> {
    let server = &config.server;
    let is_open = |address: &SocketAddr| !address.ip().is_loopback();
    let listens = [("server.listen", Some(server.listen)), ("server.admin_listen", server.admin_listen)];
    let listens = listens.into_iter().filter_map(|(name, address)| Some((name, address?)));
    let mut findings: Vec<Finding> = listens
        .map(|(name, address)| match (is_open(&address), server.tls_files()) {
            (false, _) => ok("network", format!("{name} {address} is for this machine only")),
            (true, Some(_)) => ok("network", format!("{name} {address} speaks TLS")),
            (true, None) => {
                let found = format!("{name} {address} can be reached from outside, without TLS: keys can be read");
                let next = "set server.tls_certificate_file and server.tls_key_file, or let a proxy speak TLS";
                bad("network", Verdict::Warn, found, next)
            }
        })
        .collect();
    if server.metrics_open && is_open(&server.listen) {
        let found = "/metrics needs no key and can be reached from outside";
        findings.push(bad("metrics", Verdict::Warn, found, "set server.metrics_open = false"));
    }
    findings
}

fn open_files(config: &Config, max: u64) -> Finding {
    let connections = u64::try_from(config.server.connections_max).unwrap_or(u64::MAX);
    let needed = connections.saturating_add(FILES_BESIDE_CONNECTIONS);
    if max >= needed {
        return ok("open files", format!("up to {max}, for {connections} connections"));
    }
    let found = format!("at most {max}, and server.connections_max = {connections} needs {needed}");
    bad("open files", Verdict::Warn, found, format!("run `ulimit -n {needed}` before the start, or lower the setting"))
}

fn accounts(file: &AccountsFile) -> Vec<Finding> {
    let (path, mode, accounts) = match file {
        AccountsFile::Unusable(why) => {
            let (found, next) = why.split_once("\nhint: ").unwrap_or((why, "correct stripe.accounts_file"));
            return vec![bad("stripe", Verdict::Broken, found, next)];
        }
        AccountsFile::Read { path, mode, accounts } => (path.display(), mode, accounts),
    };
    let mut findings: Vec<Finding> = accounts.iter().map(account).collect();
    if accounts.is_empty() {
        let next = "write an account as [accounts.NAME], or leave stripe.accounts_file out";
        findings.push(bad("stripe", Verdict::Warn, format!("{path} names no account"), next));
    }
    if mode.is_some_and(|mode| mode & 0o007 != 0) {
        let found = format!("every user of this machine can open {path}, which has keys that move money");
        findings.push(bad("stripe", Verdict::Warn, found, format!("run `chmod o-rwx {path}`")));
    }
    findings
}

fn account(account: &AccountFacts) -> Finding {
    let (found, next) = match (account.is_test, account.key_is_test) {
        (false, Some(true)) => ("its key is one for tests: rooms are sold for no money", "use a live key"),
        (true, Some(false)) => ("its key is a live one: rehearsals cost money", "use a key for tests"),
        (false, Some(false) | None) | (true, Some(true) | None) => {
            return ok("stripe", format!("account {account}"));
        }
    };
    bad("stripe", Verdict::Warn, format!("account {account}: {found}"), next)
}

fn running(facts: &Facts) -> Finding {
    match (facts.server.lock_held_by, facts.server.socket_answers) {
        (Some(process), true) => ok("server", format!("runs on this data (process {process})")),
        (None, true) => ok("server", "runs on this data"),
        (Some(process), false) => ok("server", format!("process {process} writes to this file")),
        (None, false) => ok("server", "none runs on this data folder"),
    }
}

pub(super) fn bytes_for_people(bytes: u64) -> String {
    const UNITS: &[&str] = &["B", "KiB", "MiB", "GiB", "TiB"];
    let mut tenths = u128::from(bytes) * 10;
    let mut units = UNITS.iter();
    let mut unit = units.next().copied().unwrap_or_default();
    for next in units {
        if tenths < 10_240 {
            break;
        }
        tenths /= 1_024;
        unit = next;
    }
    if unit == "B" { format!("{bytes} B") } else { format!("{}.{} {unit}", tenths / 10, tenths % 10) }
}
