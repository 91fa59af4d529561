//! Who asks what, in which turns.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use surehold_lab::bench::http::{Asks, HttpLoad, Pace, run};
use surehold_lab::bench::stays::{BenchHotel, CalendarAsks, QuoteAsks, StayAsks, StaysTextbook, make_quotes};
use surehold_lab::bench::{Measured, vacuum};
use tokio::runtime::Runtime;

use super::super::batches::mean_batch;
use super::super::figures::Rounds;
use super::super::report::Case;
use super::super::rival::{Rival, Textbook};
use super::super::servers::Server;
use super::Stays;

/// Connections that make the quotes beforehand: as many as keep both cores busy.
const QUOTE_CONNECTIONS: usize = 16;
/// To find out how many are used up in a round.
const QUOTES_AT_FIRST: usize = 1_000;
const QUOTES_MIN: usize = 200;
const QUOTES_MAX: usize = 400_000;
/// The textbook is tried with so many clients, to find its best.
const TRIED_CLIENTS: [usize; 5] = [1, 2, 4, 8, 16];
/// Less says nothing about how many quotes a round uses up.
const WARMUP_MIN: Duration = Duration::from_millis(100);

impl Stays {
    /// One guest at a time.
    pub(super) async fn quotes(&self, server: &Server, hotel: &BenchHotel) -> Result<Case> {
        let asks = QuoteAsks { hotel: hotel.clone(), nights: self.quote_nights };
        let options = asks.options(&server.target).await?;
        let rounds = self.one_at_a_time(server, asks).await?;
        Ok(self.read_case("quotes", &rounds, self.quote_nights, self.room_types).field("options", options))
    }

    /// One reader at a time.
    pub(super) async fn calendar(&self, server: &Server) -> Result<Case> {
        let (room_types, nights) = (self.calendar_room_types, self.calendar_nights);
        let hotel = BenchHotel::new("grand", room_types, self.rate_plans, nights);
        hotel.open(&server.target).await?;
        let rounds = self.one_at_a_time(server, CalendarAsks { hotel }).await?;
        Ok(self.read_case("calendar", &rounds, nights, room_types))
    }

    fn read_case(&self, name: &'static str, rounds: &Rounds, nights: u32, room_types: u32) -> Case {
        let title = format!("{name}: {nights} nights, {room_types} room types, {} plans", self.rate_plans);
        let case = Case::new(name, title, rounds.figures()).field("nights", nights);
        case.field("room_types", room_types).field("rate_plans", self.rate_plans)
    }

    async fn one_at_a_time(&self, server: &Server, asks: impl Asks) -> Result<Rounds> {
        let load = HttpLoad { target: server.target.clone(), connections: 1, asks, pace: Pace::Closed };
        run(&load, self.timing.warmup()).await?;
        let mut rounds = Rounds::default();
        for _ in 0..self.timing.rounds() {
            rounds.ask(server, &load, self.timing.slice()).await?;
        }
        Ok(rounds)
    }

    /// Ours and the textbook in turns.
    pub(super) async fn holds(&self, server: &Server, hotel: &BenchHotel) -> Result<Case> {
        let guests = Guests { bench: self, server, asks: QuoteAsks { hotel: hotel.clone(), nights: self.nights } };
        let options = guests.asks.options(&server.target).await?;
        let mut rival = self.rival().await?;
        let warmup = self.timing.warmup().max(WARMUP_MIN);
        let mut warm = Rounds::default();
        guests.hold(&mut warm, QUOTES_AT_FIRST, warmup).await?;
        if let Some(rival) = &mut rival {
            rival.find_best(&TRIED_CLIENTS, warmup).await?;
        }
        let quotes = quotes_needed(warm.measured(), self.timing.slice());
        let (mut ours, mut disk, mut quotes_per_s, mut batches) =
            (Rounds::default(), Measured::default(), Vec::new(), Vec::new());
        for _ in 0..self.timing.rounds() {
            disk.add(&self.timing.probe(&self.dir)?);
            if let Some(rival) = &mut rival {
                rival.measure(self.timing.slice()).await?;
            }
            let round = guests.hold(&mut ours, quotes, self.timing.slice()).await?;
            quotes_per_s.push(round.quotes_per_s);
            batches.extend(round.mean_batch);
        }
        let (store, nights, clients) = (self.store.name(), self.nights, self.clients);
        let title = format!("holds on {store}: {nights} nights, {options} options a quote, {clients} clients");
        let mut case = Case::new("holds", title, ours.figures());
        for side in rival.into_iter().flat_map(Rival::sides) {
            let name = format!("textbook without HTTP, {} clients", side.clients);
            case = case.against(name, side.rounds.figures());
        }
        let case = case.field("clients", clients).field("nights", nights).field("options", options);
        let case = case.mean_batch(mean(&batches));
        // By 16 guests at a time.
        let case =
            case.value("quotes_per_s", mean(&quotes_per_s), |rate| format!("quotes made beforehand {rate:.0}/s"));
        Ok(case.fdatasync_per_s(disk.rate_per_s()))
    }

