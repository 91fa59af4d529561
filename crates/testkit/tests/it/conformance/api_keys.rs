//! API keys and many pools at once, on the store: what the core decides is what is kept.

use futures_util::future::join_all;
use surehold_core::kernel::commands::{
    AnyHoldCommand, CancelHold, CreateKey, PlaceHold, PutPool, PutPools, RevokeKey, RotateKey,
};
use surehold_core::kernel::{ApiKey, KeyId, KeyName, KeyScope, KeyScopes, Refusal, TenantId};
use surehold_engine::Failure;
use surehold_testkit::fixture::Fixture;

use super::{World, new_id, parse_lines, pool};

fn create(id: u64) -> CreateKey {
    let scopes = KeyScopes::new(&[KeyScope::Read, KeyScope::Manage, KeyScope::Tasks]).unwrap();
    CreateKey::new(KeyId::new(id), KeyName::new("till 1 – bar").unwrap(), scopes, [0xff; 32])
}

async fn stored(world: &World<'_>, id: u64) -> Option<ApiKey> {
    world.engine.views().record(world.tenant, &KeyId::new(id)).await.unwrap()
}

pub(crate) async fn given_out_replaced_and_taken_back(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    let (engine, tenant) = (world.engine.clone(), world.tenant);
    // Ids are random numbers: also those that are negative in the store.
    let (first, second) = (u64::MAX, 1 << 63);
    let now = engine.views().clock().await.unwrap();
    let command = create(first).expires_at(now.plus_secs(600)).requests_per_s(10_000_000).unwrap();
    let made = engine.run(tenant, command.clone()).await.unwrap();
    assert!(!made.replayed);
    assert_eq!(stored(&world, first).await, Some(made.reply.clone()));
    let again = engine.run(tenant, command).await.unwrap();
    assert_eq!((again.replayed, &again.reply), (true, &made.reply));
    let other = CreateKey::new(KeyId::new(first), KeyName::new("x").unwrap(), made.reply.scopes, [0; 32]);
    let reused = Refusal::KeyIdReused { key: KeyId::new(first) };
    assert_eq!(engine.run(tenant, other).await.unwrap_err(), Failure::Refused(reused));

    let rotate = RotateKey::new(KeyId::new(first), KeyId::new(second), [7; 32], 60).unwrap();
    let new = engine.run(tenant, rotate.clone()).await.unwrap().reply;
    assert_eq!(stored(&world, second).await, Some(new.clone()));
    assert_eq!((new.secret_hash, new.name, new.requests_per_s), ([7; 32], made.reply.name, Some(10_000_000)));
    let old = stored(&world, first).await.unwrap();
    assert_eq!(old.expires_at, Some(new.created_at.plus_secs(60)));
    world.restart().await;
    assert_eq!(stored(&world, first).await, Some(old));
    let engine = world.engine.clone();
    fixture.advance_secs(61);
    let ended = Failure::Refused(Refusal::KeyEnded { key: KeyId::new(first) });
    let late = RotateKey::new(KeyId::new(first), KeyId::new(9), [7; 32], 60).unwrap();
    assert_eq!(engine.run(tenant, late).await.unwrap_err(), ended);

    let revoked = engine.run(tenant, RevokeKey { id: KeyId::new(second) }).await.unwrap();
    assert!(revoked.reply.revoked_at.is_some() && !revoked.replayed);
    let again = engine.run(tenant, RevokeKey { id: KeyId::new(second) }).await.unwrap();
    assert_eq!((again.replayed, &again.reply), (true, &revoked.reply));
    assert_eq!(stored(&world, second).await, Some(revoked.reply));
    let unknown = Failure::Refused(Refusal::KeyNotFound { key: KeyId::new(3) });
    assert_eq!(engine.run(tenant, RevokeKey { id: KeyId::new(3) }).await.unwrap_err(), unknown);
    world.audit().await;
}

