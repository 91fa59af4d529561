//! One seed, one thread, one run: the engine on SQLite in memory, with a clock, chance and crashes of our choosing.
//!
//! A run is a few lives of one process. Clients ask for some two hundred commands, repeat what they got no answer to,
//! leave early, and reuse keys; two workers charge a provider that lies; the store fails at every step; the process dies
//! between all of them and starts again on what was committed. Then nothing goes wrong any more, everything has to come
//! to an end, and what the clients were told is held against what is stored.
//!
//! Nothing here depends on anything but the seed: a failing one fails again. Start reading at `life.rs`; what can go
//! wrong is in `point.rs`, the judges are `replay.rs`, `ledger.rs`, `money.rs` and `defects.rs`.

mod bank;
mod deed;
mod defects;
mod dump;
mod ledger;
mod life;
mod money;
mod point;
mod replay;
mod requests;
mod script;
mod session;
mod shared;
mod store;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use surehold_engine::Session;
use surehold_sqlite::{MemoryDatabase, MemoryReader};

pub use life::COMMANDS;
pub use point::{Coverage, Point};

use life::{End, World};
use requests::{Ask, Verdict};
use shared::Shared;

/// More lives than crashes can take.
const LIVES_MAX: usize = 60;

/// What came of a seed.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub seed: u64,
    /// What cannot be; nothing if all is well.
    pub violations: Vec<String>,
    /// Of everything that happened: the same seed has the same.
    pub digest: u64,
    pub coverage: Coverage,
    /// Commands that were asked for, each counted once.
    pub commands: u64,
    /// Of these, those that were carried out.
    pub useful: u64,
    /// How long it took by its own time. The clock is turned in addition.
    pub lived: Duration,
}

/// Runs one seed.
pub fn run_seed(seed: u64) -> Outcome {
    let mut outcome = None;
    run_seeds([seed], |found| {
        outcome = Some(found);
        ControlFlow::Break(())
    });
    outcome.expect("one seed has one outcome")
}

/// The first seed that finds something, and what it finds.
pub fn hunt(seeds: Range<u64>) -> Option<(u64, Vec<String>)> {
    let mut found = None;
    run_seeds(seeds, |outcome| {
        if outcome.violations.is_empty() {
            return ControlFlow::Continue(());
        }
        found = Some((outcome.seed, outcome.violations));
        ControlFlow::Break(())
    });
    found
}

/// Runs seeds one after the other, on one database that is emptied between them.
pub fn run_seeds(seeds: impl IntoIterator<Item = u64>, mut visit: impl FnMut(Outcome) -> ControlFlow<()>) {
    let database = MemoryDatabase::open().expect("memory can be opened");
    let current: Arc<Mutex<Option<Arc<Shared>>>> = Arc::default();
    let told = Arc::clone(&current);
    let clock = Arc::new(move || {
        let shared = told.lock().expect("nothing panics while holding it").clone();
        shared.expect("a run goes on").clock()
    });
    let mut session = database.session(clock).expect("the statements fit the schema");
    let reader = database.reader();
    let _listening = defects::listen();
    for seed in seeds {
        database.clear().expect("nobody else uses it");
        let world = World::new(seed);
        *current.lock().expect("nothing panics while holding it") = Some(Arc::clone(&world.shared));
        let run = AssertUnwindSafe(|| run(seed, world, &mut session, &reader));
        let outcome = catch_unwind(run).unwrap_or_else(|panic| Outcome {
            seed,
            violations: vec![format!("the simulation itself broke: {}", words(panic.as_ref()))],
            digest: 0,
            coverage: Coverage::default(),
            commands: 0,
            useful: 0,
            lived: Duration::ZERO,
        });
        if visit(outcome).is_break() {
            return;
        }
    }
}

fn words(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a word")
}

fn run<S: Session>(seed: u64, mut world: World, session: &mut S, reader: &MemoryReader) -> Outcome {
    let stuck = live_out(&mut world, session, reader).err();
    judge(seed, &world, stuck.into_iter().collect())
}

