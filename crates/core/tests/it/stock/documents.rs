//! Identity, drafts, long documents, books, and what the kernel no longer does with goods that stock tracks.

use super::world::{START, World, document, money, on_hand, product, store};
use surehold_core::kernel::commands::{AdjustPool, CancelHold, ConvertHold, PlaceHold, PutPool};
use surehold_core::kernel::{Command, ConvertMode, Hold, HoldId, HoldState, Line, Lines, Pool, PoolKey, Title};
use surehold_core::stock::commands::{
    CloseBooks, PostDocument, PutBarcodes, PutProduct, PutStore, ReverseDocument, SaveDraft, SavePart, SellHold,
};
use surehold_core::stock::history::{Histories, HistoryQuestion, ItemHistory};
use surehold_core::stock::{
    Against, BarcodeText, Books, DocumentContent, DocumentHeader, DocumentKind, DocumentLine, DocumentPart,
    DocumentState, ExtraCost, ItemKey, LineCost, LotCode, Pack, PackName, PartKey, Serial, SerialCode, SerialKey,
    Spread, StockDocument, StockRefusal, Tracking, UnitName, pool_of,
};

fn header(kind: DocumentKind) -> DocumentHeader {
    DocumentHeader::new(kind, store("a"))
}

fn bought(code: &str, count: i64, amount: i64) -> DocumentLine {
    DocumentLine { cost: Some(LineCost::Amount(amount)), ..DocumentLine::new(product(code), count) }
}

fn purchase(lines: Vec<DocumentLine>) -> DocumentContent {
    DocumentContent::new(header(DocumentKind::Purchase), lines).unwrap()
}

fn told<C: Command>(world: &mut World, command: &C, show: impl Fn(C::Reply) -> String) -> String
where
    C::Refusal: ToString,
{
    world.run(command).map_or_else(|refusal| refusal.to_string(), show)
}

#[test]
fn posted_twice_is_posted_once() {
    let mut world = World::new();
    let post = PostDocument::whole(document(1), purchase(vec![bought("tea", 10, 1_000)]));
    let first = world.run(&post).unwrap();
    assert_eq!(first.document.state, DocumentState::Posted);
    world.clock(60);
    assert_eq!(world.run(&post).unwrap(), first);
    assert_eq!(world.run(&PostDocument::saved(document(1))).unwrap(), first);
    assert_eq!(world.item(&on_hand("a", "tea")).quantity, 10);
    let other = PostDocument::whole(document(1), purchase(vec![bought("tea", 11, 1_000)]));
    assert_eq!(world.run(&other), Err(StockRefusal::DocumentIdReused { document: document(1) }));
    let old = PostDocument::whole(document(2), purchase(vec![bought("tea", 1, 1)]));
    world.clock(31 * 86_400);
    assert!(matches!(world.run(&old), Err(StockRefusal::DocumentIdOutsideWindow { .. })));
    assert_eq!(world.run(&post).unwrap(), first, "a repeat is answered however late it comes");
}

#[test]
fn drafts_move_nothing() {
    let mut world = World::new();
    let save = |lines| SaveDraft { id: document(1), content: purchase(lines) };
    world.run(&save(vec![bought("tea", 10, 1_000)])).unwrap();
    assert_eq!(world.item(&on_hand("a", "tea")).seq, 0);
    world.run(&save(vec![bought("tea", 7, 700), bought("cup", 1, 1)])).unwrap();
    let posted = world.run(&PostDocument::saved(document(1))).unwrap();
    assert_eq!((posted.document.lines, money(posted.document.cost)), (2, "701".to_owned()));
    assert_eq!(world.item(&on_hand("a", "tea")).quantity, 7);
    let late = world.run(&save(vec![bought("tea", 1, 1)]));
    assert_eq!(late, Err(StockRefusal::DocumentIdReused { document: document(1) }));
    let unknown = PostDocument::saved(document(9));
    assert_eq!(world.run(&unknown), Err(StockRefusal::DocumentNotFound { document: document(9) }));
}

