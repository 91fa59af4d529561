//! The rival: a hold from a quote as every textbook has it. One connection per client; BEGIN; an idempotency row; the
//! option is read with its quote, the nights' rates are read and compared; the hold with its guest, its nights and an
//! event for the outbox are written; the nights are locked in order, checked and taken; COMMIT. One round trip per
//! statement, all prepared. What everybody fights for is locked last, so that it is locked as briefly as can be.
//! Deliberately absent: HTTP, of which the textbook pays nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use futures_util::future::try_join_all;
use tokio_postgres::{Client, Statement};
use uuid::Uuid;

use crate::bench::Measured;
use crate::bench::textbook::{Rival, connect, run_rivals};

#[derive(Debug)]
pub struct StaysTextbook {
    clients: Vec<StaysClient>,
}

#[derive(Debug)]
struct StaysClient {
    client: Client,
    key: Statement,
    option: Statement,
    rates: Statement,
    hold: Statement,
    nights: Statement,
    outbox: Statement,
    lock: Statement,
    take: Statement,
    /// Shared by all: the number of the next quote.
    next: Arc<AtomicI64>,
    rate_plans: i64,
}

const SCHEMA: &str = "
drop schema if exists stays_textbook cascade;
create schema stays_textbook;
set search_path = stays_textbook;
create table quotes (property_id bigint, id uuid, checkin date not null, checkout date not null, guests int not null,
  valid_until timestamptz not null, primary key (property_id, id));
create table quote_options (property_id bigint, quote_id uuid, number int, room_type_id int not null,
  rate_plan_id int not null, prices bigint[] not null, total_cents bigint not null, currency text not null,
  primary key (property_id, quote_id, number));
create table rates (property_id bigint, rate_plan_id int, room_type_id int, date date, price_cents bigint not null,
  min_stay int, max_stay int, closed_to_arrival boolean not null, closed_to_departure boolean not null,
  stop_sell boolean not null, primary key (property_id, rate_plan_id, room_type_id, date));
create table ari_days (property_id bigint, room_type_id int, date date, inv_total bigint not null,
  inv_booked bigint not null, inv_held bigint not null, stop_sell boolean not null, updated_at timestamptz not null,
  primary key (property_id, room_type_id, date), check (inv_total >= inv_booked + inv_held)) with (fillfactor = 50);
create table idempotency_keys (property_id bigint, scope text, idempotency_key uuid, created_at timestamptz not null,
  primary key (property_id, scope, idempotency_key));
create table holds (property_id bigint, id uuid, conversation_id text, quote_id uuid not null, option int not null,
  status text not null, checkin date not null, checkout date not null, total_cents bigint not null,
  currency text not null, guest_name text, guest_email text, guest_phone text, expires_at timestamptz not null,
  created_at timestamptz not null, primary key (property_id, id));
create index on holds (property_id, status, expires_at);
create table hold_nights (property_id bigint, hold_id uuid, room_type_id int, date date, qty int not null,
  primary key (property_id, hold_id, room_type_id, date));
create table outbox (id bigint generated always as identity primary key, property_id bigint not null,
  event_type text not null, payload jsonb not null, created_at timestamptz not null)";

/// `$1` nights, `$2` rate plans, `$3` quotes; one room type, which everybody wants.
const FILL: [&str; 4] = [
    "insert into stays_textbook.ari_days select 1, 1, date '2027-01-01' + n, 1000000000000, 0, 0, false, now() \
     from generate_series(0, $1::int - 1) n where $2::int > 0 and $3::int > 0",
    "insert into stays_textbook.rates select 1, p, 1, date '2027-01-01' + n, 45000 + p, 1, null, false, false, false \
     from generate_series(0, $1::int) n, generate_series(1, $2::int) p where $3::int > 0",
    "insert into stays_textbook.quotes select 1, ('00000000-0000-7000-8000-' || lpad(to_hex(q), 12, '0'))::uuid, \
     '2027-01-01', date '2027-01-01' + $1::int, 2, now() + interval '1 day' \
     from generate_series(0, $3::int - 1) q where $2::int > 0",
    "insert into stays_textbook.quote_options select 1, ('00000000-0000-7000-8000-' || lpad(to_hex(q), 12, '0'))::uuid, \
     p, 1, p, array_fill((45000 + p)::bigint, array[$1::int]), $1::int * (45000 + p), 'BRL' \
     from generate_series(0, $3::int - 1) q, generate_series(1, $2::int) p",
];

