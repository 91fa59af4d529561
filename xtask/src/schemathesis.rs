//! Schemathesis: requests made from the description of the API, good and bad ones, against a live server.
//!
//! What it checks is in `schemathesis.toml`, beside the reasons for what it does not check.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use surehold_private_servers::account::run_quietly;

use crate::cargo::{build_folder, executable};
use crate::live_server::LiveServer;
use crate::names;
use crate::output::Output;

/// Pinned: a new version finds new things, and those belong in a change of their own.
const CONSTRAINTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/schemathesis-constraints.txt");
const PINNED: &str = include_str!("../schemathesis-constraints.txt");
const CONFIG: &str = include_str!("../schemathesis.toml");
const LOG_LINES_SHOWN: usize = 20;

pub(crate) struct Schemathesis {
    /// Of our own, in the build folder.
    folder: PathBuf,
}

impl Schemathesis {
    /// A missing tool is a failure, never a skip.
    pub(crate) fn find_or_install() -> Result<Schemathesis> {
        let tool = Schemathesis { folder: build_folder()?.join("schemathesis") };
        // Written last, so that what an interrupted installation left is not taken for a whole one.
        let installed = tool.folder.join("installed");
        if fs::read_to_string(&installed).is_ok_and(|pinned| pinned == PINNED) && tool.answers() {
            return Ok(tool);
        }
        eprintln!("== Installing Schemathesis");
        tool.install().context(
            "cannot install Schemathesis, which the checks need\n\
             hint: they need python3 (3.10 or newer) with venv or pip, and PyPI or a mirror that `pip config` names",
        )?;
        ensure!(tool.answers(), "Schemathesis was installed in {} and does not start", tool.folder.display());
        fs::write(&installed, PINNED).with_context(|| format!("cannot write {}", installed.display()))?;
        Ok(tool)
    }

    fn install(&self) -> Result<()> {
        self.clear()?;
        let with_venv = run_quietly(Command::new("python3").args(["-m", "venv"]).arg(&self.folder)).is_ok();
        let mut pip = if with_venv { Command::new(self.own_python()) } else { Command::new("python3") };
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]);
        if !with_venv {
            // Debian keeps venv in a package of its own. What it began is in the way.
            self.clear()?;
            pip.arg("--target").arg(self.packages());
        }
        run_quietly(pip.args(["--constraint", CONSTRAINTS, "schemathesis"])).map(drop)
    }

    fn clear(&self) -> Result<()> {
        let folder = &self.folder;
        if folder.exists() {
            fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
        }
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))
    }

    fn own_python(&self) -> PathBuf {
        self.folder.join("bin/python3")
    }

    fn packages(&self) -> PathBuf {
        self.folder.join("packages")
    }

    /// Runs the checks; `arguments` are added to those of Schemathesis, where the last of a kind counts.
    pub(crate) fn check(&self, arguments: &[String], output: Output) -> Result<()> {
        let server = LiveServer::start(&executable(names::SERVER)?)?;
        let mut run = self.command();
        run.arg("--config-file").arg(self.write_config(&server)?).arg("run");
        run.arg(format!("{}/openapi.json", server.address)).args(arguments);
        let status = output.run(&mut run)?;
        let log = server.log();
        let broken: Vec<&str> =
            log.lines().filter(|line| line.contains("panicked at") || line.contains(" ERROR ")).collect();
        ensure!(broken.is_empty(), "the server's log has errors:\n{}", broken.join("\n"));
        let lines: Vec<&str> = log.lines().collect();
        let end = lines[lines.len().saturating_sub(LOG_LINES_SHOWN)..].join("\n");
        ensure!(status.success(), "Schemathesis has findings, see above\nend of the server's log:\n{end}");
        Ok(())
    }

    /// Schemathesis itself knows variables only in some places.
    fn write_config(&self, server: &LiveServer) -> Result<PathBuf> {
        let fill = |text: String, (name, value): &(&str, String)| text.replace(&format!("${{{name}}}"), value);
        let config = server.variables.iter().fold(CONFIG.to_owned(), fill);
        ensure!(!config.contains("${"), "schemathesis.toml has a variable that the server does not have");
        let path = self.folder.join("schemathesis.toml");
        fs::write(&path, config).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    }

    fn answers(&self) -> bool {
        let version = self.command().arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    }

    fn command(&self) -> Command {
        let python = self.own_python();
        let mut command = Command::new(if python.is_file() { python } else { "python3".into() });
        command.args(["-m", "schemathesis.cli"]).env("PYTHONPATH", self.packages());
        // It keeps examples of earlier failures beside where it runs.
        command.current_dir(&self.folder);
        command
    }
}
