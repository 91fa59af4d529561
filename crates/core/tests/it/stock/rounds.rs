//! What posting costs: each round of loading is a round trip to the database, each record a row to be written.

use super::world::{World, document, product, store};
use surehold_core::stock::commands::PostDocument;
use surehold_core::stock::{DocumentContent, DocumentHeader, DocumentKind, DocumentLine, LineCost};

#[test]
fn an_ordinary_document_names_all_that_it_needs() {
    let mut world = World::stored();
    for code in ["tea", "cup", "rice"] {
        world.say(&format!("buy a {code} 1000 1000"));
    }
    let header = |kind| DocumentHeader::new(kind, store("a"));
    let to_b = DocumentHeader { to_store: Some(store("b")), ..header(DocumentKind::Transfer) };
    let lines = |codes: &[&str], cost: Option<LineCost>| -> Vec<DocumentLine> {
        codes.iter().map(|code| DocumentLine { cost, ..DocumentLine::new(product(code), 1) }).collect()
    };
    let cost = Some(LineCost::Amount(1));
    // The document, its part, the row, the item and its pool; for each further line a row, an item and a pool.
    for (header, lines, expected) in [
        (header(DocumentKind::Sale), lines(&["tea"], None), (1, 5)),
        (header(DocumentKind::Sale), lines(&["tea", "cup", "rice"], None), (1, 11)),
        (header(DocumentKind::Sale), lines(&["tea"; 100], None), (1, 104)),
        (header(DocumentKind::Purchase), lines(&["tea"], cost), (1, 5)),
        (header(DocumentKind::WriteOff), lines(&["tea"], None), (1, 5)),
        (to_b, lines(&["tea"], None), (1, 8)),
    ] {
        let kind = header.kind;
        let post = PostDocument::whole(document(900), DocumentContent::new(header, lines).unwrap());
        assert_eq!(world.cost_of(&post), expected, "{kind}");
    }
}
