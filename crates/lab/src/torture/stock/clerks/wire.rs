//! What clerks ask as requests of the API, and its answers as far as they matter. Written against the API's description.

use anyhow::{Context, Result};
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::torture::stock::book::{ClerkAnswer, ClerkAsk, CountedAgainst, DocumentSeen, ItemSeen, Paper, PaperLine};
use crate::torture::workload::front::Ask;

impl Ask for ClerkAsk {
    type Answer = ClerkAnswer;

    fn request(&self) -> (Method, String, Option<Value>) {
        request(self)
    }

    fn answer(&self, replayed: bool, body: &[u8]) -> Result<ClerkAnswer> {
        let unreadable = || format!("a success that cannot be read: {}", String::from_utf8_lossy(body));
        answer(self, replayed, body).with_context(unreadable)
    }

    fn had_been_so(answer: &ClerkAnswer) -> bool {
        answer.replayed
    }

    fn function(&self) -> &'static str {
        ClerkAsk::function(self)
    }
}

fn request(ask: &ClerkAsk) -> (Method, String, Option<Value>) {
    let post = |path: String, body: Value| (Method::POST, path, Some(body));
    match ask {
        ClerkAsk::Document { document, paper } => post("documents".to_owned(), with_id(written(paper), *document)),
        ClerkAsk::Draft { document, paper } => {
            let mut body = with_id(written(paper), *document);
            body["post"] = json!(false);
            post("documents".to_owned(), body)
        }
        ClerkAsk::Part { document, number, lines } => {
            let lines: Vec<Value> = lines.iter().map(line).collect();
            (Method::PUT, format!("documents/{document}/parts/{number}"), Some(json!({ "lines": lines })))
        }
        ClerkAsk::Post { document } => (Method::POST, format!("documents/{document}/post"), None),
        ClerkAsk::Reverse { document, reverses } => {
            post(format!("documents/{reverses}/reverse"), json!({ "id": document }))
        }
        ClerkAsk::HoldGoods { hold, goods, lifetime_secs } => {
            let line = |(resource, quantity): (&String, &i64)| json!({ "resource": resource, "quantity": quantity });
            let lines: Vec<Value> = goods.iter().map(line).collect();
            post("holds".to_owned(), json!({ "id": hold, "lines": lines, "lifetime_secs": lifetime_secs }))
        }
        ClerkAsk::SellHold { hold, document, paper } => {
            let mut body = with_id(written(paper), *document);
            if let Some(fields) = body.as_object_mut() {
                fields.remove("kind");
            }
            post(format!("holds/{hold}/sell"), body)
        }
        ClerkAsk::ReleaseHold { hold } => (Method::POST, format!("holds/{hold}/cancel"), None),
        ClerkAsk::BookHold { hold } => post(format!("holds/{hold}/convert"), json!({ "mode": "book" })),
        ClerkAsk::ReadDocument { document } => (Method::GET, format!("documents/{document}"), None),
        ClerkAsk::ReadItem { store, product } => (Method::GET, format!("stock/{store}/{product}"), None),
    }
}

fn with_id(mut body: Value, document: uuid::Uuid) -> Value {
    body["id"] = json!(document);
    body
}

fn written(paper: &Paper) -> Value {
    let Paper { kind, store, to_store, in_transit, effective_at, about, extra, lines } = paper;
    let lines: Vec<Value> = lines.iter().map(line).collect();
    let mut body = json!({ "kind": kind, "store": store, "lines": lines });
    if let Some(to_store) = to_store {
        body["to_store"] = json!(to_store);
        body["in_transit"] = json!(in_transit);
    }
    if let Some(effective_at) = effective_at {
        body["effective_at"] = json!(effective_at);
    }
    if let Some(about) = about {
        body["about"] = json!(about);
    }
    if let Some(amount) = extra {
        body["extra"] = json!({ "amount": amount, "by": "value" });
    }
    body
}

fn line(line: &PaperLine) -> Value {
    let PaperLine { product, of_line, count, amount, lot, expires, serials, against } = line;
    let mut body = json!({ "count": count });
    if !serials.is_empty() {
        body["serials"] = json!(serials);
    }
    if let Some(CountedAgainst { seq, difference }) = against {
        body["against"] = json!({ "seq": seq, "difference": difference });
    }
    let maybe = [
        ("product", product.as_ref().map(|product| json!(product))),
        ("of_line", of_line.map(|of_line| json!(of_line))),
        ("amount", amount.map(|amount| json!(amount))),
        ("lot", lot.as_ref().map(|lot| json!(lot))),
        ("expires", expires.as_ref().map(|expires| json!(expires))),
    ];
    for (name, value) in maybe {
        if let Some(value) = value {
            body[name] = value;
        }
    }
    body
}

#[derive(Deserialize)]
struct SoldIn {
    document: DocumentSeen,
}

fn answer(ask: &ClerkAsk, replayed: bool, body: &[u8]) -> Result<ClerkAnswer> {
    let blank = ClerkAnswer { replayed, ..ClerkAnswer::default() };
    match ask {
        ClerkAsk::Document { .. }
        | ClerkAsk::Draft { .. }
        | ClerkAsk::Part { .. }
        | ClerkAsk::Post { .. }
        | ClerkAsk::Reverse { .. }
        | ClerkAsk::ReadDocument { .. } => {
            let document: DocumentSeen = serde_json::from_slice(body)?;
            Ok(ClerkAnswer { document: Some(document), ..blank })
        }
        ClerkAsk::SellHold { .. } => {
            let SoldIn { document } = serde_json::from_slice(body)?;
            Ok(ClerkAnswer { document: Some(document), ..blank })
        }
        ClerkAsk::ReadItem { .. } => {
            let item: ItemSeen = serde_json::from_slice(body)?;
            Ok(ClerkAnswer { item: Some(item), ..blank })
        }
        ClerkAsk::HoldGoods { .. } | ClerkAsk::ReleaseHold { .. } | ClerkAsk::BookHold { .. } => Ok(blank),
    }
}
