//! Saves the document as a draft, part by part, posts it, and waits until every line has come to something. Whatever was
//! done by an earlier run is found done.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use tokio::time::Instant;
use uuid::Uuid;

use super::super::super::decimal;
use super::super::super::money::DecimalSign;
use super::super::super::view::list;
use super::super::Desk;
use super::Places;
use super::row::File;
use crate::client::{ClientError, Request};

/// Between two looks at a document that is being posted.
const LOOK_PAUSE: Duration = Duration::from_millis(50);
/// If no part is posted for so long, something else has to be done first.
const PATIENCE: Duration = Duration::from_mins(2);

#[derive(Clone, Copy)]
pub(super) struct Sending<'a> {
    pub(super) desk: Desk<'a>,
    pub(super) tenant: &'a str,
    pub(super) id: Uuid,
    /// Everything but the lines.
    pub(super) header: &'a Value,
    /// In the order of the file.
    pub(super) lines: &'a [Value],
    pub(super) parts: &'a [Places],
    pub(super) file: &'a File,
}

/// What came of a document.
#[derive(Debug)]
pub(super) struct Posted {
    pub(super) document: Value,
    /// Of each row of the file.
    pub(super) outcomes: Vec<Value>,
    /// It was posted by an earlier run.
    pub(super) repeated: bool,
}

impl Sending<'_> {
    pub(super) async fn run(self) -> Result<Posted, ClientError> {
        let known = self.desk.find(self.get(0)).await?;
        let repeated = matches!(known["state"].as_str(), Some("posted" | "reversed"));
        if matches!(known["state"].as_str(), None | Some("draft")) {
            if self.parts.len() > 1 {
                self.post_in_parts().await?;
            } else {
                self.desk.insist(&self.first(true)).await?;
            }
        }
        let posted = self.collect().await?;
        Ok(Posted { repeated, ..posted })
    }

    fn path<'p>(&'p self, id: &'p str, more: &[&'p str]) -> Vec<&'p str> {
        [&["v1", self.tenant, "documents", id], more].concat()
    }

    fn get(self, part: usize) -> Request {
        let id = self.id.to_string();
        Request::get(&self.path(&id, &[])).query("part", &part.to_string())
    }

    fn lines_of(&self, part: &Places) -> Vec<&Value> {
        part.iter().map(|place| &self.lines[*place]).collect()
    }

    /// The document with its first part.
    fn first(self, post: bool) -> Request {
        let mut body = self.header.clone();
        body["id"] = self.id.to_string().into();
        body["post"] = post.into();
        body["lines"] = json!(self.parts.first().map(|part| self.lines_of(part)).unwrap_or_default());
        Request::post(&["v1", self.tenant, "documents"]).json(body)
    }

    async fn post_in_parts(self) -> Result<(), ClientError> {
        if !self.desk.client.has_workers() {
            let hint = "start `surehold serve`: a document of more than 200 lines is posted by a server, part by part";
            return Err(self.file.wrong("has more than 200 rows, and no server runs here; nothing was sent", hint));
        }
        let bar = progress(self.lines.len(), "sent");
        let saved = self.save(&bar).await;
        finish(&bar, saved.is_ok());
        saved?;
        let id = self.id.to_string();
        self.desk.insist(&Request::post(&self.path(&id, &["post"]))).await?;
        Ok(())
    }

    async fn save(self, bar: &ProgressBar) -> Result<(), ClientError> {
        let id = self.id.to_string();
        let mut draft = self.desk.insist(&self.first(false)).await?;
        for (number, part) in self.parts.iter().enumerate() {
            if number > 0 {
                let number = number.to_string();
                let lines = json!({"lines": self.lines_of(part)});
                draft = self.desk.insist(&Request::put(&self.path(&id, &["parts", &number])).json(lines)).await?;
            }
            bar.inc(u64::try_from(part.len()).unwrap_or(0));
        }
        // A longer draft of the same id would be posted with lines that are not in this file.
        let parts = draft["part_count"].as_u64().and_then(|parts| usize::try_from(parts).ok());
        if parts.is_some_and(|parts| parts > self.parts.len()) { Err(self.of_another()) } else { Ok(()) }
    }

    fn of_another(self) -> ClientError {
        self.file.wrong(&format!("is not what document {} says", self.id), "choose another --id, or leave it out")
    }

    /// It is no other document: what was posted of it would count twice.
    fn counted_otherwise(self, differences: bool) -> ClientError {
        let how = if differences { "with" } else { "without" };
        let what = format!("was posted {how} --difference, as document {}; nothing was changed", self.id);
        let hint =
            "run it as before with --report FILE, which keeps the rows that were left out, and import those alone";
        self.file.wrong(&what, hint)
    }

    /// Part after part, as each is posted.
    async fn collect(self) -> Result<Posted, ClientError> {
        let bar = progress(self.lines.len(), "posted");
        let collected = self.collect_with(&bar).await;
        finish(&bar, collected.is_ok());
        collected
    }

    async fn collect_with(self, bar: &ProgressBar) -> Result<Posted, ClientError> {
        let mut outcomes = vec![Value::Null; self.lines.len()];
        let mut document = Value::Null;
        for (number, part) in self.parts.iter().enumerate() {
            let is_last = number + 1 == self.parts.len();
            document = self.awaited(number, is_last, bar).await?;
            let lines = list(&document["lines"]);
            let same =
                lines.len() == part.len() && document["part_count"].as_u64() == u64::try_from(self.parts.len()).ok();
            if !same {
                return Err(self.of_another());
            }
            for (place, line) in part.iter().zip(lines) {
                if !says_the_same(&self.lines[*place], line) {
                    return Err(self.of_another());
                }
                if counts_differences(&self.lines[*place]) != counts_differences(line) {
                    return Err(self.counted_otherwise(counts_differences(line)));
                }
                outcomes[*place] = line["outcome"].clone();
            }
            bar.inc(u64::try_from(part.len()).unwrap_or(0));
        }
        Ok(Posted { document, outcomes, repeated: false })
    }

    /// A part of which every line has come to something; with the last one, the document is posted.
    async fn awaited(self, number: usize, is_last: bool, bar: &ProgressBar) -> Result<Value, ClientError> {
        let begun_at = Instant::now();
        loop {
            let document = self.desk.insist(&self.get(number)).await?;
            let done = list(&document["lines"]).iter().all(|line| !line["outcome"].is_null());
            if done && !(is_last && document["state"] == "posting") {
                return Ok(document);
            }
            if begun_at.elapsed() > PATIENCE {
                let (posted, lines) = (bar.position(), self.lines.len());
                return Err(ClientError::StillPosting { document: self.id.to_string(), posted, lines });
            }
            tokio::time::sleep(LOOK_PAUSE).await;
        }
    }
}

