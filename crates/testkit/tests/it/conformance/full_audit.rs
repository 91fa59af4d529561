//! The audit of everything: clean after whatever commands did, also while they do it; what is planted behind the
//! engine's back is found, with its key; what can be put right is, and the rest is refused with a reason.

use surehold_core::kernel::commands::{CancelHold, PlaceHold};
use surehold_core::kernel::{OwnerName, TenantId};
use surehold_core::operations::{Actor, Reason};
use surehold_core::repairs::{RepairCommand, RepairDone, RepairRefusal};
use surehold_engine::{AuditConfig, AuditReport, Failure, Finding, Proposal, Registry, Remedy, builtin};
use surehold_testkit::fixture::{Fixture, Place, connect, open_file};

use super::scenario::parse_lines;
use super::world::{World, new_id};

fn config() -> AuditConfig {
    AuditConfig { kinds: builtin(Registry::default()).kinds().collect(), ..AuditConfig::default() }
}

async fn report(fixture: &Fixture) -> AuditReport {
    fixture.audit(config()).await.unwrap()
}

/// `tenant invariant: key: detail` of everything that is wrong.
pub(crate) async fn told(fixture: &Fixture) -> Vec<String> {
    report(fixture).await.findings().map(tell).collect()
}

fn tell(finding: &Finding) -> String {
    format!("{} {}: {}: {}", finding.tenant, finding.invariant, finding.key, finding.detail)
}

fn repair(proposal: &Proposal) -> RepairCommand {
    let Proposal { repair, number } = proposal.clone();
    RepairCommand { repair, number, actor: Actor::new("ana").unwrap(), reason: Reason::new("found by audit").unwrap() }
}

async fn make(world: &World<'_>, finding: &Finding) -> Result<RepairDone, Failure<RepairRefusal>> {
    let Remedy::Repair(proposal) = &finding.remedy else { panic!("{finding:?}") };
    world.engine.run(finding.tenant, repair(proposal)).await.map(|done| done.reply)
}

const BUSY: &str = "put room=9; put bar=5 overbook:2; put sku=50; put spa@2027-01-01=3; hold a room=1 owner:ann; \
     hold b room=2 bar=1 owner:ann secs:60; hold c sku=5; consume c sku=3; hold d room=1 bar=1; book d; \
     hold e spa@2027-01-01=2 owner:ben; extend e by:60; hold f room=2; book f; move f room=1 to bar=1; return d bar=1; \
     hold g room=1; cancel g; grant bar=1; hold h bar=2; put bar=1; adjust sku=4; close spa@2027-01-01; advance 61; \
     sweep; hold i room=1 owner:ben key:k";

async fn busy(fixture: &Fixture) -> World<'_> {
    let mut world = World::open(fixture).await;
    world.play(BUSY).await;
    let mut neighbour = world.neighbour(2).await;
    neighbour.play("put spa=2; hold a spa=1 owner:ann").await;
    world.engine.create_test_twin(world.tenant).await.unwrap();
    world
}

/// In the words of the store: checks are left aside, as nobody but a corruption would.
pub(crate) async fn plant(fixture: &Fixture, sql: &str) {
    match &fixture.place {
        Place::Sqlite(_) => {
            let connection = open_file(&fixture.file()).unwrap();
            connection.pragma_update(None, "ignore_check_constraints", true).unwrap();
            connection.execute_batch(&sql.replace("$junk", "x'ff'")).unwrap();
        }
        Place::Postgres { url } => {
            let sql = sql.replace("$junk", "'\\xff'::bytea");
            connect(url).await.unwrap().batch_execute(&sql).await.unwrap();
        }
    }
}

const TABLES: [&str; 9] =
    ["tenants", "slugs", "pools", "holds", "owners", "replies", "journal", "aggregate_locks", "operations"];

