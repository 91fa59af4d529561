//! Reservations: at the desk, in lists, and how they end.

use super::Hotel;

#[tokio::test]
async fn booking_at_the_desk() {
    let h = Hotel::open().await;
    let book = r#"POST /v1/casa/reservations {"id":"$a","property":"sea","checkin":"~1","checkout":"~3","paid":5000,
        "rooms":[{"room_type":"double","rate_plan":"flexible"}],"guest":{"name":"Ann Example"}}"#;
    let told = r#"{"hold":"$a","booked_by":"$a","property":"sea","state":"confirmed","checkin":"~1","checkout":"~3",
        "total":20000,"paid":5000,"balance":15000,"source":"walk_in","guest":null,"payment":null,"rooms":[
        {"room_type":"double","rate_plan":"flexible","rooms":1,"nights":[{"night":"~1"},{"night":"~2"}]}]}"#;
    let first = h.check(book, 201, told).await;
    assert_eq!(first.header("location"), h.w.named("/v1/casa/reservations/$a"));
    assert_eq!(first.json()["code"].as_str().unwrap().len(), 8);
    assert_eq!(h.check(book, 201, told).await.header("idempotent-replayed"), "true");
    h.check(&book.replace("5000", "5001"), 422, r#"{"code":"stay-id-reused","hold":"$a"}"#).await;
    let seen = r#"{"hold":"$a","balance":15000,"guest":{"name":"Ann Example"},"refund":null}"#;
    h.check("GET /v1/casa/reservations/$a", 200, seen).await;
    h.check("GET /v1/casa/stays/$a", 200, r#"{"state":"converted","reservation":{"source":"walk_in"}}"#).await;
    h.check("GET /v1/casa/reservations/$b", 404, r#"{"code":"reservation-not-found","hold":"$b"}"#).await;
    h.check("GET /v1/other/reservations/$a As:other", 404, "reservation-not-found").await;
    let check = async |body: &str, status: u16, code: &str| {
        h.check(&format!("POST /v1/casa/reservations {body}"), status, code).await;
    };
    let wanted = |room_type: &str, rate_plan: &str, rooms: u32| {
        format!(
            r#"{{"id":"$c","property":"sea","checkin":"~1","checkout":"~3",
            "rooms":[{{"room_type":"{room_type}","rate_plan":"{rate_plan}","rooms":{rooms}}}]}}"#
        )
    };
    check(&wanted("none", "flexible", 1), 404, "room-type-not-found").await;
    check(&wanted("double", "none", 1), 404, "rate-plan-not-found").await;
    check(&wanted("suite", "fixed", 1), 409, "not-for-sale").await;
    check(&wanted("double", "flexible", 2), 409, "sold-out").await;
    check(&wanted("double", "flexible", 0), 422, "invalid").await;
    check(&wanted("double", "flexible", 1).replace("\"id\":\"$c\",", ""), 400, "idempotency-key-missing").await;
    check(&wanted("double", "flexible", 1).replace("sea", "none"), 404, "property-not-found").await;
    check(&wanted("double", "flexible", 1).replace("~3", "~1"), 422, "invalid").await;
}

#[tokio::test]
async fn who_arrives_leaves_and_stays() {
    let h = Hotel::open().await;
    for (name, room_type) in [("a", "double"), ("b", "double"), ("c", "suite")] {
        h.walk_in(name, room_type, 0).await;
    }
    let count = async |query: &str| {
        let answer = h.check(&format!("GET /v1/casa/reservations?property=sea&{query}"), 200, "").await.json();
        answer["reservations"].as_array().unwrap().len()
    };
    for (query, expected) in [
        ("arriving=~1", 3),
        ("arriving=~2", 0),
        ("departing=~3", 3),
        ("departing=~2", 0),
        ("staying=~0", 0),
        ("staying=~1", 3),
        ("staying=~2", 3),
        ("staying=~3", 0),
        ("staying=~2&state=cancelled", 0),
        ("staying=0001-01-01", 0),
    ] {
        assert_eq!(count(query).await, expected, "{query}");
    }
    for list in ["arriving=~1", "departing=~3", "staying=~2"] {
        for limit in [1, 2, 3] {
            let mut names = Vec::new();
            let mut after = String::new();
            loop {
                let row = format!("GET /v1/casa/reservations?property=sea&{list}&limit={limit}{after}");
                let page = h.check(&row, 200, "").await.json();
                let reservations = page["reservations"].as_array().unwrap();
                names.extend(reservations.iter().map(|one| one["guest"]["name"].as_str().unwrap().to_owned()));
                let Some(next) = page["next"].as_str() else { break };
                after = format!("&after={next}");
            }
            names.sort();
            assert_eq!(names, ["Guest a", "Guest b", "Guest c"], "{list} by {limit}");
        }
    }
    h.check("POST /v1/casa/reservations/$a/cancel {}", 200, "").await;
    assert_eq!(count("arriving=~1").await, 2);
    assert_eq!(count("arriving=~1&state=cancelled").await, 1);
    h.check("GET /v1/casa/reservations?property=none&arriving=~1", 404, "property-not-found").await;
    for bad in [
        "property=sea",
        "arriving=~1",
        "property=sea&arriving=~1&departing=~1",
        "property=sea&arriving=~1&departing=~1&staying=~1",
        "property=sea&arriving=",
        "property=sea&arriving=today",
        "property=sea&arriving=~1&state=ended",
        "property=sea&arriving=~1&after=x",
        "property=sea&arriving=~1&after=@x",
        "property=sea&arriving=~1&limit=0",
    ] {
        h.check(&format!("GET /v1/casa/reservations?{bad}"), 400, "malformed-request").await;
    }
}