/// The kind says who may replace it.
#[test]
fn a_draft_keeps_its_kind() {
    let mut world = World::new();
    let draft = SaveDraft { id: document(1), content: purchase(vec![bought("tea", 10, 1_000)]) };
    world.run(&draft).unwrap();
    let part = SavePart::new(document(1), DocumentKind::Purchase, 1, vec![bought("cup", 1, 1)]).unwrap();
    world.run(&part).unwrap();
    let lines = vec![DocumentLine::new(product("tea"), 1)];
    let sale = || DocumentContent::new(header(DocumentKind::Sale), lines.clone()).unwrap();
    let reused = StockRefusal::DocumentIdReused { document: document(1) };
    assert_eq!(world.run(&SaveDraft { id: document(1), content: sale() }), Err(reused.clone()));
    assert_eq!(world.run(&PostDocument::whole(document(1), sale())), Err(reused));
    let kept = world.get::<StockDocument>(&document(1)).unwrap();
    assert_eq!((kept.header.kind, kept.parts, kept.state), (DocumentKind::Purchase, 2, DocumentState::Draft));
    assert!(world.get::<DocumentPart>(&PartKey { document: document(1), number: 1 }).is_some());
}

#[test]
fn what_documents_may_say() {
    let check = |header: DocumentHeader, lines: Vec<DocumentLine>, expected: &str| {
        let content = DocumentContent::new(header, lines);
        assert_eq!(content.map_or_else(|invalid| invalid.to_string(), |_| "fine".to_owned()), expected);
    };
    let tea = |count| DocumentLine::new(product("tea"), count);
    let purchase = || header(DocumentKind::Purchase);
    let sale = || header(DocumentKind::Sale);
    check(purchase(), vec![bought("tea", 1, 1)], "fine");
    check(purchase(), vec![], "lines has 0 items; 1 to 200 are allowed");
    check(purchase(), vec![tea(1)], "line 1: it needs a cost");
    check(sale(), vec![tea(1), bought("tea", 1, 1)], "line 2: it has no cost");
    check(sale(), vec![tea(0)], "the count of line 1 is 0; it must be between 1 and 1000000000");
    check(sale(), vec![DocumentLine::of_line(1, 1)], "line 1: it names a product, and no line");
    check(header(DocumentKind::CustomerReturn), vec![tea(1)], "it must say which document it is about");
    check(header(DocumentKind::Transfer), vec![tea(1)], "a transfer names the store it goes to");
    let to_itself = DocumentHeader { to_store: Some(store("a")), ..header(DocumentKind::Transfer) };
    check(to_itself, vec![tea(1)], "a transfer goes to another store");
    let extra = ExtraCost { amount: 1, by: Spread::ByValue };
    check(DocumentHeader { extra: Some(extra.into()), ..sale() }, vec![tea(1)], "only a purchase has extra costs");
    let expiring = DocumentLine { expires: Some(jiff::civil::date(2027, 1, 1)), ..bought("tea", 1, 1) };
    check(purchase(), vec![expiring], "line 1: only a lot expires");
    check(header(DocumentKind::Recount), vec![tea(1)], "line 1: it needs a number of the row counted against");
    check(purchase(), vec![bought("tea", 1, -1)], "the cost of line 1 is -1; it must be between 0 and 1000000000000");
}

#[test]
fn extra_costs() {
    for (by, expected) in [(Spread::ByValue, "750 250"), (Spread::ByQuantity, "250 750")] {
        let mut world = World::new();
        let extra = Some(ExtraCost { amount: 1_000, by }.into());
        let header = DocumentHeader { extra, ..header(DocumentKind::Purchase) };
        let reply = world.post(header, vec![bought("tea", 10, 3_000), bought("cup", 30, 1_000)]).unwrap();
        let extra = reply.outcomes[0].value - 3_000_000_000;
        assert_eq!(format!("{} {}", money(extra), money(reply.outcomes[1].value - 1_000_000_000)), expected);
        assert_eq!(money(reply.document.cost), "5000");
    }
}