/// Also takes triggers away, and checks where they cannot be ignored.
pub(crate) async fn save(fixture: &Fixture, tables: &[&str]) {
    match &fixture.place {
        Place::Sqlite(_) => {
            let connection = open_file(&fixture.file()).unwrap();
            let sql = "select coalesce(group_concat('drop trigger ' || name, ';'), '') from sqlite_schema \
                       where type = 'trigger'";
            let drop_triggers: String = connection.query_row(sql, [], |row| row.get(0)).unwrap();
            connection.execute_batch(&drop_triggers).unwrap();
        }
        Place::Postgres { url } => {
            let drop_checks = "do $$ declare c record; begin for c in select conrelid::regclass as t, conname as n \
                 from pg_constraint where contype = 'c' and connamespace = 'public'::regnamespace loop \
                 execute format('alter table %s drop constraint %I', c.t, c.n); end loop; \
                 for c in select tgrelid::regclass as t, tgname as n from pg_trigger where not tgisinternal loop \
                 execute format('drop trigger %I on %s', c.n, c.t); end loop; end $$";
            connect(url).await.unwrap().batch_execute(drop_checks).await.unwrap();
        }
    }
    for table in tables {
        plant(fixture, &format!("create table saved_{table} as select * from {table}")).await;
    }
}

pub(crate) async fn put_back(fixture: &Fixture, tables: &[&str]) {
    for table in tables {
        plant(fixture, &format!("delete from {table}; insert into {table} select * from saved_{table}")).await;
    }
}

pub(crate) async fn a_busy_world_is_in_order(fixture: Fixture) {
    let mut world = busy(&fixture).await;
    let clean = report(&fixture).await;
    assert_eq!(clean.findings().map(tell).collect::<Vec<_>>(), [""; 0]);
    assert!(clean.is_clean() && clean.tenants == 3 && clean.rows_read > 40, "{clean:?}");

    // What the journal no longer tells is not missed; what is left of it is still looked at.
    fixture.advance_secs(7_200);
    world.play("hold z room=1; sweep; return d room=1; cancel z").await;
    assert!(world.engine.trim_journals(std::time::Duration::from_hours(1)).await.unwrap() > 10);
    assert_eq!(told(&fixture).await, [""; 0]);
    world.play("hold y room=1; book f; book y; return f room=1").await;
    assert_eq!(told(&fixture).await, [""; 0]);
    plant(&fixture, "update pools set version = version + 1, total = total where tenant = 1 and resource = 'room'")
        .await;
    let found = told(&fixture).await;
    assert!(found.len() == 1 && found[0].starts_with("1 pool-versions-told: pool room: "), "{found:?}");
}

pub(crate) async fn nothing_is_found_while_others_write(fixture: Fixture) {
    const WRITERS: i64 = 4;
    const HOLDS_EACH: usize = 60;
    let mut world = busy(&fixture).await;
    world.play("put pool=1000; policy holds:1000").await;
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..WRITERS {
        let (engine, tenant) = (world.engine.clone(), TenantId(1 + writer % 2));
        writers.spawn(async move {
            for round in 0..HOLDS_EACH {
                let (id, owner) = (new_id(), OwnerName::new(&format!("o{writer}")).unwrap());
                let lines = parse_lines(if tenant == TenantId(1) { "pool=1" } else { "spa=1" });
                // Some are sold out, which is as good.
                let _ = engine.run(tenant, PlaceHold::new(id, lines).owner(owner)).await;
                if round % 3 > 0 {
                    let _ = engine.run(tenant, CancelHold { id }).await;
                }
            }
        });
    }
    let mut audits = 0;
    while !writers.is_empty() || audits < 3 {
        assert_eq!(told(&fixture).await, [""; 0], "audit {audits}");
        audits += 1;
        while writers.try_join_next().is_some_and(|ended| ended.is_ok()) {}
    }
    assert_eq!(told(&fixture).await, [""; 0]);
}

