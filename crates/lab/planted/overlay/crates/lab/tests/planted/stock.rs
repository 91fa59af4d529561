//! Bugs in what documents do to goods and their cost.

use surehold_core::kernel::commands::PlaceHold;
use surehold_core::kernel::{Command, Currency, HoldPolicy, Line, Lines, Slug, Timestamp, Title};
use surehold_core::stock::commands::{CloseBooks, PostDocument, PutProduct, PutStore};
use surehold_core::stock::{
    Against, DocumentContent, DocumentHeader, DocumentId, DocumentKind, DocumentLine, ItemKey, LineCost, ProductCode,
    StockItem, StockRefusal, StoreName, UnitName, pool_of,
};
use surehold_engine::{Engine, Failure, Options, new_hold_id};
use surehold_testkit::fixture::{Fixture, StoreKind};
use uuid::Uuid;

use super::Harm;
use super::shop::TENANT;

/// A store with one product.
struct Warehouse {
    engine: Engine,
    fixture: Fixture,
}

fn store() -> StoreName {
    StoreName::new("shop").unwrap()
}

fn tea() -> ProductCode {
    ProductCode::new("tea").unwrap()
}

fn new_document() -> DocumentId {
    DocumentId::new(Uuid::now_v7()).unwrap()
}

fn header(kind: DocumentKind) -> DocumentHeader {
    DocumentHeader::new(kind, store())
}

/// For an amount, where it comes in.
fn line(count: i64, amount: Option<i64>) -> Vec<DocumentLine> {
    vec![DocumentLine { cost: amount.map(LineCost::Amount), ..DocumentLine::new(tea(), count) }]
}

impl Warehouse {
    async fn open() -> Warehouse {
        Warehouse::open_on(StoreKind::Sqlite).await
    }

    async fn open_on(kind: StoreKind) -> Warehouse {
        let fixture = Fixture::new(kind).await.unwrap();
        let engine = fixture.engine().await.unwrap();
        engine.create_tenant(Slug::new("shop").unwrap(), HoldPolicy::default(), TENANT).await.unwrap();
        let warehouse = Warehouse { engine, fixture };
        let (title, unit) = (Title::new("Tea").unwrap(), UnitName::new("pcs").unwrap());
        let currency = Currency::parse("EUR").unwrap();
        warehouse.run(PutStore { name: store(), title: title.clone(), currency }).await;
        warehouse.run(PutProduct::new(tea(), title, unit)).await;
        warehouse
    }

    async fn run<C: Command<Refusal: std::fmt::Debug>>(&self, command: C) -> C::Reply {
        self.engine.run(TENANT, command).await.unwrap_or_else(|failure| panic!("{failure:?}")).reply
    }

    async fn try_post(
        &self,
        id: DocumentId,
        header: DocumentHeader,
        lines: Vec<DocumentLine>,
    ) -> Result<(), Failure<StockRefusal>> {
        let post = PostDocument::whole(id, DocumentContent::new(header, lines).unwrap());
        self.engine.run_with(TENANT, post, Options::default()).await.map(drop)
    }

    async fn post(&self, header: DocumentHeader, lines: Vec<DocumentLine>) -> DocumentId {
        let id = new_document();
        self.try_post(id, header, lines).await.unwrap();
        id
    }

    async fn buy(&self, count: i64, amount: i64) {
        self.post(header(DocumentKind::Purchase), line(count, Some(amount))).await;
    }

    async fn sell(&self, count: i64) -> DocumentId {
        self.post(header(DocumentKind::Sale), line(count, None)).await
    }

    async fn item(&self) -> StockItem {
        let key = ItemKey::on_hand(&store(), &tea());
        self.engine.views().record::<StockItem>(TENANT, &key).await.unwrap().unwrap()
    }

    async fn clock(&self) -> Timestamp {
        self.engine.views().clock().await.unwrap()
    }

    async fn close(self) {
        self.engine.stop().await;
    }
}

