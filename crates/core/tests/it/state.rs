//! Everything that the facts of a tenant say, in a form that can be compared.

use std::collections::BTreeMap;

use surehold_core::kernel::{
    ApiKey, Change, Event, Facts, Hold, HoldId, KeyId, Owner, OwnerName, Pool, PoolKey, Record, Slug, SlugClaim, Tenant,
};

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct State {
    pub(crate) tenant: Option<Tenant>,
    pub(crate) slugs: BTreeMap<Slug, SlugClaim>,
    pub(crate) pools: BTreeMap<PoolKey, Pool>,
    pub(crate) holds: BTreeMap<HoldId, Hold>,
    pub(crate) owners: BTreeMap<OwnerName, Owner>,
    pub(crate) keys: BTreeMap<KeyId, ApiKey>,
}

impl State {
    /// What there is now: all that there was, and what the events since then name. Anything else must not exist.
    pub(crate) fn read(facts: &mut Facts, before: &State, events: &[Event]) -> State {
        let mut state = State { tenant: record::<Tenant>(facts, &()), ..State::default() };
        let slugs = before.slugs.keys().chain(events.iter().filter_map(new_slug));
        state.slugs = slugs.filter_map(|slug| Some((slug.clone(), record(facts, slug)?))).collect();
        let pools = before.pools.keys().chain(events.iter().filter_map(new_pool));
        state.pools = pools.filter_map(|key| Some((key.clone(), record(facts, key)?))).collect();
        let holds = before.holds.keys().chain(events.iter().filter_map(new_hold));
        state.holds = holds.filter_map(|id| Some((*id, record(facts, id)?))).collect();
        let owners = state.holds.values().filter_map(|hold: &Hold| hold.owner.as_ref());
        state.owners = owners.filter_map(|name| Some((name.clone(), record(facts, name)?))).collect();
        let keys = before.keys.keys().chain(events.iter().filter_map(new_key));
        state.keys = keys.filter_map(|id| Some((*id, record(facts, id)?))).collect();
        assert_eq!(dump(facts).len(), state.count(), "the journal names every record");
        state
    }

    fn count(&self) -> usize {
        let sold = self.pools.len() + self.holds.len() + self.owners.len();
        usize::from(self.tenant.is_some()) + self.slugs.len() + sold + self.keys.len()
    }

    pub(crate) fn pool(&self, key: &PoolKey) -> &Pool {
        self.pools.get(key).unwrap_or_else(|| panic!("no pool {key}"))
    }
}

fn record<R: Record>(facts: &mut Facts, key: &R::Key) -> Option<R> {
    facts.get::<R>(key).expect("complete facts have everything").cloned()
}

fn new_slug(event: &Event) -> Option<&Slug> {
    if let Event::SlugClaimed { slug, .. } = event { Some(slug) } else { None }
}

fn new_pool(event: &Event) -> Option<&PoolKey> {
    if let Event::PoolChanged { pool, .. } = event { Some(pool) } else { None }
}

fn new_hold(event: &Event) -> Option<&HoldId> {
    if let Event::HoldPlaced { hold, .. } = event { Some(hold) } else { None }
}

fn new_key(event: &Event) -> Option<&KeyId> {
    match event {
        Event::KeyCreated { key } | Event::KeyRotated { replaced_by: key, .. } => Some(key),
        _ => None,
    }
}

/// Every record of whatever kind, as the store would be told to write it.
pub(crate) fn dump<'a>(facts: &'a Facts) -> Vec<&'a dyn std::fmt::Debug> {
    let mut records: Vec<&'a dyn std::fmt::Debug> = Vec::new();
    for cells in facts.all_cells() {
        cells.changes(&mut |change| match change {
            Change::Insert { record, .. } => records.push(record),
            Change::Update { .. } | Change::Delete { .. } => panic!("nothing was loaded, so everything is new"),
        });
    }
    records
}