/// What is planted, and what must be among what is found. Nothing of it is repaired.
const BEYOND_REPAIR: &[(&str, &str)] = &[
    (
        "update pools set total = total + 1 where tenant = 1 and resource = 'room'",
        "1 pool-capacity-told: pool room: by the journal its total is 10, not 9",
    ),
    (
        "update pools set total = -1, overbook = 20 where tenant = 1 and resource = 'room'",
        "1 pool-counters-in-bounds: pool room: a counter is -1",
    ),
    (
        "update pools set version = version + 1 where tenant = 2",
        "2 pool-versions-told: pool spa: is at version 3; the journal tells of 2 at last",
    ),
    (
        "delete from journal where tenant = 1 and seq = 3",
        "1 journal-without-gap: row 4 of the journal: follows row 2: what is between them is lost",
    ),
    (
        "delete from journal where tenant = 1 and seq = 1",
        "1 journal-without-gap: the journal: begins with row 2, and no event says that it was trimmed",
    ),
    (
        "delete from journal where tenant = 2 and seq = 3",
        "2 pool-versions-told: pool spa: is at version 2; the journal tells of 1 at last",
    ),
    (
        "update journal set at = (select max(j.at) from journal j where j.tenant = 1) where tenant = 1 and seq = 2",
        "1 journal-time-never-goes-back: row 3 of the journal: ",
    ),
    (
        "update journal set events_count = events_count + 1 where tenant = 1 and seq = 2",
        "1 journal-readable: row 2 of the journal: says that it has 2 events, and has 1",
    ),
    (
        "update journal set events = $junk where tenant = 1 and seq = 6",
        "1 journal-readable: row 6 of the journal: the journal holds events that cannot be read",
    ),
    (
        "update holds set tenant = 2 where tenant = 1 and owner = 'ben' and lifetime_secs is null \
         and cast(lines as text) like '%spa%'",
        "it is stored under tenant 2",
    ),
    ("delete from holds where tenant = 2", "2 pool-held-matches-holds: pool spa: says 1 held; its active holds have 0"),
    ("delete from holds where tenant = 2", "the journal tells of it; it is not there"),
    (
        "update holds set state = 'cancelled', ended_at = placed_at where tenant = 2",
        "is cancelled; the journal does not tell so",
    ),
    ("update holds set version = version + 1 where tenant = 2", "is at version 2; the journal tells of 1 changes"),
    (
        "update holds set lines = '[[\"ghost\",\"\",1]]' where tenant = 2",
        "has no lines, or one on a pool that its tenant does not have",
    ),
    ("update holds set lines = '[[\"spa\",\"\",0]]' where tenant = 2", "2 row-readable: hold "),
    (
        "update holds set kept = null, kept_as = null, converted = null where tenant = 1 and state = 'converted'",
        "is converted and keeps nothing",
    ),
    ("update holds set ended_at = placed_at where tenant = 2", "2 hold-instants-in-order: hold "),
    (
        "insert into owners (tenant, owner, holds, lifetime_secs, version) values (99, 'x', 1, 1, 1)",
        "99 row-has-tenant: table owners: has rows of tenant 99, which does not exist",
    ),
    (
        "update slugs set claimed_by = 2 where slug = 't1'",
        "2 slug-belongs-to-tenant: slug t1: is claimed by a tenant with another slug",
    ),
    (
        "update slugs set claimed_by = 2 where slug = 't1'",
        "1 slug-belongs-to-tenant: tenant t1: has a slug that it did not claim",
    ),
    ("update tenants set slug = 'x' where tenant = -1", "-1 twin-has-tenant: twin x: has no tenant of that name"),
];

