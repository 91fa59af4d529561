//! The auditor: reads everything that is there, checks that it makes sense by itself, and that it is what callers were
//! told. Recomputes every sum with arithmetic of its own.

use std::collections::{BTreeMap, HashMap};

use surehold_core::kernel::commands::CancelHold;
use surehold_core::kernel::{
    ConvertMode, Event, Hold, HoldId, HoldState, Kept, Owner, OwnerName, Pool, PoolKey, Refusal, TenantId,
};
use surehold_engine::{Engine, Failure, JournalRow, new_hold_id};
use surehold_testkit::hotel::{Hotel, STOCK_AT_FIRST};

use super::replay::replay;
use super::told::{Answers, Ending, Promise};

const JOURNAL_PAGE_ROWS: u16 = 5_000;

/// Everything of one tenant.
pub(super) struct Snapshot {
    pub(super) tenant: TenantId,
    pub(super) pools: BTreeMap<PoolKey, Pool>,
    pub(super) holds: HashMap<HoldId, Hold>,
    pub(super) owners: Vec<Owner>,
    pub(super) journal: Vec<JournalRow>,
}

/// The whole check. Whoever calls it has stopped all traffic, except for what nobody waits for any more.
pub(super) async fn assert_sound(engine: &Engine, hotels: &[Hotel], told: &Answers) {
    for hotel in hotels {
        let there = Snapshot::read(engine, hotel.tenant).await;
        there.assert_consistent();
        there.assert_as_told(told);
        there.assert_deliveries(hotel, told);
    }
}

impl Snapshot {
    pub(super) async fn read(engine: &Engine, tenant: TenantId) -> Snapshot {
        // A transaction that can still commit has the turn. Asking for anything waits for it.
        let id = new_hold_id();
        let nothing = engine.run(tenant, CancelHold { id }).await;
        assert_eq!(nothing, Err(Failure::Refused(Refusal::HoldNotFound { hold: id })));
        let views = engine.views();
        let pools: Vec<Pool> = views.all_records(tenant).await.unwrap();
        let holds: Vec<Hold> = views.all_records(tenant).await.unwrap();
        let owners = views.all_records(tenant).await.unwrap();
        let mut journal: Vec<JournalRow> = Vec::new();
        loop {
            let after = journal.last().map_or(0, |row| row.seq);
            let page = views.journal(tenant, after, JOURNAL_PAGE_ROWS).await.unwrap();
            if page.is_empty() {
                break;
            }
            journal.extend(page);
        }
        let pools = pools.into_iter().map(|pool| (pool.key.clone(), pool)).collect();
        let holds = holds.into_iter().map(|hold| (hold.id, hold)).collect();
        Snapshot { tenant, pools, holds, owners, journal }
    }

    /// What must be true whatever happened.
    pub(super) fn assert_consistent(&self) {
        for pool in self.pools.values() {
            let capacity = pool.total + pool.overbook + pool.oversold;
            assert!(pool.held + pool.booked + pool.granted <= capacity, "more promised than there is: {pool:?}");
            assert_eq!(pool.oversold, 0, "nobody lowered a total below what is promised: {pool:?}");
        }
        let (held, booked) = self.sums();
        for (key, pool) in &self.pools {
            assert_eq!(pool.held, held.get(key).copied().unwrap_or(0), "held of {key}");
            assert_eq!(pool.booked, booked.get(key).copied().unwrap_or(0), "booked of {key}");
        }
        let counted = self.owners.iter().map(|owner| (owner.name.clone(), (owner.holds, owner.lifetime_secs)));
        assert_eq!(counted.collect::<BTreeMap<_, _>>(), self.owner_sums(), "what owners hold");
        replay(self);
    }

    /// Per pool, the units of active holds and the units that converted holds have booked.
    fn sums(&self) -> (HashMap<&PoolKey, i64>, HashMap<&PoolKey, i64>) {
        let (mut held, mut booked) = (HashMap::new(), HashMap::new());
        for hold in self.holds.values() {
            if hold.state == HoldState::Active {
                hold.lines.iter().for_each(|line| *held.entry(&line.pool).or_default() += line.quantity);
            }
            if let Some(Kept { mode: ConvertMode::Book, lines, .. }) = &hold.kept {
                lines.iter().for_each(|line| *booked.entry(&line.pool).or_default() += line.quantity);
            }
        }
        (held, booked)
    }