#[test]
fn packs() {
    let mut world = World::new();
    let pack = Some(PackName::new("box").unwrap());
    let boxes =
        |count, cost| DocumentLine { pack: pack.clone(), cost: Some(cost), ..DocumentLine::new(product("tea"), count) };
    let reply = world.post(header(DocumentKind::Purchase), vec![boxes(3, LineCost::Price(2_490_000_000))]).unwrap();
    assert_eq!((reply.outcomes[0].quantity, money(reply.outcomes[0].value)), (36, "7470".to_owned()));
    let sold = DocumentLine { pack, ..DocumentLine::new(product("tea"), 1) };
    let reply = world.post(header(DocumentKind::Sale), vec![sold]).unwrap();
    assert_eq!((reply.outcomes[0].quantity, money(reply.outcomes[0].value)), (-12, "-2490".to_owned()));
    let crate_of = DocumentLine { pack: PackName::new("crate").ok(), ..DocumentLine::new(product("tea"), 1) };
    let refused = world.post(header(DocumentKind::Sale), vec![crate_of]).unwrap_err();
    assert_eq!(refused.to_string(), "tea has no pack crate");
}

#[test]
fn the_catalog() {
    let mut world = World::new();
    let title = || Title::new("Tea").unwrap();
    let put = || PutProduct::new(product("tea"), title(), UnitName::new("pcs").unwrap());
    let boxes = |factor| vec![Pack { name: PackName::new("box").unwrap(), factor }];
    let show = |reply: surehold_core::stock::Product| format!("version {}", reply.version);
    let mut check = |command: PutProduct, expected: &str| assert_eq!(told(&mut world, &command, show), expected);
    check(put().packs(boxes(12)).unwrap(), "version 2");
    check(put().packs(boxes(12)).unwrap(), "version 2");
    check(put(), "pack box of tea cannot be changed");
    check(put().packs(boxes(10)).unwrap(), "pack box of tea cannot be changed");
    check(put().packs(boxes(12)).unwrap().tracking(Tracking::Lots), "the tracking of tea cannot be changed");
    check(put().packs(boxes(12)).unwrap().scale(1).unwrap(), "the scale of tea cannot be changed");
    assert!(put().scale(7).is_err());
    assert!(put().packs(boxes(0)).is_err());
    let code = |text: &str| BarcodeText::new(text).unwrap();
    let barcodes = |of: &str, pack: Option<&str>| {
        let pack = pack.map(|pack| PackName::new(pack).unwrap());
        PutBarcodes::new(product(of), vec![(code("789"), pack)]).unwrap()
    };
    let show =
        |reply: Vec<surehold_core::stock::Barcode>| format!("{:?}", reply[0].pack.as_ref().map(PackName::as_str));
    let mut check = |command: PutBarcodes, expected: &str| assert_eq!(told(&mut world, &command, show), expected);
    check(barcodes("tea", Some("box")), "Some(\"box\")");
    check(barcodes("cup", None), "barcode 789 is a box of tea");
    check(barcodes("tea", Some("crate")), "tea has no pack crate");
    check(barcodes("nothing", None), "no such product: nothing");
    check(barcodes("tea", None), "barcode 789 is a box of tea");
    check(barcodes("tea", Some("box")), "Some(\"box\")");
    let dollars =
        PutStore { name: store("a"), title: title(), currency: surehold_core::kernel::Currency::parse("USD").unwrap() };
    let refused = world.run(&dollars).unwrap_err();
    assert_eq!(refused.to_string(), "costs of a are in BRL; a store's currency cannot be changed");
}

#[test]
fn closed_books() {
    let mut world = World::new();
    assert_eq!(world.say("buy a tea 10 1000 at -60"), "+10 for 1000; a/tea 10 worth 1000");
    let close = |minutes: i64| CloseBooks { until: START.plus_secs(minutes * 60) };
    assert_eq!(
        told(&mut world, &close(1), |_| String::new()),
        "nothing takes effect in the future: it is 2026-11-01T12:00:00Z"
    );
    world.run(&close(-30)).unwrap();
    world.run(&close(-30)).unwrap();
    assert_eq!(told(&mut world, &close(-31), |_| String::new()), "the books are closed until 2026-11-01T11:30:00Z");
    assert_eq!(world.say("sell a tea 1 at -31"), "the books are closed until 2026-11-01T11:30:00Z");
    assert_eq!(world.say("undo 1 at -40"), "the books are closed until 2026-11-01T11:30:00Z");
    assert_eq!(world.say("sell a tea 1 at -30"), "-1 for 100; a/tea 9 worth 900");
}

