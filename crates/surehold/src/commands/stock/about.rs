//! Documents about others: customers' returns, what has arrived of a transfer, and what is lost of it. They name lines
//! of the document that they are about, or mean all that is left of it.

use clap::Args;
use surehold_api::stock::{self, Document, NewDocument, NewLine, StockLine};
use surehold_core::kernel::Slug;
use surehold_core::stock::{DocumentId, DocumentKind, SerialCode};

use super::Desk;
use super::catalog::Catalog;
use super::document_view;
use super::forms::DocumentArgs;
use super::quantity::Scale;
use super::words::document_id;
use crate::client::ClientError;

/// A line of a document, and how much of it: `LINE=COUNT`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OfLine {
    line: u32,
    count: String,
    serials: Vec<SerialCode>,
}

impl OfLine {
    fn parse(text: &str) -> Result<OfLine, String> {
        let wrong = || "write a line like 1=2: two of the first line; pieces like 1=1,serial=A7".to_owned();
        let mut words = text.split(',');
        let (line, count) = words.next().and_then(|first| first.split_once('=')).ok_or_else(wrong)?;
        let line = line.parse().ok().filter(|line| *line > 0).ok_or_else(wrong)?;
        let serial = |word: &str| {
            let serial = word.strip_prefix("serial=").ok_or_else(wrong)?;
            SerialCode::new(serial).map_err(|invalid| invalid.to_string())
        };
        let serials = words.map(serial);
        let serials = serials.collect::<Result<_, _>>()?;
        if count.is_empty() { Err(wrong()) } else { Ok(OfLine { line, count: count.to_owned(), serials }) }
    }
}

#[derive(Args)]
pub(super) struct AboutArgs {
    /// The tenant's slug
    tenant: Slug,
    /// The id of the document that it is about
    #[arg(value_name = "DOCUMENT", value_parser = document_id)]
    about: DocumentId,
    /// Lines of it, and how much, as in 1=2; pieces as in 1=1,serial=A7
    #[arg(value_name = "LINE=COUNT", required_unless_present = "all", value_parser = OfLine::parse)]
    lines: Vec<OfLine>,
    /// All that is left of it
    #[arg(long, conflicts_with = "lines")]
    all: bool,
    #[command(flatten)]
    document: DocumentArgs,
}

pub(super) async fn send(args: &AboutArgs, desk: Desk<'_>, kind: DocumentKind) -> Result<(), ClientError> {
    let AboutArgs { tenant, about, all, document, .. } = args;
    let source = desk.ask(stock::document(tenant, *about)).await?;
    let catalog = document_view::catalog(desk, tenant, &source).await?;
    let lines = if *all { all_that_is_left(&source) } else { args.named(&source, &catalog)? };
    if lines.is_empty() {
        return Err(ClientError::Usage(format!("nothing is left of document {about}")));
    }
    // A transfer is received where it goes to.
    let new = NewDocument::new(kind, source.to_store.unwrap_or(source.store), lines);
    document.send(desk, tenant, NewDocument { about: Some(*about), ..new }).await
}

impl AboutArgs {
    fn named(&self, source: &Document, catalog: &Catalog) -> Result<Vec<NewLine>, ClientError> {
        let named = |OfLine { line, count, serials }: &OfLine| {
            let found = source.lines.iter().flatten().find(|found| found.line == *line);
            let product = found.and_then(|found| found.product.as_ref());
            let scale = product.map_or(Scale::WHOLE, |product| catalog.scale(product));
            let count = scale.parse(count);
            let count = count.map_err(|why| ClientError::Usage(format!("line {line}: {why}")))?;
            Ok(NewLine::about(*line, count, serials.clone()))
        };
        self.lines.iter().map(named).collect()
    }
}

fn all_that_is_left(source: &Document) -> Vec<NewLine> {
    let left = |StockLine { line, serials, outcome, .. }: &StockLine| {
        let count = outcome.as_ref()?.left.as_ref()?.quantity;
        // Only if none of them has been named before are these the ones that are left.
        let serials = if i64::try_from(serials.len()) == Ok(count) { serials.clone() } else { Vec::new() };
        (count > 0).then(|| NewLine::about(*line, count, serials))
    };
    source.lines.iter().flatten().filter_map(left).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};
    use uuid::Uuid;

    use super::*;

    #[test]
    fn lines() {
        let of = OfLine { line: 1, count: "2.5".to_owned(), serials: Vec::new() };
        assert_eq!(OfLine::parse("1=2.5"), Ok(of.clone()));
        assert_eq!(
            OfLine::parse("1=2.5,serial=A7"),
            Ok(OfLine { serials: vec![SerialCode::new("A7").unwrap()], ..of })
        );
        for bad in ["", "1", "0=1", "x=1", "1=", "1=1,lot=L"] {
            assert!(OfLine::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_left() {
        let line = |line: u32, count: i64, serials: &[&str], left: i64| {
            json!({"line": line, "count": count, "serials": serials, "outcome": {"quantity": -count, "value": "0",
                "value_rounded": 0, "seq": 1, "left": {"quantity": left, "value": "0"}}})
        };
        let source = json!({"id": Uuid::now_v7(), "kind": "sale", "state": "posted", "store": "main", "currency": "EUR",
            "created_at": "2026-12-24T12:00:00Z", "part_count": 1, "line_count": 3, "skipped_count": 0, "version": 1,
            "lines": [line(1, 3, &[], 2), line(2, 3, &[], 0), line(3, 1, &["A7"], 1)]});
        let left = all_that_is_left(&from_value(source).unwrap());
        let told: Vec<_> = left.iter().map(|line| (line.of_line, line.count, line.serials.len())).collect();
        assert_eq!(told, [(Some(1), 2, 0), (Some(3), 1, 1)]);
    }
}
