//! What the sources of this crate declare, so that nothing is left out of a list.

use std::fs;
use std::path::Path;

/// The text between `before` and `after` in each line that has both, sorted.
pub(super) fn declared(before: &str, after: &str) -> Vec<String> {
    let mut found = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut |line| {
        let rest = line.split_once(before).map(|(_, rest)| rest);
        found.extend(rest.and_then(|rest| rest.split_once(after)).map(|(text, _)| text.to_owned()));
    });
    found.sort();
    found
}

fn collect(folder: &Path, look_at: &mut impl FnMut(&str)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with("tests") {
                collect(&path, look_at);
            }
        } else if !path.ends_with("tests.rs") {
            fs::read_to_string(&path).unwrap().lines().for_each(&mut *look_at);
        }
    }
}
