//! Tables of pages that name the test which shows each demand, and each flaw: every one of them is there.

use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a crate among others").to_owned()
}

/// `(number, cells)` of the rows behind a heading.
fn rows<'p>(page: &'p str, heading: &str) -> Vec<(usize, Vec<&'p str>)> {
    let (_, section) = page.split_once(heading).unwrap_or_else(|| panic!("no {heading}"));
    let section = section.split("\n## ").next().expect("a split has a first part");
    let cells = |line: &'p str| line.trim_matches('|').split(" | ").map(str::trim).collect::<Vec<_>>();
    let row = |line: &'p str| {
        let cells = cells(line.strip_prefix('|')?);
        Some((cells.first()?.parse().ok()?, cells))
    };
    section.lines().filter_map(row).collect()
}

/// The tests in a cell: `core::it tables::place::all_lines_or_none` between backticks.
fn tests(cell: &str) -> Vec<(&str, &str)> {
    cell.split('`').filter_map(|quoted| quoted.split_once(' ')).filter(|(_, path)| path.contains("::")).collect()
}

/// Cases are stamped for each store by the macro of their folder, which lists them.
fn is_store(module: &str) -> bool {
    matches!(module, "sqlite" | "postgres")
}

/// The source of a module; of all modules below it where they are stamped.
fn sources(root: &Path, modules: &[&str]) -> Vec<String> {
    let place =
        modules.iter().filter(|module| !is_store(module)).fold(root.to_owned(), |place, module| place.join(module));
    let inline = place.parent().map(|parent| parent.with_extension("rs"));
    let mut files = vec![place.with_extension("rs"), place.join("mod.rs")];
    files.extend(inline.filter(|_| modules.last() == Some(&"tests")));
    if modules.iter().any(|module| is_store(module)) && place.is_dir() {
        let found = fs::read_dir(&place).unwrap().map(|entry| entry.unwrap().path());
        files.extend(found.filter(|path| path.extension().is_some_and(|extension| extension == "rs")));
    }
    files.iter().filter_map(|file| fs::read_to_string(file).ok()).collect()
}

fn exists(binary: &str, path: &str) -> bool {
    let (name, kind) = binary.split_once("::").map_or((binary, "src"), |(name, test)| (name, test));
    let root = match kind {
        "src" => crates().join(name).join("src"),
        test => crates().join(name).join("tests").join(test),
    };
    let mut modules: Vec<&str> = path.split("::").collect();
    let test = modules.pop().expect("a split has a last part");
    let declared = format!("fn {test}(");
    let is_test = |source: &String| {
        let Some((before, _)) = source.split_once(&declared) else { return false };
        if modules.iter().any(|module| is_store(module)) {
            return before.ends_with("pub(super) async ") || before.ends_with("pub(crate) async ");
        }
        let attribute = before.lines().rfind(|line| !line.trim().is_empty() && !line.contains("async"));
        attribute.is_some_and(|line| line.contains("test") && line.trim_start().starts_with("#["))
    };
    // Unit tests are in a module of that name.
    let is_placed = kind != "src" || modules.contains(&"tests");
    is_placed && sources(&root, &modules).iter().any(is_test)
}

/// The tables of a page, each with its heading and as many rows.
pub(crate) fn check(page: &str, tables: &[(&str, usize)]) {
    for (heading, count) in tables {
        let rows = rows(page, heading);
        assert_eq!(rows.iter().map(|(number, _)| *number).collect::<Vec<_>>(), (1..=*count).collect::<Vec<_>>());
        for (number, cells) in rows {
            let named = tests(cells.last().expect("a row has cells"));
            // What comes later says so.
            let is_open = cells.contains(&"open");
            assert_eq!(named.is_empty(), is_open, "{heading}, {number}: {cells:?}");
            for (binary, path) in named {
                assert!(exists(binary, path), "{heading}, {number}: there is no `{binary} {path}`");
            }
        }
    }
}

/// What a warehouse demands, and where it is met.
#[test]
fn what_is_said_of_stock_is_there() {
    check(include_str!("../../../../docs/stock.md"), &[("## The seed's demands", 11), ("## The seed's flaws", 10)]);
}

#[test]
fn what_does_not_exist_is_noticed() {
    assert!(exists("core::it", "tables::place::all_lines_or_none"));
    assert!(exists("core", "stays::names::tests::pools"));
    assert!(exists("core", "stays::operations::tests::tables::late"));
    assert!(exists("lab::it", "stays::sqlite::a_stay_is_paid_and_cancelled"));
    assert!(exists("lab::it", "conformance::postgres::keys::kept_over_a_restart"));
    assert!(!exists("core::it", "tables::place::all_lines_or_some"));
    assert!(!exists("core::it", "tables::places::all_lines_or_none"));
    assert!(!exists("core", "stays::names::pools"));
    // A helper is no test.
    assert!(!exists("core", "stays::operations::tests::tables::obey"));
}
