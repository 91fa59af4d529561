//! Posts the document, and waits until every row has come to something. Whatever was done by an earlier run is found done.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use surehold_api::stock::{self, Document, ImportDocument, Imported};
use surehold_core::kernel::Slug;
use surehold_core::stock::{DocumentKind, DocumentState};
use tokio::time::Instant;

use super::super::Desk;
use super::row::File;
use crate::client::ClientError;

/// Between two looks at a document that is being posted.
const LOOK_PAUSE: Duration = Duration::from_millis(50);
/// If no part is posted for so long, something else has to be done first.
const PATIENCE: Duration = Duration::from_mins(2);

#[derive(Clone, Copy)]
pub(super) struct Sending<'a> {
    pub(super) desk: Desk<'a>,
    pub(super) tenant: &'a Slug,
    pub(super) file: &'a File,
    pub(super) import: &'a ImportDocument,
}

impl Sending<'_> {
    /// Looks whether all rows can be used, and changes nothing.
    pub(super) async fn check(self) -> Result<Imported, ClientError> {
        let dry = ImportDocument { dry_run: true, ..self.import.clone() };
        self.desk.insist(&stock::import(self.tenant, &dry)).await
    }

    pub(super) async fn run(self) -> Result<Imported, ClientError> {
        let first = self.send().await?;
        let Some(document) = first.document.as_ref().filter(|found| found.state == DocumentState::Posting) else {
            return Ok(first);
        };
        let bar = progress(self.import.rows.len());
        self.awaited(document.part_count, &bar).await.inspect_err(|_| bar.abandon())?;
        bar.finish_and_clear();
        Ok(Imported { repeated: first.repeated, ..self.send().await? })
    }

    async fn send(self) -> Result<Imported, ClientError> {
        match self.desk.insist(&stock::import(self.tenant, self.import)).await {
            Err(error) if error.says_that_the_id_is_taken() => Err(self.of_another().await?),
            answered => answered,
        }
    }

    /// The document of this id says something else.
    async fn of_another(self) -> Result<ClientError, ClientError> {
        let id = self.import.id;
        let ours = self.import.rows.iter().any(|row| row.difference);
        let lines = self.look(0).await?.lines.unwrap_or_default();
        let theirs = lines.iter().any(|line| line.against.is_some_and(|against| against.difference));
        if self.import.header.kind != DocumentKind::Recount || ours == theirs {
            let what = format!("is not what document {id} says");
            return Ok(self.file.wrong(&what, "choose another --id, or leave it out"));
        }
        // It is no other document: what was posted of it would count twice.
        let how = if theirs { "with" } else { "without" };
        let what = format!("was posted {how} --difference, as document {id}; nothing was changed");
        let hint =
            "run it as before with --report FILE, which keeps the rows that were left out, and import those alone";
        Ok(self.file.wrong(&what, hint))
    }

    async fn look(self, part: u32) -> Result<Document, ClientError> {
        self.desk.insist(&stock::document(self.tenant, self.import.id).query("part", part)).await
    }

    /// Part after part, as each is posted; with the last one, the document is.
    async fn awaited(self, parts: u32, bar: &ProgressBar) -> Result<(), ClientError> {
        for part in 0..parts {
            let begun_at = Instant::now();
            loop {
                let document = self.look(part).await?;
                let lines = document.lines.unwrap_or_default();
                let is_last = part + 1 == parts;
                if lines.iter().all(|line| line.outcome.is_some())
                    && !(is_last && document.state == DocumentState::Posting)
                {
                    bar.inc(u64::try_from(lines.len()).unwrap_or(0));
                    break;
                }
                if begun_at.elapsed() > PATIENCE {
                    let (document, lines) = (document.id.to_string(), self.import.rows.len());
                    return Err(ClientError::StillPosting { document, posted: bar.position(), lines });
                }
                tokio::time::sleep(LOOK_PAUSE).await;
            }
        }
        Ok(())
    }
}

/// On standard error, and only if somebody watches.
fn progress(lines: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} lines posted, {eta} left");
    let bar = ProgressBar::new(u64::try_from(lines).unwrap_or(u64::MAX));
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
