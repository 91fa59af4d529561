//! Properties, quotes, stays and reservations over HTTP.

mod calendar;
mod calendar_rows;
mod paying;
mod properties;
mod quotes;
mod reservations;
mod selling;

use jiff::ToSpan;
use jiff::civil::Date;

use super::world::{Answer, World, system_micros};

/// A hotel with two doubles and a suite, for the next 60 nights. In its rows and expectations `~3` is the date three days
/// from today.
struct Hotel {
    w: World,
    today: Date,
}

impl Hotel {
    /// Nothing is there but the tenant.
    async fn empty() -> Hotel {
        let now = jiff::Timestamp::from_microsecond(system_micros()).unwrap();
        Hotel { w: World::new().await, today: now.to_zoned(jiff::tz::TimeZone::UTC).date() }
    }

    async fn open() -> Hotel {
        let hotel = Hotel::empty().await;
        for (path, body) in [
            ("", r#"{"title":"Sea","time_zone":"UTC","currency":"BRL","payment_account":"acct_1"}"#),
            ("/room-types/double", r#"{"title":"Double","guests_max":2}"#),
            ("/room-types/suite", r#"{"title":"Suite","guests_max":4}"#),
            (
                "/rate-plans/flexible",
                r#"{"title":"Flexible","cancellation":{"free_until_hours":48,"penalty":{"nights":1},"no_show":"all"}}"#,
            ),
            ("/rate-plans/fixed", r#"{"title":"Fixed","cancellation":{"penalty":"all","no_show":"all"}}"#),
            (
                "/calendar",
                r#"{"changes":[
                    {"room_types":["double"],"from":"~0","until":"~60","inventory":{"total":2},
                     "rates":[{"rate_plan":"flexible","price":10000},{"rate_plan":"fixed","price":8000}]},
                    {"room_types":["suite"],"from":"~0","until":"~60","inventory":{"total":1},
                     "rates":[{"rate_plan":"flexible","price":30000}]}]}"#,
            ),
        ] {
            hotel.check(&format!("PUT /v1/casa/properties/sea{path} {body}"), 200, "").await;
        }
        hotel
    }

    fn dated(&self, text: &str) -> String {
        let mut parts = text.split('~');
        let mut dated = parts.next().unwrap().to_owned();
        for part in parts {
            let end = part.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(part.len());
            let days: i64 = part[..end].parse().unwrap();
            dated.push_str(&self.today.saturating_add(days.days()).to_string());
            dated.push_str(&part[end..]);
        }
        dated
    }

    async fn check(&self, row: &str, status: u16, expected: &str) -> Answer {
        let (row, expected) = (self.dated(row), self.dated(expected));
        self.w.check(&row, status, &expected).await
    }

    /// One or more rooms for two guests from `~1` to `~3`: 1 is double fixed, 2 double flexible, 3 the suite.
    async fn quote(&self, name: &str) {
        let ask = format!(
            r#"POST /v1/casa/quotes {{"id":"${name}","property":"sea","checkin":"~1","checkout":"~3","guests":2}}"#
        );
        self.check(&ask, 201, "").await;
    }

    /// Books a room from `~1` to `~3` at the desk.
    async fn walk_in(&self, name: &str, room_type: &str, paid: i64) {
        let book = format!(
            r#"POST /v1/casa/reservations {{"id":"${name}","property":"sea","checkin":"~1","checkout":"~3","paid":{paid},
            "rooms":[{{"room_type":"{room_type}","rate_plan":"flexible"}}],"guest":{{"name":"Guest {name}"}}}}"#
        );
        self.check(&book, 201, "").await;
    }
}
