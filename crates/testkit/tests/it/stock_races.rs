//! Clerks who want the same goods at the same time, in whatever order: they queue, nobody fails, nothing is lost. On
//! Postgres they work at two nodes.

use std::collections::BTreeMap;

use surehold_core::kernel::commands::PlaceHold;
use surehold_core::kernel::{Currency, HoldId, Line, Lines, Pool, TenantId, Title};
use surehold_core::stock::commands::{DocumentReply, PostDocument, PutProduct, PutStore};
use surehold_core::stock::history::replay;
use surehold_core::stock::{
    DocumentContent, DocumentHeader, DocumentId, DocumentKind, DocumentLine, ItemKey, LineCost, Move, MoveKey,
    ProductCode, StockItem, StockRefusal, StoreName, UnitName, pool_of,
};
use surehold_engine::{Engine, Failure};
use surehold_testkit::fixture::{Fixture, Place};
use surehold_testkit::on_each_store;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::conformance::World;

const TENANT: TenantId = TenantId(1);
const STORES: [&str; 2] = ["a", "b"];
const PRODUCTS: i64 = 6;
const CLERKS: u64 = 8;
const DOCUMENTS_EACH: usize = 30;

fn store(name: &str) -> StoreName {
    StoreName::new(name).unwrap()
}

fn product(number: i64) -> ProductCode {
    ProductCode::new(&format!("p{number}")).unwrap()
}

fn bought(number: i64, count: i64) -> DocumentLine {
    DocumentLine { cost: Some(LineCost::Amount(count * 10 + number)), ..DocumentLine::new(product(number), count) }
}

async fn post(
    engine: &Engine,
    header: DocumentHeader,
    lines: Vec<DocumentLine>,
) -> Result<DocumentReply, Failure<StockRefusal>> {
    let content = DocumentContent::new(header, lines).unwrap();
    let post = PostDocument::whole(DocumentId::new(Uuid::now_v7()).unwrap(), content);
    engine.run(TENANT, post).await.map(|done| done.reply)
}

/// Both stores, with so many of each product.
async fn stocked(fixture: &Fixture, count: i64) -> (World<'_>, Vec<Engine>) {
    let world = World::open(fixture).await;
    for name in STORES {
        let (title, currency) = (Title::new("Store").unwrap(), Currency::parse("BRL").unwrap());
        world.engine.run(TENANT, PutStore { name: store(name), title, currency }).await.unwrap();
    }
    for number in 0..PRODUCTS {
        let put = PutProduct::new(product(number), Title::new("Thing").unwrap(), UnitName::new("pcs").unwrap());
        world.engine.run(TENANT, put).await.unwrap();
    }
    for name in STORES {
        let lines = (0..PRODUCTS).map(|number| bought(number, count)).collect();
        post(&world.engine, DocumentHeader::new(DocumentKind::Purchase, store(name)), lines).await.unwrap();
    }
    let other = match &fixture.place {
        Place::Sqlite(_) => world.engine.clone(),
        Place::Postgres { .. } => fixture.engine().await.unwrap(),
    };
    let engines = vec![world.engine.clone(), other];
    (world, engines)
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: i64) -> i64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        i64::try_from((self.0 >> 33) % u64::try_from(sides).unwrap()).unwrap()
    }
}

/// What a clerk moved, by item, and what all of it cost.
type Moved = (BTreeMap<ItemKey, i64>, i64);

/// Documents with overlapping sets of products, each in an order of its own; transfers go both ways.
async fn clerk(engine: Engine, seed: u64) -> Moved {
    let (mut dice, mut moved, mut value) = (Dice(seed), BTreeMap::new(), 0);
    for _ in 0..DOCUMENTS_EACH {
        let mut numbers: Vec<i64> = (0..PRODUCTS).collect();
        for last in (1..numbers.len()).rev() {
            let other = usize::try_from(dice.below(i64::try_from(last).unwrap() + 1)).unwrap();
            numbers.swap(last, other);
        }
        numbers.truncate(usize::try_from(dice.below(4) + 2).unwrap());
        let (from, to) = if dice.below(2) == 0 { ("a", "b") } else { ("b", "a") };
        let kind = [DocumentKind::Sale, DocumentKind::Purchase, DocumentKind::Transfer, DocumentKind::WriteOff]
            [usize::try_from(dice.below(4)).unwrap()];
        let to_store = (kind == DocumentKind::Transfer).then(|| store(to));
        let header = DocumentHeader { to_store, ..DocumentHeader::new(kind, store(from)) };
        let count = dice.below(3) + 1;
        let line = |number: &i64| match kind {
            DocumentKind::Purchase => bought(*number, count),
            _ => DocumentLine::new(product(*number), count),
        };
        let reply = post(&engine, header, numbers.iter().map(line).collect()).await.unwrap();
        for (number, outcome) in numbers.iter().zip(&*reply.outcomes) {
            *moved.entry(ItemKey::on_hand(&store(from), &product(*number))).or_insert(0) += outcome.quantity;
            if kind == DocumentKind::Transfer {
                *moved.entry(ItemKey::on_hand(&store(to), &product(*number))).or_insert(0) -= outcome.quantity;
            } else {
                value += outcome.value;
            }
        }
    }
    (moved, value)
}

