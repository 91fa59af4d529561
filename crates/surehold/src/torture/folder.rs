//! The folder of a run: what is in it, and when it may be used again.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// Says that the folder is one of ours, and what was found.
const MARK: &str = "torture.json";

pub(super) struct Folder(PathBuf);

impl Folder {
    /// Takes an empty one, or that of an earlier run in which nothing was found.
    pub(super) fn take(path: &Path) -> Result<Folder> {
        let folder = Folder(path.to_owned());
        let shown = path.display();
        let entries = match std::fs::read_dir(path) {
            Ok(entries) => entries.count(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => 0,
            Err(error) => {
                return Err(error).with_context(|| format!("cannot look into {shown}; choose another --folder"));
            }
        };
        if entries > 0 {
            match folder.violations()? {
                None => bail!("{shown} is not empty, and no earlier run left it; choose another --folder"),
                Some(0) => {
                    std::fs::remove_dir_all(path)
                        .with_context(|| format!("cannot remove the earlier run in {shown}"))?;
                }
                Some(found) => bail!(
                    "{shown} holds a run in which {found} violations were found; move it away, or choose another --folder"
                ),
            }
        }
        std::fs::create_dir_all(path).with_context(|| format!("cannot make {shown}; choose another --folder"))?;
        folder.mark(0)?;
        Ok(folder)
    }

    /// Of the run that left it; `None` if it is none.
    fn violations(&self) -> Result<Option<u64>> {
        let text = match std::fs::read(self.file(MARK)) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).context("cannot read the mark of the earlier run"),
        };
        let mark: Value = serde_json::from_slice(&text).context("the mark of the earlier run is no JSON")?;
        Ok(mark["violations"].as_u64())
    }

    pub(super) fn mark(&self, violations: usize) -> Result<()> {
        let mark = json!({ "violations": violations }).to_string();
        std::fs::write(self.file(MARK), mark).context("cannot write to the folder")
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_used_again() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a").join("run");
        let taken = Folder::take(&path).unwrap();
        std::fs::write(taken.file("history.jsonl"), "old").unwrap();
        assert!(!Folder::take(&path).unwrap().file("history.jsonl").exists());

        taken.mark(3).unwrap();
        let refused = Folder::take(&path).err().unwrap().to_string();
        assert!(refused.contains("3 violations"), "{refused}");

        let refused = Folder::take(place.path()).err().unwrap().to_string();
        assert!(refused.contains("is not empty"), "{refused}");
    }
}
