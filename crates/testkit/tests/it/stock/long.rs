//! Documents of several parts, posted by a worker.

use std::time::Duration;

use surehold_core::kernel::Command;
use surehold_core::stock::commands::{DocumentReply, PostDocument, ReverseDocument, SaveDraft, SavePart};
use surehold_core::stock::{
    Against, DocumentContent, DocumentHeader, DocumentId, DocumentKind, DocumentLine, DocumentState, ExtraCost, Spread,
    StockDocument, StockRefusal,
};
use surehold_engine::{Options, Worker, WorkerConfig};
use surehold_testkit::fixture::Fixture;

use super::shop::{Shop, costing, header, line, new_document, on_hand, told, worth};

/// Posts a document that is saved, and waits until a worker has got to its end.
async fn post_saved(shop: &Shop<'_>, id: DocumentId) -> StockDocument {
    carry_out(shop, id, PostDocument::saved(id)).await
}

/// Begins with a long document, and waits until a worker has got to its end.
async fn carry_out<C: Command<Reply = DocumentReply, Refusal = StockRefusal>>(
    shop: &Shop<'_>,
    id: DocumentId,
    begin: C,
) -> StockDocument {
    let engine = shop.world.engine.clone();
    let config = WorkerConfig { poll_pause: Duration::from_millis(20), ..WorkerConfig::default() };
    let worker = Worker::start(engine.clone(), config);
    let begun = told(engine.run_with(shop.world.tenant, begin, Options::default()).await).unwrap();
    assert_eq!(begun.reply.document.state, DocumentState::Posting);
    let posted = loop {
        let document: StockDocument = engine.views().record(shop.world.tenant, &id).await.unwrap().unwrap();
        if document.state == DocumentState::Posted {
            break document;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    worker.stop().await;
    posted
}

async fn save_long(shop: &Shop<'_>, header: DocumentHeader, parts: Vec<Vec<DocumentLine>>) -> DocumentId {
    let (id, kind) = (new_document(), header.kind);
    let mut parts = parts.into_iter();
    let content = DocumentContent::new(header, parts.next().unwrap()).unwrap();
    shop.run(SaveDraft { id, content }).await;
    for (number, lines) in (1..).zip(parts) {
        shop.run(SavePart::new(id, kind, number, lines).unwrap()).await;
    }
    id
}

pub(super) async fn a_long_document_is_posted_part_by_part(fixture: Fixture) {
    let shop = Shop::open(&fixture).await;
    let part = |code: &str, lines: usize| (0..lines).map(|_| costing(code, 1, 10)).collect::<Vec<_>>();
    let extra = Some(ExtraCost { amount: 411, by: Spread::ByQuantity }.into());
    let bought = DocumentHeader { extra, ..header(DocumentKind::Purchase, "a") };
    let parts = vec![part("tea", 200), part("cup", 200), part("tea", 11)];
    let posted = post_saved(&shop, save_long(&shop, bought, parts).await).await;
    assert_eq!((posted.parts, posted.lines, posted.skipped), (3, 411, 0));
    assert_eq!(posted.cost, worth(0, 4_110 + 411).value);
    assert_eq!(shop.balance(&on_hand("a", "tea")).await, worth(211, 211 * 11));
    assert_eq!(shop.balance(&on_hand("a", "cup")).await, worth(200, 200 * 11));
    let parts = shop.world.engine.views().document_parts(shop.world.tenant, posted.id, 1, 1).await.unwrap();
    assert_eq!((parts[0].key.number, parts[0].first_line, parts[0].outcomes.len()), (1, 201, 200));
    // Asked for again, it is what it was.
    let again = PostDocument::saved(posted.id);
    let again = told(shop.world.engine.run_with(shop.world.tenant, again, Options::default()).await).unwrap();
    assert_eq!((again.replayed, again.reply.document), (true, posted));
    shop.check(50).await;
    shop.world.audit().await;
}

pub(super) async fn what_cannot_be_posted_is_left_out(fixture: Fixture) {
    let shop = Shop::open(&fixture).await;
    shop.buy("tea", 10, 1_000).await;
    let then = shop.item(&on_hand("a", "tea")).await.seq;
    let counted = |code: &str, count: i64, seq: i64| DocumentLine {
        against: Some(Against { seq, difference: false }),
        ..line(code, count)
    };
    let parts = vec![vec![counted("cup", 3, 0)], vec![counted("tea", 9, then), counted("cup", 1, 7)]];
    let id = save_long(&shop, header(DocumentKind::Recount, "a"), parts).await;
    // Somebody buys what was counted.
    shop.post(header(DocumentKind::Sale, "a"), vec![line("tea", 1)]).await;
    let posted = post_saved(&shop, id).await;
    assert_eq!((posted.lines, posted.skipped), (3, 2));
    let parts = shop.world.engine.views().document_parts(shop.world.tenant, id, 1, 1).await.unwrap();
    let why = |index: usize| parts[0].outcomes[index].skipped.as_ref().unwrap().refusal.clone();
    assert_eq!(why(0), "moved since they were counted: a/tea (from 10 to 9)");
    assert_eq!(why(1), "moved since they were counted: a/cup (from 0 to 3)");
    assert_eq!(shop.balance(&on_hand("a", "cup")).await, worth(3, 0));
    assert_eq!(shop.balance(&on_hand("a", "tea")).await, worth(9, 900));
    shop.check(2).await;
    shop.world.audit().await;
}

/// As it was posted: by a worker, each part once.
pub(super) async fn a_long_document_is_reversed_part_by_part(fixture: Fixture) {
    let shop = Shop::open(&fixture).await;
    let part = |code: &str, lines: usize| (0..lines).map(|_| costing(code, 2, 10)).collect::<Vec<_>>();
    let parts = vec![part("tea", 150), part("cup", 200), part("tea", 50)];
    let posted = post_saved(&shop, save_long(&shop, header(DocumentKind::Purchase, "a"), parts).await).await;
    let reverse = || {
        let id = new_document();
        (id, ReverseDocument::new(id, posted.id, posted.header.store.clone()))
    };
    shop.post(header(DocumentKind::Sale, "a"), vec![line("tea", 1)]).await;
    let (_, short) = reverse();
    let short = shop.world.engine.run_with(shop.world.tenant, short, Options::default()).await;
    assert!(told(short).is_err_and(|why| why.to_string().starts_with("not enough: a/tea (400 asked, 399 available")));
    shop.buy("tea", 1, 5).await;
    let (id, command) = reverse();
    let reversal = carry_out(&shop, id, command).await;
    assert_eq!((reversal.parts, reversal.lines, reversal.skipped), (3, 400, 0));
    for (code, quantity) in [("tea", 0), ("cup", 0)] {
        assert_eq!(shop.balance(&on_hand("a", code)).await, worth(quantity, 0), "{code}");
    }
    let reversed: StockDocument =
        shop.world.engine.views().record(shop.world.tenant, &posted.id).await.unwrap().unwrap();
    assert_eq!((reversed.state, reversed.reversed_by), (DocumentState::Reversed, Some(id)));
    shop.check(200).await;
}
