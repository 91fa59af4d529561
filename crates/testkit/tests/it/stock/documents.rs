//! Documents of every kind, through the engine.

use surehold_core::kernel::commands::PlaceHold;
use surehold_core::kernel::{HoldState, Line, Lines, Timestamp};
use surehold_core::stock::commands::{DocumentReply, SellHold};
use surehold_core::stock::{
    Against, DocumentContent, DocumentHeader, DocumentKind, DocumentLine, DocumentState, ExtraCost, LotCode, PackName,
    SerialCode, Spread, StockDocument, StockRefusal, pool_of,
};
use surehold_engine::Options;
use surehold_testkit::fixture::Fixture;

use super::shop::{Dice, Shop, costing, header, in_transit, line, new_document, on_hand, product, store, told, worth};
use crate::conformance::new_id;

fn about(kind: DocumentKind, place: &str, document: &DocumentReply) -> DocumentHeader {
    DocumentHeader { about: Some(document.document.id), ..header(kind, place) }
}

fn transfer(from: &str, to: &str, in_transit: bool) -> DocumentHeader {
    DocumentHeader { to_store: Some(store(to)), in_transit, ..header(DocumentKind::Transfer, from) }
}

fn lot(code: &str, count: i64, amount: i64, lot: &str, expires: &str) -> DocumentLine {
    let lot = Some(LotCode::new(lot).unwrap());
    DocumentLine { lot, expires: Some(expires.parse().unwrap()), ..costing(code, count, amount) }
}

fn pieces(line: DocumentLine, serials: &[&str]) -> DocumentLine {
    DocumentLine { serials: serials.iter().map(|serial| SerialCode::new(serial).unwrap()).collect(), ..line }
}

pub(super) async fn documents_of_every_kind(fixture: Fixture) {
    use DocumentKind::{
        CustomerReturn, Opening, Purchase, Receipt, Recount, Sale, SupplierReturn, TransitLoss, WriteOff,
    };
    let shop = Shop::open(&fixture).await;
    let (tea, cup) = (on_hand("a", "tea"), on_hand("a", "cup"));
    shop.post(header(Opening, "a"), vec![costing("tea", 10, 1_000)]).await;
    let boxes = DocumentLine { pack: Some(PackName::new("box").unwrap()), ..costing("cup", 2, 2_400) };
    let extra = Some(ExtraCost { amount: 340, by: Spread::ByValue }.into());
    let bought = DocumentHeader { extra, ..header(Purchase, "a") };
    shop.post(bought, vec![costing("tea", 10, 1_000), boxes]).await;
    assert_eq!(shop.balance(&tea).await, worth(20, 2_100));
    assert_eq!(shop.balance(&cup).await, worth(24, 2_640));
    let sale = shop.post(header(Sale, "a"), vec![line("tea", 4), line("cup", 12)]).await;
    assert_eq!(shop.balance(&tea).await, worth(16, 1_680));
    shop.post(about(CustomerReturn, "a", &sale), vec![DocumentLine::of_line(2, 6)]).await;
    assert_eq!(shop.balance(&cup).await, worth(18, 1_980));
    shop.post(header(SupplierReturn, "a"), vec![costing("tea", 2, 200)]).await;
    shop.post(header(WriteOff, "a"), vec![line("cup", 3)]).await;
    assert_eq!((shop.balance(&tea).await, shop.balance(&cup).await), (worth(14, 1_470), worth(15, 1_650)));
    let against = Some(Against { seq: shop.item(&tea).await.seq, difference: false });
    shop.post(header(Recount, "a"), vec![DocumentLine { against, ..line("tea", 12) }]).await;
    assert_eq!(shop.balance(&tea).await, worth(12, 1_260));
    shop.post(transfer("a", "b", false), vec![line("tea", 2)]).await;
    let shipped = shop.post(transfer("a", "b", true), vec![line("tea", 4)]).await;
    shop.post(about(Receipt, "b", &shipped), vec![DocumentLine::of_line(1, 3)]).await;
    shop.check(3).await;
    let lost = shop.post(about(TransitLoss, "b", &shipped), vec![DocumentLine::of_line(1, 1)]).await;
    let balances = [shop.balance(&tea).await, shop.balance(&on_hand("b", "tea")).await];
    assert_eq!(balances, [worth(6, 630), worth(5, 525)]);
    assert_eq!(shop.balance(&in_transit("b", "tea")).await, worth(0, 0));
    shop.try_reverse(&lost, None).await.unwrap();
    assert_eq!(shop.balance(&in_transit("b", "tea")).await, worth(1, 105));
    let refused = shop.try_reverse(&sale, None).await.unwrap_err();
    assert!(matches!(refused, StockRefusal::HasFollowers { .. }), "{refused}");
    shop.check(4).await;
    lots_and_pieces(&shop).await;
    shop.check(5).await;
    shop.world.audit().await;
}

