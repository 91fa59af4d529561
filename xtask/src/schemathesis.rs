//! Schemathesis: requests made from the description of the API, good and bad ones, against a live server.
//!
//! What it checks is in `schemathesis.toml`, beside the reasons for what it does not check.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::cargo::executable;
use crate::live_server::{LiveServer, WITHOUT_PROXY};
use crate::names;
use crate::output::Output;
use crate::python::{Python, PythonSet};

const PYTHON: PythonSet = PythonSet {
    name: "schemathesis",
    packages: &["schemathesis"],
    constraints: "xtask/schemathesis-constraints.txt",
    pinned: include_str!("../schemathesis-constraints.txt"),
    modules: &[MODULE],
};
const MODULE: &str = "schemathesis.cli";
const CONFIG: &str = include_str!("../schemathesis.toml");
const LOG_LINES_SHOWN: usize = 20;

pub(crate) struct Schemathesis {
    python: Python,
}

impl Schemathesis {
    pub(crate) fn find_or_install() -> Result<Schemathesis> {
        Python::find_or_install(&PYTHON).map(|python| Schemathesis { python })
    }

    /// Runs the checks; `arguments` are added to those of Schemathesis, where the last of a kind counts.
    pub(crate) fn check(&self, arguments: &[String], output: Output) -> Result<()> {
        let folder = self.python.run_folder()?;
        let server = LiveServer::start(&executable(names::SERVER)?)?;
        let mut run = self.python.module(MODULE);
        run.envs(WITHOUT_PROXY).arg("--config-file").arg(write_config(&folder.path, &server)?).arg("run");
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
}

/// Schemathesis itself knows variables only in some places.
fn write_config(folder: &Path, server: &LiveServer) -> Result<PathBuf> {
    let fill = |text: String, (name, value): &(&str, String)| text.replace(&format!("${{{name}}}"), value);
    let config = server.variables.iter().fold(CONFIG.to_owned(), fill);
    ensure!(!config.contains("${"), "schemathesis.toml has a variable that the server does not have");
    let path = folder.join("schemathesis.toml");
    fs::write(&path, config).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}
