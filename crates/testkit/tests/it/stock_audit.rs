//! Stock that is in order is found to be; what is planted behind the engine's back into items, ledgers and documents is
//! found, with its key.

use surehold_core::kernel::commands::PlaceHold;
use surehold_core::kernel::{Command, Currency, Line, Lines, Timestamp, Title};
use surehold_core::stock::commands::{
    PostDocument, PutProduct, PutStore, ReverseDocument, SaveDraft, SavePart, SellHold,
};
use surehold_core::stock::{
    DocumentContent, DocumentHeader, DocumentId, DocumentKind, DocumentLine, LineCost, LotCode, ProductCode,
    SerialCode, StoreName, Tracking, UnitName, pool_of,
};
use surehold_testkit::fixture::{Fixture, Place, StoreKind, connect};
use surehold_testkit::on_each_store;
use uuid::Uuid;

use crate::conformance::{World, audit_findings, new_id, plant, put_back, save};

const TABLES: [&str; 11] = [
    "stores",
    "products",
    "stock_books",
    "stock_items",
    "stock_serials",
    "stock_documents",
    "stock_document_parts",
    "stock_moves",
    "pools",
    "operations",
    "operation_runs",
];

/// What is planted, and what must be among what is found. Words in capitals are documents of the world.
const HARM: &[(&str, &str)] = &[
    // Ledgers.
    ("delete from stock_moves where product = 'tea' and seq = 2", "stock-ledger-replays: ledger of a/tea: row 2 is"),
    (
        "update stock_moves set quantity = -2 where product = 'tea' and kind = 'sale' and seq = 2",
        "stock-ledger-replays: ledger of a/tea: after row 2 there are 8",
    ),
    (
        "update stock_moves set value_after = value_after + 1 where store = 'b' and place = 'on_hand'",
        "stock-ledger-replays: ledger of b/tea: after row 1",
    ),
    (
        "update stock_moves set value = value + 1, value_after = value_after + 1 where store = 'b' and place = 'on_hand'; \
         update stock_items set value = value + 1 where store = 'b' and place = 'on_hand'",
        "stock-cost-carried-across: document RECEIPT: what it gave away did not arrive, or for another cost",
    ),
    (
        "update stock_moves set effective_at = posted_at where basis = 'revaluation'",
        "stock-ledger-replays: ledger of a/tea: row ",
    ),
    (
        "update stock_moves set source = null where kind = 'customer_return' and basis = 'source'",
        "stock-ledger-replays: ledger of a/tea: row 3 is about a row that is not before it",
    ),
    // Items.
    (
        "update stock_items set value = value + 1 where product = 'milk'",
        "stock-item-matches-ledger: item a/milk: says 5 worth 500000001 millionths; its ledger comes to 5 worth 500000000",
    ),
    (
        "update stock_items set quantity = quantity + 1 where product = 'milk'",
        "stock-item-matches-pool: pool a/milk: says 5; there are 6 on hand",
    ),
    (
        "update stock_items set quantity = quantity + 1 where product = 'milk'",
        "stock-lots-add-up: item a/milk: its lots",
    ),
    ("delete from stock_items where product = 'milk'", "stock-item-matches-ledger: item a/milk: is not there, though"),
    (
        "delete from stock_items where product = 'milk'",
        "stock-item-matches-pool: pool a/milk: is tracked by stock, and",
    ),
    ("delete from stock_moves where product = 'milk'", "stock-item-matches-ledger: item a/milk: has no ledger"),
    (
        "update stock_items set seq = seq + 1 where product = 'milk'",
        "stock-item-matches-ledger: item a/milk: says that its last row is 2; it is 1",
    ),
    (
        "update stock_items set revalued_seq = 0 where product = 'tea' and place = 'on_hand' and store = 'a'",
        "stock-item-matches-ledger: item a/tea: says that it moved and was revalued last at",
    ),
    (
        "update stock_items set lots = null where product = 'milk'",
        "stock-lots-add-up: item a/milk: its lots have 0 units; they should have 5",
    ),
    ("update pools set total = total + 1 where resource = 'a/tea'", "stock-item-matches-pool: pool a/tea: says"),
    ("update pools set tracked = TRUE where resource = 'room'", "stock-item-matches-pool: pool room: is tracked by"),
    ("update pools set tracked = FALSE where resource = 'a/tea'", "stock-item-matches-pool: item a/tea: has no pool"),
    (
        "delete from stock_serials where serial = 'S1'",
        "stock-pieces-add-up: item a/phone: has 1 single pieces; there should be 2",
    ),
    (
        "update stock_serials set store = 'b' where serial = 'S1'",
        "stock-pieces-add-up: item b/phone: is not there, and 1 pieces are",
    ),
    (
        "update stock_items set quantity = 2 where place = 'in_transit'",
        "stock-transit-matches-transfers: item b/tea in transit: says 2; 1 are left of transfers",
    ),
    // Documents.
    (
        "delete from stock_moves where product = 'phone'",
        "stock-document-moved-as-said: document PURCHASE: has 2 rows in ledgers; it tells of 3",
    ),
    (
        "update stock_moves set line = 7 where product = 'phone'",
        "stock-document-moved-as-said: document PURCHASE: its 3 rows are not those that it tells of",
    ),
    (
        "update stock_documents set state = 'draft', posted_at = null where kind = 'purchase' and effective_wanted is null \
         and state = 'posted'",
        "stock-document-adds-up: document PURCHASE: is draft and has 1 parts; 1 are there, 1 posted",
    ),
    (
        "update stock_document_parts set posted = FALSE, outcomes = null where document in \
         (select id from stock_documents where kind = 'transfer')",
        "stock-document-moved-as-said: document TRANSFER: has 2 rows in ledgers; it tells of 0",
    ),
    (
        "update stock_documents set cost = cost + 1 where kind = 'sale'",
        "stock-document-adds-up: document SALE: says that it cost",
    ),
    (
        "update stock_documents set lines = 2 where kind = 'sale'",
        "stock-document-adds-up: document SALE: says that it has 2 lines; there are 1",
    ),
    ("delete from stock_documents where kind = 'sale'", "stock-names-known: document RETURN: the document that it is"),
    ("delete from stock_documents where kind = 'sale'", "stock-document-moved-as-said: document SALE: has 1 rows in"),
    ("delete from stock_documents where kind = 'sale'", "stock-document-adds-up: document SALE: has lines, and is not"),
    (
        "delete from stock_document_parts where document in (select id from stock_documents where kind = 'sale')",
        "stock-document-adds-up: document SALE: is posted and has 1 parts; 0 are there, 0 posted",
    ),
    (
        "update stock_documents set state = 'posted', reversed_by = null where kind = 'write_off'",
        "stock-document-reversed-once: document REVERSAL: reverses a document that is not reversed by it",
    ),
    (
        "update stock_documents set reversed_by = (select s.id from stock_documents s where s.kind = 'sale' limit 1) \
         where kind = 'write_off'",
        "stock-document-reversed-once: document WRITE_OFF: was reversed by a document that is no reversal",
    ),
    (
        "update stock_documents set followers = 2 where kind = 'sale'",
        "stock-returns-match-what-is-left: document SALE: says that 2 documents are about it; there are 1",
    ),
    (
        "delete from stock_documents where kind = 'receipt'",
        "stock-returns-match-what-is-left: document TRANSFER: 1 are gone of its line 1; others took 0",
    ),
    (
        "update stock_documents set about = (select t.id from stock_documents t where t.kind = 'transfer') \
         where kind = 'customer_return'",
        "stock-document-moved-as-said: document RETURN: took from rows of another document than the one that it is about",
    ),
    (
        "delete from operation_runs where type = 'POST_DOCUMENT'",
        "stock-posting-goes-on: document LONG: is being posted, and nothing will post its part 0",
    ),
    (
        "update stock_books set posting = 0",
        "stock-books-count-their-work: the books: count 0 documents being posted and 0 items being revalued; there are 1 and 0",
    ),
    (
        "update stock_books set revaluing = 1",
        "stock-books-count-their-work: the books: count 1 documents being posted and 1",
    ),
    ("delete from products where code = 'milk'", "stock-names-known: item a/milk: its product is not there"),
    ("delete from stores where name = 'b'", "stock-names-known: item b/tea: its store is not there"),
    ("delete from stores where name = 'b'", "stock-names-known: document TRANSFER: its store is not there"),
    ("update stock_items set lots = '[7]' where product = 'milk'", "stock-rows-readable: an item: "),
    ("update stock_moves set kind = 'gift' where product = 'milk'", "stock-rows-readable: a row of a ledger: "),
    ("update stock_documents set currency = '???' where kind = 'sale'", "stock-rows-readable: a document: "),
    ("update products set tracking = 'some'", "stock-rows-readable: a row of products: "),
];

