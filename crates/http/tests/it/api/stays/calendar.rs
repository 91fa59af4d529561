//! Calendars: set in parts, read in columns.

use std::fmt::Write;

use super::Hotel;

const CALENDAR: &str = "/v1/casa/properties/sea/calendar";

#[tokio::test]
async fn reading() {
    let h = Hotel::open().await;
    h.check(
        &format!("GET {CALENDAR}?from=~58&until=~62"),
        200,
        r#"{"property":"sea","currency":"BRL","from":"~58","until":"~62","room_types":[
            {"code":"double","title":"Double","guests_max":2,"total":[2,2,null,null],"available":[2,2,null,null],
             "held":[0,0,null,null],"booked":[0,0,null,null],"closed":null,"oversold":null,"rates":[
                {"rate_plan":"fixed","prices":[8000,8000,null,null],"restrictions":null},
                {"rate_plan":"flexible","prices":[10000,10000,null,null]}]},
            {"code":"suite","total":[1,1,null,null],"rates":[{"rate_plan":"flexible","prices":[30000,30000,null,null]}]}]}"#,
    )
    .await;
    h.walk_in("a", "suite", 0).await;
    h.quote("q").await;
    h.check(r#"POST /v1/casa/stays {"id":"$b","quote":"$q","items":[{"option":1}]}"#, 201, "").await;
    h.check(
        &format!("GET {CALENDAR}?from=~0&until=~4"),
        200,
        r#"{"room_types":[
            {"code":"double","available":[2,1,1,2],"held":[0,1,1,0],"booked":[0,0,0,0]},
            {"code":"suite","available":[1,0,0,1],"held":[0,0,0,0],"booked":[0,1,1,0]}]}"#,
    )
    .await;
    h.check(&format!("GET {CALENDAR}?from=~0&until=~1&room_type=suite"), 200, r#"{"room_types":[{"code":"suite"}]}"#)
        .await;
    let of_none = format!("GET {CALENDAR}?from=~0&until=~1&room_type=none");
    h.check(&of_none, 404, r#"{"code":"room-type-not-found","property":"sea","room_type":"none"}"#).await;
    h.check("GET /v1/casa/properties/none/calendar?from=~0&until=~1", 404, "property-not-found").await;
    h.check("GET /v1/other/properties/sea/calendar?from=~0&until=~1 As:other", 404, "property-not-found").await;
    h.check(&format!("GET {CALENDAR}?from=~0&until=~400"), 200, "").await;
    h.check(&format!("GET {CALENDAR}?from=~0&until=~401"), 422, "range-too-wide").await;
    h.check(&format!("GET {CALENDAR}?from=0000-01-01&until=9999-12-31"), 422, "range-too-wide").await;
    for bad in [
        "",
        "from=~0",
        "from=~0&until=~0",
        "from=~1&until=~0",
        "from=&until=~1",
        "from=20261224&until=~1",
        "from=2026-02-30&until=~1",
        "from=1969-12-30&until=1969-12-31",
        "from=~0&until=~1&room_type=Suite",
    ] {
        h.check(&format!("GET {CALENDAR}?{bad}"), 400, "malformed-request").await;
    }
}

#[tokio::test]
async fn setting() {
    let h = Hotel::open().await;
    let put = |changes: &str| format!(r#"PUT {CALENDAR} {{"changes":[{changes}]}}"#);
    let changes = r#"{"room_types":["double","suite"],"from":"~1","until":"~3","inventory":{"closed":true},
        "rates":[{"rate_plan":"flexible","price":null,"min_stay":3,"stop_sell":true}]},
        {"room_types":["double"],"from":"~2","until":"~3","inventory":{"total":7,"overbook":1}}"#;
    let told = r#"{"complete":true,"parts":[
        {"change":0,"room_type":"double","from":"~1","until":"~3","outcome":"done","nights_changed":2,"problem":null},
        {"change":0,"room_type":"suite","from":"~1","until":"~3","outcome":"done","nights_changed":2},
        {"change":1,"room_type":"double","from":"~2","until":"~3","outcome":"done","nights_changed":1,"oversold":null}]}"#;
    h.check(&put(changes), 200, told).await;
    let again = told.replace(r#""nights_changed":2"#, r#""nights_changed":0"#);
    h.check(&put(changes), 200, &again.replace(r#""nights_changed":1"#, r#""nights_changed":0"#)).await;
    h.check(
        &format!("GET {CALENDAR}?from=~0&until=~4&room_type=double"),
        200,
        r#"{"room_types":[{"total":[2,2,7,2],"available":[2,0,0,2],"closed":["~1","~2"],"rates":[
            {"rate_plan":"fixed","prices":[8000,8000,8000,8000]},
            {"rate_plan":"flexible","prices":[10000,null,null,10000],"restrictions":[
                {"night":"~1","min_stay":3,"stop_sell":true,"max_stay":null,"closed_to_arrival":null},
                {"night":"~2","min_stay":3,"stop_sell":true}]}]}]}"#,
    )
    .await;
    let opened = r#"{"room_types":["double"],"from":"~1","until":"~3","inventory":{"closed":false},
        "rates":[{"rate_plan":"flexible","min_stay":null,"stop_sell":false}]}"#;
    h.check(&put(opened), 200, r#"{"complete":true}"#).await;
    // Of a plan of which nothing is left, nothing is told.
    let column = r#"{"room_types":[{"closed":null,"rates":[{"rate_plan":"fixed"}]}]}"#;
    h.check(&format!("GET {CALENDAR}?from=~1&until=~3&room_type=double"), 200, column).await;
}

