//! `surehold stay import`: files as hotels have them, and those that are no good.

use std::fmt::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::stays::{days_from_now, open_hotel};
use super::{Place, Ran};

const PATIENCE: Duration = Duration::from_mins(1);

impl Place {
    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.folder.path().join(name), bytes).unwrap();
    }

    fn written(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap()
    }

    fn import(&self, name: &str, more: &[&str]) -> Ran {
        self.run(&[&["stay", "import", "casa", "mar", name], more].concat())
    }

    fn nights(&self, room_type: &str, nights: &str) -> Value {
        let calendar = self.json(&["stay", "calendar", "casa", "mar", nights, "--room-type", room_type]);
        calendar["room_types"][0].clone()
    }
}

#[test]
fn refused_rows_are_told_kept_mended_and_imported() {
    let place = Place::socket();
    open_hotel(&place);
    place.write(
        "rates.csv",
        "room_type,from,until,rooms,rate_plan,price,min_stay\n\
         double,2030-12-01,2030-12-04,5,flexible,500.50,\n\
         duoble,2030-12-01,2030-12-04,5,flexible,500,\n\
         double,2030-12-04,,5,saver,\"1,000\",2\n\
         \n\
         suite,01/12/2030,,1,,,\n\
         suite,2030-12-01,2030-12-02,1,,,\n\
         suite,2030-12-02,2030-12-03,,,,\n",
    );
    let dry = place.import("rates.csv", &["--dry-run"]).ended(1);
    dry.shows(&["rates.csv: 6 rows, 2 can be set, 4 refused; nothing was changed"]);
    assert_eq!(place.nights("double", "2030-12-01+4")["total"], serde_json::json!([null, null, null, null]));

    let ran = place.import("rates.csv", &["--report", "refused.csv"]).ended(1);
    let ran = ran.shows(&["rates.csv: 6 rows, 2 set, 4 refused; 4 nights changed"]);
    let ran = ran.tells(&[
        "LINE  ROWS  COLUMN",
        "   3     1  room_type",
        "did you mean `double`?",
        "   4     1  price",
        "`1,000` is no amount",
    ]);
    let ran = ran.tells(&["   6     1  from", "write it like 2026-12-24", "   8     1 ", "there is nothing to set"]);
    ran.tells(&["error: 4 of 6 rows were refused\n", "hint: mend the rows in refused.csv, then import that file\n"]);
    let double = place.nights("double", "2030-12-01+4");
    assert_eq!(double["total"], serde_json::json!([5, 5, 5, null]));
    assert_eq!(double["rates"][0]["prices"], serde_json::json!([50_050, 50_050, 50_050, null]));

    let refused = place.written("refused.csv");
    assert!(refused.starts_with("room_type,from,until,rooms,rate_plan,price,min_stay,reason\nduoble,2030-12-01,"));
    assert_eq!(refused.lines().count(), 5, "{refused}");
    let mended = refused.replace("duoble", "double").replace("\"1,000\"", "1000").replace("01/12/2030", "2030-12-01");
    let mended: String =
        mended.lines().filter(|line| !line.contains("nothing to set")).fold(String::new(), |mut all, line| {
            writeln!(all, "{line}").unwrap();
            all
        });
    place.write("refused.csv", mended);
    place.import("refused.csv", &[]).ok().shows(&["3 rows, 3 set; 4 nights changed"]);
    place.import("refused.csv", &[]).ok().shows(&["3 rows, 3 set; nothing was different"]);

    // What many rows have in common is told once.
    place.write("same.csv", "room_type,date,rooms\nattic,2030-12-01,1\nattic,2030-12-02,1\nattic,2030-12-03,1\n");
    place
        .import("same.csv", &[])
        .ended(1)
        .tells(&["   2     3  room_type  there is no room type attic in mar; there are "]);

    place.write("more.csv", "room_type,date,rooms\nattic,2030-12-01,1\ndouble,2030-12-01,7\n");
    let ran = place.import("more.csv", &["--json"]).ended(1);
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&told["rows"], &told["set"], &told["nights_changed"]), (&2.into(), &1.into(), &1.into()), "{told}");
    assert_eq!((&told["refused"][0]["line"], &told["refused"][0]["column"]), (&2.into(), &"room_type".into()));
    assert!(ran.err.contains("2 rows were refused") && ran.err.starts_with('{'), "{}", ran.said());
}

