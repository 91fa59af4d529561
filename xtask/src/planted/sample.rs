//! The sample module: added to the copy the way that docs/adding-a-module.md says, so that the page stays true. What it does is
//! proven by a test in the copy.

/// Below the folder of the planted bugs: its own files, at the places that they have in the tree.
pub(super) const FOLDER: &str = "sample";

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::super::catalogue::{self, Catalogue};
    use super::super::root;
    use super::FOLDER;

    /// Files that a module may have to touch. Each of them is a list that somebody has to know of.
    const TOUCHED_MAX: usize = 11;
    const PAGE: &str = "docs/adding-a-module.md";

    /// Its files, and those that it touches as it leaves them.
    struct Sample {
        new: BTreeMap<PathBuf, String>,
        touched: BTreeMap<PathBuf, String>,
    }

    impl Sample {
        fn read() -> Sample {
            let folder = root().join(catalogue::FOLDER).join(FOLDER);
            let mut new = BTreeMap::new();
            collect(&folder, &folder, &mut new);
            let touched = Catalogue::read(&root()).and_then(|catalogue| catalogue.registered(&root()));
            Sample { new, touched: touched.unwrap_or_else(|error| panic!("{error:#}")) }
        }
    }

    fn collect(top: &Path, folder: &Path, found: &mut BTreeMap<PathBuf, String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(top, &path, found);
            } else {
                found.insert(path.strip_prefix(top).unwrap().to_owned(), fs::read_to_string(&path).unwrap());
            }
        }
    }

    fn page() -> String {
        fs::read_to_string(root().join(PAGE)).unwrap()
    }

    #[test]
    fn it_touches_few_files() {
        let Sample { new, touched } = Sample::read();
        for file in touched.keys() {
            println!("touched by the sample module: {}", file.display());
        }
        let count = touched.len();
        assert!(count <= TOUCHED_MAX, "{count} files: let a module bring what it adds to one of these lists");
        for file in new.keys() {
            assert!(!root().join(file).exists(), "{} is there, so the sample module touches it", file.display());
        }
    }

    /// The first cells of the page's table of registrations.
    #[test]
    fn the_page_lists_what_it_touches() {
        let page = page();
        let cells = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`')).map(|(cell, _)| cell);
        let listed: BTreeSet<&Path> = cells.filter(|cell| cell.contains('/')).map(Path::new).collect();
        assert_eq!(listed, Sample::read().touched.keys().map(PathBuf::as_path).collect());
    }

    /// Each names its file behind the language: `rust crates/core/src/lib.rs`.
    #[test]
    fn excerpts_of_the_page_are_the_sample() {
        let page = page();
        let Sample { new, touched } = Sample::read();
        let blocks: Vec<&str> = page.split("\n```").skip(1).step_by(2).collect();
        assert!(!blocks.is_empty());
        for block in blocks {
            let (info, excerpt) = block.split_once('\n').unwrap();
            let Some((_, file)) = info.split_once(' ') else { panic!("{PAGE} has a block without a file:\n{excerpt}") };
            let text = new.get(Path::new(file)).or_else(|| touched.get(Path::new(file)));
            let text = text.unwrap_or_else(|| panic!("{PAGE} shows {file}, which the sample module does not touch"));
            assert!(text.contains(excerpt), "{PAGE} shows of {file} what is not there:\n{excerpt}");
        }
    }
}
