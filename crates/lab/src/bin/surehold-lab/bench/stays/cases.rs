//! Who asks what, in which turns.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use surehold_lab::bench::http::{Asks, HttpLoad, Pace, run};
use surehold_lab::bench::stays::{BenchHotel, CalendarAsks, QuoteAsks, StayAsks, StaysTextbook, make_quotes};
use surehold_lab::bench::{Measured, fdatasync, vacuum};
use tokio::runtime::Runtime;

use super::super::batches::mean_batch;
use super::super::figures::Rounds;
use super::super::report::Against;
use super::super::servers::Server;
use super::super::{PROBE, ROUNDS};
use super::Stays;
use super::report::{CalendarReport, HoldsReport, QuotesReport};

/// Connections that make the quotes beforehand: as many as keep both cores busy.
const QUOTE_CONNECTIONS: usize = 16;
/// To find out how many are used up in a round.
const QUOTES_AT_FIRST: usize = 1_000;
const QUOTES_MIN: usize = 200;
const QUOTES_MAX: usize = 400_000;
/// The textbook is tried with so many clients, to find its best.
const TRIED_CLIENTS: [usize; 5] = [1, 2, 4, 8, 16];

impl Stays {
    /// One guest at a time.
    pub(super) async fn quotes(&self, server: &Server, hotel: &BenchHotel) -> Result<QuotesReport> {
        let asks = QuoteAsks { hotel: hotel.clone(), nights: self.quote_nights };
        let options = asks.options(&server.target).await?;
        let rounds = self.one_at_a_time(server, asks).await?;
        let (nights, room_types, rate_plans) = (self.quote_nights, self.room_types, self.rate_plans);
        Ok(QuotesReport { nights, room_types, rate_plans, options, figures: rounds.figures() })
    }

    /// One reader at a time.
    pub(super) async fn calendar(&self, server: &Server) -> Result<CalendarReport> {
        let (room_types, nights) = (self.calendar_room_types, self.calendar_nights);
        let hotel = BenchHotel::new("grand", room_types, self.rate_plans, nights);
        hotel.open(&server.target).await?;
        let rounds = self.one_at_a_time(server, CalendarAsks { hotel }).await?;
        Ok(CalendarReport { nights, room_types, rate_plans: self.rate_plans, figures: rounds.figures() })
    }

    async fn one_at_a_time(&self, server: &Server, asks: impl Asks) -> Result<Rounds> {
        let load = HttpLoad { target: server.target.clone(), connections: 1, asks, pace: Pace::Closed };
        run(&load, self.warmup()).await?;
        let mut rounds = Rounds::default();
        for _ in 0..ROUNDS {
            rounds.measure(server, &load, self.slice()).await?;
        }
        Ok(rounds)
    }

    /// Ours and the textbook in turns.
    pub(super) async fn holds(&self, server: &Server, hotel: &BenchHotel) -> Result<HoldsReport> {
        let guests = Guests { bench: self, server, asks: QuoteAsks { hotel: hotel.clone(), nights: self.nights } };
        let options = guests.asks.options(&server.target).await?;
        let mut rival = match self.postgres()? {
            Some(url) => Some(Rival::prepare(self, url).await?),
            None => None,
        };
        let warmup = self.warmup().max(Duration::from_millis(200));
        let mut warm = Rounds::default();
        guests.hold(&mut warm, QUOTES_AT_FIRST, warmup).await?;
        if let Some(rival) = &mut rival {
            rival.find_best(warmup).await?;
        }
        let quotes = quotes_needed(&warm.seen.measured, self.slice());
        let (mut ours, mut disk, mut quotes_per_s, mut batches) =
            (Rounds::default(), Measured::default(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            disk.add(&fdatasync(&self.dir, PROBE).context("cannot measure the disk; choose another --dir")?);
            if let Some(rival) = &mut rival {
                rival.measure(self.slice()).await?;
            }
            let told = guests.hold(&mut ours, quotes, self.slice()).await?;
            quotes_per_s.push(told.quotes_per_s);
            batches.extend(told.mean_batch);
        }
        let (against, against_best) = rival.map(Rival::figures).unzip();
        let rate_per_s = ours.seen.measured.rate_per_s();
        let ratio = |against: &Option<Against>| against.as_ref().map(|against| rate_per_s / against.rate_per_s);
        Ok(HoldsReport {
            clients: self.clients,
            nights: self.nights,
            options,
            seconds: ours.seen.measured.elapsed.as_secs_f64(),
            figures: ours.figures(),
            mean_batch: mean(&batches),
            quotes_per_s: mean(&quotes_per_s),
            fdatasync_per_s: disk.rate_per_s(),
            ratio: ratio(&against),
            ratio_best: ratio(&against_best),
            against,
            against_best,
        })
    }
}

/// Those who hold rooms.
struct Guests<'a> {
    bench: &'a Stays,
    server: &'a Server,
    asks: QuoteAsks,
}

