//! Documents about others: customers' returns, what has arrived of a transfer, and what is lost of it. They name lines
//! of the document that they are about, or mean all that is left of it.

use clap::Args;
use serde_json::{Value, json};
use surehold_core::stock::DocumentKind;
use uuid::Uuid;

use super::super::input::slug;
use super::super::money::DecimalSign;
use super::super::view::{list, text};
use super::Desk;
use super::catalog::Catalog;
use super::document_view;
use super::forms::DocumentArgs;
use super::quantity::Scale;
use super::words::document_id;
use crate::client::{ClientError, Request};

/// A line of a document, and how much of it: `LINE=COUNT`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OfLine {
    line: u32,
    count: String,
    serials: Vec<String>,
}

impl OfLine {
    fn parse(text: &str) -> Result<OfLine, String> {
        let wrong = || "write a line like 1=2: two of the first line; pieces like 1=1,serial=A7".to_owned();
        let mut words = text.split(',');
        let (line, count) = words.next().and_then(|first| first.split_once('=')).ok_or_else(wrong)?;
        let line = line.parse().ok().filter(|line| *line > 0).ok_or_else(wrong)?;
        let serials = words.map(|word| word.strip_prefix("serial=").map(str::to_owned).ok_or_else(wrong));
        let serials = serials.collect::<Result<_, _>>()?;
        if count.is_empty() { Err(wrong()) } else { Ok(OfLine { line, count: count.to_owned(), serials }) }
    }
}

#[derive(Args)]
struct AboutArgs {
    /// The tenant's slug
    #[arg(value_parser = slug)]
    tenant: String,
    /// The id of the document that it is about
    #[arg(value_name = "DOCUMENT", value_parser = document_id)]
    about: Uuid,
    /// Lines of it, and how much, as in 1=2; pieces as in 1=1,serial=A7
    #[arg(value_name = "LINE=COUNT", required_unless_present = "all", value_parser = OfLine::parse)]
    lines: Vec<OfLine>,
    /// All that is left of it
    #[arg(long, conflicts_with = "lines")]
    all: bool,
    #[command(flatten)]
    document: DocumentArgs,
}

impl AboutArgs {
    async fn send(&self, desk: Desk<'_>, kind: DocumentKind) -> Result<(), ClientError> {
        let about = self.about.to_string();
        let source = desk.value(Request::get(&["v1", &self.tenant, "documents", &about])).await?;
        // A transfer is received where it goes to.
        let store = source["to_store"].as_str().or(source["store"].as_str()).unwrap_or_default();
        let catalog = document_view::catalog(desk, &self.tenant, &source).await?;
        let lines = if self.all { all_that_is_left(&source) } else { self.named(&source, &catalog)? };
        if lines.is_empty() {
            return Err(ClientError::Usage(format!("nothing is left of document {about}")));
        }
        let body = json!({"kind": kind.as_str(), "store": store, "about": about, "lines": lines});
        self.document.send(desk, &self.tenant, body).await
    }

    fn named(&self, source: &Value, catalog: &Catalog) -> Result<Vec<Value>, ClientError> {
        let mut named = Vec::new();
        for OfLine { line, count, serials } in &self.lines {
            let found = list(&source["lines"]).iter().find(|found| found["line"] == *line);
            let scale = found.map_or(Scale::WHOLE, |found| catalog.scale(&text(&found["product"])));
            let count = scale.parse(count, DecimalSign::Point);
            let count = count.map_err(|why| ClientError::Usage(format!("line {line}: {why}")))?;
            let mut json = json!({"of_line": line, "count": count});
            if !serials.is_empty() {
                json["serials"] = json!(serials);
            }
            named.push(json);
        }
        Ok(named)
    }
}

fn all_that_is_left(source: &Value) -> Vec<Value> {
    let left = |line: &Value| {
        let count = line["outcome"]["left"]["quantity"].as_i64().filter(|count| *count > 0)?;
        let mut json = json!({"of_line": line["line"], "count": count});
        // Only if none of them has been named before are these the ones that are left.
        let serials = list(&line["serials"]);
        if i64::try_from(serials.len()) == Ok(count) {
            json["serials"] = json!(serials);
        }
        Some(json)
    };
    list(&source["lines"]).iter().filter_map(left).collect()
}

/// A customer brings goods back, at what they left for
#[derive(Args)]
pub(super) struct Return {
    #[command(flatten)]
    about: AboutArgs,
}

impl Return {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        self.about.send(desk, DocumentKind::CustomerReturn).await
    }
}

/// Goods of a transfer have come
#[derive(Args)]
pub(super) struct Receive {
    #[command(flatten)]
    about: AboutArgs,
}

impl Receive {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        self.about.send(desk, DocumentKind::Receipt).await
    }
}

/// Goods of a transfer will not come
#[derive(Args)]
pub(super) struct Lose {
    #[command(flatten)]
    about: AboutArgs,
}

impl Lose {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        self.about.send(desk, DocumentKind::TransitLoss).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let of = OfLine { line: 1, count: "2.5".to_owned(), serials: Vec::new() };
        assert_eq!(OfLine::parse("1=2.5"), Ok(of.clone()));
        assert_eq!(OfLine::parse("1=2.5,serial=A7"), Ok(OfLine { serials: vec!["A7".to_owned()], ..of }));
        for bad in ["", "1", "0=1", "x=1", "1=", "1=1,lot=L"] {
            assert!(OfLine::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_left() {
        let source = json!({"lines": [
            {"line": 1, "count": 3, "outcome": {"left": {"quantity": 2}}},
            {"line": 2, "count": 3, "outcome": {"left": {"quantity": 0}}},
            {"line": 3, "count": 1, "serials": ["A7"], "outcome": {"left": {"quantity": 1}}},
        ]});
        let expected = [json!({"of_line": 1, "count": 2}), json!({"of_line": 3, "count": 1, "serials": ["A7"]})];
        assert_eq!(all_that_is_left(&source), expected);
    }
}
