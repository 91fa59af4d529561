//! Lists as Stripe pages them: the newest first, up to 100, from an id on in either direction.

use serde_json::{Value, json};

use super::answer::ApiError;
use super::form::{Params, not_an_integer};
use super::table::{AccountNo, Row, Table};

const LIMIT_DEFAULT: usize = 10;
const LIMIT_MAX: usize = 100;

/// What every list takes.
pub(super) const PAGING: [&str; 5] = ["limit", "created", "starting_after", "ending_before", "expand"];

#[derive(Debug)]
pub(super) struct Page {
    limit: usize,
    created: CreatedRange,
    starting_after: Option<String>,
    ending_before: Option<String>,
}

/// Both ends belong to it.
#[derive(Clone, Copy, Debug)]
struct CreatedRange {
    first: i64,
    last: i64,
}

impl Page {
    pub(super) fn read(params: &Params) -> Result<Page, ApiError> {
        let limit = match params.integer("limit")? {
            None => LIMIT_DEFAULT,
            Some(limit) => usize::try_from(limit)
                .ok()
                .filter(|limit| (1..=LIMIT_MAX).contains(limit))
                .ok_or_else(|| not_an_integer("limit", &limit.to_string()))?,
        };
        let starting_after = params.text("starting_after")?.map(str::to_owned);
        let ending_before = params.text("ending_before")?.map(str::to_owned);
        if starting_after.is_some() && ending_before.is_some() {
            let message = "Received both ending_before and starting_after parameters. Please pass in only one.";
            return Err(ApiError::invalid(None, "starting_after", message));
        }
        Ok(Page { limit, created: CreatedRange::read(params)?, starting_after, ending_before })
    }

    pub(super) fn of<T: Row>(
        &self,
        table: &Table<T>,
        account: AccountNo,
        url: &str,
        wanted: impl Fn(&T) -> bool,
        show: impl Fn(&T) -> Value,
    ) -> Result<Value, ApiError> {
        let place = |id: &Option<String>, param: &str| {
            let find =
                |id: &String| table.place_of(account, id).ok_or_else(|| ApiError::no_such_in("object", param, id));
            id.as_ref().map(find).transpose()
        };
        let rows = table.rows();
        let fits = |row: &&T| row.account() == account && self.created.contains(row.created()) && wanted(row);
        let before = place(&self.starting_after, "starting_after")?.unwrap_or(rows.len());
        let mut found: Vec<&T> = match place(&self.ending_before, "ending_before")? {
            // The nearest to the cursor, then turned round.
            Some(cursor) => rows[cursor + 1..].iter().filter(fits).take(self.limit + 1).collect(),
            None => rows[..before].iter().rev().filter(fits).take(self.limit + 1).collect(),
        };
        let has_more = found.len() > self.limit;
        found.truncate(self.limit);
        if self.ending_before.is_some() {
            found.reverse();
        }
        let data: Vec<Value> = found.into_iter().map(show).collect();
        Ok(json!({ "object": "list", "url": url, "has_more": has_more, "data": data }))
    }
}

impl CreatedRange {
    fn read(params: &Params) -> Result<CreatedRange, ApiError> {
        if let Some(created) = params.integer("created")? {
            return Ok(CreatedRange { first: created, last: created });
        }
        let after = params.integer("created[gt]")?.map(|secs| secs.saturating_add(1));
        let from = params.integer("created[gte]")?;
        let before = params.integer("created[lt]")?.map(|secs| secs.saturating_sub(1));
        let until = params.integer("created[lte]")?;
        let first = after.into_iter().chain(from).max().unwrap_or(i64::MIN);
        let last = before.into_iter().chain(until).min().unwrap_or(i64::MAX);
        Ok(CreatedRange { first, last })
    }

    fn contains(self, created: i64) -> bool {
        (self.first..=self.last).contains(&created)
    }
}