const KEY: &str = "insert into stays_textbook.idempotency_keys values (1, 'create_hold', $1, now()) \
                   on conflict (property_id, scope, idempotency_key) do nothing";
const OPTION: &str = "select o.room_type_id, o.rate_plan_id, o.prices, o.total_cents, o.currency, q.checkin::text, \
                      q.checkout::text, q.valid_until > now(), q.checkout - q.checkin \
                      from stays_textbook.quotes q join stays_textbook.quote_options o \
                      on o.property_id = q.property_id and o.quote_id = q.id \
                      where q.property_id = 1 and q.id = $1 and o.number = $2";
const RATES: &str = "select price_cents, min_stay, max_stay, closed_to_arrival, closed_to_departure, stop_sell \
                     from stays_textbook.rates where property_id = 1 and rate_plan_id = $1 and room_type_id = $2 \
                     and date >= $3::text::date and date <= $4::text::date order by date";
const HOLD: &str = "insert into stays_textbook.holds values (1, $1, 'chat-1', $2, $3, 'active', $4::text::date, \
                    $5::text::date, $6, $7, 'Ann Example', 'ann@example.org', '+55 11 5555 0100', \
                    now() + interval '15 minutes', now())";
const NIGHTS: &str = "insert into stays_textbook.hold_nights select 1, $1, $2, date, 1 \
                      from generate_series($3::text::date, $4::text::date - 1, interval '1 day') date";
const OUTBOX: &str = "insert into stays_textbook.outbox (property_id, event_type, payload, created_at) \
                      values (1, 'hold_created', jsonb_build_object('hold', $1::uuid, 'total', $2::bigint), now())";
const LOCK: &str = "select inv_total - inv_booked - inv_held, stop_sell from stays_textbook.ari_days \
                    where property_id = 1 and room_type_id = $1 and date >= $2::text::date and date < $3::text::date \
                    order by date for update";
const TAKE: &str = "update stays_textbook.ari_days set inv_held = inv_held + 1, updated_at = now() \
                    where property_id = 1 and room_type_id = $1 and date >= $2::text::date and date < $3::text::date";

/// More than are used in a short run; after that the first ones come again, which only makes it easier.
const QUOTES: i32 = 30_000;

impl StaysTextbook {
    /// Makes its own schema and opens one connection per client.
    pub async fn prepare(url: &str, clients: usize, nights: u32, rate_plans: u32) -> Result<StaysTextbook> {
        let owner = connect(url).await?;
        owner.batch_execute(SCHEMA).await.context("cannot make the textbook's schema")?;
        let (nights, plans) = (i32::try_from(nights)?, i32::try_from(rate_plans)?);
        for fill in FILL {
            owner.execute(fill, &[&nights, &plans, &QUOTES]).await.context("cannot fill the textbook's tables")?;
        }
        owner.batch_execute("vacuum analyze").await?;
        let next = Arc::new(AtomicI64::new(0));
        let connecting = (0..clients).map(|_| StaysClient::connect(url, Arc::clone(&next), i64::from(rate_plans)));
        Ok(StaysTextbook { clients: try_join_all(connecting).await? })
    }

    /// With so many of its clients; the others do nothing.
    pub async fn run(&mut self, clients: usize, duration: Duration) -> Result<Measured> {
        let idle = self.clients.split_off(clients.min(self.clients.len()));
        let measured = run_rivals(&mut self.clients, duration).await;
        self.clients.extend(idle);
        measured
    }
}