    /// Only Postgres has a rival.
    async fn rival(&self) -> Result<Option<Rival<OwnRuntime>>> {
        let Some(url) = self.postgres()? else { return Ok(None) };
        let clients = usize::try_from(self.clients)?;
        let most = TRIED_CLIENTS.into_iter().fold(clients, usize::max);
        let textbook = OwnRuntime::prepare(url, most, self.nights, self.rate_plans).await?;
        // Of both sides.
        vacuum(url).await?;
        Ok(Some(Rival::new(textbook, clients)))
    }
}

/// Those who hold rooms.
struct Guests<'a> {
    bench: &'a Stays,
    server: &'a Server,
    asks: QuoteAsks,
}

struct HeldRound {
    quotes_per_s: f64,
    mean_batch: Option<f64>,
}

impl Guests<'_> {
    /// Asks for quotes, which does not count, then holds each of them, until the time is up or no quote is left.
    async fn hold(&self, rounds: &mut Rounds, quotes: usize, duration: Duration) -> Result<HeldRound> {
        let target = &self.server.target;
        let (pool, took) = make_quotes(target, &self.asks, quotes, QUOTE_CONNECTIONS).await?;
        let asks = StayAsks { quotes: Arc::new(pool), rate_plans: self.bench.rate_plans };
        let connections = usize::try_from(self.bench.clients)?;
        let load = HttpLoad { target: target.clone(), connections, asks, pace: Pace::Closed };
        let before = self.server.batches().await;
        rounds.ask(self.server, &load, duration).await?;
        let mean_batch = mean_batch(before, self.server.batches().await);
        let made = u32::try_from(quotes).map_or(f64::INFINITY, f64::from);
        Ok(HeldRound { quotes_per_s: made / took.as_secs_f64(), mean_batch })
    }
}

/// Half as many again as were used up at first, for faster rounds.
fn quotes_needed(at_first: &Measured, slice: Duration) -> usize {
    let micros = at_first.elapsed.as_micros().max(1);
    let needed = u128::from(at_first.holds) * slice.as_micros() / micros * 3 / 2;
    usize::try_from(needed).unwrap_or(QUOTES_MAX).clamp(QUOTES_MIN, QUOTES_MAX)
}

/// The textbook, on a runtime of its own with all cores: nothing of it waits for the load generator's one thread.
struct OwnRuntime {
    runtime: Option<Runtime>,
    textbook: Option<StaysTextbook>,
}

impl OwnRuntime {
    async fn prepare(url: &str, clients: usize, nights: u32, rate_plans: u32) -> Result<OwnRuntime> {
        let (runtime, url) = (Runtime::new()?, url.to_owned());
        let made = runtime.spawn(async move { StaysTextbook::prepare(&url, clients, nights, rate_plans).await });
        Ok(OwnRuntime { textbook: Some(made.await??), runtime: Some(runtime) })
    }
}

impl Textbook for OwnRuntime {
    async fn run(&mut self, clients: usize, duration: Duration) -> Result<Measured> {
        let mut textbook = self.textbook.take().context("the textbook's clients broke")?;
        let runtime = self.runtime.as_ref().context("the textbook is at its end")?;
        let running = runtime.spawn(async move {
            let measured = textbook.run(clients, duration).await;
            (textbook, measured)
        });
        let (textbook, measured) = running.await?;
        self.textbook = Some(textbook);
        measured
    }
}

impl Drop for OwnRuntime {
    fn drop(&mut self) {
        // Waiting for its threads is not allowed here, and there is nothing to wait for.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    let count = u32::try_from(values.len()).ok().filter(|count| *count > 0)?;
    Some(values.iter().sum::<f64>() / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_for_a_round() {
        let check = |holds: u64, millis: u64, slice_millis: u64, quotes: usize| {
            let at_first = Measured { holds, elapsed: Duration::from_millis(millis), ..Measured::default() };
            assert_eq!(quotes_needed(&at_first, Duration::from_millis(slice_millis)), quotes, "{holds} in {millis} ms");
        };
        check(2_000, 200, 3_000, 45_000);
        check(1, 1_000, 1_000, QUOTES_MIN);
        check(0, 0, 1_000, QUOTES_MIN);
        check(1_000_000, 1, 1_000, QUOTES_MAX);
    }
}
