//! A private Postgres server for the tests, in a temporary folder on a free loopback port.
//!
//! Durable and encrypted like a real one, but without passwords: it listens on loopback only.
//! Invariant: neither the server nor its folder outlives this process, however it ends.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use anyhow::{Context, Result, anyhow};

use crate::account::{Account, run_quietly};
use crate::programs;

const LOG_LINES_SHOWN: usize = 30;

pub(crate) struct PrivatePostgres {
    programs: PathBuf,
    account: Account,
    folder: PathBuf,
    port: u16,
    cleaner: Child,
}

impl PrivatePostgres {
    pub(crate) fn start() -> Result<PrivatePostgres> {
        let programs = programs::find_or_install()?;
        eprintln!("== Starting a private Postgres server from {}", programs.display());
        let account = Account::for_server()?;
        let folder = create_folder(account)?;
        let cleaner = spawn_cleaner(account, &programs, &folder)?;
        let server = PrivatePostgres { programs, account, folder, port: free_port()?, cleaner };
        server.create_cluster()?;
        server.create_certificate()?;
        server.configure()?;
        server.launch()?;
        Ok(server)
    }

    /// What the tests read to find the server.
    pub(crate) fn variables(&self) -> [(&'static str, String); 2] {
        let url = format!("postgres://postgres@127.0.0.1:{}/postgres?sslmode=disable", self.port);
        [("SUREHOLD_TEST_POSTGRES_URL", url), ("SUREHOLD_TEST_POSTGRES_BIN", self.programs.display().to_string())]
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn create_cluster(&self) -> Result<()> {
        let mut initdb = self.account.command(self.programs.join("initdb"));
        initdb.args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--pgdata"]);
        run_quietly(initdb.arg(self.data())).map(drop)
    }

    /// Self-signed: enough for `sslmode=require`, which encrypts and checks no identity.
    fn create_certificate(&self) -> Result<()> {
        let mut openssl = self.account.command("openssl");
        openssl.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]);
        openssl.args(["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]);
        openssl.arg("-keyout").arg(self.data().join("server.key"));
        openssl.arg("-out").arg(self.data().join("server.crt"));
        run_quietly(&mut openssl).map(drop)
    }

    fn configure(&self) -> Result<()> {
        let settings = format!(
            "listen_addresses = '127.0.0.1'\n\
             port = {}\n\
             unix_socket_directories = '{}'\n\
             max_connections = 300\n\
             fsync = on\n\
             synchronous_commit = on\n\
             ssl = on\n",
            self.port,
            self.folder.display()
        );
        let path = self.data().join("postgresql.conf");
        OpenOptions::new()
            .append(true)
            .open(&path)
            .and_then(|mut file| file.write_all(settings.as_bytes()))
            .with_context(|| format!("cannot write {}", path.display()))
    }

    fn launch(&self) -> Result<()> {
        let log = self.folder.join("server.log");
        let mut pg_ctl = self.account.command(self.programs.join("pg_ctl"));
        pg_ctl.args(["start", "--wait", "--silent", "--pgdata"]).arg(self.data()).arg("--log").arg(&log);
        run_quietly(&mut pg_ctl).map(drop).map_err(|error| anyhow!("{error}\nend of the server's log:\n{}", tail(&log)))
    }
}

impl Drop for PrivatePostgres {
    fn drop(&mut self) {
        // Waiting closes the cleaner's input first, which is its signal to work.
        let cleaned = self.cleaner.wait().is_ok_and(|status| status.success());
        if !cleaned {
            eprintln!("warning: the private Postgres server may be left behind\nhint: see {}", self.folder.display());
        }
    }
}

/// Made by the server's account, so that the owner is right and the parent folder is known to be reachable.
fn create_folder(account: Account) -> Result<PathBuf> {
    let mut mktemp = account.command("mktemp");
    mktemp.args(["--directory", "--tmpdir", "surehold-postgres-XXXXXX"]);
    let output = run_quietly(&mut mktemp)
        .context("cannot create a folder for the server (if TMPDIR is set, its user must be able to write there)")?;
    let path = String::from_utf8(output.stdout).context("the temporary folder's name is not UTF-8")?;
    Ok(PathBuf::from(path.trim_end()))
}

/// Starts a process that stops the server and removes its folder once this process is gone.
///
/// It waits for the end of a pipe that only this process holds open. That end also comes
/// with Ctrl-C or SIGKILL, where no destructor runs.
fn spawn_cleaner(account: Account, programs: &Path, folder: &Path) -> Result<Child> {
    const SCRIPT: &str = r#"
        pg_ctl=$1 folder=$2
        read -r _
        if [ -f "$folder/data/postmaster.pid" ]; then
            "$pg_ctl" stop --silent --mode=immediate --pgdata "$folder/data"
        fi
        rm -rf "$folder"
    "#;
    account
        .command("sh")
        .args(["-c", SCRIPT, "surehold-postgres-cleaner"])
        .arg(programs.join("pg_ctl"))
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        // A group of its own: Ctrl-C must reach this process and the tests, not the cleaner.
        .process_group(0)
        .spawn()
        .context("cannot start the process that cleans up after the server")
}

/// Another process could take the port before the server does; the server then says so in its log.
fn free_port() -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("cannot find a free loopback port")?;
    Ok(listener.local_addr().context("cannot read the free port")?.port())
}

fn tail(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_else(|error| format!("({}: {error})", log.display()));
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LOG_LINES_SHOWN)..].join("\n")
}
