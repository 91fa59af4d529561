//! Stores, products, documents and stock over HTTP.

mod catalog;
mod documents;
mod drafts;
mod identity;
mod import;
mod refusals;
mod reports;
mod scopes;
mod selling;

use surehold_core::kernel::Timestamp;

use super::world::{Answer, World, system_micros};

/// Two stores that count in euros, one that does not, and something to sell. In its rows and expectations `~60` is the
/// instant a minute before the shop was opened.
struct Shop {
    w: World,
    opened_micros: i64,
}

impl Shop {
    async fn open() -> Shop {
        let shop = Shop { w: World::new().await, opened_micros: system_micros() };
        for (path, body) in [
            ("stores/main", r#"{"title":"Main street","currency":"EUR"}"#),
            ("stores/depot", r#"{"title":"Depot","currency":"EUR"}"#),
            ("stores/far", r#"{"title":"Far away","currency":"USD"}"#),
            ("products/tea", r#"{"title":"Tea","packs":[{"name":"box","factor":12}]}"#),
            ("products/flour", r#"{"title":"Flour","unit":"g","scale":3}"#),
            ("products/milk", r#"{"title":"Milk","tracking":"lots"}"#),
            ("products/phone", r#"{"title":"Phone","tracking":"serials"}"#),
        ] {
            shop.check(&format!("PUT /v1/casa/{path} {body}"), 200, "").await;
        }
        shop
    }

    fn dated(&self, text: &str) -> String {
        let mut parts = text.split('~');
        let mut dated = parts.next().unwrap().to_owned();
        for part in parts {
            let end = part.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(part.len());
            let secs: i64 = part[..end].parse().unwrap();
            dated.push_str(&Timestamp::from_micros(self.opened_micros - secs * 1_000_000).to_string());
            dated.push_str(&part[end..]);
        }
        dated
    }

    #[track_caller]
    fn check<'s>(&'s self, row: &str, status: u16, expected: &str) -> impl Future<Output = Answer> + use<'s> {
        let caller = std::panic::Location::caller();
        let (row, expected) = (self.dated(row), self.dated(expected));
        async move {
            let answer = self.w.ask(&row).await;
            self.w.compare(&answer, status, &expected).unwrap_or_else(|difference| {
                panic!("{caller}: {row}: {difference}\n answered {} {}", answer.status, answer.text())
            });
            answer
        }
    }

    /// Posts a document by the id with this name; `rest` is what it says besides.
    #[track_caller]
    fn post<'s>(
        &'s self,
        name: &str,
        rest: &str,
        status: u16,
        expected: &str,
    ) -> impl Future<Output = Answer> + use<'s> {
        self.check(&format!(r#"POST /v1/casa/documents {{"id":"${name}",{rest}}}"#), status, expected)
    }

    /// Posts a document that is not what the test is about.
    #[track_caller]
    fn posted<'s>(&'s self, name: &str, rest: &str) -> impl Future<Output = Answer> + use<'s> {
        self.post(name, rest, 201, r#"{"state":"posted"}"#)
    }
}