/// Apart from the row that was counted against, which is another one in every run where the file does not say it.
fn says_the_same(ours: &Value, theirs: &Value) -> bool {
    let price = |line: &Value| line["price"].as_str().map(|price| decimal::parse(price, 6, DecimalSign::Point));
    let same = |name: &&str| ours[*name] == theirs[*name];
    ["product", "count", "pack", "amount", "lot", "expires", "serials"].iter().all(same) && price(ours) == price(theirs)
}

/// Whether a line of a recount lets the difference count.
fn counts_differences(line: &Value) -> bool {
    line["against"]["difference"] == true
}

/// On standard error, and only if somebody watches.
fn progress(lines: usize, done: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(&format!("{{bar:40}} {{pos}}/{{len}} lines {done}, {{eta}} left"));
    let bar = ProgressBar::new(u64::try_from(lines).unwrap_or(u64::MAX));
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn finish(bar: &ProgressBar, done: bool) {
    if done {
        bar.finish_and_clear();
    } else {
        bar.abandon();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_line() {
        let ours = json!({"product": "tea", "count": 3, "price": "490", "against": {"seq": 3}});
        let check = |theirs: Value, expected: bool| assert_eq!(says_the_same(&ours, &theirs), expected, "{theirs}");
        check(json!({"line": 7, "product": "tea", "count": 3, "price": "490", "against": {"seq": 9}}), true);
        check(json!({"product": "tea", "count": 3, "price": "490.00", "outcome": {}}), true);
        check(json!({"product": "tea", "count": 3, "price": "491"}), false);
        check(json!({"product": "tea", "count": 3, "amount": 490}), false);
        check(json!({"product": "tea", "count": 3, "price": "490", "lot": "L"}), false);
        check(json!({"product": "milk", "count": 3, "price": "490"}), false);
    }
}