#[test]
fn the_kernel_leaves_tracked_totals_alone() {
    let mut world = World::new();
    let tea = || pool_of(&store("a"), &product("tea"));
    // A pool that was there before becomes the item's, with whatever is promised of it.
    world.run(&PutPool::new(tea(), 8).unwrap()).unwrap();
    world.say("hold a tea 3");
    assert_eq!(
        world.say("sell a tea 1"),
        "pool a/tea has 8 units that no document brought; open it with what is there"
    );
    assert_eq!(world.say("open a tea 10 1000"), "+10 for 1000; a/tea 10 worth 1000");
    let pool = world.get::<Pool>(&tea()).unwrap();
    assert_eq!((pool.total, pool.held, pool.tracked), (10, 3, true));
    let refused = "tracked by stock, where totals change by documents only: a/tea";
    assert_eq!(told(&mut world, &PutPool::new(tea(), 11).unwrap(), |_| String::new()), refused);
    assert_eq!(told(&mut world, &AdjustPool::new(tea(), 1).unwrap(), |_| String::new()), refused);
    let hold = HoldId::new(super::world::uuid(1_000_001)).unwrap();
    let consume = ConvertHold { id: hold, mode: ConvertMode::Consume, part: None };
    assert_eq!(told(&mut world, &consume, |_| String::new()), refused);
    // What leaves the total alone is still the kernel's.
    world.run(&PutPool::new(tea(), 10).unwrap().closed(true)).unwrap();
    world.run(&PutPool::leaving_total(tea()).closed(false)).unwrap();
    world.run(&ConvertHold { id: hold, mode: ConvertMode::Book, part: None }).unwrap();
    assert_eq!(world.say("sell a tea 8"), "not enough: a/tea (8 asked, 7 available, 3 promised to others)");
    // A count says what is there, whatever was promised.
    assert_eq!(world.say("count a tea 2"), "-8 for 800; a/tea 2 worth 200");
    let pool = world.get::<Pool>(&tea()).unwrap();
    assert_eq!((pool.total, pool.booked, pool.oversold), (2, 3, 1));
}

#[test]
fn other_pools_are_as_before() {
    let mut world = World::new();
    let seats: PoolKey = pool_of(&store("b"), &product("seat"));
    world.run(&PutPool::new(seats.clone(), 5).unwrap()).unwrap();
    let id = HoldId::new(super::world::uuid(77)).unwrap();
    let lines = Lines::new(vec![Line { pool: seats.clone(), quantity: 2 }]).unwrap();
    world.run(&PlaceHold::new(id, lines)).unwrap();
    world.run(&ConvertHold { id, mode: ConvertMode::Consume, part: None }).unwrap();
    world.run(&AdjustPool::new(seats.clone(), 1).unwrap()).unwrap();
    assert_eq!(world.get::<Pool>(&seats).unwrap().total, 4);
}

