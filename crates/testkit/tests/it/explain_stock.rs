//! The plans of what is read of stock, for exactly the statements that the engine writes: they are taken down while views
//! are asked. Whatever is in the tables, a page is found through an index, and sums go over the rows of one item.

use std::sync::{Arc, Mutex};

use serde_json::Value;
use surehold_core::kernel::{Reference, TenantId, Timestamp};
use surehold_core::stock::history::HistoryQuestion;
use surehold_core::stock::{DocumentId, ItemKey, Place, ProductCode, StockItem, StoreName};
use surehold_engine::{
    BoxFuture, DocumentsFilter, Fault, ItemsFilter, LaneQueue, OwnedValue, ReadRow, Scope, Store, StoreError, Views,
};
use surehold_testkit::fixture::{Fixture, StoreKind, connect, open_file};
use tokio_postgres::{Client, SimpleQueryMessage};
use uuid::Uuid;

use super::explain::sqlite_plan;

const TENANT: TenantId = TenantId(1);

/// Passes questions on, and takes down what was asked.
struct Listener {
    store: Arc<dyn Store>,
    heard: Mutex<Vec<String>>,
}

impl Store for Listener {
    fn lane_count(&self) -> usize {
        self.store.lane_count()
    }

    fn start(&self, queues: Vec<LaneQueue>) -> Result<(), StoreError> {
        self.store.start(queues)
    }

    fn clock(&self) -> BoxFuture<'_, Result<Timestamp, Fault>> {
        self.store.clock()
    }

    fn query_each<'a>(
        &'a self,
        scope: Scope,
        sql: &'a str,
        each: Vec<Vec<OwnedValue>>,
    ) -> BoxFuture<'a, Result<Vec<ReadRow>, Fault>> {
        self.heard.lock().unwrap().push(sql.to_owned());
        self.store.query_each(scope, sql, each)
    }
}

fn store(name: &str) -> StoreName {
    StoreName::new(name).unwrap()
}

fn wishes() -> Vec<ItemsFilter> {
    let (store, product) = (Some(store("s0")), Some(ProductCode::new("p0").unwrap()));
    let key = ItemKey::on_hand(store.as_ref().unwrap(), product.as_ref().unwrap());
    let mut wishes = Vec::new();
    for after in [None, Some(key)] {
        for store in [None, store.clone()] {
            for product in [None, product.clone()] {
                for place in [None, Some(Place::OnHand), Some(Place::InTransit)] {
                    wishes.push(ItemsFilter {
                        store: store.clone(),
                        product: product.clone(),
                        place,
                        after: after.clone(),
                    });
                }
            }
        }
    }
    wishes
}

/// Asks every view of stock something, and tells what the store was asked by that.
async fn statements(store: Arc<dyn Store>) -> Vec<String> {
    let listener = Arc::new(Listener { store, heard: Mutex::default() });
    let asked: Arc<dyn Store> = listener.clone();
    let views = Views::new(asked);
    let (place, code) = (self::store("s0"), ProductCode::new("p0").unwrap());
    let key = ItemKey::on_hand(&place, &code);
    let (from, until) = (Timestamp::from_micros(0), Timestamp::from_micros(9_000_000_000));
    views.stores(TENANT, None, 9).await.unwrap();
    views.products(TENANT, None, 9).await.unwrap();
    views.barcodes_of(TENANT, &code).await.unwrap();
    for filter in wishes() {
        views.stock_items(TENANT, &filter, 9).await.unwrap();
        views.balances_at(TENANT, &filter, from, 9).await.unwrap();
        views.turnover(TENANT, &filter, from, until, 9).await.unwrap();
    }
    views.shortages(TENANT, Some(&place), 1, None, 9).await.unwrap();
    let id = DocumentId::new(Uuid::now_v7()).unwrap();
    let (reference, about) = (Some(Reference::new("r").unwrap()), Some(id));
    for filter in [
        DocumentsFilter::default(),
        DocumentsFilter { store: Some(place.clone()), ..DocumentsFilter::default() },
        DocumentsFilter { reference: reference.clone(), ..DocumentsFilter::default() },
        DocumentsFilter { about, ..DocumentsFilter::default() },
        DocumentsFilter { store: Some(place.clone()), reference, about, after: Some(id) },
    ] {
        views.stock_documents(TENANT, &filter, 9).await.unwrap();
    }
    views.document_parts(TENANT, id, 0, 9).await.unwrap();
    views.moves(TENANT, &key, 0, 9).await.unwrap();
    views.moves_by_effect(TENANT, &key, Some((from, 0)), 9).await.unwrap();
    views.revaluing_items(TENANT, None, 9).await.unwrap();
    views.revaluing_items(TENANT, Some(&key), 9).await.unwrap();
    let item = StockItem { seq: 2_000, ..StockItem::new(key.clone()) };
    views.effect_page(TENANT, &item, (from, 0), 9).await.unwrap();
    let question = HistoryQuestion { item: key, at: from, sources: vec![1, 2] };
    views.histories(TENANT, &[question]).await.unwrap();
    let mut heard = listener.heard.lock().unwrap().clone();
    heard.sort();
    heard.dedup();
    heard
}

