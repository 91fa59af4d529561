//! Folders with tools of others, in the build folder. Runs that share a build folder share its tools: one run installs them
//! while others wait, and none replaces what another is using.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::process::id;

use anyhow::{Context, Result, ensure};

use crate::cargo::build_folder;

/// What is in it stays as it is while this exists.
pub(crate) struct ToolFolder {
    pub(crate) path: PathBuf,
    name: &'static str,
    /// Beside the folder, because an installation begins by emptying it.
    lock: File,
}

impl ToolFolder {
    pub(crate) fn open(name: &'static str) -> Result<ToolFolder> {
        ToolFolder::open_in(&build_folder()?, name)
    }

    fn open_in(folder: &Path, name: &'static str) -> Result<ToolFolder> {
        let (path, lock) = (folder.join(name), folder.join(format!("{name}.lock")));
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&lock);
        Ok(ToolFolder { path, name, lock: file.with_context(|| format!("cannot write {}", lock.display()))? })
    }

    /// Installs what is `pinned` if it is not there or does not answer, and keeps it until this is dropped.
    pub(crate) fn hold(
        &self,
        pinned: &str,
        answers: impl Fn() -> bool,
        install: impl Fn() -> Result<()>,
    ) -> Result<()> {
        let is_whole = || fs::read_to_string(self.installed()).is_ok_and(|text| text == pinned) && answers();
        loop {
            self.wait(File::try_lock_shared, File::lock_shared)?;
            if is_whole() {
                return Ok(());
            }
            self.lock.unlock()?;
            self.wait(File::try_lock, File::lock)?;
            // Another run may have installed it in the meantime.
            if !is_whole() {
                eprintln!("== Installing {}", self.name);
                clear(&self.path)?;
                install()?;
                fs::write(self.installed(), pinned)
                    .with_context(|| format!("cannot write {}", self.installed().display()))?;
                ensure!(is_whole(), "{} was installed in {} and does not start", self.name, self.path.display());
            }
            self.lock.unlock()?;
        }
    }

    /// Written last, so that what an interrupted installation left is not taken for a whole one.
    fn installed(&self) -> PathBuf {
        self.path.join("installed")
    }

    fn wait(
        &self,
        at_once: impl Fn(&File) -> Result<(), TryLockError>,
        later: impl Fn(&File) -> std::io::Result<()>,
    ) -> Result<()> {
        if let Err(TryLockError::WouldBlock) = at_once(&self.lock) {
            eprintln!("== Waiting for another run that uses {}", self.name);
            return later(&self.lock).with_context(|| format!("cannot lock {}.lock", self.path.display()));
        }
        Ok(())
    }

    /// A folder for what this run generates.
    pub(crate) fn run_folder(&self) -> Result<RunFolder> {
        let folder = RunFolder { path: self.path.join(format!("run-{}", id())) };
        clear(&folder.path)?;
        Ok(folder)
    }
}

/// Gone when this is dropped.
pub(crate) struct RunFolder {
    pub(crate) path: PathBuf,
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            eprintln!("warning: cannot remove {}: {error}", self.path.display());
        }
    }
}

/// Leaves an empty folder.
pub(crate) fn clear(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::env;

    use super::*;

    #[test]
    fn what_one_run_uses_another_does_not_replace() {
        let folder = env::temp_dir().join(format!("surehold-tool-folder-{}", id()));
        clear(&folder).unwrap();
        let (first, second) = (ToolFolder::open_in(&folder, "a").unwrap(), ToolFolder::open_in(&folder, "a").unwrap());
        let installed = Cell::new(0);
        let install = || {
            installed.set(installed.get() + 1);
            fs::write(first.path.join("program"), "").map_err(Into::into)
        };
        for tools in [&first, &second] {
            tools.hold("1.0", || tools.path.join("program").is_file(), install).unwrap();
        }
        assert_eq!(installed.get(), 1);
        assert!(matches!(second.lock.try_lock(), Err(TryLockError::WouldBlock)), "the first run still uses it");
        drop(first);
        assert!(second.lock.try_lock().is_ok());

        let generated = second.run_folder().unwrap();
        assert!(generated.path.is_dir() && generated.path.starts_with(&second.path));
        let path = generated.path.clone();
        drop(generated);
        assert!(!path.exists());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn an_installation_that_brings_nothing_is_an_error() {
        let folder = env::temp_dir().join(format!("surehold-tool-folder-{}-empty", id()));
        clear(&folder).unwrap();
        let tools = ToolFolder::open_in(&folder, "a").unwrap();
        let error = tools.hold("1.0", || false, || Ok(())).unwrap_err();
        assert!(error.to_string().starts_with("a was installed in "), "{error}");
        fs::remove_dir_all(folder).unwrap();
    }
}