#[test]
fn long_documents_are_posted_part_by_part() {
    let mut world = World::new();
    let extra = Some(ExtraCost { amount: 1_000, by: Spread::ByQuantity }.into());
    let header = DocumentHeader { extra, ..header(DocumentKind::Purchase) };
    let lines = |code: &str, count: usize| vec![bought(code, 1, 100); count];
    let content = DocumentContent::new(header.clone(), lines("tea", 200)).unwrap();
    world.run(&SaveDraft { id: document(1), content }).unwrap();
    let part = |number, lines| SavePart::new(document(1), DocumentKind::Purchase, number, lines).unwrap();
    world.run(&part(2, lines("cup", 50))).unwrap();
    // A repeat of the first request drops no part; other content would.
    let content = DocumentContent::new(header.clone(), lines("tea", 200)).unwrap();
    assert_eq!(world.run(&SaveDraft { id: document(1), content }).unwrap().document.parts, 3);
    world.run(&part(0, lines("tea", 199))).unwrap();
    world.run(&part(0, lines("tea", 200))).unwrap();
    let missing = world.run(&PostDocument::saved(document(1))).unwrap_err();
    assert_eq!(missing, StockRefusal::PartMissing { document: document(1), part: 1 });
    // A piece that is here already is left out, and told.
    world.documents = 1;
    assert_eq!(world.say("buy-pieces b phone 1000 x1"), "+1 for 1000; b/phone 1 worth 1000");
    let piece =
        |serial: &str| DocumentLine { serials: vec![SerialCode::new(serial).unwrap()], ..bought("phone", 1, 100) };
    world.run(&part(1, vec![piece("x1"), piece("x2")])).unwrap();
    let began = world.run(&PostDocument::saved(document(1))).unwrap().document;
    assert_eq!((began.state, began.parts, began.lines), (DocumentState::Posting, 3, 252));
    assert_eq!(world.item(&on_hand("a", "tea")).quantity, 0);
    let busy = world.run(&CloseBooks { until: START }).unwrap_err();
    assert_eq!(busy, StockRefusal::BooksBusy { posting: 1, revaluing: 0 });
    world.clock(60);
    world.run_part(1, 0);
    assert_eq!(world.item(&on_hand("a", "tea")).quantity, 200);
    // Sales go on between the parts.
    world.documents = 2;
    assert!(world.say("sell a tea 200").starts_with("-200 for 20793.65079"));
    world.run_part(1, 1);
    world.run_part(1, 2);
    let posted = world.get::<StockDocument>(&document(1)).unwrap();
    assert_eq!((posted.state, posted.skipped), (DocumentState::Posted, 1));
    let part = world.get::<DocumentPart>(&PartKey { document: document(1), number: 1 }).unwrap();
    let why = part.outcomes[0].skipped.as_ref().unwrap();
    assert_eq!((part.first_line, why.refusal.as_str()), (201, "phone x1 in b"));
    let piece = SerialKey { product: product("phone"), serial: SerialCode::new("x2").unwrap() };
    assert_eq!(world.get::<Serial>(&piece).unwrap().store, Some(store("a")));
    assert_eq!(world.get::<Books>(&()).unwrap().posting, 0);
    // All but the freight of the line that was left out.
    let freight = world.item(&on_hand("a", "cup")).value - 50 * 100_000_000;
    assert_eq!(money(freight), "198.412699");
    world.check(&[on_hand("a", "tea"), on_hand("a", "cup"), on_hand("a", "phone")]);
    let sale = DocumentContent::new(
        DocumentHeader::new(DocumentKind::Sale, store("a")),
        vec![DocumentLine::new(product("cup"), 1)],
    );
    world.run(&SaveDraft { id: document(50), content: sale.unwrap() }).unwrap();
    let more = SavePart::new(document(50), DocumentKind::Sale, 1, vec![DocumentLine::new(product("cup"), 1)]);
    assert_eq!(world.run(&more.unwrap()).unwrap_err().to_string(), "a sale has one part");
}

#[test]
fn reversed_twice_is_reversed_once() {
    let mut world = World::stored();
    world.say("buy a tea 10 1000");
    let reverse = ReverseDocument::new(document(50), document(1), store("a"));
    let first = world.run(&reverse).unwrap();
    world.clock(60);
    assert_eq!(world.run(&reverse).unwrap(), first);
    assert_eq!(world.item(&on_hand("a", "tea")).seq, 2);
    let other = ReverseDocument::new(document(51), document(1), store("a"));
    let state = DocumentState::Reversed;
    assert_eq!(world.run(&other), Err(StockRefusal::DocumentState { document: document(1), document_state: state }));
    let reused = ReverseDocument::new(document(50), document(2), store("a"));
    assert_eq!(world.run(&reused), Err(StockRefusal::DocumentIdReused { document: document(50) }));
    let elsewhere = ReverseDocument::new(document(52), document(1), store("b"));
    assert!(world.run(&elsewhere).is_err());
    let unknown = ReverseDocument::new(document(53), document(99), store("a"));
    assert_eq!(world.run(&unknown), Err(StockRefusal::DocumentNotFound { document: document(99) }));
}

