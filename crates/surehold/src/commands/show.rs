//! How a type looks to people, declared: what each of its properties is called, and its text.

use std::fmt::Display;

use super::view::{fields, table};

/// A property of a `T`: a line where one is shown, a column where several are. `C` is what else must be known to write it.
pub(super) struct Show<T, C = ()> {
    name: &'static str,
    text: fn(&T, &C) -> String,
    is_line: bool,
    is_column: bool,
    is_number: bool,
}

/// Shown wherever a `T` is.
pub(super) const fn both<T, C>(name: &'static str, text: fn(&T, &C) -> String) -> Show<T, C> {
    Show { name, text, is_line: true, is_column: true, is_number: false }
}

/// Shown where only one is.
pub(super) const fn line<T, C>(name: &'static str, text: fn(&T, &C) -> String) -> Show<T, C> {
    Show { is_column: false, ..both(name, text) }
}

/// Shown where several are.
pub(super) const fn column<T, C>(name: &'static str, text: fn(&T, &C) -> String) -> Show<T, C> {
    Show { is_line: false, ..both(name, text) }
}

/// Aligned at its end.
pub(super) const fn number<T, C>(mut show: Show<T, C>) -> Show<T, C> {
    show.is_number = true;
    show
}

/// One thing, a property a line; what is empty is left out.
pub(super) fn details<T, C>(shows: &[Show<T, C>], one: &T, context: &C) -> String {
    let lines = shows.iter().filter(|show| show.is_line);
    fields(&lines.map(|show| (show.name, (show.text)(one, context))).collect::<Vec<_>>())
}

/// Several things, one a row.
pub(super) fn rows<T, C>(shows: &[Show<T, C>], all: &[T], context: &C) -> String {
    let columns: Vec<&Show<T, C>> = shows.iter().filter(|show| show.is_column).collect();
    let header: Vec<String> = columns.iter().map(|column| column.name.to_uppercase()).collect();
    let numbers: Vec<usize> =
        (0..).zip(&columns).filter(|(_, column)| column.is_number).map(|(place, _)| place).collect();
    table(&header, &numbers, all.iter().map(|one| columns.iter().map(|column| (column.text)(one, context)).collect()))
}

/// Nothing for what is absent.
pub(super) fn some(value: Option<impl Display>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// `a, b`
pub(super) fn joined(values: impl IntoIterator<Item = impl Display>, between: &str) -> String {
    values.into_iter().map(|value| value.to_string()).collect::<Vec<_>>().join(between)
}
