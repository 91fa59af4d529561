//! The rival: a sale as the textbook of advisory locks has it. One connection per client, READ COMMITTED; BEGIN; for each
//! product, in the order of names, `pg_advisory_xact_lock(hashtext('store-product'))`; then for each its stock is read, the
//! cost computed, the stock updated and a row of the ledger inserted; COMMIT. One round trip per statement, all prepared.
//! Deliberately absent: a document, and anything that would notice that it is posted twice.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures_util::future::try_join_all;
use surehold_core::stock::{ProductCode, StoreName};
use tokio::time::timeout_at;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, NoTls, Statement};
use uuid::Uuid;

use super::{Basket, Crosswise};
use crate::bench::Measured;
use crate::bench::clients::Dice;
use crate::bench::textbook::{Rival, connect, run_rivals};

#[derive(Debug)]
pub struct StockTextbook {
    clients: Vec<StockClient>,
    deadlocks: Arc<AtomicU64>,
}

#[derive(Debug)]
struct StockClient {
    client: Client,
    lock: Statement,
    read: Statement,
    update: Statement,
    append: Statement,
    store: StoreName,
    baskets: Arc<[Basket]>,
    dice: Dice,
    /// Shared by all.
    deadlocks: Arc<AtomicU64>,
}

const SCHEMA: &str = "
drop schema if exists stock_textbook cascade;
create schema stock_textbook;
create table stock_textbook.stock (store_id text, product_id text, quantity bigint not null check (quantity >= 0),
  wap_micros bigint not null, updated_at timestamptz not null, primary key (store_id, product_id)) with (fillfactor = 50);
create table stock_textbook.stock_ledger (id bigint generated always as identity primary key, store_id text not null,
  product_id text not null, document_id uuid not null, kind text not null, quantity bigint not null,
  cost_micros bigint not null, quantity_after bigint not null, wap_after_micros bigint not null,
  created_at timestamptz not null);
create index on stock_textbook.stock_ledger (store_id, product_id, id)";

const FILL: &str =
    "insert into stock_textbook.stock select $1, p, 1000000000, 19999999, now() from unnest($2::text[]) p";
const LOCK: &str = "select pg_advisory_xact_lock(hashtext($1))";
const READ: &str = "select quantity, wap_micros from stock_textbook.stock where store_id = $1 and product_id = $2";
const UPDATE: &str = "update stock_textbook.stock set quantity = $3, wap_micros = $4, updated_at = now() \
                      where store_id = $1 and product_id = $2";
const APPEND: &str = "insert into stock_textbook.stock_ledger (store_id, product_id, document_id, kind, quantity, \
                      cost_micros, quantity_after, wap_after_micros, created_at) \
                      values ($1, $2, $3, 'sale', $4, $5, $6, $7, now())";

impl StockTextbook {
    /// Makes its own schema and opens one connection per client. Refuses a server that commits without the disk: ours does
    /// not, whatever the server says.
    pub async fn prepare(url: &str, store: &StoreName, baskets: &[Basket], clients: usize) -> Result<StockTextbook> {
        let owner = connect(url).await?;
        require_durable(&owner).await?;
        owner.batch_execute(SCHEMA).await.context("cannot make the textbook's schema")?;
        let mut products: Vec<&str> = baskets.iter().flat_map(Basket::products).map(ProductCode::as_str).collect();
        products.sort_unstable();
        products.dedup();
        owner.execute(FILL, &[&store.as_str(), &products]).await.context("cannot fill the textbook's tables")?;
        owner.batch_execute("vacuum analyze stock_textbook.stock").await?;
        let (deadlocks, baskets): (Arc<AtomicU64>, Arc<[Basket]>) = (Arc::default(), baskets.into());
        let connecting = (0..clients).map(|index| {
            let dice = Dice(u64::try_from(index).expect("few clients") * 7_919 + 1);
            StockClient::connect(url, store.clone(), Arc::clone(&baskets), dice, Arc::clone(&deadlocks))
        });
        Ok(StockTextbook { clients: try_join_all(connecting).await?, deadlocks })
    }

    /// With so many of its clients; the others do nothing. Documents are counted as holds.
    pub async fn run(&mut self, clients: usize, duration: Duration) -> Result<Measured> {
        let idle = self.clients.split_off(clients.min(self.clients.len()));
        let measured = run_rivals(&mut self.clients, duration).await;
        self.clients.extend(idle);
        measured
    }

    /// All clients, for so long and no longer: who still waits for a lock then is called off, and not counted.
    pub async fn run_trap(self, duration: Duration) -> Result<Measured> {
        let started = Instant::now();
        let until = started + duration;
        let running: Vec<_> = self.clients.into_iter().map(|client| tokio::spawn(client.run_until(until))).collect();
        let mut measured = Measured::default();
        for client in running {
            measured.add(&client.await.context("a textbook client broke")??);
        }
        measured.elapsed = duration;
        Ok(measured)
    }

    /// Counts the transactions that Postgres ended because they waited for each other in a circle.
    pub fn deadlocks(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.deadlocks)
    }
}

async fn require_durable(client: &Client) -> Result<()> {
    for setting in ["fsync", "synchronous_commit"] {
        let value: String = client.query_one("select current_setting($1)", &[&setting]).await?.get(0);
        ensure!(value == "on", "the server commits without the disk: {setting} is {value}; a comparison says nothing");
    }
    Ok(())
}

