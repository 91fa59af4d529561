//! Tools written for Node.js: installed from npm at pinned versions, into a folder of their own.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use surehold_private_servers::account::run_quietly;

use crate::cargo::build_folder;
use crate::programs;
use crate::python::clear;

/// Two texts that npm reads: what is wanted, and every version of what that needs.
pub(crate) struct NodeSet {
    /// Of the folder in the build folder.
    pub(crate) name: &'static str,
    pub(crate) package: &'static str,
    pub(crate) lock: &'static str,
}

pub(crate) struct Node {
    pub(crate) folder: PathBuf,
}

impl Node {
    /// A missing tool is a failure, never a skip.
    pub(crate) fn find_or_install(set: &NodeSet) -> Result<Node> {
        programs::find_or_install_node()?;
        let node = Node { folder: build_folder()?.join(set.name) };
        // Written last, so that what an interrupted installation left is not taken for a whole one.
        let installed = node.folder.join("installed");
        if fs::read_to_string(&installed).is_ok_and(|installed| installed == set.lock) {
            return Ok(node);
        }
        eprintln!("== Installing {}", set.name);
        clear(&node.folder)?;
        node.write("package.json", set.package)?;
        node.write("package-lock.json", set.lock)?;
        let mut npm = Command::new("npm");
        npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"]);
        run_quietly(npm.current_dir(&node.folder)).with_context(|| {
            format!(
                "cannot install {}, which the checks need\n\
                 hint: they need node (18.20 or newer) with npm, and its registry or a mirror that `npm config` names",
                set.name
            )
        })?;
        node.write("installed", set.lock)?;
        Ok(node)
    }

    pub(crate) fn write(&self, file: &str, text: &str) -> Result<()> {
        let path = self.folder.join(file);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    /// One of the programs that packages bring.
    pub(crate) fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.folder.join("node_modules/.bin").join(name));
        command.current_dir(&self.folder);
        command
    }

    pub(crate) fn script(&self, file: &str) -> Command {
        let mut command = Command::new("node");
        command.arg(file).current_dir(&self.folder);
        command
    }
}
