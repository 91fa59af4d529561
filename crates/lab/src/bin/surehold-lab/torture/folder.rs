//! The folder of a run: what is in it, and when it may be used again.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::findings::counted;

/// Says that the folder is one of ours, and what became of the run in it.
const MARK: &str = "torture.json";

pub(super) struct Folder(PathBuf);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// It goes on, or was cut off.
    Unfinished,
    Violations(u64),
}

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
            const ADVICE: &str = "move it away, or choose another --folder";
            match folder.left()? {
                None => bail!("{shown} is not empty, and no earlier run left it; choose another --folder"),
                Some(Left::Violations(0)) => {
                    std::fs::remove_dir_all(path)
                        .with_context(|| format!("cannot remove the earlier run in {shown}"))?;
                }
                Some(Left::Violations(found)) => {
                    let found = counted(found, "violation", "violations");
                    bail!("{shown} holds a run with {found}; {ADVICE}")
                }
                // What it died of may be in there.
                Some(Left::Unfinished) => bail!("{shown} holds a run that did not come to its end; {ADVICE}"),
            }
        }
        std::fs::create_dir_all(path).with_context(|| format!("cannot make {shown}; choose another --folder"))?;
        // Nothing is lost if nothing begins.
        folder.mark(Left::Violations(0))?;
        Ok(folder)
    }

    /// By the run whose folder it is; `None` if it is nobody's.
    fn left(&self) -> Result<Option<Left>> {
        let text = match std::fs::read(self.file(MARK)) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).context("cannot read the mark of the earlier run"),
        };
        let mark: Value = serde_json::from_slice(&text).context("the mark of the earlier run is no JSON")?;
        Ok(Some(mark["violations"].as_u64().map_or(Left::Unfinished, Left::Violations)))
    }

    pub(super) fn mark(&self, left: Left) -> Result<()> {
        let mark = match left {
            Left::Unfinished => json!({ "finished": false }),
            Left::Violations(count) => json!({ "violations": count }),
        };
        let mark = mark.to_string();
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

        for (left, expected) in [
            (Left::Violations(3), "a run with 3 violations"),
            (Left::Violations(1), "a run with 1 violation;"),
            (Left::Unfinished, "a run that did not come to its end"),
        ] {
            taken.mark(left).unwrap();
            let refused = Folder::take(&path).err().unwrap().to_string();
            assert!(refused.contains(expected), "{refused}");
        }

        let refused = Folder::take(place.path()).err().unwrap().to_string();
        assert!(refused.contains("is not empty"), "{refused}");
    }
}
