//! The rival: what every textbook does. One connection per client; BEGIN; an idempotency row; the hold; per night one
//! row and one guarded update; COMMIT. One round trip per statement, all prepared, row locks taken in order.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use futures_util::future::try_join_all;
use tokio_postgres::{Client, NoTls, Statement};
use uuid::Uuid;

use super::{HoldsLoad, Measured};

#[derive(Debug)]
pub struct Textbook {
    clients: Vec<TextbookClient>,
}

#[derive(Debug)]
struct TextbookClient {
    client: Client,
    key: Statement,
    hold: Statement,
    night: Statement,
    take: Statement,
    room_types: usize,
    nights: i32,
    /// Decides which room type comes next.
    next: usize,
}

const SCHEMA: &str = "
drop schema if exists textbook cascade;
create schema textbook;
create table textbook.idempotency_keys (property_id bigint, scope text, key uuid, created_at timestamptz not null,
  primary key (property_id, scope, key));
create table textbook.holds (property_id bigint, id uuid, status text not null, checkin int not null, checkout int not null,
  expires_at timestamptz not null, primary key (property_id, id));
create index on textbook.holds (property_id, status, expires_at);
create table textbook.hold_nights (property_id bigint, hold_id uuid, room_type_id int, night int, qty int not null,
  primary key (property_id, hold_id, room_type_id, night));
create table textbook.ari_days (property_id bigint, room_type_id int, night int, inv_total bigint not null,
  inv_booked bigint not null, inv_held bigint not null, stop_sell boolean not null,
  primary key (property_id, room_type_id, night), check (inv_total >= inv_booked + inv_held)) with (fillfactor = 50)";

const KEY: &str = "insert into textbook.idempotency_keys values (1, 'create_hold', $1, now())";
const HOLD: &str = "insert into textbook.holds values (1, $1, 'active', 0, $2, now() + interval '15 minutes')";
const NIGHT: &str = "insert into textbook.hold_nights values (1, $1, $2, $3, 1)";
const TAKE: &str = "update textbook.ari_days set inv_held = inv_held + 1 where property_id = 1 and room_type_id = $1 \
                    and night = $2 and not stop_sell and inv_total >= inv_booked + inv_held + 1";

impl Textbook {
    /// Makes its own schema and opens one connection per client.
    pub async fn prepare(url: &str, load: &HoldsLoad) -> Result<Textbook> {
        let owner = connect(url).await?;
        owner.batch_execute(SCHEMA).await.context("cannot make the textbook's schema")?;
        let fill = "insert into textbook.ari_days select 1, r, n, 1000000000000, 0, 0, false \
                    from generate_series(0, $1::int - 1) r, generate_series(0, $2::int - 1) n";
        owner.execute(fill, &[&i32::try_from(load.room_types)?, &i32::try_from(load.nights)?]).await?;
        owner.batch_execute("vacuum analyze textbook.ari_days").await?;
        let clients = try_join_all((0..load.clients).map(|index| TextbookClient::connect(url, load, index))).await?;
        Ok(Textbook { clients })
    }

    pub async fn run(&mut self, duration: Duration) -> Result<Measured> {
        run_rivals(&mut self.clients, duration).await
    }
}

/// A client that holds as every textbook does.
pub(super) trait Rival: Sized + Send + 'static {
    fn hold(&mut self) -> impl Future<Output = Result<()>> + Send;

    fn client(&self) -> &Client;
}

/// Each asks again as soon as it is answered.
pub(super) async fn run_rivals<R: Rival>(rivals: &mut Vec<R>, duration: Duration) -> Result<Measured> {
    let started = Instant::now();
    let until = started + duration;
    let running: Vec<_> = rivals.drain(..).map(|rival| tokio::spawn(run_rival(rival, until))).collect();
    let mut measured = Measured::default();
    for rival in running {
        let (rival, part) = rival.await.context("a textbook client broke")?;
        rivals.push(rival);
        measured.add(&part);
    }
    measured.elapsed = started.elapsed();
    Ok(measured)
}

async fn run_rival<R: Rival>(mut rival: R, until: Instant) -> (R, Measured) {
    let mut measured = Measured::default();
    while Instant::now() < until {
        let asked = Instant::now();
        if rival.hold().await.is_ok() {
            measured.latencies.record(asked.elapsed(), 1);
            measured.holds += 1;
        } else {
            measured.errors += 1;
            // The transaction may be open; the next BEGIN must find none.
            let _ = rival.client().batch_execute("rollback").await;
        }
    }
    (rival, measured)
}

pub(super) async fn connect(url: &str) -> Result<Client> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.context("cannot connect to Postgres")?;
    tokio::spawn(connection);
    Ok(client)
}

/// Has the server clean up and look at its tables now, rather than during a measurement.
pub async fn vacuum(url: &str) -> Result<()> {
    connect(url).await?.batch_execute("vacuum analyze").await.context("cannot vacuum the database")
}

impl TextbookClient {
    async fn connect(url: &str, load: &HoldsLoad, index: usize) -> Result<TextbookClient> {
        let client = connect(url).await?;
        let key = client.prepare(KEY).await?;
        let hold = client.prepare(HOLD).await?;
        let night = client.prepare(NIGHT).await?;
        let take = client.prepare(TAKE).await?;
        let (room_types, nights) = (load.room_types, i32::try_from(load.nights)?);
        Ok(TextbookClient { client, key, hold, night, take, room_types, nights, next: index })
    }
}

impl Rival for TextbookClient {
    async fn hold(&mut self) -> Result<()> {
        self.next = (self.next * 31 + 17) % 1_000_003;
        let (id, room_type) = (Uuid::now_v7(), i32::try_from(self.next % self.room_types)?);
        self.client.batch_execute("begin").await?;
        self.client.execute(&self.key, &[&id]).await?;
        self.client.execute(&self.hold, &[&id, &self.nights]).await?;
        for night in 0..self.nights {
            self.client.execute(&self.night, &[&id, &room_type, &night]).await?;
            let taken = self.client.execute(&self.take, &[&room_type, &night]).await?;
            anyhow::ensure!(taken == 1, "sold out");
        }
        self.client.batch_execute("commit").await?;
        Ok(())
    }

    fn client(&self) -> &Client {
        &self.client
    }
}