pub(super) async fn goods_that_somebody_holds() -> Harm {
    let warehouse = Warehouse::open().await;
    warehouse.buy(1, 100).await;
    let lines = Lines::new(vec![Line { pool: pool_of(&store(), &tea()), quantity: 1 }]).unwrap();
    warehouse.run(PlaceHold::new(new_hold_id(), lines)).await;
    let sold = warehouse.try_post(new_document(), header(DocumentKind::Sale), line(1, None)).await;
    warehouse.close().await;
    sold.is_ok().then(|| "the only one is held by one and sold to another".to_owned())
}

pub(super) async fn a_document_that_comes_again() -> Harm {
    let warehouse = Warehouse::open().await;
    let id = new_document();
    for _ in 0..2 {
        warehouse.try_post(id, header(DocumentKind::Purchase), line(5, Some(100))).await.unwrap();
    }
    let quantity = warehouse.item().await.quantity;
    warehouse.close().await;
    (quantity != 5).then(|| format!("5 were bought, and {quantity} are there"))
}

pub(super) async fn a_remainder() -> Harm {
    let warehouse = Warehouse::open().await;
    warehouse.buy(3, 1_000).await;
    warehouse.sell(1).await;
    let value = warehouse.item().await.value;
    warehouse.close().await;
    let lost = 1_000_000_000 - 333_333_333 - value;
    (lost != 0).then(|| format!("{lost} millionths of 1,000 are nowhere"))
}

pub(super) async fn a_forgotten_revaluation() -> Harm {
    let warehouse = Warehouse::open().await;
    warehouse.buy(10, 1_000).await;
    let before = warehouse.clock().await;
    warehouse.sell(5).await;
    let past = DocumentHeader { effective_at: Some(before), ..header(DocumentKind::Purchase) };
    warehouse.post(past, line(10, Some(3_000))).await;
    let value = warehouse.item().await.value / 1_000_000;
    warehouse.close().await;
    (value != 3_000).then(|| format!("15 of 20 bought for 4,000 are worth {value}"))
}

pub(super) async fn a_count_that_is_old() -> Harm {
    let warehouse = Warehouse::open().await;
    warehouse.buy(5, 100).await;
    let against = Some(Against { seq: warehouse.item().await.seq, difference: false });
    warehouse.sell(1).await;
    let counted = vec![DocumentLine { against, ..DocumentLine::new(tea(), 5) }];
    let told = warehouse.try_post(new_document(), header(DocumentKind::Recount), counted).await;
    warehouse.close().await;
    told.is_ok().then(|| "one was sold after 5 were counted, and 5 are there".to_owned())
}

pub(super) async fn goods_that_come_back_twice() -> Harm {
    let warehouse = Warehouse::open().await;
    warehouse.buy(5, 100).await;
    let sale = warehouse.sell(1).await;
    let back = DocumentHeader { about: Some(sale), ..header(DocumentKind::CustomerReturn) };
    warehouse.post(back.clone(), vec![DocumentLine::of_line(1, 1)]).await;
    let again = warehouse.try_post(new_document(), back, vec![DocumentLine::of_line(1, 1)]).await;
    warehouse.close().await;
    again.is_ok().then(|| "one was sold, and two came back".to_owned())
}

/// One node remembers that the books are open; the other closes them.
pub(super) async fn books_that_another_node_closed() -> Harm {
    let warehouse = Warehouse::open_on(StoreKind::Postgres).await;
    let other = warehouse.fixture.engine().await.unwrap();
    for _ in 0..3 {
        warehouse.buy(1, 100).await;
    }
    let before = warehouse.clock().await;
    other.run(TENANT, CloseBooks { until: warehouse.clock().await }).await.unwrap();
    let past = DocumentHeader { effective_at: Some(before), ..header(DocumentKind::Purchase) };
    let told = warehouse.try_post(new_document(), past, line(1, Some(100))).await;
    other.stop().await;
    warehouse.close().await;
    told.is_ok().then(|| "a document takes effect in books that are closed".to_owned())
}