impl StockClient {
    async fn connect(
        url: &str,
        store: StoreName,
        baskets: Arc<[Basket]>,
        dice: Dice,
        deadlocks: Arc<AtomicU64>,
    ) -> Result<StockClient> {
        let client = connect(url).await?;
        Ok(StockClient {
            lock: client.prepare(LOCK).await?,
            read: client.prepare(READ).await?,
            update: client.prepare(UPDATE).await?,
            append: client.prepare(APPEND).await?,
            client,
            store,
            baskets,
            dice,
            deadlocks,
        })
    }

    async fn sell(&mut self) -> Result<()> {
        let (document, store) = (Uuid::now_v7(), self.store.as_str());
        let basket = &self.baskets[self.dice.roll(self.baskets.len())];
        self.client.batch_execute("begin").await?;
        for product in basket.products() {
            self.client.execute(&self.lock, &[&format!("{store}-{product}")]).await?;
        }
        for product in basket.products().iter().map(ProductCode::as_str) {
            let row = self.client.query_one(&self.read, &[&store, &product]).await?;
            let (quantity, wap_micros): (i64, i64) = (row.get(0), row.get(1));
            ensure!(quantity >= 1, "sold out");
            let (sold, left) = (-1_i64, quantity - 1);
            self.client.execute(&self.update, &[&store, &product, &left, &wap_micros]).await?;
            let cost_micros = -wap_micros;
            let params: [&(dyn tokio_postgres::types::ToSql + Sync); 7] =
                [&store, &product, &document, &sold, &cost_micros, &left, &wap_micros];
            self.client.execute(&self.append, &params).await?;
        }
        self.client.batch_execute("commit").await?;
        Ok(())
    }

    async fn run_until(mut self, until: Instant) -> Result<Measured> {
        let mut measured = Measured::default();
        while Instant::now() < until {
            let asked = Instant::now();
            match timeout_at(until.into(), self.hold()).await {
                Ok(Ok(())) => {
                    measured.latencies.record(asked.elapsed(), 1);
                    measured.holds += 1;
                    continue;
                }
                Ok(Err(_)) => measured.errors += 1,
                Err(_elapsed) => self.client.cancel_token().cancel_query(NoTls).await?,
            }
            let _ = self.client.batch_execute("rollback").await;
        }
        Ok(measured)
    }
}

impl Rival for StockClient {
    async fn hold(&mut self) -> Result<()> {
        let sold = self.sell().await;
        if let Err(error) = &sold {
            let code = error.downcast_ref::<tokio_postgres::Error>().and_then(tokio_postgres::Error::code);
            if code == Some(&SqlState::T_R_DEADLOCK_DETECTED) {
                self.deadlocks.fetch_add(1, Ordering::Relaxed);
            }
        }
        sold
    }

    fn client(&self) -> &Client {
        &self.client
    }
}

/// Names are asked about in growing numbers: so many have several collisions in 32 bits on average.
const NAMES_AT_FIRST: i32 = 250_000;
const NAMES_MAX: i32 = 16_000_000;
const COLLISIONS: &str = "select array_agg(name order by name) from (select 'product-' || lpad(n::text, 8, '0') as name \
                          from generate_series(1, $2::int) n) names group by hashtext($1 || '-' || name) having count(*) = 2";

/// Asks Postgres for hashes of names until two pairs of them stand crosswise.
pub async fn find_crosswise(url: &str, store: &StoreName) -> Result<Crosswise> {
    let client = connect(url).await?;
    let mut names = NAMES_AT_FIRST;
    while names <= NAMES_MAX {
        let rows = client.query(COLLISIONS, &[&store.as_str(), &names]).await.context("cannot ask for hashes")?;
        let mut pairs = Vec::with_capacity(rows.len());
        for row in rows {
            let pair = row
                .get::<_, Vec<String>>(0)
                .iter()
                .map(|name| ProductCode::new(name))
                .collect::<Result<Vec<_>, _>>()?;
            pairs.push(<[ProductCode; 2]>::try_from(pair).map_err(|pair| anyhow::anyhow!("{} names", pair.len()))?);
        }
        if let Some(found) = Crosswise::among(&pairs) {
            return Ok(found);
        }
        names *= 2;
    }
    anyhow::bail!("no names were found whose hashes collide crosswise")
}

/// How many deadlocks Postgres has counted in this database, once every other session has ended: they tell at their end.
/// Refuses while another one is open: what it has not told of would not be counted.
pub async fn deadlocks_counted(url: &str) -> Result<i64> {
    const OTHERS: &str = "select count(*) from pg_stat_activity where datname = current_database() \
                          and pid <> pg_backend_pid() and backend_type = 'client backend'";
    let client = connect(url).await?;
    let patience = Instant::now() + Duration::from_secs(30);
    while client.query_one(OTHERS, &[]).await?.get::<_, i64>(0) > 0 {
        ensure!(Instant::now() < patience, "another session is open in this database; the count would not be complete");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let row =
        client.query_one("select deadlocks from pg_stat_database where datname = current_database()", &[]).await?;
    Ok(row.get(0))
}