pub(crate) async fn what_was_planted_is_found_and_not_repaired(fixture: Fixture) {
    let world = busy(&fixture).await;
    save(&fixture, &TABLES).await;
    for (harm, expected) in BEYOND_REPAIR {
        plant(&fixture, harm).await;
        let found = report(&fixture).await;
        let told: Vec<String> = found.findings().map(tell).collect();
        assert!(told.iter().any(|told| told.contains(expected)), "{harm}: {expected} in {told:#?}");
        for finding in found.findings() {
            let alone = finding.tenant == TenantId(99);
            let refused = matches!(finding.remedy, Remedy::Person(why) if why.len() > 20);
            assert!(alone || refused, "{harm}: {finding:?}");
        }
        put_back(&fixture, &TABLES).await;
    }
    if let Place::Sqlite(_) = fixture.place {
        // The other store does not take what is not JSON.
        plant(&fixture, "update replies set reply = 'nonsense'").await;
        let found = told(&fixture).await;
        assert!(found.len() == 1 && found[0].starts_with("1 reply-readable: place_hold under k: "), "{found:?}");
        put_back(&fixture, &TABLES).await;
    }
    assert_eq!(told(&fixture).await, [""; 0]);
    world.engine.stop().await;
}

/// What is planted, what is found, and what is well after the repair.
const REPAIRABLE: &[(&str, &[&str])] = &[
    (
        "update pools set held = held + 2 where tenant = 1 and resource = 'room'",
        &["1 pool-held-matches-holds: pool room: says 4 held; its active holds have 2"],
    ),
    (
        "update pools set held = 0 where tenant = 2",
        &["2 pool-held-matches-holds: pool spa: says 0 held; its active holds have 1"],
    ),
    (
        "update pools set held = -5 where tenant = 1 and resource = 'room'",
        &[
            "1 pool-counters-in-bounds: pool room: a counter is -5",
            "1 pool-held-matches-holds: pool room: says -5 held; its active holds have 2",
        ],
    ),
    (
        "update pools set booked = booked + 1 where tenant = 1 and resource = 'room'",
        &["1 pool-booked-matches-holds: pool room: says 3 booked; its converted holds have 2"],
    ),
    (
        "update pools set oversold = oversold + 1 where tenant = 1 and resource = 'room'",
        &["1 pool-oversold-explained: pool room: says 1 oversold; 0 are promised beyond 9"],
    ),
    (
        "update owners set holds = holds + 1 where tenant = 2",
        &["2 owner-counts-match-holds: owner ann: is counted with 2 holds of 900 s; there are 1 active ones of 900 s"],
    ),
    (
        "delete from owners where tenant = 2",
        &["2 owner-counts-match-holds: owner ann: is counted with 0 holds of 0 s; there are 1 active ones of 900 s"],
    ),
    (
        "insert into owners (tenant, owner, holds, lifetime_secs, version) values (1, 'ghost', 3, 9, 1)",
        &["1 owner-counts-match-holds: owner ghost: is counted with 3 holds of 9 s; there are 0 active ones of 0 s"],
    ),
    (
        "insert into aggregate_locks (tenant, aggregate, type, key, token, version) values (1, 'p', 'PAY', 'x', 1, 1)",
        &["1 lock-belongs-to-lease: PAY x: locks the aggregate p and does not run"],
    ),
];

pub(crate) async fn what_was_planted_is_found_and_repaired(fixture: Fixture) {
    let mut world = busy(&fixture).await;
    save(&fixture, &TABLES).await;
    for (harm, expected) in REPAIRABLE {
        plant(&fixture, harm).await;
        let found = report(&fixture).await;
        assert_eq!(found.findings().map(tell).collect::<Vec<_>>(), *expected, "{harm}");
        // Several findings of one pool have one repair.
        make(&world, found.findings().next().unwrap()).await.unwrap();
        assert_eq!(told(&fixture).await, [""; 0], "after {harm}");
    }
    // The journal says who did it and why, and what is sold afterwards goes on from there.
    let rows = super::journal(&world.engine, world.tenant, 99).await;
    let events: Vec<String> = rows.iter().flat_map(|row| &row.events).map(|event| format!("{event:?}")).collect();
    let repaired = events.iter().filter(|event| event.contains("Repaired") && event.contains("found by audit"));
    assert_eq!(repaired.count(), 6, "{events:#?}");
    assert_eq!(world.play("hold last room=5; show room").await, world.play("show room").await);
    world.audit().await;
}

