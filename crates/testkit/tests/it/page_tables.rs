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

fn is_store(module: &str) -> bool {
    matches!(module, "sqlite" | "postgres")
}

/// The sources in which a test of these modules is declared, or listed to be stamped for each store.
fn sources(root: &Path, modules: &[&str]) -> Vec<String> {
    let place =
        modules.iter().filter(|module| !is_store(module)).fold(root.to_owned(), |place, module| place.join(module));
    let mut files = vec![place.with_extension("rs"), place.join("mod.rs")];
    let is_stamped = modules.iter().any(|module| is_store(module));
    files.extend(place.parent().filter(|_| is_stamped).map(|parent| parent.join("mod.rs")));
    let inline = place.parent().map(|parent| parent.with_extension("rs"));
    files.extend(inline.filter(|_| modules.last() == Some(&"tests")));
    files.iter().filter_map(|file| fs::read_to_string(file).ok()).collect()
}

/// Whether the source lists the case in `on_each_store!`.
fn stamps(source: &str, case: &str) -> bool {
    let block = source.split_once("on_each_store! {").and_then(|(_, rest)| rest.split("\n\n").next());
    block.is_some_and(|block| block.split_whitespace().any(|word| word == case))
}

fn is_test(source: &str, name: &str) -> bool {
    let Some((before, _)) = source.split_once(&format!("fn {name}(")) else { return false };
    let attribute = before.lines().rfind(|line| !line.trim().is_empty() && !line.contains("async"));
    attribute.is_some_and(|line| line.contains("test") && line.trim_start().starts_with("#["))
}

fn exists(binary: &str, path: &str) -> bool {
    let (name, kind) = binary.split_once("::").map_or((binary, "src"), |(name, test)| (name, test));
    let root = match kind {
        "src" => crates().join(name).join("src"),
        test => crates().join(name).join("tests").join(test),
    };
    let mut modules: Vec<&str> = path.split("::").collect();
    let test = modules.pop().expect("a split has a last part");
    let sources = sources(&root, &modules);
    if modules.iter().any(|module| is_store(module)) {
        let declared = format!("async fn {test}(");
        return sources.iter().any(|source| source.contains(&declared))
            && sources.iter().any(|source| stamps(source, test));
    }
    // Unit tests are in a module of that name.
    let is_placed = kind != "src" || modules.contains(&"tests");
    is_placed && sources.iter().any(|source| is_test(source, test))
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
    assert!(exists("testkit::it", "stays::sqlite::payments::a_stay_is_paid_and_cancelled"));
    assert!(exists("testkit::it", "stock_races::postgres::the_last_ones_are_taken_once"));
    assert!(exists("lab::it", "faults::crash::sqlite::survives_kills"));
    assert!(!exists("core::it", "tables::place::all_lines_or_some"));
    assert!(!exists("core::it", "tables::places::all_lines_or_none"));
    assert!(!exists("core", "stays::names::pools"));
    assert!(!exists("testkit::it", "stays::sqlite::a_stay_is_paid_and_cancelled"));
    assert!(!exists("testkit::it", "stays::sqlite::payments::a_stay_is_paid_and_forgotten"));
    // A helper is no test.
    assert!(!exists("core", "stays::operations::tests::tables::obey"));
}