struct Told {
    quotes_per_s: f64,
    mean_batch: Option<f64>,
}

impl Guests<'_> {
    /// Asks for quotes, which does not count, then holds each of them, until the time is up or no quote is left.
    async fn hold(&self, rounds: &mut Rounds, quotes: usize, duration: Duration) -> Result<Told> {
        let target = &self.server.target;
        let (pool, took) = make_quotes(target, &self.asks, quotes, QUOTE_CONNECTIONS).await?;
        let asks = StayAsks { quotes: Arc::new(pool), rate_plans: self.bench.rate_plans };
        let connections = usize::try_from(self.bench.clients)?;
        let load = HttpLoad { target: target.clone(), connections, asks, pace: Pace::Closed };
        let before = self.server.batches().await;
        rounds.measure(self.server, &load, duration).await?;
        let mean_batch = mean_batch(before, self.server.batches().await);
        let made = u32::try_from(quotes).map_or(f64::INFINITY, f64::from);
        Ok(Told { quotes_per_s: made / took.as_secs_f64(), mean_batch })
    }
}

/// Half as many again as were used up at first, for faster rounds.
fn quotes_needed(at_first: &Measured, slice: Duration) -> usize {
    let micros = at_first.elapsed.as_micros().max(1);
    let needed = u128::from(at_first.holds) * slice.as_micros() / micros * 3 / 2;
    usize::try_from(needed).unwrap_or(QUOTES_MAX).clamp(QUOTES_MIN, QUOTES_MAX)
}

/// The textbook, on a runtime of its own with all cores: nothing of it waits for the load generator's one thread.
struct Rival {
    runtime: Option<Runtime>,
    textbook: Option<StaysTextbook>,
    clients: usize,
    best_clients: usize,
    measured: Measured,
    best: Measured,
}

impl Rival {
    async fn prepare(bench: &Stays, url: &str) -> Result<Rival> {
        let (runtime, clients) = (Runtime::new()?, usize::try_from(bench.clients)?);
        let (place, nights, rate_plans) = (url.to_owned(), bench.nights, bench.rate_plans);
        let most = TRIED_CLIENTS.into_iter().fold(clients, usize::max);
        let made = runtime.spawn(async move { StaysTextbook::prepare(&place, most, nights, rate_plans).await });
        let textbook = Some(made.await??);
        // Of both sides.
        vacuum(url).await?;
        let (measured, best) = (Measured::default(), Measured::default());
        Ok(Rival { runtime: Some(runtime), textbook, clients, best_clients: clients, measured, best })
    }

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

    /// Tries several numbers of clients.
    async fn find_best(&mut self, duration: Duration) -> Result<()> {
        let mut best_rate = 0.0;
        for clients in TRIED_CLIENTS.into_iter().chain([self.clients]) {
            let rate = self.run(clients, duration).await?.rate_per_s();
            if rate > best_rate {
                (best_rate, self.best_clients) = (rate, clients);
            }
        }
        Ok(())
    }

    /// One turn with as many clients as ours, one with as many as suit it best.
    async fn measure(&mut self, duration: Duration) -> Result<()> {
        let measured = self.run(self.clients, duration).await?;
        self.measured.add(&measured);
        let best = self.run(self.best_clients, duration).await?;
        self.best.add(&best);
        Ok(())
    }

    fn figures(self) -> (Against, Against) {
        let named = |clients: usize| format!("textbook without HTTP, {clients} clients");
        let same = Against::measured(&named(self.clients), &self.measured);
        (same, Against::measured(&named(self.best_clients), &self.best))
    }
}

impl Drop for Rival {
    fn drop(&mut self) {
        // Waiting for its threads is not allowed here, and there is nothing to wait for.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    let count = u32::try_from(values.len()).map_or(1.0, f64::from);
    values.iter().sum::<f64>() / count.max(1.0)
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
