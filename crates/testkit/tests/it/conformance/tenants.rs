//! Tenants: made once, and walls between them.

use futures_util::future::join_all;
use surehold_core::kernel::commands::ClaimSlug;
use surehold_core::kernel::{HoldPolicy, Refusal, Slug, Tenant, TenantId};
use surehold_engine::Failure;
use surehold_testkit::fixture::Fixture;

use super::{Rows, World};

fn slug(text: &str) -> Slug {
    Slug::new(text).unwrap()
}

pub(crate) async fn creating_twice_finds_the_first(fixture: Fixture) {
    let engine = fixture.engine().await.unwrap();
    let policy = HoldPolicy { lifetime_secs_max: 5_000, ..HoldPolicy::default() };
    for (name, candidate, expected) in [("casa", 7, 7), ("casa", 7, 7), ("casa", 8, 7), ("mar", 8, 8)] {
        let found = engine.create_tenant(slug(name), policy, TenantId(candidate)).await;
        assert_eq!(found, Ok(TenantId(expected)), "{name} for {candidate}");
    }
    let stored: Vec<Tenant> = engine.views().all_records(TenantId(7)).await.unwrap();
    assert_eq!(stored, [Tenant { slug: slug("casa"), policy, version: 1 }]);

    // A repeat keeps the first policy.
    let found = engine.create_tenant(slug("casa"), HoldPolicy::default(), TenantId(7)).await;
    assert_eq!(found, Ok(TenantId(7)));
    assert_eq!(engine.views().all_records::<Tenant>(TenantId(7)).await.unwrap(), stored);

    // A tenant has one slug, and asking for another one does not use that up.
    let other_slug = engine.create_tenant(slug("sol"), policy, TenantId(7)).await;
    assert_eq!(other_slug, Err(Failure::Refused(Refusal::TenantExists)));
    assert_eq!(engine.create_tenant(slug("sol"), policy, TenantId(9)).await, Ok(TenantId(9)));
}

pub(crate) async fn racing_for_a_slug_gives_it_to_one(fixture: Fixture) {
    let engine = fixture.engine().await.unwrap();
    let asked =
        (1..=24).map(|candidate| engine.create_tenant(slug("casa"), HoldPolicy::default(), TenantId(candidate)));
    let found: Vec<TenantId> = join_all(asked).await.into_iter().map(Result::unwrap).collect();
    assert!(found.iter().all(|id| *id == found[0]), "{found:?}");
    for candidate in (1..=24).map(TenantId) {
        let exists = engine.views().record::<Tenant>(candidate, &()).await.unwrap().is_some();
        assert_eq!(exists, candidate == found[0]);
    }
}

pub(crate) async fn a_creation_cut_in_half_is_finished_by_asking_again(fixture: Fixture) {
    let engine = fixture.engine().await.unwrap();
    let claim = ClaimSlug { slug: slug("casa"), claimed_by: TenantId(3) };
    assert_eq!(engine.run(TenantId::DIRECTORY, claim).await.unwrap().reply, TenantId(3));
    assert_eq!(engine.views().record::<Tenant>(TenantId(3), &()).await.unwrap(), None);
    engine.stop().await;

    let engine = fixture.engine().await.unwrap();
    assert_eq!(engine.create_tenant(slug("casa"), HoldPolicy::default(), TenantId(4)).await, Ok(TenantId(3)));
    assert!(engine.views().record::<Tenant>(TenantId(3), &()).await.unwrap().is_some());
}

pub(crate) async fn policies(fixture: Fixture) {
    let mut rows = Rows::on(&fixture).await;
    rows.check("policy default:60 max:120 holds:3 owner_secs:500", "60/120 s, 3 holds of 500 s").await;
    rows.check("policy max:1000; policy max:1000", "again: 900/1000 s, 100 holds of 2592000 s").await;
    let too_long = "refused: the lifetime would be 121 s; at most 120 s are allowed";
    rows.check("policy default:60 max:120; put room=1; hold a room=1 secs:121", too_long).await;
    rows.check("policy default:60 max:120; put room=1; hold a room=1", "a active room=1 for 60 s v1, pools at 2").await;
}

pub(crate) async fn tenants_share_names_and_nothing_else(fixture: Fixture) {
    let mut one = World::open(&fixture).await;
    one.play("put room=3; hold a room=2 owner:ann; adjust room=1 key:k").await;
    let before = one.dump().await;

    let mut two = one.neighbour(2).await;
    assert_eq!(two.play("try hold a room=1").await, "refused: no such pool: room");
    assert_eq!(
        two.play("put room=1; hold a room=1 owner:ann").await,
        "a active room=1 for 900 s by ann v1, pools at 2"
    );
    // The same id as the neighbour's.
    let id = before.holds[0].id;
    assert_eq!(
        two.play(&format!("adjust room=2; hold #{id} room=1")).await,
        format!("{id} active room=1 for 900 s v1, pools at 4")
    );
    two.audit().await;
    let after = one.audit().await;
    assert_eq!((after.pools, after.holds, after.journal), (before.pools, before.holds, before.journal));
}

pub(crate) async fn a_hold_of_another_tenant_is_no_hold(fixture: Fixture) {
    let mut theirs = World::open(&fixture).await;
    theirs.play("put room=5; put bar=5; hold held room=1; hold booked room=2; book booked").await;
    let (held, booked) = (theirs.id("held"), theirs.id("booked"));
    let mut ours = theirs.neighbour(2).await;
    ours.play("put room=5; put bar=5; hold own room=1").await;
    let before = (theirs.dump().await, ours.dump().await);
    for id in [held, booked] {
        for statement in [
            "cancel ID",
            "expire ID",
            "book ID",
            "consume ID room=1",
            "return ID",
            "move ID room=1 to bar=1",
            "extend ID by:9",
        ] {
            let answer = ours.play(&statement.replace("ID", &format!("#{id}"))).await;
            assert_eq!(answer, format!("refused: there is no hold {id}"), "{statement}");
        }
    }
    assert_eq!((theirs.dump().await, ours.dump().await), before);
}

pub(crate) async fn tenants_work_in_parallel(fixture: Fixture) {
    let engine = fixture.engine().await.unwrap();
    let work = (1..=9).map(|tenant| {
        let (fixture, engine) = (&fixture, engine.clone());
        async move {
            let mut world = World::enter(fixture, engine, TenantId(tenant)).await;
            world.play(&format!("put room={}", tenant + 3)).await;
            for n in 0..12 {
                world
                    .play(&format!("try hold h{n} room=1 owner:o{}; try book h{}; try cancel h{}", n % 3, n - 1, n - 3))
                    .await;
            }
            world.audit().await
        }
    });
    for (tenant, dump) in (1..).zip(join_all(work).await) {
        assert_eq!(dump.pools[0].total, tenant + 3);
        assert_eq!(dump.slugs.len(), 9);
        assert!(!dump.holds.is_empty());
    }
}