pub(crate) async fn clerks_queue_for_what_they_share(fixture: Fixture) {
    let (world, engines) = stocked(&fixture, 1_000).await;
    let mut clerks = JoinSet::new();
    for seed in 0..CLERKS {
        clerks.spawn(clerk(engines[usize::try_from(seed % 2).unwrap()].clone(), seed));
    }
    let (mut moved, mut value): Moved = (BTreeMap::new(), 0);
    while let Some(ended) = clerks.join_next().await {
        let (items, cost) = ended.unwrap();
        for (item, units) in items {
            *moved.entry(item).or_insert(0) += units;
        }
        value += cost;
    }
    let bought = (0..PRODUCTS).map(|number| (1_000 * 10 + number) * 1_000_000 * 2).sum::<i64>();
    let (views, mut worth) = (world.engine.views(), 0);
    for (name, number) in STORES.iter().flat_map(|name| (0..PRODUCTS).map(move |number| (name, number))) {
        let key = ItemKey::on_hand(&store(name), &product(number));
        let item = views.record::<StockItem>(TENANT, &key).await.unwrap().unwrap();
        assert_eq!(item.quantity, 1_000 + moved.get(&key).copied().unwrap_or(0), "{key}");
        let pool = views.record::<Pool>(TENANT, &key.pool().unwrap()).await.unwrap().unwrap();
        assert_eq!((pool.total, pool.tracked), (item.quantity, true), "{key}");
        let mut ledger = Vec::new();
        for seq in 1..=item.seq {
            let row = MoveKey { item: key.clone(), seq };
            ledger.push(views.record::<Move>(TENANT, &row).await.unwrap().unwrap());
        }
        replay(&ledger, false).unwrap_or_else(|fault| panic!("{key}: {fault}"));
        worth += item.value;
    }
    assert_eq!(worth, bought + value, "what came in less what went out is what is there");
}

/// Twenty are there; sixty are wanted, at the counter and by carts.
pub(crate) async fn the_last_ones_are_taken_once(fixture: Fixture) {
    let (world, engines) = stocked(&fixture, 20).await;
    let mut wishes = JoinSet::new();
    for wish in 0..60_usize {
        let engine = engines[wish % 2].clone();
        wishes.spawn(async move {
            if wish % 3 == 0 {
                let line = Line { pool: pool_of(&store("a"), &product(0)), quantity: 1 };
                let hold = PlaceHold::new(HoldId::new(Uuid::now_v7()).unwrap(), Lines::new(vec![line]).unwrap());
                return engine.run(TENANT, hold).await.is_ok();
            }
            let header = DocumentHeader::new(DocumentKind::Sale, store("a"));
            match post(&engine, header, vec![DocumentLine::new(product(0), 1)]).await {
                Ok(_) => true,
                Err(Failure::Refused(StockRefusal::InsufficientStock { short: items })) => {
                    assert_eq!((items.len(), items[0].asked, items[0].available), (1, 1, 0));
                    false
                }
                Err(other) => panic!("{other:?}"),
            }
        });
    }
    let mut taken = 0;
    while let Some(wish) = wishes.join_next().await {
        taken += i64::from(wish.unwrap());
    }
    let pool = pool_of(&store("a"), &product(0));
    let pool = world.engine.views().record::<Pool>(TENANT, &pool).await.unwrap().unwrap();
    assert_eq!((taken, pool.total), (20, pool.held), "what is left is held");
}

on_each_store! {
    clerks_queue_for_what_they_share
    the_last_ones_are_taken_once
}