fn store(name: &str) -> StoreName {
    StoreName::new(name).unwrap()
}

fn product(code: &str) -> ProductCode {
    ProductCode::new(code).unwrap()
}

fn bought(code: &str, count: i64, amount: i64) -> DocumentLine {
    DocumentLine { cost: Some(LineCost::Amount(amount)), ..DocumentLine::new(product(code), count) }
}

fn new_document() -> DocumentId {
    DocumentId::new(Uuid::now_v7()).unwrap()
}

fn header(kind: DocumentKind, name: &str) -> DocumentHeader {
    DocumentHeader::new(kind, store(name))
}

struct Shop<'f> {
    world: World<'f>,
    documents: Vec<(&'static str, DocumentId)>,
}

impl Shop<'_> {
    async fn run<C: Command<Refusal: std::fmt::Debug>>(&self, command: C) -> C::Reply {
        self.world.engine.run(self.world.tenant, command).await.unwrap_or_else(|failure| panic!("{failure:?}")).reply
    }

    async fn post(&mut self, name: &'static str, header: DocumentHeader, lines: Vec<DocumentLine>) -> DocumentId {
        let id = new_document();
        self.run(PostDocument::whole(id, DocumentContent::new(header, lines).unwrap())).await;
        self.documents.push((name, id));
        id
    }

    async fn furnish(&self) {
        for name in ["a", "b"] {
            let (title, currency) = (Title::new(name).unwrap(), Currency::parse("EUR").unwrap());
            self.run(PutStore { name: store(name), title, currency }).await;
        }
        for (code, tracking) in [("tea", Tracking::Nothing), ("milk", Tracking::Lots), ("phone", Tracking::Serials)] {
            let (title, unit) = (Title::new(code).unwrap(), UnitName::new("pcs").unwrap());
            self.run(PutProduct::new(product(code), title, unit).tracking(tracking)).await;
        }
    }

    /// Some of everything, with a document that is not through yet.
    async fn trade(&mut self) {
        self.furnish().await;
        let began: Timestamp = self.world.engine.views().clock().await.unwrap();
        let lot = DocumentLine { lot: Some(LotCode::new("L1").unwrap()), ..bought("milk", 5, 500) };
        let serials = ["S1", "S2"].map(|serial| SerialCode::new(serial).unwrap()).to_vec();
        let phones = DocumentLine { serials, ..bought("phone", 2, 90_000) };
        let purchase = DocumentHeader { effective_at: Some(began), ..header(DocumentKind::Purchase, "a") };
        let past = DocumentHeader { effective_at: Some(began), ..purchase.clone() };
        let purchase = DocumentHeader { effective_at: None, ..purchase };
        self.post("PURCHASE", purchase, vec![bought("tea", 10, 1_000), lot, phones]).await;
        let bought_at = self.world.engine.views().clock().await.unwrap();
        let tea = |count: i64| vec![DocumentLine::new(product("tea"), count)];
        let sale = self.post("SALE", header(DocumentKind::Sale, "a"), tea(3)).await;
        let back = DocumentHeader { about: Some(sale), ..header(DocumentKind::CustomerReturn, "a") };
        self.post("RETURN", back, vec![DocumentLine::of_line(1, 1)]).await;
        let transfer =
            DocumentHeader { to_store: Some(store("b")), in_transit: true, ..header(DocumentKind::Transfer, "a") };
        let transfer = self.post("TRANSFER", transfer, tea(2)).await;
        let receipt = DocumentHeader { about: Some(transfer), ..header(DocumentKind::Receipt, "b") };
        self.post("RECEIPT", receipt, vec![DocumentLine::of_line(1, 1)]).await;
        let past = DocumentHeader { effective_at: Some(bought_at), ..past };
        self.post("PAST", past, vec![bought("tea", 3, 701)]).await;
        let lost = self.post("WRITE_OFF", header(DocumentKind::WriteOff, "a"), tea(1)).await;
        let reversal = new_document();
        self.run(ReverseDocument::new(reversal, lost, store("a"))).await;
        self.documents.push(("REVERSAL", reversal));
        self.sell_a_hold().await;
        self.begin_a_long_one().await;
        // What the other store got is worth something else by now; nobody does that by itself here.
        assert_eq!(audit_findings(self.world.fixture).await, [""; 0]);
        assert!(self.world.engine.revalue(self.world.tenant).await.unwrap() > 0);
    }

    async fn sell_a_hold(&mut self) {
        let hold = new_id();
        let lines = vec![Line { pool: pool_of(&store("a"), &product("tea")), quantity: 2 }];
        self.run(PlaceHold::new(hold, Lines::new(lines).unwrap())).await;
        let content = DocumentContent::new(header(DocumentKind::Sale, "a"), vec![DocumentLine::new(product("tea"), 3)]);
        self.run(SellHold::new(hold, new_document(), content.unwrap()).unwrap()).await;
    }

    async fn begin_a_long_one(&mut self) {
        let long = new_document();
        let kind = DocumentKind::Purchase;
        let content = DocumentContent::new(header(kind, "b"), vec![bought("tea", 1, 100)]).unwrap();
        self.run(SaveDraft { id: long, content }).await;
        self.run(SavePart::new(long, kind, 1, vec![bought("tea", 2, 100)]).unwrap()).await;
        self.run(PostDocument::saved(long)).await;
        self.documents.push(("LONG", long));
    }
}

