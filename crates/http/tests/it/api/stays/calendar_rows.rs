//! Many rows of a calendar in one request: checked whole, put together, set.

use super::Hotel;

const ROWS: &str = "/v1/casa/properties/sea/calendar/rows";
const DOUBLES: &str = "GET /v1/casa/properties/sea/calendar?from=~0&until=~4&room_type=double";

#[tokio::test]
async fn later_rows_win() {
    let h = Hotel::open().await;
    let put = format!(
        r#"PUT {ROWS} {{"rows":[
            {{"room_types":["double"],"from":"~0","until":"~4","inventory":{{"total":7}},
              "rates":[{{"rate_plan":"flexible","price":100}}]}},
            {{"room_types":["suite"],"from":"~0","until":"~1","inventory":{{"total":1}}}},
            {{"room_types":["double"],"from":"~1","until":"~3","rates":[{{"rate_plan":"flexible","price":200,"min_stay":2}}]}}]}}"#
    );
    h.check(&put, 200, r#"{"rows_set":3,"nights_changed":4,"oversold":[],"refused":[]}"#).await;
    let read = r#"{"room_types":[{"total":[7,7,7,7],"rates":[
        {"rate_plan":"fixed"},{"rate_plan":"flexible","prices":[100,200,200,100]}]}]}"#;
    h.check(DOUBLES, 200, read).await;
    // Each night was set once, so nothing is different now, not even for a moment.
    h.check(&put, 200, r#"{"rows_set":3,"nights_changed":0,"refused":[]}"#).await;
}

#[tokio::test]
async fn nothing_is_set_unless_all_can_be_used_or_others_may_be_skipped() {
    let h = Hotel::open().await;
    let put = |how: &str| {
        format!(
            r#"PUT {ROWS} {{{how}"rows":[
                {{"room_types":["double"],"from":"~0","until":"~1","inventory":{{"total":9}}}},
                {{"room_types":["none"],"from":"~0","until":"~1","inventory":{{"total":9}}}},
                {{"room_types":["double"],"from":"~1","until":"~2","rates":[{{"rate_plan":"none","price":1}}]}},
                {{"room_types":["double"],"from":"~1","until":"~2","inventory":{{"total":-1}}}},
                {{"room_types":["double"],"from":"~1","until":"~1102","inventory":{{"total":9}}}},
                {{"room_types":["double"],"from":"~1","until":"~2"}}]}}"#
        )
    };
    let refused = r#""refused":[
        {"row":1,"problem":{"code":"room-type-not-found","status":404,"room_type":"none"}},
        {"row":2,"problem":{"code":"rate-plan-not-found","rate_plan":"none"}},
        {"row":3,"problem":{"code":"invalid","detail":"total is -1 units; it must be between 0 and 1000000000000"}},
        {"row":4,"problem":{"code":"invalid"}},
        {"row":5,"problem":{"code":"invalid"}}]"#;
    let nothing = format!(r#"{{"rows_set":0,"nights_changed":0,{refused}}}"#);
    h.check(&put(""), 200, &nothing).await;
    h.check(&put(r#""dry_run":true,"skip_refused":true,"#), 200, &nothing).await;
    h.check(DOUBLES, 200, r#"{"room_types":[{"total":[2,2,2,2]}]}"#).await;
    let some = format!(r#"{{"rows_set":1,"nights_changed":1,{refused}}}"#);
    h.check(&put(r#""skip_refused":true,"#), 200, &some).await;
    h.check(DOUBLES, 200, r#"{"room_types":[{"total":[9,2,2,2]}]}"#).await;
}

/// That a night has no rooms yet is found when it is set.
#[tokio::test]
async fn what_is_found_later() {
    let h = Hotel::open().await;
    h.walk_in("a", "double", 0).await;
    h.walk_in("b", "double", 0).await;
    let put = format!(
        r#"PUT {ROWS} {{"rows":[
            {{"room_types":["double"],"from":"~59","until":"~61","inventory":{{"closed":true}},
              "rates":[{{"rate_plan":"flexible","price":5}}]}},
            {{"room_types":["double"],"from":"~0","until":"~4","inventory":{{"total":1}}}}]}}"#
    );
    let told = r#"{"rows_set":1,"nights_changed":7,
        "oversold":[{"room_type":"double","night":"~1","rooms":1},{"room_type":"double","night":"~2","rooms":1}],
        "refused":[{"row":0,"problem":{"code":"pool-not-found","status":404}}]}"#;
    h.check(&put, 200, told).await;
    let read = "GET /v1/casa/properties/sea/calendar?from=~59&until=~61&room_type=double";
    let expected = r#"{"room_types":[{"closed":["~59"],"rates":[{},{"rate_plan":"flexible","prices":[5,5]}]}]}"#;
    h.check(read, 200, expected).await;
}

#[tokio::test]
async fn what_refuses_the_whole_request() {
    let h = Hotel::open().await;
    let good = r#"{"room_types":["double"],"from":"~0","until":"~1","inventory":{"total":9}}"#;
    let put = |rows: &str| format!(r#"PUT {ROWS} {{"rows":[{rows}]}}"#);
    h.check(&put(""), 422, "invalid").await;
    h.check(&put(&format!(r#"{good},{{"room_types":["Double"],"from":"~0","until":"~1"}}"#)), 422, "invalid").await;
    h.check(&put(&format!(r#"{good},{{"room_types":["double"],"from":"","until":"~1"}}"#)), 422, "invalid").await;
    h.check(&put(&vec![good; 2_001].join(",")), 422, "invalid").await;
    let years = r#"{"room_types":["double","suite"],"from":"~0","until":"~1000","inventory":{"total":2}}"#;
    h.check(&put(&[years; 6].join(",")), 422, "invalid").await;
    h.check(DOUBLES, 200, r#"{"room_types":[{"total":[2,2,2,2]}]}"#).await;
    h.check(&put(good).replace("/sea/", "/none/"), 404, "property-not-found").await;
    let blanks = " ".repeat(1 << 20);
    h.check(&put(&format!("{good}{blanks}")), 413, "body-too-large").await;
    h.check(&put(&vec![good; 2_000].join(",")), 200, r#"{"rows_set":2000,"nights_changed":1}"#).await;
}
