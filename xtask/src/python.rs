//! Tools written in Python: installed from `PyPI` at pinned versions, each set in a folder of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use surehold_private_servers::account::run_quietly;

use crate::cargo::ROOT;
use crate::tool_folder::{RunFolder, ToolFolder, clear};

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
    tools: ToolFolder,
}

impl Python {
    /// A missing tool is a failure, never a skip.
    pub(crate) fn find_or_install(set: &PythonSet) -> Result<Python> {
        let python = Python { tools: ToolFolder::open(set.name)? };
        python.tools.hold(set.pinned, || python.answers(set), || python.install(set))?;
        Ok(python)
    }

    fn install(&self, set: &PythonSet) -> Result<()> {
        let folder = &self.tools.path;
        let with_venv = run_quietly(Command::new("python3").args(["-m", "venv"]).arg(folder)).is_ok();
        let mut pip = if with_venv { Command::new(self.own()) } else { Command::new("python3") };
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]);
        if !with_venv {
            // Debian keeps venv in a package of its own. What it began is in the way.
            clear(folder)?;
            pip.arg("--target").arg(self.packages());
        }
        let constraints = Path::new(ROOT).join(set.constraints);
        run_quietly(pip.arg("--constraint").arg(constraints).args(set.packages)).map(drop).with_context(|| {
            format!(
                "cannot install {}, which the checks need\n\
                 hint: they need python3 (3.10 or newer) with venv or pip, and PyPI or a mirror that `pip config` names",
                set.name
            )
        })
    }

    fn answers(&self, set: &PythonSet) -> bool {
        set.modules.iter().all(|module| {
            let version = self.module(module).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
            version.is_ok_and(|status| status.success())
        })
    }

    pub(crate) fn run_folder(&self) -> Result<RunFolder> {
        self.tools.run_folder()
    }

    fn own(&self) -> PathBuf {
        self.tools.path.join("bin/python3")
    }

    pub(crate) fn packages(&self) -> PathBuf {
        self.tools.path.join("packages")
    }

    pub(crate) fn command(&self) -> Command {
        let own = self.own();
        let mut command = Command::new(if own.is_file() { own } else { "python3".into() });
        // Some keep what they learned beside where they run.
        command.env("PYTHONPATH", self.packages()).current_dir(&self.tools.path);
        command
    }

    pub(crate) fn module(&self, module: &str) -> Command {
        let mut command = self.command();
        command.args(["-m", module]);
        command
    }
}