    fn owner_sums(&self) -> BTreeMap<OwnerName, (i64, i64)> {
        let mut owners = BTreeMap::new();
        for hold in self.holds.values().filter(|hold| hold.state == HoldState::Active) {
            if let Some(name) = &hold.owner {
                let (holds, secs) = owners.entry(name.clone()).or_insert((0, 0));
                *holds += 1;
                *secs += (hold.expires_at.micros() - hold.placed_at.micros() + 999_999) / 1_000_000;
            }
        }
        owners
    }

    /// The versions of the pools at each placing, as the journal has them. Each hold is placed once.
    fn placings(&self) -> HashMap<HoldId, &[i64]> {
        let mut placings = HashMap::new();
        for event in self.journal.iter().flat_map(|row| &row.events) {
            if let Event::HoldPlaced { hold, versions } = event {
                assert!(placings.insert(*hold, versions.as_slice()).is_none(), "{hold} was placed twice");
            }
        }
        placings
    }

    fn assert_as_told(&self, told: &Answers) {
        let placings = self.placings();
        let promises = told.holds.iter().filter(|(_, promise)| promise.tenant == self.tenant);
        for (id, promise) in promises {
            let hold = self.holds.get(id).unwrap_or_else(|| panic!("{id} was acknowledged and is lost"));
            assert_kept(hold, promise);
            if let Some(versions) = &promise.versions {
                assert_eq!(placings[id], versions, "the versions that were told for {id}");
            }
        }
        for nothing in told.nothing.iter().filter(|nothing| nothing.tenant == self.tenant) {
            let id = &nothing.id;
            assert!(!self.holds.contains_key(id) && !placings.contains_key(id), "{id} failed and is there");
        }
        for id in self.holds.keys() {
            assert!(told.holds.contains_key(id), "{id} is there and nobody was told");
        }
    }

    /// What came and what left explains what is there.
    fn assert_deliveries(&self, hotel: &Hotel, told: &Answers) {
        let consumed = |hold: &&Hold| matches!(hold.kept, Some(Kept { mode: ConvertMode::Consume, .. }));
        let consumed = i64::try_from(self.holds.values().filter(consumed).count()).unwrap();
        let deliveries = told.deliveries.get(&hotel.tenant).copied().unwrap_or_default();
        let came = self.pools[&hotel.stock()].total - STOCK_AT_FIRST + consumed;
        let (made, unknown) = (deliveries.made, deliveries.unknown);
        assert!(
            (made..=made + unknown).contains(&came),
            "{came} deliveries are there; {made} were acknowledged and {unknown} unknown"
        );
    }
}

fn assert_kept(hold: &Hold, promise: &Promise) {
    let Promise { lines, owner, lifetime_secs, ending, .. } = promise;
    assert_eq!((&hold.lines, &hold.owner), (lines, owner), "the content of {}", hold.id);
    assert_eq!(hold.expires_at, hold.placed_at.plus_secs(*lifetime_secs), "the expiry of {}", hold.id);
    let kept = match (hold.state, &hold.kept) {
        (HoldState::Active | HoldState::Expired, None) => *ending == Ending::Left,
        (HoldState::Cancelled, None) => *ending == Ending::Cancelled,
        (HoldState::Converted, Some(Kept { mode: ConvertMode::Consume, lines: kept, .. })) => {
            *ending == Ending::Consumed && kept == lines
        }
        (HoldState::Converted, Some(Kept { mode: ConvertMode::Book, lines: kept, .. })) => match ending {
            Ending::Booked => kept == lines,
            Ending::GivenBack => kept.is_empty(),
            Ending::Left | Ending::Cancelled | Ending::Consumed => false,
        },
        _ => false,
    };
    assert!(kept, "{promise:?} is not kept by {hold:?}");
}