/// Takes away what stands in the way of whoever writes by hand.
async fn open_the_doors(fixture: &Fixture) {
    match &fixture.place {
        Place::Sqlite(_) => {
            let connection = rusqlite::Connection::open(fixture.file()).unwrap();
            let mut triggers = connection.prepare("select name from sqlite_master where type = 'trigger'").unwrap();
            let names: Vec<String> =
                triggers.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
            for name in names {
                connection.execute_batch(&format!("drop trigger {name}")).unwrap();
            }
        }
        Place::Postgres { url } => {
            let drop_all = "do $$ declare t record; begin for t in select tgrelid::regclass as r, tgname as n \
                 from pg_trigger where not tgisinternal loop \
                 execute format('drop trigger %I on %s', t.n, t.r); end loop; end $$";
            connect(url).await.unwrap().batch_execute(drop_all).await.unwrap();
        }
    }
}

async fn what_was_planted_is_found(kind: StoreKind) {
    let fixture = Fixture::new(kind).await.unwrap();
    let mut shop = Shop { world: World::open(&fixture).await, documents: Vec::new() };
    shop.world.play("put room=2").await;
    shop.trade().await;
    assert_eq!(audit_findings(&fixture).await, [""; 0]);
    open_the_doors(&fixture).await;
    save(&fixture, &TABLES).await;
    for (harm, expected) in HARM {
        let flags = if kind == StoreKind::Sqlite { ["1", "0"] } else { ["true", "false"] };
        plant(&fixture, &harm.replace("TRUE", flags[0]).replace("FALSE", flags[1])).await;
        let named = |text: String, (name, id): &(&str, DocumentId)| {
            text.replace(&format!("document {name}:"), &format!("document {id}:"))
        };
        let expected = shop.documents.iter().fold((*expected).to_owned(), named);
        let told = audit_findings(&fixture).await;
        assert!(told.iter().any(|told| told.contains(&expected)), "{harm}: {expected} in {told:#?}");
        put_back(&fixture, &TABLES).await;
    }
    assert_eq!(audit_findings(&fixture).await, [""; 0]);
}

on_each_store! { what_was_planted_is_found }
