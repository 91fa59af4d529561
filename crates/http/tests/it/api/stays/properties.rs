//! Properties, room types and rate plans.

use super::Hotel;

const SEA: &str = "/v1/casa/properties/sea";

#[tokio::test]
async fn putting_and_looking() {
    let h = Hotel::empty().await;
    h.check(&format!("GET {SEA}"), 404, r#"{"code":"property-not-found","property":"sea"}"#).await;
    h.check("GET /v1/casa/properties", 200, r#"{"properties":[],"next":null}"#).await;
    let put = r#"{"title":"Sea","time_zone":"america/sao_paulo","currency":"BRL","terms":{"hold_secs":600}}"#;
    let all = r#"{"name":"sea","title":"Sea","time_zone":"America/Sao_Paulo","currency":"BRL","check_in":"15:00",
        "terms":{"quote_secs":1800,"hold_secs":600,"session_grace_secs":300,"async_payment_secs":432000},
        "payment_account":null,"room_types":0,"rate_plans":0,"version":1}"#;
    let first = h.check(&format!("PUT {SEA} {put}"), 200, all).await;
    assert_eq!(first.header("idempotent-replayed"), "");
    let again = h.check(&format!("PUT {SEA} {put}"), 200, all).await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    h.check(&format!("GET {SEA}"), 200, all).await;
    let other = r#"{"title":"Sea","time_zone":"UTC","currency":"BRL","check_in":"14:30","payment_account":"acct_1"}"#;
    h.check(&format!("PUT {SEA} {other}"), 200, r#"{"check_in":"14:30","terms":{"hold_secs":900},"version":2}"#).await;
    let euros = r#"{"title":"Sea","time_zone":"UTC","currency":"EUR"}"#;
    h.check(&format!("PUT {SEA} {euros}"), 409, r#"{"code":"currency-fixed","property":"sea"}"#).await;
    for bad in [
        r#"{"time_zone":"UTC","currency":"BRL"}"#,
        r#"{"title":"","time_zone":"UTC","currency":"BRL"}"#,
        r#"{"title":"Sea","time_zone":"Nowhere","currency":"BRL"}"#,
        r#"{"title":"Sea","time_zone":"UTC","currency":"XXX1"}"#,
        r#"{"title":"Sea","time_zone":"UTC","currency":"BRL","check_in":"24:00"}"#,
        r#"{"title":"Sea","time_zone":"UTC","currency":"BRL","terms":{"hold_secs":1}}"#,
        r#"{"title":"Sea","time_zone":"UTC","currency":"BRL","terms":{"lifetime":1}}"#,
    ] {
        h.check(&format!("PUT {SEA} {bad}"), 422, "invalid").await;
    }
    for bad in ["Sea", "-sea", "s%20a", &"s".repeat(64)] {
        h.check(&format!("GET /v1/casa/properties/{bad}"), 400, "malformed-request").await;
    }
    for name in ["b", "c", "d"] {
        h.check(&format!("PUT /v1/casa/properties/{name} {other}"), 200, "").await;
    }
    let page = r#"{"properties":[{"name":"b"},{"name":"c"}],"next":"c"}"#;
    h.check("GET /v1/casa/properties?limit=2", 200, page).await;
    let rest = r#"{"properties":[{"name":"d"},{"name":"sea"}],"next":null}"#;
    h.check("GET /v1/casa/properties?limit=3&after=c", 200, rest).await;
    for bad in ["limit=0", "after=C", "after="] {
        h.check(&format!("GET /v1/casa/properties?{bad}"), 400, "malformed-request").await;
    }
    h.check("GET /v1/other/properties/sea As:other", 404, "property-not-found").await;
    h.check("GET /v1/other/properties As:other", 200, r#"{"properties":[]}"#).await;
}

#[tokio::test]
async fn room_types() {
    let h = Hotel::empty().await;
    let double = format!("{SEA}/room-types/double");
    let put = format!(r#"PUT {double} {{"title":"Double","guests_max":2}}"#);
    h.check(&put, 404, "property-not-found").await;
    h.check(&format!("GET {SEA}/room-types"), 404, "property-not-found").await;
    h.check(&format!(r#"PUT {SEA} {{"title":"Sea","time_zone":"UTC","currency":"BRL"}}"#), 200, "").await;
    h.check(&format!("GET {double}"), 404, r#"{"code":"room-type-not-found","room_type":"double"}"#).await;
    let told = r#"{"property":"sea","code":"double","title":"Double","guests_max":2,"version":1}"#;
    h.check(&put, 200, told).await;
    assert_eq!(h.check(&put, 200, told).await.header("idempotent-replayed"), "true");
    h.check(&format!("GET {double}"), 200, told).await;
    h.check(&format!(r#"PUT {double} {{"title":"Double","guests_max":3}}"#), 200, r#"{"version":2}"#).await;
    for bad in [r#"{"title":"D","guests_max":0}"#, r#"{"title":"D","guests_max":1001}"#, r#"{"title":"D"}"#] {
        h.check(&format!("PUT {double} {bad}"), 422, "invalid").await;
    }
    h.check(&format!(r#"PUT {SEA}/room-types/a {{"title":"A","guests_max":1}}"#), 200, "").await;
    h.check(&format!("GET {SEA}/room-types"), 200, r#"{"room_types":[{"code":"a"},{"code":"double"}]}"#).await;
    h.check(&format!("GET {SEA}"), 200, r#"{"room_types":2}"#).await;
    h.check(&format!("GET {SEA}/room-types/D"), 400, "malformed-request").await;
}

#[tokio::test]
async fn rate_plans() {
    let h = Hotel::empty().await;
    h.check(&format!(r#"PUT {SEA} {{"title":"Sea","time_zone":"UTC","currency":"BRL"}}"#), 200, "").await;
    let flexible = format!("{SEA}/rate-plans/flexible");
    h.check(&format!("GET {flexible}"), 404, r#"{"code":"rate-plan-not-found","rate_plan":"flexible"}"#).await;
    let put = |cancellation: &str| format!(r#"PUT {flexible} {{"title":"F","cancellation":{cancellation}}}"#);
    for good in [
        r#"{"free_until_hours":48,"penalty":{"nights":1},"no_show":"all"}"#,
        r#"{"penalty":{"percent":50},"no_show":"none"}"#,
    ] {
        h.check(&put(good), 200, &format!(r#"{{"code":"flexible","cancellation":{good}}}"#)).await;
        h.check(&format!("GET {flexible}"), 200, &format!(r#"{{"cancellation":{good}}}"#)).await;
    }
    for bad in [
        r#"{"penalty":"all"}"#,
        r#"{"penalty":"most","no_show":"all"}"#,
        r#"{"penalty":{"nights":0},"no_show":"all"}"#,
        r#"{"penalty":{"percent":101},"no_show":"all"}"#,
        r#"{"penalty":{"percent":1,"nights":1},"no_show":"all"}"#,
        r#"{"free_until_hours":9601,"penalty":"all","no_show":"all"}"#,
        r#"{"free_until_hours":-1,"penalty":"all","no_show":"all"}"#,
    ] {
        h.check(&put(bad), 422, "invalid").await;
    }
    for number in 1..20 {
        let plan = format!(
            r#"PUT {SEA}/rate-plans/p{number} {{"title":"P","cancellation":{{"penalty":"all","no_show":"all"}}}}"#
        );
        h.check(&plan, 200, "").await;
    }
    let one_more =
        format!(r#"PUT {SEA}/rate-plans/more {{"title":"P","cancellation":{{"penalty":"all","no_show":"all"}}}}"#);
    h.check(&one_more, 409, r#"{"code":"property-full","max":20}"#).await;
    let list = h.check(&format!("GET {SEA}/rate-plans"), 200, "").await.json();
    assert_eq!(list["rate_plans"].as_array().unwrap().len(), 20);
}
