//! Tools written for Node.js: installed from npm at pinned versions, Node.js itself included, into a folder of their own.
//! What the system has of Node.js only runs npm: Debian's is older than the tools allow.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use surehold_private_servers::account::run_quietly;

use crate::programs;
use crate::tool_folder::{RunFolder, ToolFolder};

/// Two texts that npm reads: what is wanted, and every version of what that needs.
pub(crate) struct NodeSet {
    /// Of the folder in the build folder.
    pub(crate) name: &'static str,
    pub(crate) package: &'static str,
    pub(crate) lock: &'static str,
}

/// The part of a lock file, and of the manifest of a package, that says what is there.
#[derive(Deserialize)]
struct Lock {
    /// By the folders that they are in.
    packages: BTreeMap<String, Package>,
}

#[derive(Deserialize)]
struct Package {
    version: Option<String>,
    /// Left out where it is not for the machine.
    #[serde(default)]
    optional: bool,
}

/// Packages with Node.js itself, one for each kind of machine.
const NODE_PACKAGES: &str = "node_modules/node-linux-";

pub(crate) struct Node {
    tools: ToolFolder,
}

impl Node {
    /// A missing tool is a failure, never a skip.
    pub(crate) fn find_or_install(set: &NodeSet) -> Result<Node> {
        programs::find_or_install_npm()?;
        let node = Node { tools: ToolFolder::open(set.name)? };
        let pinned: Lock = serde_json::from_str(set.lock).context("package-lock.json cannot be read")?;
        node.tools.hold(set.lock, || pinned.is_in(&node.tools.path), || node.install(set))?;
        node.check_version(&pinned)?;
        Ok(node)
    }

    fn install(&self, set: &NodeSet) -> Result<()> {
        let folder = &self.tools.path;
        write(&folder.join("package.json"), set.package)?;
        write(&folder.join("package-lock.json"), set.lock)?;
        let mut npm = Command::new("npm");
        npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"]);
        run_quietly(npm.current_dir(folder)).map(drop).with_context(|| {
            format!(
                "cannot install {}, which the checks need\n\
                 hint: they need npm, and its registry or a mirror that `npm config` names",
                set.name
            )
        })
    }

    /// Where there is no package with Node.js for the machine, npm leaves it out, and the system's is what there is.
    fn check_version(&self, pinned: &Lock) -> Result<()> {
        let found = run_quietly(self.command("node")?.arg("--version"))?;
        let mut pinned = pinned.packages.iter().filter(|(path, _)| path.starts_with(NODE_PACKAGES));
        let wanted = pinned.find_map(|(_, package)| package.version.as_deref());
        let wanted = wanted.context("package-lock.json has no package with Node.js")?;
        match (major(&found), major(wanted)) {
            (Some(found), Some(least)) if found >= least => Ok(()),
            _ => bail!(
                "the tools run on Node.js {}, and need {wanted} or newer\n\
                 hint: npm has no Node.js for this machine; put a newer one on the PATH",
                found.trim()
            ),
        }
    }

    pub(crate) fn run_folder(&self) -> Result<RunFolder> {
        self.tools.run_folder()
    }

    /// A program that a package brings, or one of the system's.
    pub(crate) fn command(&self, name: &str) -> Result<Command> {
        let own = self.tools.path.join("node_modules/.bin");
        let brought = own.join(name);
        let mut command = if brought.is_file() { Command::new(brought) } else { Command::new(name) };
        let others = env::var_os("PATH").unwrap_or_default();
        let path = [own].into_iter().chain(env::split_paths(&others));
        command.env("PATH", env::join_paths(path)?).current_dir(&self.tools.path);
        Ok(command)
    }
}

impl Lock {
    /// Whether each package is there, in its version.
    fn is_in(&self, folder: &Path) -> bool {
        let mut packages = self.packages.iter().filter(|(path, _)| !path.is_empty());
        packages.all(|(path, package)| match fs::read_to_string(folder.join(path).join("package.json")) {
            Ok(manifest) => serde_json::from_str(&manifest)
                .is_ok_and(|found: Package| found.version.is_some() && found.version == package.version),
            Err(_) => package.optional,
        })
    }
}

/// Of a version such as `v24.21.0`.
fn major(version: &str) -> Option<u32> {
    version.trim().trim_start_matches('v').split('.').next()?.parse().ok()
}

pub(crate) fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
