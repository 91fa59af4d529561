//! Each row: what is stored, the repair, and what comes of it.

use super::*;
use crate::kernel::{
    Command, Event, Facts, Hold, HoldId, HoldPolicy, HoldState, Line, Lines, Owner, OwnerName, Pool, PoolKey,
    ResourceName, Slot, Slug, Stop, Tenant, TenantId, Timestamp, decode_events,
};
use crate::operations::{
    Actor, Aggregate, AggregateLock, DedupeKey, Lease, LeaseToken, OperationKey, OperationRun, Reason, TypeName,
    WorkerId,
};

fn pool_key() -> PoolKey {
    PoolKey { resource: ResourceName::new("room").unwrap(), slot: Slot::NONE }
}

fn ann() -> OwnerName {
    OwnerName::new("ann").unwrap()
}

fn id(number: u8) -> HoldId {
    HoldId::parse(&format!("01980000-0000-7000-8000-0000000000{number:02}")).unwrap()
}

fn hold(number: u8, state: HoldState) -> Hold {
    Hold {
        id: id(number),
        state,
        lines: Lines::new(vec![Line { pool: pool_key(), quantity: 1 }]).unwrap(),
        kept: None,
        owner: Some(ann()),
        reference: None,
        metadata: None,
        lifetime_secs: None,
        placed_at: Timestamp::from_micros(0),
        expires_at: Timestamp::from_micros(60_000_000),
        ended_at: None,
        version: 0,
    }
}

fn operation() -> OperationKey {
    OperationKey { kind: TypeName::new("PAY").unwrap(), key: DedupeKey::new("x").unwrap() }
}

fn aggregate() -> Aggregate {
    Aggregate::new("p").unwrap()
}

fn run(lease: Option<Lease>) -> OperationRun {
    OperationRun {
        key: operation(),
        priority: 0,
        effect: true,
        run_at: Timestamp::from_micros(0),
        attempts: 0,
        lost: 0,
        rerun: false,
        last_token: LeaseToken(3),
        lease,
        waiting_on: None,
        last_error: None,
        enqueued_at: Timestamp::from_micros(0),
        stuck_told: false,
        version: 0,
    }
}

/// A tenant, and what a row adds to it.
fn facts(add: impl FnOnce(&mut Facts)) -> Facts {
    let mut facts = Facts::complete(TenantId(1));
    facts.set_now(Timestamp::from_micros(1));
    facts.insert(Tenant { slug: Slug::new("casa").unwrap(), policy: HoldPolicy::default(), version: 0 });
    add(&mut facts);
    facts.keep_changes();
    facts
}

fn make(facts: &mut Facts, repair: Repair, number: i64) -> String {
    let (actor, reason) = (Actor::new("ana").unwrap(), Reason::new("audit").unwrap());
    match (RepairCommand { repair, number, actor, reason }).decide(facts) {
        Ok(done) => {
            facts.keep_changes();
            format!("repair {}", done.number)
        }
        Err(Stop::Refused(refusal)) => {
            facts.drop_changes();
            refusal.to_string()
        }
        Err(Stop::Halted(halt)) => panic!("everything is known: {halt:?}"),
    }
}

fn events(facts: &Facts) -> Vec<Event> {
    decode_events(facts.events().0).unwrap()
}

#[test]
fn pools() {
    let check = |stored: (i64, i64, i64), deltas: (i64, i64), expected: &str, left: (i64, i64, i64)| {
        let (held, booked, oversold) = stored;
        let mut facts = facts(|facts| {
            facts.insert(Pool { total: 5, held, booked, oversold, ..Pool::new(pool_key()) });
        });
        let repair = Repair::Pool { pool: pool_key(), held_delta: deltas.0, booked_delta: deltas.1 };
        assert_eq!(make(&mut facts, repair, 0), expected, "{stored:?} {deltas:?}");
        let pool = facts.get::<Pool>(&pool_key()).unwrap().unwrap();
        assert_eq!((pool.held, pool.booked, pool.oversold), left, "{stored:?} {deltas:?}");
    };
    let impossible = "the repair would leave pool room with a counter that cannot be; audit again";
    check((3, 1, 0), (-1, 0), "repair 1", (2, 1, 0));
    check((0, 3, 0), (1, -2), "repair 1", (1, 1, 0));
    check((2, 0, 1), (0, 0), "repair 1", (2, 0, 0));
    check((-4, 0, 0), (5, 0), "repair 1", (1, 0, 0));
    check((5, 0, 0), (2, 0), "repair 1", (7, 0, 2));
    check((1, 0, 0), (-2, 0), impossible, (1, 0, 0));
    check((1, 0, 0), (i64::MAX, 0), impossible, (1, 0, 0));
    check((1, 0, 0), (0, i64::MIN), impossible, (1, 0, 0));
}

/// The event may be what was missing.
#[test]
fn what_a_pool_lacks_is_told_again() {
    let mut facts = facts(|facts| {
        facts.insert(Pool { total: 1, booked: 3, oversold: 2, ..Pool::new(pool_key()) });
    });
    let repair = Repair::Pool { pool: pool_key(), held_delta: 0, booked_delta: 0 };
    assert_eq!(make(&mut facts, repair, 0), "repair 1");
    assert_eq!(events(&facts).last(), Some(&Event::PoolOversold { pool: pool_key(), oversold: 2 }));
}