pub(crate) async fn a_repair_is_made_once(fixture: Fixture) {
    let world = busy(&fixture).await;
    plant(&fixture, "update pools set held = held + 2 where tenant = 1 and resource = 'room'").await;
    plant(&fixture, "update owners set holds = holds + 1 where tenant = 2").await;
    plant(
        &fixture,
        "insert into aggregate_locks (tenant, aggregate, type, key, token, version) values (1, 'p', 'PAY', 'x', 1, 1)",
    )
    .await;
    // Two people audit and then repair.
    let (one, two) = (report(&fixture).await, report(&fixture).await);
    assert_eq!(one.findings().count(), 3);
    for finding in one.findings() {
        assert_eq!(make(&world, finding).await, Ok(RepairDone { number: 1 }));
    }
    for finding in two.findings() {
        let again = make(&world, finding).await;
        assert!(matches!(again, Err(Failure::Refused(RepairRefusal::RepairedMeanwhile { .. }))), "{again:?}");
    }
    assert_eq!(told(&fixture).await, [""; 0]);
    let mut stranger = repair(match &one.findings().next().unwrap().remedy {
        Remedy::Repair(proposal) => proposal,
        Remedy::Person(why) => panic!("{why}"),
    });
    stranger.number = 7;
    let nobody = world.engine.run(TenantId(77), stranger).await.map(|done| done.reply);
    assert_eq!(nobody, Err(Failure::Refused(RepairRefusal::TenantNotFound)));
}

/// Holds come and go between an audit and its repair.
pub(crate) async fn a_repair_allows_for_what_happens_meanwhile(fixture: Fixture) {
    let mut world = busy(&fixture).await;
    plant(&fixture, "update pools set held = held + 2 where tenant = 1 and resource = 'room'").await;
    plant(&fixture, "update owners set holds = holds + 1 where tenant = 1 and owner = 'ann'").await;
    let found = report(&fixture).await;
    world.play("hold m room=1 owner:ann; hold n room=1; cancel a; book n").await;
    for finding in found.findings() {
        let made = make(&world, finding).await;
        // An owner's holds are named one by one, so any change of them counts.
        let changed = matches!(made, Err(Failure::Refused(RepairRefusal::Changed { .. })));
        assert!(made.is_ok() != finding.key.starts_with("owner"), "{finding:?}: {made:?}");
        assert!(made.is_ok() || changed, "{made:?}");
    }
    let left = report(&fixture).await;
    let [owner] = left.findings().collect::<Vec<_>>()[..] else { panic!("{left:?}") };
    make(&world, owner).await.unwrap();
    world.audit().await;
}

/// A lane remembers pools, and does not write over what somebody did to them behind its back.
pub(crate) async fn a_hand_is_noticed(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=5; hold a room=1; hold b room=1; hold c room=1").await;
    plant(&fixture, "update pools set held = 5 where resource = 'room'").await;
    let refused = world.engine.run(world.tenant, PlaceHold::new(new_id(), parse_lines("room=1"))).await;
    assert!(matches!(refused, Err(Failure::Refused(_))), "{refused:?}");
}

/// What is wrong is put right where it is wrong, although a lane remembers it as it should be.
pub(crate) async fn a_remedy_reads_what_is_there(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=5; hold a room=1; cancel a; hold b room=1; try hold c room=9").await;
    plant(&fixture, "update pools set held = 5 where resource = 'room'").await;
    let found = report(&fixture).await;
    let [held] = found.findings().collect::<Vec<_>>()[..] else { panic!("{found:?}") };
    make(&world, held).await.unwrap();
    assert_eq!(told(&fixture).await, [""; 0]);
    world.play("hold d room=1; hold e room=1").await;
    plant(&fixture, "update pools set total = 9 where resource = 'room'").await;
    assert_eq!(told(&fixture).await.len(), 1);
    world.play("put room=5").await;
    assert_eq!(told(&fixture).await, [""; 0]);
}

