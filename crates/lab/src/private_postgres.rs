//! A Postgres server of a test's own, to be crashed and started again: in a temporary folder, on a free loopback port.
//! Invariant: neither the server nor its folder outlives this process, however it ends.

use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::ports::LastingPort;

#[derive(Debug)]
pub struct PrivatePostgres {
    programs: PathBuf,
    account: Account,
    folder: PathBuf,
    port: LastingPort,
    cleaner: Child,
}

impl PrivatePostgres {
    /// Makes and starts a server with the programs of this machine.
    pub fn start() -> Result<PrivatePostgres> {
        let programs = find_programs()?;
        let account = Account::for_server()?;
        let folder = create_folder(account)?;
        let cleaner = spawn_cleaner(account, &programs, &folder)?;
        let server = PrivatePostgres { programs, account, folder, port: LastingPort::take()?, cleaner };
        server.create_cluster()?;
        server.launch()?;
        Ok(server)
    }

    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres?sslmode=disable", self.port.number())
    }

    /// Kills every process of the server at once. What was not on the disk is gone.
    pub fn crash(&self) -> Result<()> {
        let mut pg_ctl = self.account.command(self.programs.join("pg_ctl"));
        pg_ctl.args(["stop", "--wait", "--silent", "--mode=immediate", "--pgdata"]).arg(self.data());
        run(&mut pg_ctl).map(drop)
    }

    /// Starts the server, which recovers from its log if it crashed.
    pub fn launch(&self) -> Result<()> {
        let log = self.folder.join("server.log");
        let mut pg_ctl = self.account.command(self.programs.join("pg_ctl"));
        pg_ctl.args(["start", "--wait", "--silent", "--pgdata"]).arg(self.data()).arg("--log").arg(&log);
        run(&mut pg_ctl).map(drop).with_context(|| format!("the server's log is {}", log.display()))
    }

    /// Such as `postgres (PostgreSQL) 15.3`.
    pub fn version(&self) -> Result<String> {
        let said = run(self.account.command(self.programs.join("postgres")).arg("--version"))?;
        Ok(said.trim_end().to_owned())
    }

    /// Keeps the server's log and everything in the database, as text: `psql --file` brings it back.
    pub fn rescue(&self, to: &Path) -> Result<()> {
        std::fs::copy(self.folder.join("server.log"), to.join("server.log")).context("cannot copy the server's log")?;
        let mut pg_dump = self.account.command(self.programs.join("pg_dump"));
        let dump = run(pg_dump.arg("--dbname").arg(self.url()))?;
        std::fs::write(to.join("surehold.sql"), dump).context("cannot write the dump")
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn create_cluster(&self) -> Result<()> {
        let mut initdb = self.account.command(self.programs.join("initdb"));
        initdb.args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync", "--pgdata"]);
        run(initdb.arg(self.data()))?;
        let settings = format!(
            "listen_addresses = '127.0.0.1'\nport = {}\nunix_socket_directories = '{}'\nshared_buffers = '16MB'\n",
            self.port.number(),
            self.folder.display()
        );
        let mut config = std::fs::OpenOptions::new().append(true).open(self.data().join("postgresql.conf"))?;
        config.write_all(settings.as_bytes()).context("cannot write the server's settings")
    }
}

impl Drop for PrivatePostgres {
    fn drop(&mut self) {
        // Waiting closes the cleaner's input first, which is its signal to work. If it fails, its own output says so.
        let _ = self.cleaner.wait();
    }
}

/// Those that `cargo xtask test` found, else those that the machine's own Postgres says, else the newest in Debian's place.
fn find_programs() -> Result<PathBuf> {
    let named = std::env::var_os("SUREHOLD_TEST_POSTGRES_BIN").map(PathBuf::from);
    let told = || {
        let said = Command::new("pg_config").arg("--bindir").output().ok()?;
        Some(PathBuf::from(String::from_utf8(said.stdout).ok()?.trim_end()))
    };
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut versions: Vec<PathBuf> = versions.map(|version| version.path()).collect();
    versions.sort_by_key(|path| path.file_name().and_then(|name| name.to_str()?.parse::<u32>().ok()));
    let debian = versions.into_iter().rev().map(|version| version.join("bin"));
    let mut places = named.into_iter().chain(told()).chain(debian);
    places.find(|folder| folder.join("initdb").is_file() && folder.join("pg_ctl").is_file()).context(
        "no Postgres server is installed (initdb and pg_ctl); on Debian and Ubuntu run `apt-get install postgresql`, \
         elsewhere install its server and put `pg_config` into the PATH",
    )
}

/// Postgres refuses to run as root.
#[derive(Clone, Copy, Debug)]
enum Account {
    Current,
    Postgres,
}

impl Account {
    fn for_server() -> Result<Account> {
        let id = run(Command::new("id").arg("-u"))?;
        Ok(if id.trim() == "0" { Account::Postgres } else { Account::Current })
    }

    fn command(self, program: impl AsRef<OsStr>) -> Command {
        match self {
            Account::Current => Command::new(program),
            Account::Postgres => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid=postgres", "--regid=postgres", "--init-groups"]).arg(program);
                // The caller's folder may be closed to this user.
                command.current_dir("/");
                command
            }
        }
    }
}

/// Made by the server's account, so that the owner is right.
fn create_folder(account: Account) -> Result<PathBuf> {
    let mut mktemp = account.command("mktemp");
    let folder = run(mktemp.args(["--directory", "--tmpdir", "surehold-lab-postgres-XXXXXX"]))?;
    Ok(PathBuf::from(folder.trim_end()))
}

/// Waits for the end of a pipe that only this process holds open, then stops the server and removes its folder. That
/// end also comes with SIGKILL, where no destructor runs.
fn spawn_cleaner(account: Account, programs: &Path, folder: &Path) -> Result<Child> {
    const SCRIPT: &str = r#"
        read -r _
        if [ -f "$2/data/postmaster.pid" ]; then "$1" stop --silent --mode=immediate --pgdata "$2/data"; fi
        rm -rf "$2"
    "#;
    let mut cleaner = account.command("sh");
    cleaner.args(["-c", SCRIPT, "surehold-lab-postgres-cleaner"]).arg(programs.join("pg_ctl")).arg(folder);
    // A group of its own: Ctrl-C must reach this process, not the cleaner.
    cleaner.stdin(Stdio::piped()).stdout(Stdio::null()).process_group(0);
    cleaner.spawn().context("cannot start the process that cleans up after the server")
}

/// Runs to the end and gives what was printed; shows it if the command failed.
fn run(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    ensure!(output.status.success(), "{command:?} failed\n{stdout}{stderr}");
    Ok(stdout.into_owned())
}