#[tokio::test]
async fn cancelling() {
    let h = Hotel::open().await;
    h.walk_in("a", "double", 5_000).await;
    let cancel = "POST /v1/casa/reservations/$a/cancel {}";
    let told = r#"{"hold":"$a","state":"cancelled","penalty":10000,"refund":0,"balance":5000,"waived_by":null}"#;
    h.check(cancel, 200, told).await;
    assert_eq!(h.check(cancel, 200, told).await.header("idempotent-replayed"), "true");
    h.check("GET /v1/casa/pools/sea%2Fdouble?slot=~1", 200, r#"{"booked":0,"available":2}"#).await;
    let ended = r#"{"code":"reservation-ended","reservation_state":"cancelled"}"#;
    h.check("POST /v1/casa/reservations/$a/no-show {}", 409, ended).await;
    h.walk_in("b", "double", 0).await;
    let waived = r#"{"penalty":0,"waived_by":"ana","balance":0}"#;
    h.check(r#"POST /v1/casa/reservations/$b/cancel {"waived_by":"ana"}"#, 200, waived).await;
    h.check(r#"POST /v1/casa/reservations/$b/cancel {"waived_by":""}"#, 422, "invalid").await;
    h.check("POST /v1/casa/reservations/$c/cancel {}", 404, "reservation-not-found").await;
}

#[tokio::test]
async fn nobody_came() {
    let h = Hotel::open().await;
    h.walk_in("a", "double", 0).await;
    h.check("POST /v1/casa/reservations/$a/no-show {}", 409, "guests-may-still-come").await;
    h.w.advance_secs(86_400);
    let told = r#"{"state":"no_show","penalty":20000,"balance":20000}"#;
    h.check("POST /v1/casa/reservations/$a/no-show {}", 200, told).await;
    let again = h.check("POST /v1/casa/reservations/$a/no-show {}", 200, told).await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    let ended = r#"{"code":"reservation-ended","reservation_state":"no_show"}"#;
    h.check("POST /v1/casa/reservations/$a/cancel {}", 409, ended).await;
    h.check("POST /v1/casa/reservations/$b/no-show {}", 404, "reservation-not-found").await;
}

#[tokio::test]
async fn changing() {
    let h = Hotel::open().await;
    h.walk_in("a", "double", 20_000).await;
    let change = |checkin: &str, checkout: &str, room_type: &str, rooms: u32| {
        format!(
            r#"POST /v1/casa/reservations/$a/change {{"checkin":"{checkin}","checkout":"{checkout}",
            "rooms":[{{"room_type":"{room_type}","rate_plan":"flexible","rooms":{rooms}}}]}}"#
        )
    };
    let longer = change("~2", "~5", "double", 1);
    let told =
        r#"{"hold":"$a","state":"confirmed","checkin":"~2","checkout":"~5","total":30000,"balance":10000,"refund":0}"#;
    h.check(&longer, 200, told).await;
    assert_eq!(h.check(&longer, 200, told).await.header("idempotent-replayed"), "true");
    for (slot, booked) in [("~1", 0), ("~2", 1), ("~4", 1)] {
        let pool = format!("GET /v1/casa/pools/sea%2Fdouble?slot={slot}");
        h.check(&pool, 200, &format!(r#"{{"booked":{booked}}}"#)).await;
    }
    h.check(&change("~2", "~5", "suite", 1), 200, r#"{"total":90000,"rooms":[{"room_type":"suite"}]}"#).await;
    h.check(&change("~2", "~5", "suite", 2), 409, "sold-out").await;
    h.check(&change("~2", "~5", "none", 1), 404, "room-type-not-found").await;
    h.check(&change("~59", "~61", "double", 1), 409, "not-for-sale").await;
    h.check(&change("~5", "~5", "double", 1), 422, "invalid").await;
    h.check(&change("~2", "~5", "double", 0), 422, "invalid").await;
    h.check("GET /v1/casa/reservations/$a", 200, r#"{"checkin":"~2","total":90000}"#).await;
    h.check("POST /v1/casa/reservations/$a/cancel {}", 200, "").await;
    h.check(&change("~1", "~2", "double", 1), 409, "reservation-ended").await;
    h.check(&change("~1", "~2", "double", 1).replace("$a", "$b"), 404, "reservation-not-found").await;
}
