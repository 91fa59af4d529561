//! What the tests have compiled of other people's crates, lent to the build of the copy by hard links. Our own crates are
//! not lent: cargo takes two trees with the same layout for the same packages.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result};

use crate::names;

/// What cargo keeps of a dependency: outputs, what they were made of, and what build scripts made.
const FOLDERS: [&str; 3] = ["deps", ".fingerprint", "build"];

/// Lends nothing where nothing was compiled, and leaves alone what is there.
pub(super) fn lend(from: &Path, to: &Path) -> Result<()> {
    for folder in FOLDERS {
        let Ok(entries) = fs::read_dir(from.join(folder)) else { continue };
        for entry in entries {
            let name = entry?.file_name();
            if is_dependency(folder, &name.to_string_lossy()) {
                let (from, to) = (from.join(folder).join(&name), to.join(folder).join(&name));
                link(&from, &to).with_context(|| format!("cannot link {} to {}", to.display(), from.display()))?;
            }
        }
    }
    Ok(())
}

/// Of `deps` only libraries: the executables there are tests of ours.
fn is_dependency(folder: &str, name: &str) -> bool {
    let library = name.strip_prefix("lib").filter(|_| folder == "deps");
    let package = if folder == "deps" { library } else { Some(name) };
    package.is_some_and(|package| !package.starts_with(names::SERVER) && !package.starts_with(names::XTASK))
}

fn link(from: &Path, to: &Path) -> std::io::Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            link(&entry.path(), &to.join(entry.file_name()))?;
        }
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    match fs::hard_link(from, to) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_libraries_of_others_are_lent() {
        let check =
            |folder: &str, name: &str, expected: bool| assert_eq!(is_dependency(folder, name), expected, "{name}");
        check("deps", "libserde-0123456789abcdef.rlib", true);
        check("deps", "libtokio_macros-0123456789abcdef.so", true);
        check("deps", "libsurehold_core-0123456789abcdef.rlib", false);
        check("deps", "serde-0123456789abcdef.d", false);
        check("deps", "it-0123456789abcdef", false);
        check(".fingerprint", "serde-0123456789abcdef", true);
        check(".fingerprint", "surehold-core-0123456789abcdef", false);
        check(".fingerprint", "xtask-0123456789abcdef", false);
        check("build", "ring-0123456789abcdef", true);
    }
}
