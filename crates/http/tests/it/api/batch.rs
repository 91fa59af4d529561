//! The batch endpoint.

use std::fmt::Write as _;

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

use super::world::{World, in_secs};

async fn rooms(total: u32) -> World {
    let w = World::new().await;
    w.check(&format!("PUT /v1/casa/pools/room {{\"total\":{total}}}"), 200, "").await;
    w
}

#[tokio::test]
async fn each_command_is_answered_by_itself_and_in_order() {
    let w = rooms(2).await;
    let until = in_secs(3_600);
    let commands = format!(
        r#"{{"commands":[
            {{"place":{{"id":"$a","lines":[{{"resource":"room"}}]}}}},
            {{"place":{{"id":"$b","lines":[{{"resource":"room"}}]}}}},
            {{"place":{{"id":"$c","lines":[{{"resource":"room"}}]}}}},
            {{"cancel":{{"id":"$b"}}}},
            {{"place":{{"id":"$d","lines":[{{"resource":"room"}}]}}}},
            {{"extend":{{"id":"$a","until":"{until}"}}}},
            {{"convert":{{"id":"$a","mode":"book"}}}},
            {{"place":{{"id":"$a","lines":[{{"resource":"room"}}]}}}},
            {{"place":{{"id":"$e","lines":[{{"resource":"room","quantity":0}}]}}}},
            {{"cancel":{{"id":"$nowhere"}}}},
            {{"place":{{"id":"$a","lines":[{{"resource":"bar"}}]}}}}]}}"#
    );
    let expected = r#"{"results":[
        {"id":"$a","status":201,"hold":{"id":"$a","state":"active","version":1},"replayed":null,"problem":null},
        {"id":"$b","status":201,"hold":{"id":"$b","state":"active"}},
        {"id":"$c","status":409,"hold":null,"problem":{"code":"sold-out","status":409,
            "lines":[{"resource":"room","slot":"","wanted":1,"available":0}]}},
        {"id":"$b","status":200,"hold":{"state":"cancelled"}},
        {"id":"$d","status":201,"hold":{"state":"active"}},
        {"id":"$a","status":200,"hold":{"version":2}},
        {"id":"$a","status":200,"hold":{"state":"converted"}},
        {"id":"$a","status":201,"replayed":true,"hold":{"state":"converted"}},
        {"id":"$e","status":422,"problem":{"code":"invalid"}},
        {"id":"$nowhere","status":404,"problem":{"code":"hold-not-found","hold":"$nowhere"}},
        {"id":"$a","status":422,"problem":{"code":"hold-id-reused"}}]}"#;
    w.check(&format!("POST /v1/casa/holds/batch {commands}"), 200, expected).await;
    w.check("GET /v1/casa/pools/room", 200, r#"{"held":1,"booked":1,"available":0}"#).await;

    // The whole again: what had an effect is found.
    let again = w.check(&format!("POST /v1/casa/holds/batch {commands}"), 200, "").await.json();
    let replayed = |index: usize| &again["results"][index]["replayed"];
    for index in [0, 1, 3, 4, 6, 7] {
        assert_eq!(replayed(index), &json!(true), "{index}: {again}");
    }
    w.check("GET /v1/casa/pools/room", 200, r#"{"held":1,"booked":1}"#).await;

    let minimal = w.check(&format!("POST /v1/casa/holds/batch Prefer:return=minimal {commands}"), 200, "").await.json();
    let results = minimal["results"].as_array().unwrap();
    assert!(results.iter().all(|result| result["hold"].is_null() && result["id"].is_string()));
    assert_eq!(results[2]["problem"]["code"], "sold-out");
    let both = w.ask(&format!("POST /v1/casa/holds/batch Prefer:wait=1,return=minimal {commands}")).await.json();
    assert!(both["results"][0]["hold"].is_null());
    let whole = w.ask(&format!("POST /v1/casa/holds/batch Prefer:return=representation {commands}")).await.json();
    assert!(whole["results"][0]["hold"].is_object());
}

#[tokio::test]
async fn a_wrong_shape_refuses_the_whole() {
    let w = rooms(9).await;
    let good = r#"{"place":{"id":"$a","lines":[{"resource":"room"}]}}"#;
    let check = async |commands: &str, status: u16, code: &str| {
        w.check(&format!("POST /v1/casa/holds/batch {{\"commands\":[{commands}]}}"), status, code).await;
    };
    check("", 422, "invalid").await;
    for bad in [
        r#"{"place":{"lines":[{"resource":"room"}]}}"#,
        r#"{"place":{"id":null,"lines":[{"resource":"room"}]}}"#,
        r#"{"cancel":{}}"#,
        r#"{"move":{"id":"$b","from":[],"to":[]}}"#,
        r#"{"extend":{"id":"$b","by_secs":60}}"#,
        r#"{"place":{"id":"$b","lines":[{"resource":"room"}]},"cancel":{"id":"$b"}}"#,
        "{}",
        r#""cancel""#,
        r#"{"cancel":{"id":"17"}}"#,
    ] {
        check(&format!("{good},{bad}"), 422, "invalid").await;
    }
    w.check("GET /v1/casa/holds/$a", 404, "hold-not-found").await;
    w.check("GET /v1/casa/pools/room", 200, r#"{"held":0,"version":1}"#).await;
}

fn places(count: usize, padding: usize) -> String {
    let mut body = String::from("{\"commands\":[");
    for index in 0..count {
        let comma = if index == 0 { "" } else { "," };
        let id = uuid::Uuid::now_v7();
        let _ = write!(body, r#"{comma}{{"place":{{"id":"{id}","lines":[{{"resource":"room"}}]}}}}"#);
    }
    body.push_str(&" ".repeat(padding));
    body.push_str("]}");
    body
}

#[tokio::test]
async fn ten_thousand_and_not_one_more() {
    let w = rooms(9_999).await;
    let body = places(10_000, 0);
    let answer = w.check(&format!("POST /v1/casa/holds/batch {body}"), 200, "").await.json();
    let results = answer["results"].as_array().unwrap();
    let statuses: Vec<u64> = results.iter().map(|result| result["status"].as_u64().unwrap()).collect();
    assert_eq!((results.len(), &statuses[..9_999]), (10_000, &vec![201; 9_999][..]));
    assert_eq!(statuses[9_999], 409);
    let asked: Value = serde_json::from_str(&body).unwrap();
    let same_order = asked["commands"].as_array().unwrap().iter().zip(results);
    assert!({ same_order }.all(|(command, result)| command["place"]["id"] == result["id"]));
    w.check("GET /v1/casa/pools/room", 200, r#"{"held":9999}"#).await;

    let too_many = places(10_001, 0);
    w.check(&format!("POST /v1/casa/holds/batch {too_many}"), 422, "invalid").await;
}

#[tokio::test]
async fn eight_mebibytes_and_not_one_byte_more() {
    let w = rooms(1).await;
    let one = places(1, 0);
    let padding = (8 << 20) - one.len();
    w.check(&format!("POST /v1/casa/holds/batch {}", places(1, padding)), 200, "").await;
    w.check(&format!("POST /v1/casa/holds/batch {}", places(1, padding + 1)), 413, "body-too-large").await;
}

/// A few hundred bytes can ask for the same large hold again and again.
#[tokio::test]
async fn an_answer_does_not_grow_without_bound() {
    let w = rooms(1).await;
    let large = "x".repeat(15_000);
    let place = format!(r#"{{"id":"$a","lines":[{{"resource":"room"}}],"metadata":{{"x":"{large}"}}}}"#);
    w.check(&format!("POST /v1/casa/holds {place}"), 201, "").await;
    let cancels = vec![r#"{"cancel":{"id":"$a"}}"#; 3_000].join(",");
    let answer = w.check(&format!(r#"POST /v1/casa/holds/batch {{"commands":[{cancels}]}}"#), 200, "").await;
    assert!(answer.body.len() < 20 << 20, "{} bytes", answer.body.len());
    let results = answer.json()["results"].as_array().unwrap().clone();
    assert_eq!(results.len(), 3_000);
    assert!(results[0]["hold"].is_object() && results[2_999]["hold"].is_null());
    assert!(results.iter().all(|result| result["status"] == 200));
}

/// Bodies that take their time are bounded together, whoever sends them.
#[tokio::test]
async fn batches_in_memory_are_bounded() {
    let w = rooms(1).await;
    let send = || {
        let body = Body::from_stream(futures_util::stream::pending::<Result<Vec<u8>, std::io::Error>>());
        let request = Request::builder().method("POST").uri("/v1/casa/holds/batch");
        let request = request.header("authorization", format!("Bearer {}", w.key("casa")));
        let request = request.header("content-type", "application/json").header("content-length", 8 << 20);
        w.call(request.body(body).unwrap())
    };
    let mut arriving: Vec<_> = (0..5).map(|_| Box::pin(send())).collect();
    for body in &mut arriving {
        assert!(tokio::time::timeout(std::time::Duration::from_millis(50), body).await.is_err(), "it is read");
    }
    let refused = tokio::time::timeout(std::time::Duration::from_secs(10), send()).await;
    assert_eq!(refused.expect("it is refused before it is read").status(), 503);
    drop(arriving);
    w.check(r#"POST /v1/casa/holds/batch {"commands":[{"cancel":{"id":"$nowhere"}}]}"#, 200, "").await;
}
