//! What a mistake in an attribute says. What the derives generate is tested where it compiles, in the core.

use syn::DeriveInput;

use crate::declared::{Group, Record};

fn check_record(declaration: &str, expected: &str) {
    let input: DeriveInput = syn::parse_str(declaration).unwrap();
    let found = Record::read(&input).map_or_else(|error| error.to_string(), |_| "ok".to_owned());
    assert_eq!(found, expected, "{declaration}");
}

fn check_group(declaration: &str, expected: &str) {
    let input: DeriveInput = syn::parse_str(declaration).unwrap();
    let found = Group::read(&input).map_or_else(|error| error.to_string(), |_| "ok".to_owned());
    assert_eq!(found, expected, "{declaration}");
}

#[test]
fn attributes_of_records() {
    let check = |attribute: &str, expected: &str| {
        check_record(&format!("{attribute} struct Pool {{ next: i64, version: i64 }}"), expected);
    };
    check("#[record(table = \"pools\")]", "ok");
    check("#[record(table = \"pools\", fixed, remembered)]", "ok");
    check(
        "#[record(table = \"pools\", due(column = \"next\", filter = \"true\", records_max = MAX, at = self.next))]",
        "ok",
    );
    check("", "a record says `#[record(table = \"…\")]`");
    check("#[record(remembered)]", "a record says `#[record(table = \"…\")]`");
    check("#[record(tabel = \"pools\")]", "expected `table`, `fixed`, `remembered` or `due`");
    check("#[record(table = \"pools\", remembred)]", "expected `table`, `fixed`, `remembered` or `due`");
    check("#[record(table = \"a\", table = \"b\")]", "said before");
    check("#[record(table = \"pools\", fixed, fixed)]", "said twice");
    check(
        "#[record(table = \"pools\", due(column = \"next\"))]",
        "`due` says `column`, `filter`, `records_max` and `at`",
    );
    check("#[record(table = \"pools\", due(colum = \"next\"))]", "expected `column`, `filter`, `records_max` or `at`");
    check(
        "#[record(table = \"pools\", due(column = \"nxt\", filter = \"true\", records_max = 1, at = self.next))]",
        "no field is this column",
    );
}

#[test]
fn attributes_of_columns() {
    let check = |fields: &str, expected: &str| {
        check_record(&format!("#[record(table = \"pools\")] struct Pool {{ {fields} }}"), expected);
    };
    check("#[column(key)] id: i64, #[column(name = \"a\", name = \"b\")] two: Two, version: i64", "ok");
    check("#[column(fixed, json)] text: String, version: i64", "ok");
    check("version: i64", "ok");
    check("id: i64", "the last field of a record is `version: i64`");
    check("", "the last field of a record is `version: i64`");
    check("#[column(fixd)] id: i64, version: i64", "expected `key`, `fixed`, `counter`, `json` or `name`");
    check("#[column(key, fixed)] id: i64, version: i64", "said before");
    check("#[column(fixed, counter)] id: i64, version: i64", "said before");
    check("#[column(json, json)] id: i64, version: i64", "said twice");
    check("first: i64, #[column(key)] id: i64, version: i64", "key columns come before all others");
    check(
        "#[column(counter)] a: i64, #[column(counter)] b: i64, #[column(counter)] c: i64, version: i64",
        "a record has 2 counters at most",
    );
}

#[test]
fn groups() {
    check_group("struct Key { kind: Kind, #[column(name = \"value\")] key: Text }", "ok");
    check_group("struct Key { #[column(key)] kind: Kind }", "only a record says this of a column");
    check_group("struct Key { #[column(json)] kind: String }", "only a record says this of a column");
    for other in ["struct Key(i64);", "struct Key;", "enum Key { A }", "struct Key<T> { kind: T }"] {
        check_group(other, "only a struct with named fields and without parameters has columns");
    }
}
