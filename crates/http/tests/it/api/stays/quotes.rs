//! Quotes: what is offered, and why the rest is not.

use serde_json::Value;

use super::Hotel;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[tokio::test]
async fn asking() {
    let h = Hotel::open().await;
    let ask = r#"POST /v1/casa/quotes {"id":"$q","property":"sea","checkin":"~1","checkout":"~3","guests":2}"#;
    let first = h
        .check(
            ask,
            201,
            r#"{"id":"$q","property":"sea","checkin":"~1","checkout":"~3","guests":2,"rooms":1,"currency":"BRL","options":[
                {"number":1,"room_type":"double","rate_plan":"fixed","total":16000,"available":2,
                 "nights":[{"night":"~1","price":8000},{"night":"~2","price":8000}],
                 "cancellation":{"penalty":"all","no_show":"all","free_until_hours":null}},
                {"number":2,"room_type":"double","rate_plan":"flexible","total":20000},
                {"number":3,"room_type":"suite","rate_plan":"flexible","total":60000,"available":1}],
               "options_left_out":null,
               "not_for_sale":[{"room_type":"suite","rate_plan":"fixed","why":{"reason":"no_price","night":"~1"},
                 "detail":"~1 has no price"}]}"#,
        )
        .await;
    assert_eq!(first.header("location"), h.w.named("/v1/casa/quotes/$q"));
    assert_eq!(first.header("idempotent-replayed"), "");
    let kept = r#"{"id":"$q","options":[{"total":16000},{"total":20000},{"total":60000}],"not_for_sale":null}"#;
    h.check("GET /v1/casa/quotes/$q", 200, kept).await;
    // A repeat finds the first quote, also when nothing could be offered by now.
    let close = r#"PUT /v1/casa/properties/sea/calendar {"changes":[{"room_types":["double","suite"],"from":"~0",
        "until":"~60","inventory":{"closed":true}}]}"#;
    h.check(close, 200, "").await;
    let again = h.check(ask, 201, kept).await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    assert_eq!(again.header("location"), first.header("location"));
    let other = r#"POST /v1/casa/quotes {"id":"$q","property":"sea","checkin":"~1","checkout":"~3","guests":1}"#;
    h.check(other, 422, r#"{"code":"quote-id-reused","quote":"$q"}"#).await;
    h.check("GET /v1/casa/quotes/$r", 404, r#"{"code":"quote-not-found","quote":"$r"}"#).await;
    h.check("GET /v1/other/quotes/$q As:other", 404, "quote-not-found").await;
    h.check("GET /v1/casa/quotes/17", 400, "malformed-request").await;
    let unnamed = r#"POST /v1/casa/quotes {"property":"sea","checkin":"~1","checkout":"~3","guests":2}"#;
    h.check(unnamed, 200, r#"{"id":null,"options":[],"valid_until":null}"#).await;
}

/// Nothing is kept, so there is no id.
#[tokio::test]
async fn nothing_to_offer() {
    let h = Hotel::open().await;
    let check = async |wish: &str, why: &str| {
        let ask = format!(r#"POST /v1/casa/quotes {{"id":"$n","property":"sea",{wish}}}"#);
        let answer = h.check(&ask, 200, r#"{"id":null,"options":[],"property":"sea","currency":"BRL"}"#).await.json();
        assert_eq!(answer["not_for_sale"][0]["why"], json(&h.dated(why)), "{wish}");
    };
    check(r#""checkin":"~1","checkout":"~3","guests":5"#, r#"{"guests_max":2,"reason":"too_few_places"}"#).await;
    check(r#""checkin":"~-1","checkout":"~3","guests":1"#, r#"{"reason":"in_the_past","today":"~0"}"#).await;
    check(r#""checkin":"~59","checkout":"~61","guests":1"#, r#"{"night":"~60","reason":"no_rooms"}"#).await;
    let three = r#""checkin":"~1","checkout":"~3","guests":3,"rooms":3"#;
    check(three, r#"{"available":2,"night":"~1","reason":"sold_out"}"#).await;
    let restrict = |change: &str| {
        format!(
            r#"PUT /v1/casa/properties/sea/calendar {{"changes":[{{"room_types":["double"],"from":"~10","until":"~12",
            "rates":[{{"rate_plan":"fixed",{change}}}]}}]}}"#
        )
    };
    for (change, undo, wish, why) in [
        ("\"min_stay\":3", "\"min_stay\":null", ("~10", "~12"), r#"{"nights_min":3,"reason":"stay_too_short"}"#),
        ("\"max_stay\":1", "\"max_stay\":null", ("~10", "~12"), r#"{"nights_max":1,"reason":"stay_too_long"}"#),
        (
            "\"closed_to_arrival\":true",
            "\"closed_to_arrival\":false",
            ("~10", "~12"),
            r#"{"checkin":"~10","reason":"closed_to_arrival"}"#,
        ),
        (
            "\"closed_to_departure\":true",
            "\"closed_to_departure\":false",
            ("~8", "~10"),
            r#"{"checkout":"~10","reason":"closed_to_departure"}"#,
        ),
        ("\"stop_sell\":true", "\"stop_sell\":false", ("~9", "~11"), r#"{"night":"~10","reason":"stop_sell"}"#),
        (
            "\"min_advance_days\":30",
            "\"min_advance_days\":null",
            ("~10", "~11"),
            r#"{"days_min":30,"reason":"too_late"}"#,
        ),
        (
            "\"max_advance_days\":2",
            "\"max_advance_days\":null",
            ("~10", "~11"),
            r#"{"days_max":2,"reason":"too_early"}"#,
        ),
    ] {
        h.check(&restrict(change), 200, r#"{"complete":true}"#).await;
        let (checkin, checkout) = wish;
        let ask = format!(
            r#"POST /v1/casa/quotes {{"property":"sea","checkin":"{checkin}","checkout":"{checkout}","guests":1}}"#
        );
        let answer = h.check(&ask, 201, "").await.json();
        let told = &answer["not_for_sale"][0];
        assert_eq!((&told["room_type"], &told["rate_plan"]), (&"double".into(), &"fixed".into()), "{change}");
        assert_eq!(told["why"], json(&h.dated(why)), "{change}");
        h.check(&restrict(undo), 200, r#"{"complete":true}"#).await;
    }
}

#[tokio::test]
async fn what_is_no_wish() {
    let h = Hotel::open().await;
    let check = async |body: &str, status: u16, code: &str| {
        h.check(&format!("POST /v1/casa/quotes {body}"), status, code).await;
    };
    check(r#"{"property":"none","checkin":"~1","checkout":"~3","guests":2}"#, 404, "property-not-found").await;
    for bad in [
        r#"{"property":"sea","checkin":"~1","checkout":"~1","guests":2}"#,
        r#"{"property":"sea","checkin":"~3","checkout":"~1","guests":2}"#,
        r#"{"property":"sea","checkin":"~1","checkout":"~92","guests":2}"#,
        r#"{"property":"sea","checkin":"~1","checkout":"~3","guests":0}"#,
        r#"{"property":"sea","checkin":"~1","checkout":"~3","guests":1001}"#,
        r#"{"property":"sea","checkin":"~1","checkout":"~3","guests":2,"rooms":0}"#,
        r#"{"property":"sea","checkin":"~1","checkout":"~3","guests":2,"rooms":101}"#,
        r#"{"property":"sea","checkin":"~1T00:00","checkout":"~3","guests":2}"#,
        r#"{"property":"sea","checkin":"","checkout":"~3","guests":2}"#,
        r#"{"property":"sea","checkin":"0000-01-01","checkout":"0000-01-02","guests":2}"#,
        r#"{"property":"sea","checkin":"~1","checkout":"~3"}"#,
        r#"{"property":"Sea","checkin":"~1","checkout":"~3","guests":2}"#,
        r#"{"id":"17","property":"sea","checkin":"~1","checkout":"~3","guests":2}"#,
    ] {
        check(bad, 422, "invalid").await;
    }
    let old = "01890a5d-ac96-774b-bcce-b302099a8057";
    let body = format!(r#"{{"id":"{old}","property":"sea","checkin":"~1","checkout":"~3","guests":2}}"#);
    check(&body, 422, &format!(r#"{{"code":"quote-id-outside-window","quote":"{old}"}}"#)).await;
}