/// Items of three tenants, 1,200 rows each in a few of them, one of which sells so much that its past is summed up.
const FILL: &str = "
    insert into tenants select t, 't' || t, 900, 86400, 100, 2592000, 1 from generate_series(1, 3) t;
    insert into stores select 1 + n % 3, 's' || n, 't', 'EUR', 1 from generate_series(0, 999) n;
    insert into products select 1 + n % 3, 'p' || n, 't', 'pcs', 0, null, 'none', 1 from generate_series(0, 4999) n;
    insert into barcodes select 1 + n % 3, 'b' || n, 'p' || n / 2, null, 1 from generate_series(0, 9999) n;
    insert into pools select 1 + n % 3, 's' || n % 50 || '/p' || n / 50, '', 9, 0, 0, 0, 0, 0, false, 1, true
        from generate_series(0, 19999) n;
    insert into stock_items select 1 + n % 3, 's' || n % 50, case when n % 7 = 6 then 'in_transit' else 'on_hand' end,
        'p' || n / 50, 9, 9, 2000, now(), 0, 0, 0, null, null, 1 from generate_series(0, 19999) n;
    insert into stock_documents select 1 + n % 3, overlay(gen_random_uuid()::text placing '7' from 15 for 1)::uuid, 'sale', 'posted', 's' || n % 50, null, false, null,
        'r' || n / 5, null, '019a0000-0000-7000-8000-0000000000aa', null, 'EUR', 1, 1, 0, 0, now(), now(), null, 0, null, null, now(), 1
        from generate_series(0, 19999) n;
    insert into stock_document_parts select tenant, id, 0, null, 0, 0, 1, null, null, true, 1 from stock_documents;
    insert into stock_moves select t, 's0', 'on_hand', 'p' || p, n, '019a0000-0000-7000-8000-0000000000aa', 1, 'sale',
        case when n % 9 = 8 then 'source' else 'average' end, case when n % 9 = 8 then n - 1 end, 1, 1, 9, 9,
        timestamptz 'epoch' + n * interval '1 s', now(), null, null, null, null, 1
        from generate_series(1, 3) t, generate_series(0, 20) p, generate_series(1, 1200) n;";

#[tokio::test]
async fn every_question_about_stock_is_looked_up_on_postgres() {
    let fixture = Fixture::new(StoreKind::Postgres).await.unwrap();
    let reader = fixture.store().await.unwrap();
    let client = connect(fixture.url()).await.unwrap();
    client.batch_execute(&format!("{FILL}; analyze; set plan_cache_mode = force_generic_plan")).await.unwrap();
    let statements = statements(reader).await;
    assert!(statements.len() > 60, "{}", statements.len());
    client.batch_execute("set role surehold_reader").await.unwrap();
    let mut faults = Vec::new();
    for sql in &statements {
        let plan = plan(&client, sql).await;
        let mut found = Vec::new();
        look(&plan, &mut found);
        faults.extend(found.into_iter().map(|fault| format!("{fault} in {sql}: {plan}")));
    }
    assert!(faults.is_empty(), "{} faults: {}", faults.len(), faults.join("\n\n"));
}

async fn plan(client: &Client, sql: &str) -> Value {
    let parameters = (1..99).take_while(|n| sql.contains(&format!("${n}"))).count();
    client.batch_execute(&format!("deallocate all; prepare asked as {sql}")).await.unwrap();
    let nulls = vec!["null"; parameters].join(", ");
    let explained = client.simple_query(&format!("explain (format json) execute asked({nulls})")).await.unwrap();
    let text: String = explained
        .iter()
        .filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        })
        .collect();
    serde_json::from_str::<Value>(&text).unwrap()[0]["Plan"].clone()
}

