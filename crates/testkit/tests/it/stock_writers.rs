//! Nobody but the engine writes stock: not who reads, not who may write, not the owner of the tables. What is refused is
//! refused by the schema, so it holds for whoever comes by another way.

use surehold_core::kernel::commands::PutPool;
use surehold_core::kernel::{Command, Currency, Pool, Title};
use surehold_core::stock::commands::{DocumentReply, PostDocument, PutProduct, PutStore};
use surehold_core::stock::{
    DocumentContent, DocumentHeader, DocumentId, DocumentKind, DocumentLine, DocumentState, LineCost, ProductCode,
    StockItem, StoreName, UnitName, pool_of,
};
use surehold_testkit::fixture::{Fixture, StoreKind, connect, connect_as_stranger, open_file};
use tokio_postgres::Client;
use uuid::Uuid;

use crate::conformance::{World, pool};

fn shop() -> StoreName {
    StoreName::new("shop").unwrap()
}

fn tea() -> ProductCode {
    ProductCode::new("tea").unwrap()
}

async fn run<C: Command>(world: &World<'_>, command: C) -> C::Reply
where
    C::Refusal: std::fmt::Debug,
{
    world.engine.run(world.tenant, command).await.unwrap().reply
}

async fn post(world: &World<'_>, kind: DocumentKind, count: i64, cost: Option<i64>) -> DocumentReply {
    let line = DocumentLine { cost: cost.map(LineCost::Amount), ..DocumentLine::new(tea(), count) };
    let content = DocumentContent::new(DocumentHeader::new(kind, shop()), vec![line]).unwrap();
    run(world, PostDocument::whole(DocumentId::new(Uuid::now_v7()).unwrap(), content)).await
}

/// A shop with 10 of something, and a pool that stock knows nothing of.
async fn stocked(fixture: &Fixture) -> World<'_> {
    let world = World::open(fixture).await;
    let (title, currency) = (Title::new("Shop").unwrap(), Currency::parse("BRL").unwrap());
    run(&world, PutStore { name: shop(), title, currency }).await;
    run(&world, PutProduct::new(tea(), Title::new("Tea").unwrap(), UnitName::new("pcs").unwrap())).await;
    run(&world, PutPool::new(pool("room").unwrap(), 3).unwrap()).await;
    post(&world, DocumentKind::Purchase, 10, Some(1_000)).await;
    world
}

/// The engine goes on, with what it left.
async fn require_sound(world: &World<'_>) {
    let sold = post(world, DocumentKind::Sale, 1, None).await;
    assert_eq!(sold.document.state, DocumentState::Posted);
    let views = world.engine.views();
    let item = surehold_core::stock::ItemKey::on_hand(&shop(), &tea());
    let item = views.record::<StockItem>(world.tenant, &item).await.unwrap().unwrap();
    let pool = views.record::<Pool>(world.tenant, &pool_of(&shop(), &tea())).await.unwrap().unwrap();
    assert_eq!((item.quantity, item.seq, pool.total, pool.tracked), (9, 2, 9, true));
}

/// None of these was made by a document.
const CHANGES: [&str; 12] = [
    "update stock_items set quantity = quantity + 1",
    "insert into stock_items select * from stock_items",
    "delete from stock_items",
    "insert into stock_moves select * from stock_moves",
    "delete from stock_serials",
    "update stock_documents set cost = 0",
    "update stock_document_parts set posted = false",
    "update stock_books set closed_until = null",
    "update pools set total = total + 1 where tracked",
    "update pools set tracked = false",
    "delete from pools where tracked",
    "create temp table other as select * from pools where tracked; update other set resource = 'shop/cup'; \
     insert into pools select * from other",
];

/// The truth is not rewritten, whoever asks.
const REWRITES: [&str; 3] = [
    "update stock_moves set value = 0",
    "delete from stock_moves",
    "insert into stock_moves select * from stock_moves",
];

async fn refusal(client: &Client, sql: &str) -> String {
    let done = client.batch_execute(sql).await;
    let told = |error: &tokio_postgres::Error| error.as_db_error().unwrap().message().to_owned();
    done.map_or_else(|error| told(&error), |()| String::new())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_else_writes_stock_in_postgres() {
    let fixture = Fixture::new(StoreKind::Postgres).await.unwrap();
    let world = stocked(&fixture).await;
    let owner = connect_as_stranger(fixture.url()).await.unwrap();
    let login = format!("login_{}", Uuid::now_v7().simple());
    owner.batch_execute(&format!("create role {login} login")).await.unwrap();

    // Who reads cannot write, who is nobody can do nothing.
    let nobody = connect_as_stranger(&fixture.url().replace("//postgres@", &format!("//{login}@"))).await.unwrap();
    let reader = connect_as_stranger(fixture.url()).await.unwrap();
    reader.batch_execute("set role surehold_reader; set surehold.writer = 'engine'").await.unwrap();
    for client in [&nobody, &reader] {
        for sql in CHANGES {
            let told = refusal(client, sql).await;
            assert!(told.starts_with("permission denied for table"), "{sql}: {told:?}");
        }
    }
    // Who may write, or owns all of it, is not the engine.
    let writer = connect_as_stranger(fixture.url()).await.unwrap();
    writer.batch_execute("set role surehold_writer").await.unwrap();
    for client in [&writer, &owner] {
        for sql in CHANGES {
            let told = refusal(client, &format!("begin; {sql}; commit")).await;
            assert!(told.ends_with(" changes by documents of stock only"), "{sql}: {told:?}");
            client.batch_execute("rollback").await.unwrap();
        }
    }
    let tracking = refusal(&owner, "update pools set tracked = true where not tracked").await;
    assert_eq!(tracking, "pools changes by documents of stock only");
    assert_eq!(refusal(&owner, "truncate stock_items").await, "stock_items changes by documents of stock only");
    // Not even who says that it is.
    let bold = connect(fixture.url()).await.unwrap();
    for sql in [REWRITES[0], REWRITES[1], "truncate stock_moves"] {
        assert_eq!(refusal(&bold, sql).await, "rows of stock_moves are never changed", "{sql}");
    }
    assert!(refusal(&bold, REWRITES[2]).await.contains("unique constraint"));
    // Other pools are none of its business, and what is promised of a tracked one is the kernel's.
    let others = "update pools set total = 4 where not tracked; update pools set closed = closed";
    assert_eq!(refusal(&owner, others).await, "");
    require_sound(&world).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_else_writes_stock_in_sqlite() {
    let fixture = Fixture::new(StoreKind::Sqlite).await.unwrap();
    let world = stocked(&fixture).await;
    let stranger = rusqlite::Connection::open(fixture.file()).unwrap();
    let refusal = |connection: &rusqlite::Connection, sql: &str| {
        let done = connection.execute_batch(sql);
        done.map_or_else(|error| error.to_string(), |()| String::new())
    };
    let guarded = |sql: &&&str| sql.contains("stock_items") || sql.contains("stock_moves");
    for sql in CHANGES.iter().filter(guarded) {
        let told = refusal(&stranger, sql);
        assert!(told.starts_with("no such function: surehold_writes_stock"), "{sql}: {told:?}");
    }
    assert_eq!(refusal(&stranger, "delete from pools where tracked"), "a tracked pool stays with its item");
    for sql in &REWRITES[..2] {
        let bold = open_file(&fixture.file()).unwrap();
        assert_eq!(refusal(&bold, sql), "rows of stock_moves are never changed", "{sql}");
    }
    require_sound(&world).await;
}