/// Another tenant, a test twin and the installation each have keys of their own, with the same ids.
pub(crate) async fn belong_to_one_tenant(fixture: Fixture) {
    let world = World::open(&fixture).await;
    let other = world.neighbour(2).await;
    let twin = world.engine.create_test_twin(world.tenant).await.unwrap();
    assert_eq!(world.engine.create_test_twin(world.tenant).await, Ok(twin), "safe to repeat");
    for tenant in [world.tenant, other.tenant, twin] {
        assert!(!world.engine.run(tenant, create(1)).await.unwrap().replayed);
    }
    let admin = CreateKey::new(KeyId::new(1), KeyName::new("root").unwrap(), KeyScopes::ADMIN, [1; 32]);
    world.engine.run(TenantId::DIRECTORY, admin.clone()).await.unwrap();
    world.engine.run(twin, RevokeKey { id: KeyId::new(1) }).await.unwrap();
    for tenant in [world.tenant, other.tenant, TenantId::DIRECTORY] {
        let keys = world.engine.views().keys(tenant, 10).await.unwrap();
        assert_eq!((keys.len(), keys[0].revoked_at), (1, None), "{tenant}");
    }
    assert!(world.engine.run(world.tenant, admin).await.is_err(), "admin belongs to the installation");
    assert!(world.engine.run(TenantId::DIRECTORY, create(2)).await.is_err());
    let nobody = TenantId(77);
    assert_eq!(world.engine.run(nobody, create(1)).await.unwrap_err(), Failure::Refused(Refusal::TenantNotFound));
}

pub(crate) async fn replaced_once_by_many(fixture: Fixture) {
    let world = World::open(&fixture).await;
    world.engine.run(world.tenant, create(1)).await.unwrap();
    let rotations = (2..10).map(|id| {
        let rotate = RotateKey::new(KeyId::new(1), KeyId::new(id), [7; 32], 0).unwrap();
        world.engine.run(world.tenant, rotate)
    });
    let good = join_all(rotations).await.iter().filter(|outcome| outcome.is_ok()).count();
    assert_eq!(good, 1, "the first leaves nothing to replace");
    assert_eq!(world.engine.views().keys(world.tenant, 99).await.unwrap().len(), 2);
}

pub(crate) async fn a_thousand_pools_at_once_or_none(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    let puts = |total: i64| (0..1_000).map(|n| PutPool::new(pool(&format!("r{n}")).unwrap(), total).unwrap()).collect();
    let put = |puts: Vec<PutPool>| PutPools::new(puts).unwrap();
    let made = world.engine.run(world.tenant, put(puts(1))).await.unwrap();
    assert_eq!((made.reply.len(), made.replayed), (1_000, false));
    assert!(world.engine.run(world.tenant, put(puts(1))).await.unwrap().replayed);
    world.play("hold a r7=1").await;
    let before = world.audit().await;
    let mut refused: Vec<PutPool> = puts(5);
    refused[999] = PutPool::leaving_total(pool("missing").unwrap()).closed(true);
    assert!(world.engine.run(world.tenant, put(refused)).await.is_err());
    assert_eq!(world.audit().await, before);
    let changed = world.engine.run(world.tenant, put(puts(0))).await.unwrap().reply;
    assert_eq!(changed.iter().map(|pool| pool.oversold).sum::<i64>(), 1);
    assert_eq!(world.audit().await.pools.len(), 1_000);
}

pub(crate) async fn commands_of_every_kind_in_one_request(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=1").await;
    let (a, b, c) = (new_id(), new_id(), new_id());
    let place = |id| AnyHoldCommand::Place(PlaceHold::new(id, parse_lines("room=1")));
    let cancel = |id| AnyHoldCommand::Cancel(CancelHold { id });
    let commands = vec![place(a), cancel(a), place(b), cancel(a), place(a), place(b), place(c)];
    let outcomes = world.engine.run_all(world.tenant, commands).await;
    let told: Vec<String> = outcomes
        .iter()
        .map(|outcome| match outcome {
            Ok(done) => format!("{}{}", if done.replayed { "again " } else { "" }, done.reply.hold.state.as_str()),
            Err(Failure::Refused(Refusal::SoldOut { .. })) => "sold out".to_owned(),
            Err(failure) => format!("{failure:?}"),
        })
        .collect();
    let expected = ["active", "cancelled", "active", "again cancelled", "again cancelled", "again active", "sold out"];
    assert_eq!(told, expected);
    world.audit().await;
}
