//! Saves the document as a draft, part by part, posts it, and waits until every line has come to something. Whatever was
//! done by an earlier run is found done.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use surehold_api::Call;
use surehold_api::stock::{self, Document, LineOutcome, NewDocument, NewLine, SaveLines, StockLine};
use surehold_core::kernel::Slug;
use surehold_core::stock::{DocumentId, DocumentState};
use tokio::time::Instant;

use super::super::Desk;
use super::row::File;
use super::{Header, Places};
use crate::client::ClientError;

/// Between two looks at a document that is being posted.
const LOOK_PAUSE: Duration = Duration::from_millis(50);
/// If no part is posted for so long, something else has to be done first.
const PATIENCE: Duration = Duration::from_mins(2);

#[derive(Clone, Copy)]
pub(super) struct Sending<'a> {
    pub(super) desk: Desk<'a>,
    pub(super) tenant: &'a Slug,
    pub(super) id: DocumentId,
    /// Everything but the lines.
    pub(super) header: &'a Header,
    /// In the order of the file.
    pub(super) lines: &'a [NewLine],
    pub(super) parts: &'a [Places],
    pub(super) file: &'a File,
}

/// What came of a document.
#[derive(Debug)]
pub(super) struct Posted {
    pub(super) document: Document,
    /// Of each row of the file.
    pub(super) outcomes: Vec<Option<LineOutcome>>,
    /// It was posted by an earlier run.
    pub(super) repeated: bool,
}

impl Sending<'_> {
    pub(super) async fn run(self) -> Result<Posted, ClientError> {
        let known = self.desk.find(self.get(0)).await?.map(|document| document.state);
        if matches!(known, None | Some(DocumentState::Draft)) {
            if self.parts.len() > 1 {
                self.post_in_parts().await?;
            } else {
                self.desk.insist(&self.first(true)).await?;
            }
        }
        let (document, outcomes) = self.collect().await?;
        let repeated = matches!(known, Some(DocumentState::Posted | DocumentState::Reversed));
        Ok(Posted { document, outcomes, repeated })
    }

    fn get(self, part: usize) -> Call<Document> {
        stock::document(self.tenant, self.id).query("part", part)
    }

    fn lines_of(&self, part: &Places) -> Vec<NewLine> {
        part.iter().map(|place| self.lines[*place].clone()).collect()
    }

    /// The document with its first part.
    fn first(self, post: bool) -> Call<Document> {
        let lines = self.parts.first().map(|part| self.lines_of(part)).unwrap_or_default();
        let document = NewDocument { id: Some(self.id), post, ..self.header.with_lines(lines) };
        stock::create_document(self.tenant, &document)
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
        self.desk.insist(&stock::post_document(self.tenant, self.id)).await.map(drop)
    }

    async fn save(self, bar: &ProgressBar) -> Result<(), ClientError> {
        let mut draft = self.desk.insist(&self.first(false)).await?;
        for (number, part) in self.parts.iter().enumerate() {
            if number > 0 {
                let lines = SaveLines { lines: self.lines_of(part) };
                draft = self.desk.insist(&stock::put_part(self.tenant, self.id, number, &lines)).await?;
            }
            bar.inc(u64::try_from(part.len()).unwrap_or(0));
        }
        // A longer draft of the same id would be posted with lines that are not in this file.
        let is_longer = usize::try_from(draft.part_count).is_ok_and(|parts| parts > self.parts.len());
        if is_longer { Err(self.of_another()) } else { Ok(()) }
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
    async fn collect(self) -> Result<(Document, Vec<Option<LineOutcome>>), ClientError> {
        let bar = progress(self.lines.len(), "posted");
        let collected = self.collect_with(&bar).await;
        finish(&bar, collected.is_ok());
        collected
    }

    async fn collect_with(self, bar: &ProgressBar) -> Result<(Document, Vec<Option<LineOutcome>>), ClientError> {
        let mut outcomes = vec![None; self.lines.len()];
        let mut last = None;
        for (number, part) in self.parts.iter().enumerate() {
            let is_last = number + 1 == self.parts.len();
            let mut document = self.awaited(number, is_last, bar).await?;
            let lines = document.lines.take().unwrap_or_default();
            if lines.len() != part.len() || usize::try_from(document.part_count) != Ok(self.parts.len()) {
                return Err(self.of_another());
            }
            for (place, line) in part.iter().zip(lines) {
                let ours = &self.lines[*place];
                if !says_the_same(ours, &line) {
                    return Err(self.of_another());
                }
                let counts_differences = line.against.is_some_and(|against| against.difference);
                if ours.against.is_some_and(|against| against.difference) != counts_differences {
                    return Err(self.counted_otherwise(counts_differences));
                }
                outcomes[*place] = line.outcome;
            }
            bar.inc(u64::try_from(part.len()).unwrap_or(0));
            last = Some(document);
        }
        let document = last.ok_or_else(|| self.of_another())?;
        Ok((document, outcomes))
    }

    /// A part of which every line has come to something; with the last one, the document is posted.
    async fn awaited(self, number: usize, is_last: bool, bar: &ProgressBar) -> Result<Document, ClientError> {
        let begun_at = Instant::now();
        loop {
            let document = self.desk.insist(&self.get(number)).await?;
            let done = document.lines.iter().flatten().all(|line| line.outcome.is_some());
            if done && !(is_last && document.state == DocumentState::Posting) {
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
fn says_the_same(ours: &NewLine, theirs: &StockLine) -> bool {
    (ours.product == theirs.product && ours.count == theirs.count && ours.pack == theirs.pack)
        && (ours.amount == theirs.amount && ours.price == theirs.price)
        && (ours.lot == theirs.lot && ours.expires == theirs.expires && ours.serials == theirs.serials)
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
    use serde_json::{Value, from_value, json};

    use super::*;

    #[test]
    fn the_same_line() {
        let ours = json!({"product": "tea", "count": 3, "price": "490", "against": {"seq": 3}});
        let ours: NewLine = from_value(ours).unwrap();
        let check = |theirs: Value, expected: bool| {
            assert_eq!(says_the_same(&ours, &from_value(theirs.clone()).unwrap()), expected, "{theirs}");
        };
        check(json!({"line": 7, "product": "tea", "count": 3, "price": "490", "against": {"seq": 9}}), true);
        check(json!({"line": 1, "product": "tea", "count": 3, "price": "490.00"}), true);
        check(json!({"line": 1, "product": "tea", "count": 3, "price": "491"}), false);
        check(json!({"line": 1, "product": "tea", "count": 3, "amount": 490}), false);
        check(json!({"line": 1, "product": "tea", "count": 3, "price": "490", "lot": "L"}), false);
        check(json!({"line": 1, "product": "milk", "count": 3, "price": "490"}), false);
    }
}