#[test]
fn a_hold_is_sold_once() {
    let mut world = World::stored();
    for sentence in ["buy a tea 10 1000", "buy a cup 10 1000", "buy b tea 10 1000"] {
        world.say(sentence);
    }
    let id = HoldId::new(super::world::uuid(77)).unwrap();
    let line = |place: &str, code: &str, quantity| Line { pool: pool_of(&store(place), &product(code)), quantity };
    let lines = Lines::new(vec![line("a", "tea", 4), line("a", "cup", 2), line("b", "tea", 1)]).unwrap();
    world.run(&PlaceHold::new(id, lines)).unwrap();
    let sale = |code: &str, count| {
        DocumentContent::new(header(DocumentKind::Sale), vec![DocumentLine::new(product(code), count)]).unwrap()
    };
    let others = SellHold::new(id, document(60), sale("rice", 1)).unwrap();
    assert_eq!(world.run(&others), Err(StockRefusal::HoldOfOthers));
    let sell = SellHold::new(id, document(61), sale("tea", 4)).unwrap();
    let first = world.run(&sell).unwrap();
    assert_eq!(first.sale.document.state, DocumentState::Posted);
    assert_eq!(world.run(&sell).unwrap(), first);
    let again = SellHold::new(id, document(62), sale("tea", 4)).unwrap();
    assert_eq!(world.run(&again).unwrap_err().to_string(), "the hold is converted");
    // Whose goods a sale sold is part of what it is.
    let other_id = HoldId::new(super::world::uuid(78)).unwrap();
    world.run(&PlaceHold::new(other_id, Lines::new(vec![line("a", "tea", 4)]).unwrap())).unwrap();
    world.run(&PostDocument::whole(document(64), sale("tea", 1))).unwrap();
    for (number, count) in [(61, 4), (64, 1)] {
        let reused = StockRefusal::DocumentIdReused { document: document(number) };
        assert_eq!(world.run(&SellHold::new(other_id, document(number), sale("tea", count)).unwrap()), Err(reused));
    }
    assert_eq!(world.get::<Hold>(&other_id).unwrap().state, HoldState::Active);
    assert_eq!(world.run(&sell).unwrap(), first);
    world.run(&CancelHold { id: other_id }).unwrap();
    // What the sale did not have is free again.
    for (place, code, total) in [("a", "tea", 5), ("a", "cup", 10), ("b", "tea", 10)] {
        let pool = world.get::<Pool>(&pool_of(&store(place), &product(code))).unwrap();
        assert_eq!((pool.total, pool.held, pool.booked), (total, 0, 0), "{place}/{code}");
    }
    assert!(SellHold::new(id, document(63), purchase(vec![bought("tea", 1, 1)])).is_err());
}

