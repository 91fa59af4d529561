//! Tools written in Python: installed from `PyPI` at pinned versions, each set in a folder of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use surehold_private_servers::account::run_quietly;

use crate::cargo::{ROOT, build_folder};

/// What is installed together.
pub(crate) struct PythonSet {
    /// Of the folder in the build folder.
    pub(crate) name: &'static str,
    pub(crate) packages: &'static [&'static str],
    /// Every version, of what the packages need too: a new one finds new things, and those belong in a change of their own.
    pub(crate) constraints: &'static str,
    pub(crate) pinned: &'static str,
    /// Modules that answer `--version`.
    pub(crate) modules: &'static [&'static str],
}

pub(crate) struct Python {
    pub(crate) folder: PathBuf,
}

impl Python {
    /// A missing tool is a failure, never a skip.
    pub(crate) fn find_or_install(set: &PythonSet) -> Result<Python> {
        let PythonSet { name, pinned, .. } = set;
        let python = Python { folder: build_folder()?.join(name) };
        // Written last, so that what an interrupted installation left is not taken for a whole one.
        let installed = python.folder.join("installed");
        let is_whole = fs::read_to_string(&installed).is_ok_and(|installed| installed == *pinned);
        if is_whole && python.answers(set) {
            return Ok(python);
        }
        eprintln!("== Installing {name}");
        python.install(set).with_context(|| {
            format!(
                "cannot install {name}, which the checks need\n\
                 hint: they need python3 (3.10 or newer) with venv or pip, and PyPI or a mirror that `pip config` names"
            )
        })?;
        ensure!(python.answers(set), "{name} was installed in {} and does not start", python.folder.display());
        fs::write(&installed, pinned).with_context(|| format!("cannot write {}", installed.display()))?;
        Ok(python)
    }

    fn install(&self, set: &PythonSet) -> Result<()> {
        clear(&self.folder)?;
        let with_venv = run_quietly(Command::new("python3").args(["-m", "venv"]).arg(&self.folder)).is_ok();
        let mut pip = if with_venv { Command::new(self.own()) } else { Command::new("python3") };
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]);
        if !with_venv {
            // Debian keeps venv in a package of its own. What it began is in the way.
            clear(&self.folder)?;
            pip.arg("--target").arg(self.packages());
        }
        let constraints = Path::new(ROOT).join(set.constraints);
        run_quietly(pip.arg("--constraint").arg(constraints).args(set.packages)).map(drop)
    }

    fn answers(&self, set: &PythonSet) -> bool {
        set.modules.iter().all(|module| {
            let version = self.module(module).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
            version.is_ok_and(|status| status.success())
        })
    }

    fn own(&self) -> PathBuf {
        self.folder.join("bin/python3")
    }

    pub(crate) fn packages(&self) -> PathBuf {
        self.folder.join("packages")
    }

    pub(crate) fn command(&self) -> Command {
        let own = self.own();
        let mut command = Command::new(if own.is_file() { own } else { "python3".into() });
        // Some keep what they learned beside where they run.
        command.env("PYTHONPATH", self.packages()).current_dir(&self.folder);
        command
    }

    pub(crate) fn module(&self, module: &str) -> Command {
        let mut command = self.command();
        command.args(["-m", module]);
        command
    }
}

/// Leaves an empty folder.
pub(crate) fn clear(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))
}
