//! Why is it sold out: who has it, and when is the next unit free at the latest.

use super::pools::percent;
use super::world::World;

/// Puts the pool, places the holds (`name=quantity:secs`), then compares.
async fn explained(put: &str, holds: &str, after: &[&str]) -> (World, serde_json::Value) {
    let w = World::new().await;
    w.check(r#"PUT /v1/casa/pools/room {"total":100}"#, 200, "").await;
    for hold in holds.split_whitespace() {
        let (id, rest) = hold.split_once('=').unwrap();
        let (quantity, secs) = rest.split_once(':').unwrap();
        let row = format!(
            r#"POST /v1/casa/holds {{"id":"${id}","lines":[{{"resource":"room","quantity":{quantity}}}],"lifetime_secs":{secs},"owner":"o-{id}"}}"#
        );
        w.check(&row, 201, "").await;
    }
    w.check(&format!("PUT /v1/casa/pools/room {put}"), 200, "").await;
    for row in after {
        match row.strip_prefix("advance ") {
            Some(secs) => w.advance_secs(secs.parse().unwrap()),
            None => assert!(w.ask(row).await.status.is_success(), "{row}"),
        }
    }
    let explanation = w.check("GET /v1/casa/pools/room/explain", 200, "").await.json();
    (w, explanation)
}

/// `expected` is `available held_live holds next`: the holds listed, and the one whose expiry frees the next unit.
async fn check(put: &str, holds: &str, after: &[&str], expected: &str) {
    let (w, found) = explained(put, holds, after).await;
    let listed = found["holds"].as_array().unwrap();
    let name = |id: &str| ["a", "b", "c", "d"].into_iter().find(|name| w.named(&format!("${name}")) == id).unwrap();
    let names: String = listed.iter().map(|hold| name(hold["id"].as_str().unwrap())).collect();
    let next = found["next_free_at_latest"].as_str().map_or("-", |at| {
        let hold = listed.iter().find(|hold| hold["expires_at"] == at).unwrap();
        name(hold["id"].as_str().unwrap())
    });
    let names = if names.is_empty() { "-" } else { &names };
    let text = format!("{} {} {names} {next}", found["available"], found["held_live"]);
    assert_eq!(text, expected, "{put} {holds} {after:?}: {found}");
}

#[tokio::test]
async fn the_next_unit() {
    check(r#"{"total":3}"#, "", &[], "3 0 - -").await;
    check(r#"{"total":3}"#, "a=1:60", &[], "2 1 a -").await;
    check(r#"{"total":1}"#, "a=1:60", &[], "0 1 a a").await;
    check(r#"{"total":3}"#, "a=1:90 b=1:60 c=1:120", &[], "0 3 bac b").await;
    // Oversold: several must expire before a unit is free.
    check(r#"{"total":2}"#, "a=1:90 b=1:60 c=1:120", &[], "0 3 bac a").await;
    check(r#"{"total":1}"#, "a=1:90 b=1:60 c=1:120", &[], "0 3 bac c").await;
    check(r#"{"total":0}"#, "a=1:90 b=1:60 c=1:120", &[], "0 3 bac -").await;
    check(r#"{"total":1}"#, "a=3:90 b=1:60", &[], "0 4 ba a").await;
    check(r#"{"total":1,"overbook":1}"#, "a=1:90 b=1:60", &[], "0 2 ba b").await;
    check(r#"{"total":1,"overbook":2}"#, "a=1:90 b=1:60", &[], "1 2 ba -").await;
    let booked = r#"POST /v1/casa/holds/$a/convert {"mode":"book"}"#;
    check(r#"{"total":1}"#, "a=1:60", &[booked], "0 0 - -").await;
    check(r#"{"total":2}"#, "a=1:60 b=1:90", &[booked], "0 1 b b").await;
    check(r#"{"total":2}"#, "a=1:60 b=1:90", &["POST /v1/casa/holds/$a/cancel"], "1 1 b -").await;
    let extended = r#"POST /v1/casa/holds/$a/extend Idempotency-Key:k {"by_secs":60}"#;
    check(r#"{"total":2}"#, "a=1:60 b=1:90", &[extended], "0 2 ba b").await;
    check(r#"{"total":1,"closed":true}"#, "", &[], "0 0 - -").await;
    check(r#"{"total":1,"closed":true}"#, "a=1:60", &[], "0 1 a a").await;
}

#[tokio::test]
async fn lapsed_holds_do_not_count() {
    check(r#"{"total":2}"#, "a=1:60 b=1:90", &["advance 60"], "1 1 b -").await;
    check(r#"{"total":1}"#, "a=1:60 b=1:90", &["advance 60"], "0 1 b b").await;
    check(r#"{"total":2}"#, "a=1:60 b=1:90", &["advance 90"], "2 0 - -").await;
    check(r#"{"total":2}"#, "a=2:60", &["advance 59"], "0 2 a a").await;
}

#[tokio::test]
async fn summaries_and_who_has_it() {
    let (w, found) = explained(r#"{"total":2}"#, "a=1:60 b=2:90", &[]).await;
    let summary = found["summary"].as_str().unwrap();
    let at = found["next_free_at_latest"].as_str().unwrap();
    assert_eq!(
        summary,
        format!(
            "room is oversold by 1: of 2, 3 held. The next unit is free at {at} at the latest, unless holds are \
             converted or extended."
        )
    );
    let listed = r#"{"pool":{"resource":"room","held":3,"oversold":1},"holds_cut":false,
        "holds":[{"id":"$a","quantity":1,"owner":"o-a"},{"id":"$b","quantity":2,"owner":"o-b"}]}"#;
    w.check("GET /v1/casa/pools/room/explain", 200, listed).await;
    w.check("GET /v1/casa/pools/none/explain", 404, r#"{"code":"pool-not-found","pools":[{"resource":"none"}]}"#).await;
}

#[tokio::test]
async fn more_holds_than_are_listed() {
    let w = World::new().await;
    w.check(r#"PUT /v1/casa/pools/room {"total":101}"#, 200, "").await;
    let place = |_| format!(r#"{{"place":{{"id":"{}","lines":[{{"resource":"room"}}]}}}}"#, uuid::Uuid::now_v7());
    let commands: Vec<String> = (0..101).map(place).collect();
    w.check(&format!("POST /v1/casa/holds/batch {{\"commands\":[{}]}}", commands.join(",")), 200, "").await;
    let found = w.check("GET /v1/casa/pools/room/explain", 200, r#"{"available":0,"held_live":101}"#).await.json();
    assert_eq!((found["holds"].as_array().unwrap().len(), &found["holds_cut"]), (100, &true.into()));
}

/// Names that mean something to SQL, LIKE, JSON or addresses.
#[tokio::test]
async fn names_of_every_kind() {
    let w = World::new().await;
    let names = [
        "50% off",
        "a_b",
        "aXb",
        "it's",
        "say \"hi\"",
        "back\\slash",
        "\\\"",
        "!",
        "a!%b",
        "[\"room\",\"\",1]",
        "]",
        "\\",
        "日本の部屋",
        "émoji 🛏",
        "a/b",
        "?x=1&y#z",
        "%",
        "_",
        "%_!\\'\"",
        "Room",
        "room",
        "ROOM",
        "..",
        "{tenant}",
    ];
    for (index, name) in names.iter().enumerate() {
        let path = percent(name);
        let put = format!("PUT /v1/casa/pools/{path}?slot=2026-12-24 {{\"total\":{}}}", index + 1);
        w.check(&put, 200, &serde_json::json!({ "resource": name }).to_string()).await;
        let body = serde_json::json!({
            "lines": [{"resource": name, "slot": "2026-12-24", "quantity": index + 1}], "reference": name, "owner": name
        });
        w.check(&format!("POST /v1/casa/holds Idempotency-Key:{index} {body}"), 201, "").await;
    }
    for (index, name) in names.iter().enumerate() {
        let path = percent(name);
        let expected = serde_json::json!({
            "available": 0, "held_live": index + 1,
            "holds": [{"quantity": index + 1, "owner": name, "reference": name}]
        });
        w.check(&format!("GET /v1/casa/pools/{path}/explain?slot=2026-12-24"), 200, &expected.to_string()).await;
        let by_reference = format!("GET /v1/casa/holds?reference={path}");
        let expected = serde_json::json!({"holds": [{"lines": [{"resource": name}]}]});
        w.check(&by_reference, 200, &expected.to_string()).await;
    }
}