/// A command asks for what it needs all at once, however many lines there are: the store gives up after a few rounds.
#[test]
fn many_lines_are_few_rounds() {
    const LINES: i64 = 60;
    let mut world = World::stored();
    let code = |number: i64| product(&format!("p{number}"));
    let serial = |number: i64| vec![SerialCode::new(&format!("s{number}")).unwrap()];
    for number in 0..LINES {
        let put = PutProduct::new(code(number), Title::new("A piece").unwrap(), UnitName::new("pcs").unwrap());
        world.run(&put.tracking(Tracking::Serials)).unwrap();
    }
    let line = |number: i64| DocumentLine { serials: serial(number), ..DocumentLine::new(code(number), 1) };
    let lines = |make: &dyn Fn(i64) -> DocumentLine| (0..LINES).map(make).collect::<Vec<_>>();
    let post = |world: &mut World, header: DocumentHeader, lines: Vec<DocumentLine>| {
        world.documents += 1;
        let id = document(world.documents);
        let content = DocumentContent::new(header, lines).unwrap();
        world.run(&SaveDraft { id, content }).unwrap();
        world.run(&PostDocument::saved(id)).unwrap();
        id
    };
    let bought = |number| DocumentLine { cost: Some(LineCost::Amount(number)), ..line(number) };
    post(&mut world, header(DocumentKind::Purchase), lines(&bought));
    world.clock(60);
    let sale = post(&mut world, header(DocumentKind::Sale), lines(&line));
    let about = DocumentHeader { about: Some(sale), ..header(DocumentKind::CustomerReturn) };
    let back = |number: i64| DocumentLine {
        serials: serial(number),
        ..DocumentLine::of_line(u32::try_from(number).unwrap() + 1, 1)
    };
    let returned = post(&mut world, about, lines(&back));
    world.run(&ReverseDocument::new(document(90), returned, store("a"))).unwrap();
    world.run(&ReverseDocument::new(document(91), sale, store("a"))).unwrap();
    // In the past of all of them, with histories that all lack a row.
    let at = START.plus_secs(30);
    let histories: Vec<ItemHistory> = (0..LINES)
        .map(|number| {
            let item = ItemKey::on_hand(&store("a"), &code(number));
            let ledger = world.ledger(&item);
            ItemHistory::of(&HistoryQuestion { item, at, sources: Vec::new() }, &ledger)
        })
        .collect();
    world.clock(60);
    post(&mut world, header(DocumentKind::Sale), lines(&line));
    let more = |number: i64| {
        let serials = vec![SerialCode::new(&format!("more{number}")).unwrap()];
        DocumentLine { serials, ..bought(number) }
    };
    let earlier = DocumentHeader { effective_at: Some(at), ..header(DocumentKind::Purchase) };
    let content = DocumentContent::new(earlier, lines(&more)).unwrap();
    world.run_knowing(&PostDocument::whole(document(92), content), Histories::new(histories)).unwrap().unwrap();
    let keys: Vec<ItemKey> = (0..LINES).map(|number| ItemKey::on_hand(&store("a"), &code(number))).collect();
    world.revalue_all(&keys);
    world.check(&keys);
}

/// Every item has moved since it was counted; the differences count all the same.
#[test]
fn many_counts_are_few_rounds() {
    const LINES: i64 = 60;
    let mut world = World::stored();
    let code = |number: i64| product(&format!("p{number}"));
    for number in 0..LINES {
        let title = Title::new("A thing").unwrap();
        world.run(&PutProduct::new(code(number), title, UnitName::new("pcs").unwrap())).unwrap();
    }
    let lines = |make: &dyn Fn(DocumentLine) -> DocumentLine, count: i64| {
        (0..LINES).map(|number| make(DocumentLine::new(code(number), count))).collect::<Vec<_>>()
    };
    let bought = |line| DocumentLine { cost: Some(LineCost::Amount(100)), ..line };
    world.post(header(DocumentKind::Purchase), lines(&bought, 10)).unwrap();
    world.post(header(DocumentKind::Sale), lines(&|line| line, 4)).unwrap();
    let counted = |difference| move |line| DocumentLine { against: Some(Against { seq: 1, difference }), ..line };
    let refused = world.post(header(DocumentKind::Recount), lines(&counted(false), 9)).unwrap_err();
    assert!(matches!(refused, StockRefusal::ItemsMoved { moved: items } if items.len() == 60));
    world.post(header(DocumentKind::Recount), lines(&counted(true), 9)).unwrap();
    let item = world.item(&ItemKey::on_hand(&store("a"), &code(59)));
    assert_eq!((item.quantity, money(item.value)), (5, "50".to_owned()));
    // A long draft is replaced in one go, too.
    let content = || purchase(vec![bought(DocumentLine::new(code(0), 1))]);
    world.run(&SaveDraft { id: document(70), content: content() }).unwrap();
    for number in 1..50 {
        let line = bought(DocumentLine::new(code(1), 1));
        world.run(&SavePart::new(document(70), DocumentKind::Purchase, number, vec![line]).unwrap()).unwrap();
    }
    let other = purchase(vec![bought(DocumentLine::new(code(2), 1))]);
    assert_eq!(world.run(&SaveDraft { id: document(70), content: other }).unwrap().document.parts, 1);
    let part = PartKey { document: document(70), number: 49 };
    assert!(world.get::<DocumentPart>(&part).is_none());
}

