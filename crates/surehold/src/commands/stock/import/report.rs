//! What became of a file: counts, units and value, and the rows that were left out, for people, for machines and for the
//! next import.

use std::path::Path;

use serde_json::{Value, json};
use surehold_api::stock::{Document, Imported};
use surehold_core::stock::DocumentState;

use super::super::super::csv_file::Refused;
use super::super::super::money::Money;
use super::super::super::show::some;
use super::super::super::view::counted;
use super::super::Desk;
use super::row::{File, Sent};
use crate::client::ClientError;

pub(super) struct Report<'a> {
    file: &'a File,
    money: Money,
    keep_in: Option<&'a Path>,
}

impl<'a> Report<'a> {
    pub(super) fn new(file: &'a File, money: Money, keep_in: Option<&'a Path>) -> Report<'a> {
        Report { file, money, keep_in }
    }

    fn rows(&self) -> usize {
        self.file.records.len()
    }

    fn named(&self) -> String {
        format!("{}: {}", self.file.name(), counted(self.rows(), "line", "lines"))
    }

    fn show(desk: Desk<'_>, said: &str, report: &Value) -> Result<(), ClientError> {
        desk.screen.print(&if desk.screen.json { report.to_string() } else { said.to_owned() })
    }

    /// Nothing was posted, because some rows cannot be used.
    pub(super) fn wrong(&self, desk: Desk<'_>, wrong: &[Refused]) -> Result<(), ClientError> {
        let said = format!("{}, {} cannot be used; nothing was posted\n", self.named(), wrong.len());
        let list: Vec<Value> = wrong.iter().map(Refused::json).collect();
        Self::show(desk, &said, &json!({"lines": self.rows(), "posted": 0, "wrong": list, "left_out": []}))?;
        self.told_and_kept(desk, wrong)?;
        Err(ClientError::LinesWrong { wrong: wrong.len(), lines: self.rows(), file: self.file.name() })
    }

    fn told_and_kept(&self, desk: Desk<'_>, refused: &[Refused]) -> Result<(), ClientError> {
        if !desk.screen.json {
            Refused::tell_each(refused, desk.screen);
        }
        self.keep_in.map_or(Ok(()), |path| Refused::keep(refused, self.file, path))
    }

    pub(super) fn would_be(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let said = format!("{} can be posted; nothing was changed\n", self.named());
        let report = json!({"lines": self.rows(), "posted": 0, "wrong": [], "left_out": [], "dry_run": true});
        Self::show(desk, &said, &report)
    }

    /// Fails if anything was left out: a script must notice.
    pub(super) fn posted(&self, desk: Desk<'_>, sent: &Sent, imported: &Imported) -> Result<(), ClientError> {
        let Imported { document, repeated, wrong, left_out, rows_in, rows_out, .. } = imported;
        let Some(document) = document else { return self.wrong(desk, &sent.refused(self.file, wrong)) };
        match (repeated, document.state) {
            (true, DocumentState::Reversed) => desk
                .screen
                .note("this file was posted before, and reversed; another --reference makes another document of it"),
            (true, _) => desk.screen.note("this file was posted before; nothing was changed"),
            (false, _) => {}
        }
        let left_out = sent.refused(self.file, left_out);
        let lines_posted = self.rows().saturating_sub(left_out.len());
        let list: Vec<Value> = left_out.iter().map(Refused::json).collect();
        let report = json!({
            "document": document.id, "state": document.state, "reference": document.reference,
            "lines": self.rows(), "posted": lines_posted, "wrong": [], "left_out": list,
            "lines_in": rows_in, "lines_out": rows_out, "value": document.cost, "value_rounded": document.cost_rounded,
            "currency": document.currency, "repeated": repeated,
        });
        let said = self.summary(document, lines_posted, left_out.len(), (*rows_in, *rows_out));
        Self::show(desk, &said, &report)?;
        if left_out.is_empty() {
            return Ok(());
        }
        self.told_and_kept(desk, &left_out)?;
        let (left_out, lines, report) = (left_out.len(), self.rows(), self.keep_in.map(Path::to_owned));
        Err(ClientError::LinesLeftOut { left_out, lines, report })
    }

    fn summary(&self, document: &Document, posted: usize, left_out: usize, (came, went): (u32, u32)) -> String {
        let moved = match (came, went) {
            (0, 0) => "nothing moved".to_owned(),
            (came, 0) => format!("{came} in"),
            (0, went) => format!("{went} out"),
            (came, went) => format!("{came} in, {went} out"),
        };
        let left_out = if left_out == 0 { String::new() } else { format!(", {left_out} left out") };
        let value = some(document.cost_rounded.map(|cost| self.money.show(cost)));
        let id = document.id;
        format!("{}, {posted} posted{left_out}; {moved}, {value}\ndocument {id}\n", self.named())
    }
}