#[tokio::test]
async fn what_is_promised_is_told_when_it_is_too_much() {
    let h = Hotel::open().await;
    h.walk_in("a", "double", 0).await;
    h.walk_in("b", "double", 0).await;
    let fewer = r#"{"changes":[{"room_types":["double"],"from":"~0","until":"~4","inventory":{"total":1}}]}"#;
    let oversold = r#"[{"night":"~1","rooms":1},{"night":"~2","rooms":1}]"#;
    h.check(&format!("PUT {CALENDAR} {fewer}"), 200, &format!(r#"{{"parts":[{{"oversold":{oversold}}}]}}"#)).await;
    let told = format!(r#"{{"room_types":[{{"total":[1,1,1,1],"available":[1,0,0,1],"oversold":{oversold}}}]}}"#);
    h.check(&format!("GET {CALENDAR}?from=~0&until=~4&room_type=double"), 200, &told).await;
}

/// Each part is all or nothing; the whole is not.
#[tokio::test]
async fn parts_are_refused_by_themselves() {
    let h = Hotel::open().await;
    let changes = r#"{"changes":[
        {"room_types":["none","suite"],"from":"~0","until":"~1","inventory":{"total":9}},
        {"room_types":["suite"],"from":"~0","until":"~1","inventory":{"total":8},"rates":[{"rate_plan":"none","price":1}]},
        {"room_types":["suite"],"from":"~500","until":"~501","inventory":{"closed":true}},
        {"room_types":["double"],"from":"~0","until":"~1","inventory":{"total":9}}]}"#;
    h.check(
        &format!("PUT {CALENDAR} {changes}"),
        200,
        r#"{"complete":false,"parts":[
            {"change":0,"room_type":"none","outcome":"refused","nights_changed":0,
             "problem":{"code":"room-type-not-found","status":404,"room_type":"none"}},
            {"change":0,"room_type":"suite","outcome":"done","nights_changed":1},
            {"change":1,"outcome":"refused","problem":{"code":"rate-plan-not-found"}},
            {"change":2,"outcome":"refused","problem":{"code":"pool-not-found"}},
            {"change":3,"room_type":"double","outcome":"done"}]}"#,
    )
    .await;
    h.check(&format!("GET {CALENDAR}?from=~0&until=~1"), 200, r#"{"room_types":[{"total":[9]},{"total":[9]}]}"#).await;
}