/// Refused by the server, not by us.
#[test]
fn rooms_that_nobody_has_counted() {
    let place = Place::socket();
    open_hotel(&place);
    let (there, far) = (days_from_now(3), days_from_now(400));
    place.write("close.csv", format!("room_type,date,closed\ndouble,{there},yes\ndouble,{far},yes\n"));
    let ran = place.import("close.csv", &["--report", "refused.csv"]).ended(1).shows(&["2 rows, 1 set, 1 refused"]);
    ran.tells(&["   3", "no such pool"]);
    assert!(place.written("refused.csv").contains(&far.to_string()));
    assert_eq!(place.nights("double", &there.to_string())["closed"][0], there.to_string());
}

#[test]
fn files_that_are_no_use() {
    let place = Place::socket();
    open_hotel(&place);
    let check = |bytes: &[u8], error: &str, hint: &str| {
        place.write("f.csv", bytes);
        let ran =
            place.import("f.csv", &[]).ended(1).tells(&[&format!("error: f.csv {error}"), &format!("hint: {hint}")]);
        assert_eq!(ran.out, "", "{}", ran.said());
    };
    check(b"", "is empty", "begin it with a line that names the columns, as in room_type,from,until,");
    check(b"\n\n", "is empty", "begin it");
    check(b"room_type,date,rooms\n", "has a header and no rows", "add a row");
    check(b"double,2030-12-01,3\n", "line 1: there is no column `double`", "begin it");
    check(
        b"room_type,date,prise\ndouble,2030-12-01,3\n",
        "line 1: there is no column `prise`; did you mean `price`?",
        "",
    );
    check(b"room_type,rooms\ndouble,3\n", "line 1: there is no column date, nor from", "begin it");
    check(b"room_type,date,date\ndouble,3,3\n", "line 1: the column date is there twice", "begin it");
    check(b"PK\x03\x04\x14\x00\x06\x00\x08\x00", "line 1: there is no column", "begin it");
    place.import("none.csv", &[]).ended(1).tells(&["error: none.csv cannot be read: ", "hint: check its name"]);
    place.import("f.csv", &["--report", "f.csv"]).ended(2).tells(&["would overwrite"]);
    place.write("f.csv", "room_type,date,rooms\ndouble,2030-12-01,3\n");
    let elsewhere = ["stay", "import", "casa", "sol", "f.csv"];
    place.run(&elsewhere).ended(1).tells(&["there is no property sol", "surehold stay property list casa"]);
    place.import("f.csv", &["--report", "no/such/folder.csv"]).ok();
    assert_eq!(place.nights("double", "2030-12-01")["total"][0], 3);
}

/// As spreadsheets save it where commas stand before the cents.
#[test]
fn a_spreadsheet_of_another_country() {
    let place = Place::socket();
    open_hotel(&place);
    let text = "\u{feff}Room type;Date;Rooms;Rate plan;Price;Weekdays\r\n\
                double;2030-12-06;4;flexible;480,50;\r\n\
                suite;2030-12-06;1;flexible;999,9;fri sat\r\n\
                ;;;;;\r\n";
    place.write("preços.csv", text);
    place.import("preços.csv", &[]).ok().shows(&["2 rows, 2 set; 2 nights changed"]);
    assert_eq!(place.nights("double", "2030-12-06")["rates"][0]["prices"][0], 48_050);
    assert_eq!(place.nights("suite", "2030-12-06")["rates"][0]["prices"][0], 99_990);
}