/// By the clock that the fixture turns, which the snapshot does not know.
async fn report_by_its_clock(world: &World<'_>) -> AuditReport {
    let now = world.engine.views().clock().await.unwrap();
    world.fixture.audit(AuditConfig { now: Some(now), ..config() }).await.unwrap()
}

pub(crate) async fn what_is_not_swept_is_found(fixture: Fixture) {
    let mut world = busy(&fixture).await;
    // While no server does anything nobody sweeps either, which is nobody's mistake.
    fixture.advance_secs(7_200);
    assert!(report_by_its_clock(&world).await.is_clean());
    // One does, but sweeps nothing; it is given the time.
    world.play("put pool=1").await;
    assert!(report_by_its_clock(&world).await.is_clean());
    fixture.advance_secs(61);
    let found = report_by_its_clock(&world).await;
    let overdue = |finding: &Finding| finding.invariant == "hold-expired-in-time" && finding.tenant == world.tenant;
    assert!(found.findings().all(overdue), "{found:?}");
    assert_eq!(found.findings().count(), 4, "{found:?}");
    for tenant in [1, 2] {
        world.engine.run(TenantId(tenant), surehold_core::kernel::commands::ExpireLapsedHolds).await.unwrap();
    }
    fixture.advance_secs(61);
    assert!(report_by_its_clock(&world).await.is_clean());
}

/// Where the journal was trimmed, a hold may be lost that nothing tells of: its units are not given away.
pub(crate) async fn what_may_be_sold_is_not_given_away(fixture: Fixture) {
    let mut world = busy(&fixture).await;
    fixture.advance_secs(7_200);
    world.play("sweep; hold z room=1; cancel z").await;
    assert!(world.engine.trim_journals(std::time::Duration::from_hours(1)).await.unwrap() > 10);
    plant(&fixture, "delete from holds where tenant = 1 and state = 'converted' and cast(lines as text) like '%bar%'")
        .await;
    let found = report(&fixture).await;
    let counters: Vec<&Finding> =
        found.findings().filter(|finding| finding.invariant == "pool-booked-matches-holds").collect();
    assert!(!counters.is_empty(), "{found:?}");
    for finding in found.findings() {
        assert!(matches!(finding.remedy, Remedy::Person(why) if why.contains("what was sold")), "{finding:?}");
    }
    // Units that the holds have and the counter lacks are safe to count.
    plant(&fixture, "update pools set booked = 0, oversold = 0 where tenant = 1 and resource = 'room'").await;
    let found = report(&fixture).await;
    let room = found.findings().find(|finding| finding.key == "pool room").unwrap();
    make(&world, room).await.unwrap();
}

const LOCK_OF_WHAT_RUNS: &str = "insert into operation_runs (tenant, type, key, priority, effect, run_at, attempts, lost, \
     rerun, last_token, worker, locked_at, lease_until, enqueued_at, stuck_told, version) \
     values (1, 'PAY', 'x', 0, $yes, $time, 0, 0, $no, 2, 1, $time, $time, $time, $no, 1); \
     insert into aggregate_locks (tenant, aggregate, type, key, token, version) values (1, 'p', 'PAY', 'x', 1, 1)";

/// A lock is removed only if its operation does not run at all.
pub(crate) async fn a_lock_of_what_runs_is_left(fixture: Fixture) {
    let _world = busy(&fixture).await;
    let [time, yes, no] = match fixture.place {
        Place::Sqlite(_) => ["0", "1", "0"],
        Place::Postgres { .. } => ["to_timestamp(0)", "true", "false"],
    };
    plant(&fixture, &LOCK_OF_WHAT_RUNS.replace("$time", time).replace("$yes", yes).replace("$no", no)).await;
    let found = report(&fixture).await;
    let lock = found.findings().find(|finding| finding.detail.contains("locks the aggregate p")).unwrap();
    assert!(matches!(lock.remedy, Remedy::Person(why) if why.contains("another lease")), "{lock:?}");
}