/// Every table is reached through an index, by more than the tenant; the ledger by all of an item's key.
fn look(plan: &Value, faults: &mut Vec<String>) {
    let text = |field: &str| plan[field].as_str().unwrap_or_default();
    let (node, table) = (text("Node Type"), text("Relation Name"));
    let condition = text("Index Cond");
    match node {
        "Seq Scan" | "Hash Join" | "Merge Join" => faults.push(format!("{node} of {table:?}")),
        "Index Scan" | "Index Only Scan" | "Bitmap Index Scan" if text("Index Name").starts_with("stock_moves") => {
            for column in ["store", "place", "product"] {
                if !condition.contains(&format!("({column} = ")) {
                    faults.push(format!("the ledger without {column}: {condition}"));
                }
            }
        }
        // Sums need the rows of an item in no order, and few documents have one reference; pages come in theirs.
        "Bitmap Heap Scan" if table != "stock_moves" && !text("Recheck Cond").contains("(reference = ") => {
            faults.push(format!("{node} of {table:?}"));
        }
        // A page of a ledger comes in the order of its index; only sums may put rows in order themselves.
        "Sort" if plan["Sort Key"].to_string().contains("m.effective_at") => {
            faults.push(format!("sorts a whole ledger by {}", plan["Sort Key"]));
        }
        _ => {}
    }
    for part in plan["Plans"].as_array().into_iter().flatten() {
        look(part, faults);
    }
}

#[tokio::test]
async fn every_question_about_stock_is_looked_up_on_sqlite() {
    let fixture = Fixture::new(StoreKind::Sqlite).await.unwrap();
    let reader = fixture.store().await.unwrap();
    let connection = open_file(&fixture.file()).unwrap();
    connection.execute_batch(SQLITE_FILL).unwrap();
    let statements = statements(reader).await;
    assert!(statements.len() > 60, "{}", statements.len());
    let check = |when: &str| {
        for sql in &statements {
            let plan = sqlite_plan(&connection, sql);
            // What a subquery gave is read as a whole; what it reads itself is a step of its own.
            let bounded = |step: &str| {
                step.contains("CONSTANT ROW") || step == "SCAN looked_at" || step.starts_with("SCAN (subquery")
            };
            let scan = plan.iter().find(|step| step.starts_with("SCAN") && !bounded(step));
            assert_eq!(scan, None, "on {when}: {plan:?} of {sql}");
            let whole_ledger = |step: &&String| {
                let by_item = step.contains("(tenant=? AND store=? AND place=? AND product=?");
                step.contains("stock_moves_") && !by_item
            };
            assert_eq!(plan.iter().find(whole_ledger), None, "on {when}: {plan:?} of {sql}");
        }
    };
    check("tables as they were made");
    for sql in statements.iter().filter(|sql| sql.contains("source = ")) {
        let plan = sqlite_plan(&connection, sql);
        // Rows that are about another one: all rows of the item would have to be looked at for each.
        let about_another =
            |step: &&String| ["SEARCH r ", "SEARCH t ", "SEARCH u "].iter().any(|start| step.starts_with(start));
        let slow = plan.iter().filter(about_another).find(|step| !step.contains("stock_moves_by_source"));
        assert_eq!(slow, None, "{plan:?} of {sql}");
    }
    connection.execute_batch("analyze").unwrap();
    check("tables with statistics");
}

const SQLITE_FILL: &str = "
    create temp table n as
        with recursive n(n) as (select 0 union all select n + 1 from n where n < 19999) select n from n;
    insert into tenants select 1 + n, 't' || n, 900, 86400, 100, 2592000, 1 from n where n < 3;
    insert into stock_items select 1 + n % 3, 's' || (n % 50), iif(n % 7 = 6, 'in_transit', 'on_hand'), 'p' || (n / 50), 9, 9,
        2000, 0, 0, 0, 0, null, null, 1 from n;
    insert into stock_moves select 1, 's0', 'on_hand', 'p' || (n / 1200), 1 + n % 1200,
        x'019a00000000700080000000000000aa', 1, 'sale',
        iif(n % 9 = 8, 'source', 'average'), iif(n % 9 = 8, n % 1200, null), 1, 1, 9, 9, n % 1200 * 1000000, 0, null, null,
        null, null, 1 from n where n < 18000;";