#[tokio::test]
async fn what_refuses_the_whole_request() {
    let h = Hotel::open().await;
    let check = async |change: &str| {
        let good = r#"{"room_types":["double"],"from":"~0","until":"~1","inventory":{"total":9}}"#;
        h.check(&format!(r#"PUT {CALENDAR} {{"changes":[{good},{change}]}}"#), 422, "invalid").await;
    };
    check(r#"{"room_types":[],"from":"~0","until":"~1","inventory":{"total":1}}"#).await;
    check(r#"{"room_types":["double","double"],"from":"~0","until":"~1","inventory":{"total":1}}"#).await;
    check(r#"{"room_types":["Double"],"from":"~0","until":"~1","inventory":{"total":1}}"#).await;
    check(r#"{"room_types":["double"],"from":"~1","until":"~1","inventory":{"total":1}}"#).await;
    check(r#"{"room_types":["double"],"from":"~0","until":"~1101","inventory":{"total":1}}"#).await;
    check(r#"{"room_types":["double"],"from":"","until":"~1","inventory":{"total":1}}"#).await;
    check(r#"{"room_types":["double"],"from":"~0","until":"~1"}"#).await;
    check(r#"{"room_types":["double"],"from":"~0","until":"~1","inventory":{}}"#).await;
    check(r#"{"room_types":["double"],"from":"~0","until":"~1","inventory":{"total":-1}}"#).await;
    check(r#"{"room_types":["double"],"from":"~0","until":"~7","weekdays":[],"inventory":{"total":1}}"#).await;
    check(r#"{"room_types":["double"],"from":"~0","until":"~7","weekdays":["x"],"inventory":{"total":1}}"#).await;
    check(r#"{"room_types":["double"],"from":"~0","until":"~1","rates":[{"rate_plan":"fixed"}]}"#).await;
    check(r#"{"room_types":["double"],"from":"~0","until":"~1","rates":[{"rate_plan":"fixed","price":-1}]}"#).await;
    check(r#"{"room_types":["double"],"from":"~0","until":"~1","rates":[{"rate_plan":"fixed","min_stay":91}]}"#).await;
    check(
        r#"{"room_types":["double"],"from":"~0","until":"~1",
            "rates":[{"rate_plan":"fixed","price":1},{"rate_plan":"fixed","price":2}]}"#,
    )
    .await;
    h.check(&format!(r#"PUT {CALENDAR} {{"changes":[]}}"#), 422, "invalid").await;
    let elsewhere = r#"{"changes":[{"room_types":["double"],"from":"~0","until":"~1","inventory":{"total":9}}]}"#;
    h.check(&format!("PUT /v1/casa/properties/none/calendar {elsewhere}"), 404, "property-not-found").await;
    let one = r#"{"room_types":["double"],"from":"~0","until":"~1","inventory":{"total":9}}"#;
    let many = vec![one; 1_001].join(",");
    h.check(&format!(r#"PUT {CALENDAR} {{"changes":[{many}]}}"#), 422, "invalid").await;
    h.check(&format!("GET {CALENDAR}?from=~0&until=~1&room_type=double"), 200, r#"{"room_types":[{"total":[2]}]}"#)
        .await;
}

/// Only nights that begin on the given days.
#[tokio::test]
async fn days_of_the_week() {
    let h = Hotel::open().await;
    let weekend = r#"{"changes":[{"room_types":["double"],"from":"~0","until":"~14","weekdays":["fri","sat"],
        "rates":[{"rate_plan":"flexible","price":99}]}]}"#;
    h.check(&format!("PUT {CALENDAR} {weekend}"), 200, r#"{"parts":[{"nights_changed":4}]}"#).await;
    let read = h.check(&format!("GET {CALENDAR}?from=~0&until=~14&room_type=double"), 200, "").await.json();
    let prices = read["room_types"][0]["rates"][1]["prices"].as_array().unwrap();
    for (days, price) in (0_i64..).zip(prices) {
        let night: jiff::civil::Date = h.dated(&format!("~{days}")).parse().unwrap();
        let is_weekend = ["Friday", "Saturday"].contains(&format!("{:?}", night.weekday()).as_str());
        assert_eq!(price == 99, is_weekend, "{night}");
    }
}

/// A year for 50 room types: one request, one answer.
#[tokio::test]
async fn a_year_of_a_large_house() {
    let h = Hotel::open().await;
    let mut codes = String::new();
    for number in 10..60 {
        let put = format!(r#"PUT /v1/casa/properties/sea/room-types/r{number} {{"title":"R","guests_max":2}}"#);
        h.check(&put, 200, "").await;
        write!(codes, "{}\"r{number}\"", if codes.is_empty() { "" } else { "," }).unwrap();
    }
    let year = format!(
        r#"{{"changes":[{{"room_types":[{codes}],"from":"~0","until":"~365","inventory":{{"total":3}},
            "rates":[{{"rate_plan":"flexible","price":100}}]}}]}}"#
    );
    let done = h.check(&format!("PUT {CALENDAR} {year}"), 200, r#"{"complete":true}"#).await.json();
    assert_eq!(done["parts"].as_array().unwrap().len(), 50);
    let read = h.check(&format!("GET {CALENDAR}?from=~0&until=~365"), 200, "").await;
    assert!(read.body.len() < 500_000, "{} bytes", read.body.len());
    let read = read.json();
    let of_ours =
        read["room_types"].as_array().unwrap().iter().filter(|row| row["code"].as_str().unwrap().starts_with('r'));
    let mut rows = 0;
    for row in of_ours {
        rows += 1;
        assert!(row["total"].as_array().unwrap().iter().all(|total| *total == 3));
        assert!(row["rates"][0]["prices"].as_array().unwrap().iter().all(|price| *price == 100));
        assert_eq!(row["total"].as_array().unwrap().len(), 365);
    }
    assert_eq!(rows, 50);
}