/// The second run finds everything as it is to be: no night is set to one row's price first and to another's then.
#[test]
fn rows_that_overlap() {
    let place = Place::socket();
    open_hotel(&place);
    place.write(
        "rates.csv",
        "room_type,from,until,weekdays,rooms,rate_plan,price\n\
         double,2030-12-01,2030-12-15,,4,flexible,400\n\
         double,2030-12-01,2030-12-15,fri sat,,flexible,500\n\
         double,2030-12-07,,,6,flexible,\n",
    );
    place.import("rates.csv", &[]).ok().shows(&["3 rows, 3 set; 14 nights changed"]);
    let double = place.nights("double", "2030-12-05+4");
    assert_eq!(double["total"], serde_json::json!([4, 4, 6, 4]));
    assert_eq!(double["rates"][0]["prices"], serde_json::json!([40_000, 50_000, 50_000, 40_000]));
    place.import("rates.csv", &[]).ok().shows(&["3 rows, 3 set; nothing was different"]);
}

fn large_house(place: &Place) {
    open_hotel(place);
    for number in 10..60 {
        place.run(&["stay", "room-type", "put", "casa", "mar", &format!("r{number}"), "--guests", "2"]).ok();
    }
}

/// A year for 50 room types, night by night: the weekends differ from the week.
fn a_year(price_of: impl Fn(u32, i64) -> i64) -> String {
    let mut text = "date,room_type,rooms,rate_plan,price\n".to_owned();
    for day in 0..365 {
        for number in 10..60_u32 {
            let night = days_from_now(100).saturating_add(jiff::ToSpan::days(day));
            writeln!(text, "{night},r{number},3,flexible,{}", price_of(number, day)).unwrap();
        }
    }
    text
}

#[test]
fn a_year_of_a_large_house() {
    let place = Place::socket();
    large_house(&place);
    place.write("year.csv", a_year(|number, day| i64::from(number) * 10 + i64::from(day % 7 > 4)));
    place.import("year.csv", &[]).ok().shows(&["year.csv: 18250 rows, 18250 set; 18250 nights changed"]);
    place.import("year.csv", &[]).ok().shows(&["year.csv: 18250 rows, 18250 set; nothing was different"]);
    let nights = format!("{}+365", days_from_now(100));
    let read = place.json(&["stay", "calendar", "casa", "mar", &nights]);
    let rows: Vec<&Value> = read["room_types"].as_array().unwrap().iter().collect();
    let ours: Vec<&&Value> = rows.iter().filter(|row| row["code"].as_str().unwrap().starts_with('r')).collect();
    assert_eq!(ours.len(), 50);
    for row in ours {
        let number: i64 = row["code"].as_str().unwrap()[1..].parse().unwrap();
        assert!(row["total"].as_array().unwrap().iter().all(|total| *total == 3));
        for (price, day) in row["rates"][0]["prices"].as_array().unwrap().iter().zip(0_i64..) {
            assert_eq!(price.as_i64(), Some((number * 10 + i64::from(day % 7 > 4)) * 100), "{number} {day}");
        }
    }
}

/// Whoever stops it in the middle runs it again.
#[test]
fn an_import_that_was_cut_off() {
    let place = Place::socket();
    large_house(&place);
    // No two nights alike, so that it takes its time.
    place.write("year.csv", a_year(|number, day| i64::from(number) * 1_000 + day));
    let mut import = place.command(&["stay", "import", "casa", "mar", "year.csv"]);
    let mut import = import.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun_at = Instant::now();
    let first = days_from_now(100).to_string();
    while place.nights("r10", &first)["total"][0].is_null() {
        assert!(begun_at.elapsed() < PATIENCE, "nothing is set");
    }
    let interrupt = std::process::Command::new("kill").args(["-INT", &import.id().to_string()]).status().unwrap();
    let code = import.wait().unwrap().code();
    // A very fast machine may have been done.
    assert!(interrupt.success() && matches!(code, Some(130 | 0)), "{code:?}");
    place.import("year.csv", &[]).ok().shows(&["18250 rows, 18250 set"]);
    place.import("year.csv", &[]).ok().shows(&["nothing was different"]);
}