#[test]
fn a_pool_tells_its_step_and_what_it_lacks() {
    let mut facts = facts(|facts| {
        facts.insert(Pool { total: 1, ..Pool::new(pool_key()) });
    });
    let repair = || Repair::Pool { pool: pool_key(), held_delta: 2, booked_delta: 0 };
    assert_eq!(make(&mut facts, repair(), 0), "repair 1");
    let repaired = RepairedThing::Pool { pool: pool_key(), version: 2, held_delta: 2, booked_delta: 0 };
    let (actor, reason) = (Actor::new("ana").unwrap(), Reason::new("audit").unwrap());
    let expected = [
        RepairsEvent::Repaired { repaired, actor, reason }.into(),
        Event::PoolOversold { pool: pool_key(), oversold: 1 },
    ];
    assert_eq!(events(&facts), expected);
    // Whoever audited before that comes too late.
    assert_eq!(make(&mut facts, repair(), 0), "pool room has been repaired since the audit, by ana; audit again");
    assert_eq!(make(&mut facts, repair(), 1), "repair 2");
    assert_eq!(events(&facts).len(), 4);
}

#[test]
fn owners() {
    use HoldState::{Active, Cancelled};
    let check = |stored: Option<i64>, version: i64, holds: &[(u8, HoldState)], named: &[u8], expected: &str| {
        let mut facts = facts(|facts| {
            if let Some(holds) = stored {
                facts.insert(Owner { name: ann(), holds, lifetime_secs: 7, version: 0 });
            }
            for (number, state) in holds {
                facts.insert(hold(*number, *state));
            }
        });
        let holds = named.iter().map(|number| id(*number)).collect();
        let answer = make(&mut facts, Repair::Owner { owner: ann(), owner_version: version, holds }, 0);
        let owner = facts.get::<Owner>(&ann()).unwrap();
        let left = owner.map_or("nobody".to_owned(), |owner| format!("{} for {}", owner.holds, owner.lifetime_secs));
        assert_eq!(format!("{answer}: {left}"), expected);
    };
    let changed = "owner ann has changed since the audit; audit again";
    check(Some(3), 1, &[(1, Active), (2, Active)], &[1, 2], "repair 1: 2 for 120");
    check(None, 0, &[(1, Active)], &[1], "repair 1: 1 for 60");
    check(Some(3), 1, &[], &[], "repair 1: nobody");
    check(None, 0, &[], &[], &format!("{changed}: nobody"));
    check(Some(3), 2, &[(1, Active)], &[1], &format!("{changed}: 3 for 7"));
    check(Some(3), 0, &[(1, Active)], &[1], &format!("{changed}: 3 for 7"));
    check(Some(3), 1, &[(1, Cancelled)], &[1], &format!("{changed}: 3 for 7"));
    check(Some(3), 1, &[], &[1], &format!("{changed}: 3 for 7"));
    check(Some(3), 1, &[(1, Active)], &[1, 1], "the repair names a hold of owner ann twice: 3 for 7");
}

#[test]
fn locks() {
    let lease = |token| {
        let at = Timestamp::from_micros(0);
        Some(Lease { token: LeaseToken(token), worker: WorkerId(1), locked_at: at, until: at })
    };
    let check = |token: Option<i64>, run: Option<OperationRun>, expected: &str, left: bool| {
        let mut facts = facts(|facts| {
            if let Some(token) = token {
                let token = LeaseToken(token);
                facts.insert(AggregateLock { aggregate: aggregate(), operation: operation(), token, version: 0 });
            }
            if let Some(run) = run {
                facts.insert(run);
            }
        });
        let repair = Repair::Lock { aggregate: aggregate(), operation: operation(), token: LeaseToken(3) };
        assert_eq!(make(&mut facts, repair, 0), expected);
        assert_eq!(facts.get::<AggregateLock>(&aggregate()).unwrap().is_some(), left);
        // Whoever waited for the lock may go on.
        let woken = facts.worker_wake_at();
        assert_eq!(woken, (expected == "repair 1").then(|| facts.now()));
    };
    let changed = "lock p has changed since the audit; audit again";
    check(Some(3), None, "repair 1", false);
    check(Some(3), Some(run(None)), "repair 1", false);
    check(Some(3), Some(run(lease(3))), changed, true);
    // It runs, and under another lease: who knows what that relies on.
    let later = OperationRun { last_token: LeaseToken(4), ..run(lease(4)) };
    check(Some(3), Some(later), changed, true);
    check(Some(4), None, changed, true);
    check(None, None, changed, false);
}

#[test]
fn nobody_and_never() {
    let repair = || Repair::Pool { pool: pool_key(), held_delta: 0, booked_delta: 0 };
    let mut nowhere = Facts::complete(TenantId(1));
    assert_eq!(make(&mut nowhere, repair(), 0), "there is no such tenant");
    let mut empty = facts(|_| {});
    assert_eq!(make(&mut empty, repair(), 0), "pool room has changed since the audit; audit again");
    assert_eq!(make(&mut empty, repair(), 1), "pool room has changed since the audit; audit again");
}

/// The stored format: a change here makes old journals unreadable.
#[test]
fn the_stored_format_is_fixed() {
    let mut facts = facts(|facts| {
        facts.insert(Pool { total: 5, ..Pool::new(pool_key()) });
    });
    // What is refused tells nothing.
    make(&mut facts, Repair::Pool { pool: pool_key(), held_delta: 1, booked_delta: -1 }, 0);
    assert_eq!(facts.events().0, b"");
    make(&mut facts, Repair::Pool { pool: pool_key(), held_delta: 1, booked_delta: 0 }, 0);
    let expected = [&[17, 0, 4][..], b"room", &[0, 4, 2, 0, 3], b"ana", &[5], b"audit"].concat();
    assert_eq!(facts.events().0, expected);
}
