//! Golden files: texts of stored and sent forms, which change only on purpose.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// Set, it makes the tests write what they would compare.
const RENEW: &str = "SUREHOLD_RENEW";

/// Lines of a golden file, collected in the order in which a test finds them.
#[derive(Debug)]
pub struct Golden {
    path: PathBuf,
    present: String,
}

impl Golden {
    /// The file of this name in the folder `golden` of a crate; `env!("CARGO_MANIFEST_DIR")` is its root.
    pub fn new(root: &str, name: &str) -> Golden {
        Golden { path: Path::new(root).join("golden").join(name), present: String::new() }
    }

    /// What earlier versions wrote, as committed: has to be read by the present one, too.
    pub fn committed(&self) -> Vec<String> {
        let text = fs::read_to_string(&self.path).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    pub fn line(&mut self, line: &str) {
        let _ = writeln!(self.present, "{line}");
    }

    pub fn lines(&mut self, lines: &[impl AsRef<str>]) {
        for line in lines {
            self.line(line.as_ref());
        }
    }

    /// # Panics
    ///
    /// If the committed file says something else.
    pub fn check(self) {
        let Golden { path, present } = self;
        if env::var_os(RENEW).is_some() {
            fs::create_dir_all(path.parent().expect("the path ends in a folder and a name")).expect("a folder is made");
            return fs::write(&path, present).expect("the file can be written");
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        if let Some((line, was, is)) = first_difference(&committed, &present) {
            panic!(
                "{}, line {line}, is no longer true.\n  was: {was}\n  is:  {is}\n\
                 This is a format that others have stored or send: docs/formats.md says how one may change, and that \
                 {RENEW}=1 renews the file.",
                path.display()
            );
        }
    }
}

fn first_difference<'a>(was: &'a str, is: &'a str) -> Option<(usize, &'a str, &'a str)> {
    let (mut was, mut is) = (was.lines(), is.lines());
    (1..).find_map(|line| match (was.next(), is.next()) {
        (None, None) => Some(None),
        (was, is) if was == is => None,
        (was, is) => Some(Some((line, was.unwrap_or("(nothing)"), is.unwrap_or("(nothing)")))),
    })?
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn the_first_difference_is_found() {
        let check = |was: &str, is: &str, expected: Option<(usize, &str, &str)>| {
            assert_eq!(first_difference(was, is), expected, "{was:?} {is:?}");
        };
        check("", "", None);
        check("a\nb\n", "a\nb\n", None);
        check("a\nb\n", "a\nc\n", Some((2, "b", "c")));
        check("a\n", "a\nb\n", Some((2, "(nothing)", "b")));
        check("a\nb\n", "a\n", Some((2, "b", "(nothing)")));
    }
}
