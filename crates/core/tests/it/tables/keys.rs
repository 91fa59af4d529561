//! Keys: given out, replaced, taken back.

use surehold_core::kernel::TenantId;

use crate::scenario::{check, check_bare};
use crate::world::World;

#[track_caller]
fn check_installation(scenario: &str, expected: &str) {
    assert_eq!(World::new(TenantId::DIRECTORY).play(scenario), expected, "{scenario}");
}

const SCOPES: &str = "invalid: a tenant's key has one or more of read, sell, manage and tasks; the installation's has admin and nothing else";

#[test]
fn creating() {
    check("key 1 till", "1 till read secret 0 v1");
    check("key 1 till scopes:manage,read secret:7 rate:5 until:60", "1 till read+manage secret 7 5/s until 60 v1");
    check("key 1 till; news", "key 0000000000000001 created");
    check("key 1 till rate:0", "invalid: requests_per_s is 0 units; it must be between 1 and 10000000");
    check("key 1 till rate:10000001", "invalid: requests_per_s is 10000001 units; it must be between 1 and 10000000");
    check("key 1", "invalid: name must not be empty");
    check_bare("key 1 till", "refused: there is no such tenant");
    check_bare("key 1 till scopes:admin", "refused: there is no such tenant");
}

#[test]
fn admin_belongs_to_the_installation_and_nothing_else_does() {
    check("key 1 till scopes:admin", SCOPES);
    check("key 1 till scopes:admin,read", SCOPES);
    check_installation("key 1 root scopes:admin", "1 root admin secret 0 v1");
    check_installation("key 1 root scopes:read", SCOPES);
    check_installation("key 1 root scopes:admin; rotate 1 to:2 overlap:9", "2 root admin secret 0 v1");
    check_installation("key 1 root scopes:admin; revoke 1", "1 root admin secret 0 revoked 0 v2");
}

#[test]
fn creating_again() {
    check("key 1 till secret:7; key 1 till secret:7", "again: 1 till read secret 7 v1");
    check("key 1 till secret:7; key 1 till secret:8", "refused: key 0000000000000001 exists with other content");
    check("key 1 till; key 1 bar", "refused: key 0000000000000001 exists with other content");
    check("key 1 till; key 1 till scopes:sell", "refused: key 0000000000000001 exists with other content");
    // A repeat says what has become of it, also when it could not be made any more.
    check("key 1 till; revoke 1; key 1 till", "again: 1 till read secret 0 revoked 0 v2");
    check("key 1 till until:60; clock 60; key 1 till until:60", "again: 1 till read secret 0 until 60 v1");
    check("key 1 till; key 1 till; news", "");
}

#[test]
fn an_expiry_in_the_past() {
    check("clock 60; key 1 till until:60.000001", "1 till read secret 0 until 60.000001 v1");
    check("clock 60; key 1 till until:60", "refused: the key would have expired already: it is 2026-12-01T00:01:00Z");
    check("clock 60; key 1 till until:59", "refused: the key would have expired already: it is 2026-12-01T00:01:00Z");
}

#[test]
fn rotating() {
    let till = "key 1 till scopes:read,sell secret:7 rate:5";
    check(&format!("{till}; rotate 1 to:2 secret:8 overlap:60"), "2 till read+sell secret 8 5/s v1");
    let news = "key 0000000000000001 replaced by 0000000000000002 and ends at 60";
    check(&format!("{till}; rotate 1 to:2 overlap:60; news"), news);
    // A new key lives as long as the old one was meant to.
    check("key 1 till until:100; clock 40; rotate 1 to:2", "2 till read secret 0 until 140 v1");
    // The old one lives on until then, and no longer.
    let again = "again: 1 till read+sell secret 7 5/s until 60 v2";
    check(&format!("{till}; rotate 1 to:2 overlap:60; {till}"), again);
    check(
        &format!("{till}; rotate 1 to:2 overlap:60; clock 59.999999; rotate 1 to:3"),
        "refused: key 0000000000000001 was revoked, was replaced or has expired",
    );
    let ended = "refused: key 0000000000000001 was revoked, was replaced or has expired";
    check(&format!("{till}; rotate 1 to:2 overlap:60; clock 60; rotate 1 to:3"), ended);
    check(&format!("{till}; rotate 1 to:2; rotate 1 to:3"), ended);
    check(&format!("{till}; revoke 1; rotate 1 to:2"), ended);
    check(&format!("{till}; rotate 1 to:1"), "refused: key 0000000000000001 exists with other content");
    check(&format!("{till}; key 2 bar; rotate 1 to:2"), "refused: key 0000000000000002 exists with other content");
    check("rotate 1 to:2", "refused: there is no key 0000000000000001");
    let overlap = |secs: i64| format!("invalid: overlap_secs is {secs} units; it must be between 0 and 2592000");
    check("key 1 till; rotate 1 to:2 overlap:-1", &overlap(-1));
    check("key 1 till; rotate 1 to:2 overlap:2592001", &overlap(2_592_001));
    check("key 1 till; rotate 1 to:2 overlap:2592000; key 1 till", "again: 1 till read secret 0 until 2592000 v2");
}

/// Replacing a key must not give it more time than it had.
#[test]
fn a_key_that_was_to_end_still_does() {
    let old = "key 1 till until:60; rotate 1 to:2 overlap:90";
    check(&format!("{old}; key 1 till until:60"), "again: 1 till read secret 0 until 60 v2");
    check("key 1 till until:60; rotate 1 to:2 overlap:30; key 1 till", "again: 1 till read secret 0 until 30 v2");
}

#[test]
fn revoking() {
    check("key 1 till; clock 5; revoke 1", "1 till read secret 0 revoked 5 v2");
    check("key 1 till; clock 5; revoke 1; news", "key 0000000000000001 revoked");
    check("key 1 till; clock 5; revoke 1; clock 9; revoke 1", "again: 1 till read secret 0 revoked 5 v2");
    check("key 1 till until:60; clock 61; revoke 1", "1 till read secret 0 until 60 revoked 61 v2");
    check("revoke 1", "refused: there is no key 0000000000000001");
    // The one that took its place is not touched.
    check("key 1 till; rotate 1 to:2 overlap:60; revoke 1; key 2 till", "again: 2 till read secret 0 v1");
}

#[test]
fn trimming_tells_itself() {
    check("trim 5", "done");
    check("trim 5; news", "journal trimmed before 5");
    check("put room=1; trim 5; show room", "room=1 v1");
}
