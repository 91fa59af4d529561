//! The view for people who know the table `hold_nights(hold_id, property_id, room_type_id, date, qty)`.

use surehold_core::kernel::{HoldId, TenantId};
use surehold_core::stays::Stay;
use surehold_core::stays::commands::CancelStay;
use surehold_engine::{OwnedValue, ReadRow, Scope, Store};
use surehold_testkit::fixture::{Fixture, Place};

use super::payments::{held, record, run};
use crate::conformance::World;

/// `property room-type date qty`, in the order of nights.
async fn nights(store: &dyn Store, scope: Scope, tenant: TenantId, hold: HoldId) -> Vec<String> {
    let sql = "select property_id, room_type_id, date, qty from hold_nights where tenant = $1 and hold_id = $2 \
               order by room_type_id, date";
    let params = vec![OwnedValue::Int(tenant.0), OwnedValue::Uuid(hold.uuid())];
    let rows = store.query(scope, sql, params).await.unwrap();
    let text = |row: &ReadRow, column: usize| row.text(column).unwrap().to_owned();
    rows.iter()
        .map(|row| format!("{} {} {} {}", text(row, 0), text(row, 1), text(row, 2), row.int(3).unwrap()))
        .collect()
}

pub(super) async fn the_view_says_what_the_hold_claims(fixture: Fixture) {
    let world = World::open(&fixture).await;
    let other = world.neighbour(2).await;
    let (ours, theirs) = (held(&world).await, held(&other).await);
    let stay = record::<Stay>(&world, &ours).await.unwrap();
    let expected: Vec<String> = stay.dates.nights().map(|night| format!("sea double {night} 1")).collect();
    assert_eq!(expected.len(), 2);
    // The nights stay told when a hold has ended.
    run(&world, CancelStay { hold: ours }).await;
    world.engine.stop().await;

    let store = fixture.store().await.unwrap();
    let (first, second) = (Scope::Tenant(TenantId(1)), Scope::Tenant(TenantId(2)));
    assert_eq!(nights(&*store, first, TenantId(1), ours).await, expected);
    assert_eq!(nights(&*store, second, TenantId(2), theirs).await, expected);
    // Nobody's hold of that id.
    assert_eq!(nights(&*store, first, TenantId(1), theirs).await, [""; 0]);
    if let Place::Postgres { .. } = fixture.place {
        // A reader of one tenant, who asks for another's rows or forgets to say whose are meant, sees no others.
        assert_eq!(nights(&*store, first, TenantId(2), theirs).await, [""; 0]);
        for (scope, tenants) in [(first, vec![1, 1]), (second, vec![2, 2]), (Scope::Installation, vec![1, 1, 2, 2])] {
            let rows = store.query(scope, "select tenant from hold_nights order by tenant", Vec::new()).await.unwrap();
            let found: Vec<i64> = rows.iter().map(|row| row.int(0).unwrap()).collect();
            assert_eq!(found, tenants, "{scope:?}");
        }
    }
}
