//! Rows of one kind in the order in which they were made, found by id. Nothing is ever taken away.

use std::collections::HashMap;
use std::ops::{Index, IndexMut};

/// The place of an account in the configuration.
pub(super) type AccountNo = usize;

pub(super) trait Row {
    fn id(&self) -> &str;
    fn account(&self) -> AccountNo;
    fn created(&self) -> i64;
}

#[derive(Debug)]
pub(super) struct Table<T> {
    rows: Vec<T>,
    places: HashMap<String, usize>,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table { rows: Vec::new(), places: HashMap::new() }
    }
}

impl<T: Row> Table<T> {
    /// Its place.
    pub(super) fn push(&mut self, row: T) -> usize {
        let place = self.rows.len();
        self.places.insert(row.id().to_owned(), place);
        self.rows.push(row);
        place
    }

    /// Whosever it is.
    pub(super) fn place(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    /// What belongs to another account is not there.
    pub(super) fn place_of(&self, account: AccountNo, id: &str) -> Option<usize> {
        self.place(id).filter(|place| self.rows[*place].account() == account)
    }

    pub(super) fn rows(&self) -> &[T] {
        &self.rows
    }
}

impl<T> Index<usize> for Table<T> {
    type Output = T;

    fn index(&self, place: usize) -> &T {
        &self.rows[place]
    }
}

impl<T> IndexMut<usize> for Table<T> {
    fn index_mut(&mut self, place: usize) -> &mut T {
        &mut self.rows[place]
    }
}