/// All lives, up to the one in which everything comes to its end.
fn live_out<S: Session>(world: &mut World, session: &mut S, reader: &MemoryReader) -> Result<(), String> {
    for life in 0.. {
        match world.live(session, reader) {
            End::Dead if life < LIVES_MAX && !world.shared.state().is_endless() => {}
            End::Dead => return Err("it died again and again, or went round in circles".to_owned()),
            End::Done => return Ok(()),
            End::Stuck(what) => return Err(what),
        }
    }
    unreachable!("lives are counted")
}

fn judge(seed: u64, world: &World, mut violations: Vec<String>) -> Outcome {
    let mut hasher = DefaultHasher::new();
    let (mut coverage, lived) = {
        let mut state = world.shared.state();
        let now = state.elapsed();
        violations.extend(state.defects.audit(&world.notes.requests));
        let report = state.provider.report(now);
        for (fault, times) in &report.faults {
            if let Some(point) = Point::of_provider(fault) {
                state.coverage.add(point, *times);
            }
        }
        format!("{report:?}").hash(&mut hasher);
        if let Some(dump) = &world.dump {
            state.coverage.add(Point::LeaseTaken, money::reconciliations(dump));
            violations.extend(dump.findings.iter().cloned());
            for tenant in &dump.tenants {
                violations.extend(ledger::audit(tenant));
                violations.extend(money::audit(tenant, &world.notes.requests, &report));
            }
            violations.extend(money::audit_books(&dump.tenants, &report));
        } else {
            violations.push("what is stored at the end was never read, and so not judged".to_owned());
        }
        (state.coverage.clone(), now)
    };
    let attempts = std::mem::take(&mut world.shared.state().attempts);
    for tenant in world.dump.iter().flat_map(|dump| &dump.tenants) {
        let judged = replay::judge(&world.notes.requests, &attempts, tenant, &mut coverage);
        violations.extend(judged.err());
        format!("{:?}{:?}", tenant.journal, tenant.holds).hash(&mut hasher);
    }
    format!("{:?}", world.notes.requests).hash(&mut hasher);
    let (commands, useful) = tally(world);
    Outcome { seed, violations, digest: hasher.finish(), coverage, commands, useful, lived }
}

fn tally(world: &World) -> (u64, u64) {
    let done = |verdict: &Verdict| matches!(verdict, Verdict::Done { .. } | Verdict::TaskKept);
    let commands = world.notes.requests.len();
    let useful = world.notes.requests.iter().filter(|request| request.calls.iter().any(|call| done(&call.verdict)));
    let asks = |ask: &Ask| matches!(ask, Ask::Deed { .. } | Ask::Task(_));
    let useful = useful.filter(|request| asks(&request.ask)).count();
    let count = |count: usize| u64::try_from(count).expect("a usize fits");
    (count(commands), count(useful))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: u64 = 3;

    /// A world whose run is over and was well.
    fn lived() -> World {
        let database = MemoryDatabase::open().unwrap();
        let mut world = World::new(SEED);
        let shared = Arc::clone(&world.shared);
        let mut session = database.session(Arc::new(move || shared.clock())).unwrap();
        let _listening = defects::listen();
        live_out(&mut world, &mut session, &database.reader()).unwrap();
        world
    }

    fn found(lie: impl FnOnce(&mut World)) -> Vec<String> {
        let mut world = lived();
        lie(&mut world);
        judge(SEED, &world, Vec::new()).violations
    }

    #[test]
    fn what_is_not_there_is_noticed() {
        assert_eq!(found(|_| {}), Vec::<String>::new());
        let has = |violations: Vec<String>, words: &str| {
            assert!(violations.iter().any(|it| it.contains(words)), "{words}: {violations:?}");
        };
        has(found(|world| world.dump = None), "never read");
        has(found(|world| drop(world.dump.as_mut().unwrap().tenants[0].pools.pop())), "it is not stored");
        has(found(|world| drop(world.dump.as_mut().unwrap().tenants[0].holds.pop())), "it is not stored");
    }
}
