//! Slugs, tenants and their policy.

use surehold_core::kernel::TenantId;

use crate::scenario::{check, check_bare};
use crate::world::World;

#[test]
fn a_slug_goes_to_the_first_who_asks() {
    let check = |scenario: &str, expected: &str| {
        assert_eq!(World::new(TenantId::DIRECTORY).play(scenario), expected, "{scenario}");
    };
    check("slug casa by:7", "tenant 7");
    check("slug casa by:7; news", "slug casa to 7");
    check("slug casa by:7; slug casa by:7", "again: tenant 7");
    check("slug casa by:7; slug casa by:8", "again: tenant 7");
    check("slug casa by:7; slug casa by:8; news", "");
    check("slug casa by:7; slug mar by:8", "tenant 8");
}

#[test]
fn a_tenant_is_created_once() {
    let created = "casa 900/86400 s, 100 holds of 2592000 s v1";
    check_bare("tenant casa", created);
    check_bare("tenant casa; news", "created 900/86400 s, 100 holds of 2592000 s");
    check_bare("tenant casa default:5 max:10 holds:2 owner_secs:20", "casa 5/10 s, 2 holds of 20 s v1");
    check_bare("tenant casa; tenant casa", &format!("again: {created}"));
    check_bare("tenant casa; tenant casa max:1000", &format!("again: {created}"));
    check_bare("tenant casa; tenant mar", "refused: the tenant exists with other content");
}

#[test]
fn a_policy_is_replaced_as_a_whole() {
    check("policy default:30 max:60", "30/60 s, 100 holds of 2592000 s");
    check("policy default:30 max:60; news", "policy 30/60 s, 100 holds of 2592000 s");
    check("policy default:30; tenant casa", "again: casa 30/86400 s, 100 holds of 2592000 s v2");
    check("policy default:30; policy default:40; tenant casa", "again: casa 40/86400 s, 100 holds of 2592000 s v3");
    check("policy default:30; policy default:30", "again: 30/86400 s, 100 holds of 2592000 s");
    check("policy default:30; policy default:30; tenant casa", "again: casa 30/86400 s, 100 holds of 2592000 s v2");
    check("policy", "again: 900/86400 s, 100 holds of 2592000 s");
}

#[test]
fn a_policy_rules_what_comes_after_it() {
    check("put room=1; policy default:30; hold a room=1", "a active room=1 until 30 v1, pools at 2");
    check("put room=1; hold a room=1; policy default:30; extend a by:1", "a active room=1 until 901 v2");
    check(
        "put room=1; hold a room=1; policy default:30 max:60; extend a by:1",
        "refused: the lifetime would be 901 s; at most 60 s are allowed",
    );
}

/// Whoever has no tenant learns nothing else.
#[test]
fn without_a_tenant() {
    for statement in [
        "policy max:1000",
        "put room=1",
        "put room=1 version:5",
        "adjust room=1",
        "grant room=-1",
        "hold a room=1",
        "hold a room=1 made:-9999999",
        "extend a by:60",
    ] {
        check_bare(statement, "refused: there is no such tenant");
    }
    for statement in ["cancel a", "expire a", "book a", "consume a", "return a", "move a room=1 to bar=1"] {
        check_bare(statement, "refused: there is no hold a");
    }
    check_bare("sweep", "0 expired");
}
