//! The header: which column means what.

use crate::config::Nearest;

/// A column that files of one kind may have.
pub(in super::super) trait Column: Copy + Eq + 'static {
    const ALL: &'static [Self];
    /// A header for those who have none.
    const HEADER_SHOWN: &'static str;
    /// What rows there should be.
    const ROWS_HINT: &'static str;
    const ROWS_MAX: usize;
    /// Of a report: what was wrong the last time.
    const REASON: Self;

    fn name(self) -> &'static str;

    /// Says which one is missing, or one too many.
    fn check(columns: &[Self]) -> Result<(), String>;
}

/// An enum of columns, with their names.
macro_rules! column_names {
    ($($column:ident = $name:literal),* $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Column { $($column),* }

        impl Column {
            pub(super) const NAMED: &'static [Column] = &[$(Column::$column),*];

            pub(super) fn named(self) -> &'static str {
                match self { $(Column::$column => $name),* }
            }
        }
    };
}
pub(in super::super) use column_names;

/// In the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Columns<C>(pub(in super::super) Vec<C>);

impl<C: Column> Columns<C> {
    /// Names in any case, with blanks or dashes for underscores.
    pub(in super::super) fn read<'h>(header: impl Iterator<Item = &'h str>) -> Result<Columns<C>, String> {
        let mut columns = Vec::new();
        for name in header {
            let normal = name.trim().to_lowercase().replace([' ', '-'], "_");
            let found = C::ALL.iter().copied().find(|column| column.name() == normal);
            let Some(column) = found else {
                let all = C::ALL.iter().map(|column| column.name().to_owned()).collect();
                let name: String = name.trim().chars().take(40).collect();
                return Err(format!("there is no column `{name}`; {}", Nearest::to(&normal, all)));
            };
            if columns.contains(&column) {
                return Err(format!("the column {} is there twice", column.name()));
            }
            columns.push(column);
        }
        C::check(&columns)?;
        Ok(Columns(columns))
    }

    pub(in super::super) fn place(&self, column: C) -> Option<usize> {
        self.0.iter().position(|one| *one == column)
    }
}
