//! Invariants that one question can tell: whatever it answers is wrong.

use std::borrow::Cow;

use surehold_core::kernel::{ColumnType, Corrupt, TenantId};

use super::{Auditing, Finding, Remedy};
use crate::{Fault, OwnedValue, ReadRow, SnapshotError, Views};

/// Each answer is a tenant and two names.
pub(crate) struct Rule {
    pub(crate) invariant: &'static str,
    /// What is wrong, after the name of what it is about.
    pub(crate) says: &'static str,
    pub(crate) remedy: &'static str,
    pub(crate) sql: Cow<'static, str>,
    pub(crate) params: Vec<OwnedValue>,
    /// Both names as one.
    pub(crate) key: fn(&str, &str) -> String,
}

/// A rule is shown by a few examples where only a view is at hand.
const EXAMPLES_MAX: u16 = 100;

pub(crate) fn both(one: &str, two: &str) -> String {
    format!("{one} {two}")
}

impl Rule {
    pub(crate) const fn new(
        invariant: &'static str,
        says: &'static str,
        remedy: &'static str,
        sql: &'static str,
    ) -> Rule {
        Rule { invariant, says, remedy, sql: Cow::Borrowed(sql), params: Vec::new(), key: both }
    }

    pub(crate) fn check(&self, audit: &mut Auditing<'_>) -> Result<(), SnapshotError> {
        let columns = [ColumnType::Int, ColumnType::Text, ColumnType::Text];
        audit.each(&self.sql, &self.params, &columns, |findings, row| {
            let Ok(tenant) = row.int() else { return };
            let mut name = || row.text().map(str::to_owned).unwrap_or_default();
            let (one, two) = (name(), name());
            let remedy = Remedy::Person(self.remedy);
            findings.add(self.invariant, TenantId(tenant), || ((self.key)(&one, &two), self.says.to_owned(), remedy));
        })
    }

    /// A few examples, as last committed.
    pub(crate) async fn ask(&self, views: &Views) -> Result<Vec<Finding>, Fault> {
        let sql = format!("select * from ({}) wrong order by 1, 2, 3 limit {EXAMPLES_MAX}", self.sql);
        let finding = |row: &ReadRow| {
            Ok::<Finding, Corrupt>(Finding {
                invariant: self.invariant,
                tenant: TenantId(row.int(0)?),
                key: (self.key)(row.text(1)?, row.text(2)?),
                detail: self.says.to_owned(),
                remedy: Remedy::Person(self.remedy),
            })
        };
        views.ask_installation(&sql, self.params.clone(), finding).await
    }
}