async fn lots_and_pieces(shop: &Shop<'_>) {
    let milk = vec![lot("milk", 5, 500, "late", "2999-02-01"), lot("milk", 5, 500, "early", "2999-01-01")];
    shop.post(header(DocumentKind::Purchase, "a"), milk).await;
    let sold = shop.post(header(DocumentKind::Sale, "a"), vec![line("milk", 7)]).await;
    let picked: Vec<_> = sold.outcomes[0].picks.iter().map(|pick| (pick.lot.as_str(), pick.quantity)).collect();
    assert_eq!(picked, [("early", 5), ("late", 2)], "what expires first leaves first");
    let phones = pieces(costing("phone", 2, 2_000), &["x1", "x2"]);
    shop.post(header(DocumentKind::Purchase, "a"), vec![phones]).await;
    shop.post(header(DocumentKind::Sale, "a"), vec![pieces(line("phone", 1), &["x1"])]).await;
    let again = shop.try_post(new_document(), header(DocumentKind::Sale, "a"), vec![pieces(line("phone", 1), &["x1"])]);
    assert!(matches!(again.await, Err(StockRefusal::SerialsElsewhere { .. })));
}

pub(super) async fn a_document_is_posted_once(fixture: Fixture) {
    let mut shop = Shop::open(&fixture).await;
    let (id, bought) = (new_document(), vec![costing("tea", 10, 1_000)]);
    let first = shop.try_post(id, header(DocumentKind::Purchase, "a"), bought.clone()).await.unwrap();
    shop.world.restart().await;
    assert_eq!(shop.try_post(id, header(DocumentKind::Purchase, "a"), bought).await.unwrap(), first);
    let other = shop.try_post(id, header(DocumentKind::Purchase, "a"), vec![costing("tea", 11, 1_000)]).await;
    assert_eq!(other, Err(StockRefusal::DocumentIdReused { document: id }));
    assert_eq!(shop.balance(&on_hand("a", "tea")).await, worth(10, 1_000));
    let short = shop.try_post(new_document(), header(DocumentKind::Sale, "a"), vec![line("tea", 11), line("cup", 1)]);
    let Err(StockRefusal::InsufficientStock { short: items }) = short.await else { panic!("sold what is not there") };
    assert_eq!(items.iter().map(|item| (item.asked, item.available)).collect::<Vec<_>>(), [(1, 0), (11, 10)]);
    shop.check(3).await;
}

pub(super) async fn carts_and_counters_compete(fixture: Fixture) {
    let shop = Shop::open(&fixture).await;
    shop.buy("tea", 10, 1_000).await;
    let pool = pool_of(&store("a"), &product("tea"));
    let hold = new_id();
    let lines = Lines::new(vec![Line { pool: pool.clone(), quantity: 4 }]).unwrap();
    shop.run(PlaceHold::new(hold, lines).lifetime_secs(60).unwrap()).await;
    let sale = |count| shop.try_post(new_document(), header(DocumentKind::Sale, "a"), vec![line("tea", count)]);
    assert!(
        matches!(sale(7).await, Err(StockRefusal::InsufficientStock { .. })),
        "what a cart holds is not sold at the counter"
    );
    sale(1).await.unwrap();
    let content = DocumentContent::new(header(DocumentKind::Sale, "a"), vec![line("tea", 3)]).unwrap();
    let sell = SellHold::new(hold, new_document(), content).unwrap();
    let sold = told(shop.world.engine.run_with(shop.world.tenant, sell, Options::default()).await).unwrap().reply;
    assert_eq!((sold.hold.state, sold.sale.outcomes[0].quantity), (HoldState::Converted, -3));
    assert_eq!(shop.balance(&on_hand("a", "tea")).await, worth(6, 600));
    sale(6).await.unwrap();
    shop.check(3).await;
    shop.world.audit().await;
}

pub(super) async fn a_preview_says_what_posting_does(fixture: Fixture) {
    let shop = Shop::open(&fixture).await;
    shop.buy("tea", 10, 1_000).await;
    fixture.advance_secs(60);
    let between = shop.now().await;
    fixture.advance_secs(60);
    let sale = shop.post(header(DocumentKind::Sale, "a"), vec![line("tea", 5)]).await;
    shop.post(header(DocumentKind::Sale, "a"), vec![line("tea", 2)]).await;
    let before = shop.ledgers(100).await;
    let preview = async |id, header, lines| {
        let content = DocumentContent::new(header, lines).unwrap();
        told(shop.world.engine.preview_document(shop.world.tenant, id, content).await)
    };
    let bought = DocumentHeader { effective_at: Some(between), ..header(DocumentKind::Purchase, "a") };
    let (id, lines) = (new_document(), vec![costing("tea", 10, 3_000)]);
    let seen = preview(id, bought.clone(), lines.clone()).await.unwrap();
    let [item] = seen.items.as_slice() else { panic!("{seen:?}") };
    assert_eq!((item.before, item.after), (worth(3, 300), worth(13, 2_600)));
    assert_eq!((item.revalued_rows, item.revalued_by, item.exact), (2, worth(0, -700).value, true));
    // Nothing has happened.
    assert_eq!(shop.ledgers(100).await, before);
    let known = shop.world.engine.views().record::<StockDocument>(shop.world.tenant, &id).await.unwrap();
    assert_eq!(known, None);
    let posted = shop.try_post(id, bought.clone(), lines.clone()).await.unwrap();
    let as_seen = DocumentReply { document: StockDocument { posted_at: None, ..seen.reply.document }, ..seen.reply };
    let (created_at, version) = (as_seen.document.created_at, posted.document.version);
    let as_posted = StockDocument { posted_at: None, created_at, version, ..posted.document.clone() };
    assert_eq!(as_seen.document, as_posted);
    assert_eq!(as_seen.outcomes, posted.outcomes);
    assert_eq!(shop.balance(&on_hand("a", "tea")).await, item.after);
    // What is there already is shown as it is; what would be refused is.
    let again = preview(id, bought, lines).await.unwrap();
    assert_eq!((again.reply, again.items.len()), (posted, 0));
    let refused = preview(new_document(), header(DocumentKind::Sale, "a"), vec![line("tea", 99)]).await;
    assert!(matches!(refused, Err(StockRefusal::InsufficientStock { .. })), "{refused:?}");
    let back = about(DocumentKind::CustomerReturn, "a", &sale);
    let seen = preview(new_document(), back.clone(), vec![DocumentLine::of_line(1, 5)]).await.unwrap();
    assert_eq!(seen.items[0].after, worth(18, 3_600));
    shop.post(back, vec![DocumentLine::of_line(1, 5)]).await;
    assert_eq!(shop.balance(&on_hand("a", "tea")).await, worth(18, 3_600));
    shop.check(2).await;
}

