//! Processes killed in the middle of load, again and again over the same store.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::process::{Command, Stdio};
use std::time::Duration;

use surehold_core::kernel::commands::PutPool;
use surehold_core::kernel::{HoldId, HoldState};
use surehold_lab::crash::{Report, hotels, read_reports};
use surehold_simulators::Dice;
use surehold_sqlite::{OpenError, SqliteStore};
use surehold_testkit::fixture::{Fixture, StoreKind};
use surehold_testkit::on_each_store;

use super::alone;
use super::sound::Snapshot;

const KILLS: usize = 16;
/// Of reports, about a hundred: a process is killed some time after them, however long it took to make them.
const REPORTED_BYTES_MIN: usize = 4_500;
/// Far beyond anything that a busy machine makes the first reports wait.
const STANDSTILL: Duration = Duration::from_mins(2);

on_each_store! { survives_kills }

/// Nobody else may write while an engine runs; whoever waited for it to stop may.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_has_one_engine_at_a_time() {
    let _alone = alone().await;
    let fixture = Fixture::new(StoreKind::Sqlite).await.unwrap();
    let [hotel, _] = hotels();
    for turn in 0..10 {
        let engine = fixture.engine().await.unwrap();
        assert!(matches!(SqliteStore::open(&fixture.file()), Err(OpenError::InUse { .. })));
        if turn == 0 {
            hotel.open(&engine).await.unwrap();
        }
        // Closing has something to write.
        let pools = (0..hotel.nights).flat_map(|night| (0..1_000).map(move |total| (night, total)));
        let puts = pools.map(|(night, total)| PutPool::new(hotel.room(night), total).unwrap()).collect();
        engine.run_all(hotel.tenant, puts).await;
        engine.stop().await;
    }
}

async fn survives_kills(kind: StoreKind) {
    let _alone = alone().await;
    let fixture = Fixture::new(kind).await.unwrap();
    let engine = fixture.engine().await.unwrap();
    for hotel in hotels() {
        hotel.open(&engine).await.unwrap();
    }
    engine.stop().await;
    let mut dice = Dice::new(7);
    let mut reports = HashMap::new();
    for _ in 0..KILLS {
        let lifetime = Duration::from_millis(100 + u64::try_from(dice.roll(501)).unwrap());
        let arguments: [OsString; 2] = match kind {
            StoreKind::Sqlite => ["sqlite".into(), fixture.file().into()],
            StoreKind::Postgres => ["postgres".into(), fixture.url().into()],
        };
        let life = tokio::task::spawn_blocking(move || live_and_die(&arguments, lifetime));
        reports.extend(life.await.unwrap());
        assert_as_reported(&fixture, &reports).await;
    }
    let of = |report| reports.values().filter(|other| **other == report).count();
    eprintln!("{KILLS} kills: {} cancelled, {} booked", of(Report::Cancelled), of(Report::Booked));
    assert!(of(Report::Cancelled) > 100, "there was load");
}

/// The lifetime begins when there is load.
fn live_and_die(arguments: &[OsString], lifetime: Duration) -> HashMap<HoldId, Report> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hold_forever"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (enough, loaded) = std::sync::mpsc::channel();
    let out = Watched { out: child.stdout.take().unwrap(), bytes_left: REPORTED_BYTES_MIN, enough };
    let reading = std::thread::spawn(|| read_reports(out).unwrap());
    loaded.recv_timeout(STANDSTILL).unwrap();
    std::thread::sleep(lifetime);
    assert!(child.try_wait().unwrap().is_none(), "it does not end by itself");
    child.kill().unwrap();
    child.wait().unwrap();
    reading.join().unwrap()
}

/// Says when enough was read.
struct Watched<R> {
    out: R,
    bytes_left: usize,
    enough: std::sync::mpsc::Sender<()>,
}

impl<R: std::io::Read> std::io::Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.out.read(buffer)?;
        if self.bytes_left > 0 {
            self.bytes_left = self.bytes_left.saturating_sub(count);
            if self.bytes_left == 0 {
                self.enough.send(()).unwrap();
            }
        }
        Ok(count)
    }
}

/// Opens the store at once: nothing that the dead process left may be in the way.
async fn assert_as_reported(fixture: &Fixture, reports: &HashMap<HoldId, Report>) {
    let engine = fixture.engine().await.unwrap();
    let mut there = HashMap::new();
    for hotel in hotels() {
        let snapshot = Snapshot::read(&engine, hotel.tenant).await;
        snapshot.assert_consistent();
        there.extend(snapshot.holds);
    }
    for (id, report) in reports {
        let state = there.get(id).map(|hold| hold.state);
        // The next step may have been carried out without an answer.
        let possible: &[Option<HoldState>] = match report {
            Report::Asked => continue,
            Report::Placed => &[Some(HoldState::Active), Some(HoldState::Cancelled), Some(HoldState::Converted)],
            Report::Cancelled => &[Some(HoldState::Cancelled)],
            Report::Booked => &[Some(HoldState::Converted)],
        };
        assert!(possible.contains(&state), "{id} was {report:?} and is {state:?}");
    }
    let asked: HashSet<&HoldId> = reports.keys().collect();
    assert!(there.keys().all(|id| asked.contains(id)), "nothing is there that nobody asked for");
    engine.stop().await;
}
