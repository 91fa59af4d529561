//! A private Postgres server, which can be crashed and started again. It needs no passwords: it listens on loopback only.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow};

use crate::account::{Account, run_quietly};
use crate::cleaner::Cleaner;
use crate::ports::LastingPort;
use crate::programs;

/// The address of the server that tests share.
pub const URL_VARIABLE: &str = "SUREHOLD_TEST_POSTGRES_URL";

const LOG_LINES_SHOWN: usize = 30;

/// How a private server differs from a default installation.
#[derive(Clone, Debug)]
pub struct PostgresSettings {
    /// The folder of `initdb`, `postgres`, `pg_ctl` and `pg_dump`.
    pub programs: PathBuf,
    pub connections_max: u16,
    pub shared_buffers_mib: u32,
    /// Without it a crash of the machine, but not of the server, loses commits.
    pub fsync: bool,
    /// With a self-signed certificate: enough for `sslmode=require`, which encrypts and checks no identity.
    pub tls: bool,
}

impl PostgresSettings {
    /// A small and durable server without encryption.
    pub fn small(programs: PathBuf) -> PostgresSettings {
        PostgresSettings { programs, connections_max: 100, shared_buffers_mib: 16, fsync: true, tls: false }
    }

    /// The lines of `postgresql.conf`.
    fn text(&self, port: u16, folder: &Path) -> String {
        let PostgresSettings { programs: _, connections_max, shared_buffers_mib, fsync, tls } = self;
        let on = |is_on: bool| if is_on { "on" } else { "off" };
        format!(
            "listen_addresses = '127.0.0.1'\n\
             port = {port}\n\
             unix_socket_directories = '{}'\n\
             max_connections = {connections_max}\n\
             shared_buffers = '{shared_buffers_mib}MB'\n\
             fsync = {}\n\
             ssl = {}\n",
            folder.display(),
            on(*fsync),
            on(*tls),
        )
    }
}

#[derive(Debug)]
pub struct PrivatePostgres {
    settings: PostgresSettings,
    account: Account,
    folder: PathBuf,
    // Dropped before the port, which must not be given away while the server has it.
    _cleaner: Cleaner,
    port: LastingPort,
}

impl PrivatePostgres {
    /// Makes and starts a small server with the programs of this machine.
    pub fn start() -> Result<PrivatePostgres> {
        PrivatePostgres::start_with(PostgresSettings::small(programs::find()?))
    }

    pub fn start_with(settings: PostgresSettings) -> Result<PrivatePostgres> {
        let account = Account::for_postgres()?;
        let folder = account.create_folder("surehold-postgres-XXXXXX")?;
        let data = folder.join("data");
        let mut stop = Command::new(settings.programs.join("pg_ctl"));
        stop.args(["stop", "--silent", "--mode=immediate", "--pgdata"]).arg(&data);
        let cleaner = Cleaner::spawn(account, &folder, &data.join("postmaster.pid"), &stop)?;
        let server = PrivatePostgres { settings, account, folder, _cleaner: cleaner, port: LastingPort::take()? };
        server.create_cluster()?;
        server.launch()?;
        Ok(server)
    }

    pub fn url(&self) -> String {
        self.url_of("postgres")
    }

    fn url_of(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}?sslmode=disable", self.port.number())
    }

    /// Makes an empty database and returns its address.
    pub fn create_database(&self, name: &str) -> Result<String> {
        run_quietly(self.client("createdb").arg(name))?;
        Ok(self.url_of(name))
    }

    pub fn drop_database(&self, name: &str) -> Result<()> {
        run_quietly(self.client("dropdb").args(["--force", name])).map(drop)
    }

    /// The environment in which tests find the server.
    pub fn variables(&self) -> [(&'static str, String); 2] {
        [(URL_VARIABLE, self.url()), (programs::VARIABLE, self.settings.programs.display().to_string())]
    }

    /// Kills every process of the server at once. What was not on the disk is gone.
    pub fn crash(&self) -> Result<()> {
        let mut pg_ctl = self.program("pg_ctl");
        pg_ctl.args(["stop", "--wait", "--silent", "--mode=immediate", "--pgdata"]).arg(self.data());
        run_quietly(&mut pg_ctl).map(drop)
    }

    /// Starts the server, which recovers from its log if it crashed.
    pub fn launch(&self) -> Result<()> {
        let log = self.log();
        let mut pg_ctl = self.program("pg_ctl");
        pg_ctl.args(["start", "--wait", "--silent", "--pgdata"]).arg(self.data()).arg("--log").arg(&log);
        let launched = run_quietly(&mut pg_ctl).map(drop);
        launched.map_err(|error| anyhow!("{error}\nend of the server's log:\n{}", tail(&log)))
    }

    /// Such as `postgres (PostgreSQL) 15.3`.
    pub fn version(&self) -> Result<String> {
        Ok(run_quietly(self.program("postgres").arg("--version"))?.trim_end().to_owned())
    }

    /// Keeps the server's log and everything in the database, as text: `psql --file` brings it back.
    pub fn rescue(&self, to: &Path) -> Result<()> {
        fs::copy(self.log(), to.join("server.log")).context("cannot copy the server's log")?;
        let dump = run_quietly(self.program("pg_dump").arg("--dbname").arg(self.url()))?;
        fs::write(to.join("surehold.sql"), dump).context("cannot write the dump")
    }

    fn program(&self, name: &str) -> Command {
        self.account.command(self.settings.programs.join(name))
    }

    fn client(&self, name: &str) -> Command {
        let mut client = self.program(name);
        client.args(["--host=127.0.0.1", "--username=postgres", "--port"]).arg(self.port.number().to_string());
        client
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn log(&self) -> PathBuf {
        self.folder.join("server.log")
    }

    fn create_cluster(&self) -> Result<()> {
        let mut initdb = self.program("initdb");
        initdb.args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync", "--pgdata"]);
        run_quietly(initdb.arg(self.data()))?;
        if self.settings.tls {
            self.create_certificate()?;
        }
        let path = self.data().join("postgresql.conf");
        let text = self.settings.text(self.port.number(), &self.folder);
        let written = OpenOptions::new().append(true).open(&path).and_then(|mut file| file.write_all(text.as_bytes()));
        written.with_context(|| format!("cannot write {}", path.display()))
    }

    fn create_certificate(&self) -> Result<()> {
        let mut openssl = self.account.command("openssl");
        openssl.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]);
        openssl.args(["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]);
        openssl.arg("-keyout").arg(self.data().join("server.key"));
        openssl.arg("-out").arg(self.data().join("server.crt"));
        run_quietly(&mut openssl).map(drop)
    }
}

fn tail(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_else(|error| format!("({}: {error})", log.display()));
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LOG_LINES_SHOWN)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_survives_a_crash_and_not_its_owner() {
        let server = PrivatePostgres::start().unwrap();
        assert!(server.version().unwrap().starts_with("postgres (PostgreSQL)"));
        server.crash().unwrap();
        server.launch().unwrap();
        assert!(server.create_database("one").unwrap().contains("/one?"));
        server.drop_database("one").unwrap();
        let folder = server.folder.clone();
        assert!(folder.exists());
        drop(server);
        assert!(!folder.exists());
    }
}