/// Random documents, a third of them in the past: what is read is what the core says, all the time.
pub(super) async fn whatever_takes_effect_when(fixture: Fixture) {
    let shop = Shop::open(&fixture).await;
    let (mut dice, mut posted, mut refused) = (Dice(0x5eed), Vec::new(), 0);
    let start = shop.now().await;
    for number in 1..=160 {
        fixture.advance_secs(60);
        match any_document(&shop, &mut dice, &posted, start).await {
            Ok(reply) => posted.push(reply),
            Err(_) => refused += 1,
        }
        if number % 40 == 0 {
            shop.check(3).await;
            shop.revalue().await;
            shop.check(7).await;
        }
    }
    assert!(refused < 90 && posted.len() > 60, "{refused} refused, {} posted", posted.len());
    let ledgers = shop.ledgers(1_000).await;
    let revalued = ledgers.values().flatten().filter(|row| row.quantity == 0).count();
    assert!(revalued > 20, "{revalued} rows have another cost than when they were posted");
    shop.world.audit().await;
}

async fn any_document(
    shop: &Shop<'_>,
    dice: &mut Dice,
    posted: &[DocumentReply],
    start: Timestamp,
) -> Result<DocumentReply, StockRefusal> {
    use DocumentKind::{CustomerReturn, Purchase, Receipt, Sale, TransitLoss, WriteOff};
    let (here, there) = if dice.below(2) == 0 { ("a", "b") } else { ("b", "a") };
    let code = if dice.below(3) > 0 { "tea" } else { "cup" };
    let now = shop.now().await;
    let at = (dice.below(3) == 0).then(|| now.plus_secs(-60 * dice.below(20)).max(start));
    let count = dice.below(6) + 1;
    let post = |header: DocumentHeader, line: DocumentLine| {
        shop.try_post(new_document(), DocumentHeader { effective_at: at, ..header }, vec![line])
    };
    let deed = dice.below(11);
    let other = posted.get(usize::try_from(dice.below(u64::try_from(posted.len().max(1)).unwrap())).unwrap());
    let of_kind = |kind: DocumentKind| {
        let fits = |reply: &&DocumentReply| {
            let transit = reply.document.header.in_transit || kind == Sale;
            reply.document.header.kind == kind && transit && reply.document.state == DocumentState::Posted
        };
        posted.iter().rev().filter(fits).nth(usize::try_from(deed % 2).unwrap())
    };
    match (deed, other) {
        (0..=2, _) => post(header(Purchase, here), costing(code, 3 * count, dice.below(1_000))).await,
        (3 | 4, _) => post(header(Sale, here), line(code, count)).await,
        (5, _) => post(header(WriteOff, here), line(code, 1)).await,
        (6, _) => post(transfer(here, there, true), line(code, count)).await,
        (7, _) => post(transfer(here, there, false), line(code, count)).await,
        (8, _) => match of_kind(Sale) {
            Some(sale) => {
                let place = sale.document.header.store.as_str();
                post(about(CustomerReturn, place, sale), DocumentLine::of_line(1, 1)).await
            }
            None => post(header(Sale, here), line(code, 1)).await,
        },
        (9, _) => match of_kind(DocumentKind::Transfer) {
            Some(shipped) => {
                let to = shipped.document.header.to_store.clone().unwrap();
                let kind = if dice.below(4) == 0 { TransitLoss } else { Receipt };
                post(about(kind, to.as_str(), shipped), DocumentLine::of_line(1, 1)).await
            }
            None => post(transfer(here, there, true), line(code, 2)).await,
        },
        (_, Some(other)) => shop.try_reverse(other, at).await,
        (_, None) => post(header(Purchase, here), costing(code, 9, 100)).await,
    }
}