/// Units that no document brought are in the way of their own line only.
#[test]
fn a_line_of_a_long_document_stands_in_nobodys_way() {
    let mut world = World::stored();
    world.run(&PutPool::new(pool_of(&store("a"), &product("cup")), 8).unwrap()).unwrap();
    let extra = Some(ExtraCost { amount: 300, by: Spread::ByQuantity }.into());
    let header = DocumentHeader { extra, ..header(DocumentKind::Purchase) };
    world.documents = 1;
    world.save_long(1, header, &[vec![bought("tea", 1, 100), bought("cup", 1, 100)], vec![bought("tea", 1, 100)]]);
    world.post_long(1);
    let posted = world.get::<StockDocument>(&document(1)).unwrap();
    assert_eq!((posted.state, posted.skipped), (DocumentState::Posted, 1));
    assert_eq!(
        world.outcomes(1),
        "+1 for 200; pool a/cup has 8 units that no document brought; open it with what is there; +1 for 200"
    );
    assert_eq!(world.get::<Books>(&()).unwrap().posting, 0);
}

/// The lots of a product may be in several parts; a second document opens nothing again.
#[test]
fn lots_are_opened_in_several_parts() {
    let mut world = World::stored();
    let lot = |name: &str| DocumentLine { lot: LotCode::new(name).ok(), ..bought("milk", 2, 100) };
    world.documents = 2;
    for number in [1, 2] {
        world.save_long(number, header(DocumentKind::Opening), &[vec![lot("x")], vec![lot("y")]]);
        world.post_long(number);
    }
    assert_eq!(world.outcomes(1), "+2 for 100; +2 for 100");
    let refused = "a/milk has moved already; only what never moved is opened";
    assert_eq!(world.outcomes(2), format!("{refused}; {refused}"));
    assert_eq!(world.item(&on_hand("a", "milk")).lots.len(), 2);
}

/// A long document is reversed in few rounds, too, and in a store.
#[test]
fn long_documents_are_reversed_in_few_rounds() {
    let mut world = World::stored();
    let code = |number: i64| product(&format!("p{number}"));
    for number in 0..120 {
        let title = Title::new("A thing").unwrap();
        world.run(&PutProduct::new(code(number), title, UnitName::new("pcs").unwrap())).unwrap();
    }
    let line = |number| DocumentLine { cost: Some(LineCost::Amount(7)), ..DocumentLine::new(code(number), 3) };
    world.save_long(1, header(DocumentKind::Purchase), &[(0..60).map(line).collect(), (60..120).map(line).collect()]);
    world.documents = 1;
    world.post_long(1);
    world.reverse(1, None).unwrap();
    for part in [0, 1] {
        world.run_part(2, part);
    }
    assert_eq!(world.outcomes(2), vec!["-3 for 7"; 120].join("; "));
    let repeat = ReverseDocument::new(document(2), document(1), store("a"));
    assert_eq!(world.run(&repeat).unwrap().document.state, DocumentState::Posted);
}

/// As much comes back as leaves: nobody need be without what is promised.
#[test]
fn what_leaves_and_comes_back_is_not_short() {
    let mut world = World::new();
    world.say("buy a milk 5 500 x never");
    world.say("buy a milk 5 500 y never");
    let counted = |lot: &str, count| {
        let against = Some(Against { seq: 2, difference: false });
        DocumentLine { against, lot: LotCode::new(lot).ok(), ..DocumentLine::new(product("milk"), count) }
    };
    world.post(header(DocumentKind::Recount), vec![counted("x", 10), counted("y", 0)]).unwrap();
    assert_eq!(world.say("hold a milk 8"), "active");
    assert_eq!(world.say("undo 3"), "-5 for 500 x:5; +5 for 500 y:5; a/milk 10 worth 1000");
}