impl StaysClient {
    async fn connect(url: &str, next: Arc<AtomicI64>, rate_plans: i64) -> Result<StaysClient> {
        let client = connect(url).await?;
        Ok(StaysClient {
            key: client.prepare(KEY).await?,
            option: client.prepare(OPTION).await?,
            rates: client.prepare(RATES).await?,
            hold: client.prepare(HOLD).await?,
            nights: client.prepare(NIGHTS).await?,
            outbox: client.prepare(OUTBOX).await?,
            lock: client.prepare(LOCK).await?,
            take: client.prepare(TAKE).await?,
            client,
            next,
            rate_plans,
        })
    }
}

impl Rival for StaysClient {
    async fn hold(&mut self) -> Result<()> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let quote_number = u128::try_from(number % i64::from(QUOTES))?;
        let quote = Uuid::from_u128(0x0000_0000_0000_7000_8000_0000_0000_0000 | quote_number);
        let option = i32::try_from(number % self.rate_plans)? + 1;
        let hold = Uuid::now_v7();
        self.client.batch_execute("begin").await?;
        ensure!(self.client.execute(&self.key, &[&hold]).await? == 1, "asked before");
        let row = self.client.query_one(&self.option, &[&quote, &option]).await?;
        let (room_type, rate_plan): (i32, i32) = (row.get(0), row.get(1));
        let (prices, total, currency): (Vec<i64>, i64, String) = (row.get(2), row.get(3), row.get(4));
        let (checkin, checkout): (String, String) = (row.get(5), row.get(6));
        ensure!(row.get::<_, bool>(7), "the quote is too old");
        let rates = self.client.query(&self.rates, &[&rate_plan, &room_type, &checkin, &checkout]).await?;
        check_rates(&rates, &prices, row.get(8))?;
        let params: [&(dyn tokio_postgres::types::ToSql + Sync); 7] =
            [&hold, &quote, &option, &checkin, &checkout, &total, &currency];
        self.client.execute(&self.hold, &params).await?;
        self.client.execute(&self.nights, &[&hold, &room_type, &checkin, &checkout]).await?;
        self.client.execute(&self.outbox, &[&hold, &total]).await?;
        let locked = self.client.query(&self.lock, &[&room_type, &checkin, &checkout]).await?;
        let is_free = |row: &tokio_postgres::Row| row.get::<_, i64>(0) >= 1 && !row.get::<_, bool>(1);
        ensure!(locked.len() == prices.len() && locked.iter().all(is_free), "sold out");
        let taken = self.client.execute(&self.take, &[&room_type, &checkin, &checkout]).await?;
        ensure!(usize::try_from(taken)? == prices.len(), "a night is missing");
        self.client.batch_execute("commit").await?;
        Ok(())
    }

    fn client(&self) -> &Client {
        &self.client
    }
}

/// As many rates as nights, and that of the day of departure.
fn check_rates(rates: &[tokio_postgres::Row], prices: &[i64], nights: i32) -> Result<()> {
    let (Some((arrival, _)), Some((departure, slept))) = (rates.split_first(), rates.split_last()) else {
        anyhow::bail!("no rates");
    };
    ensure!(arrival.get::<_, Option<i32>>(1).is_none_or(|min| min <= nights), "the stay is too short");
    ensure!(arrival.get::<_, Option<i32>>(2).is_none_or(|max| nights <= max), "the stay is too long");
    ensure!(!arrival.get::<_, bool>(3) && !departure.get::<_, bool>(4), "closed");
    ensure!(!slept.iter().any(|night| night.get::<_, bool>(5)), "not for sale");
    ensure!(slept.iter().map(|night| night.get::<_, i64>(0)).eq(prices.iter().copied()), "the price has changed");
    Ok(())
}
