//! The rules of `docs/stock.md`, each number a row.

use super::world::World;

fn check(rows: &[(&str, &str)]) {
    check_in(World::new(), rows);
    check_in(World::stored(), rows);
}

fn check_in(mut world: World, rows: &[(&str, &str)]) {
    for (sentence, expected) in rows {
        assert_eq!(world.say(sentence), *expected, "{sentence}");
    }
}

#[test]
fn buying_and_selling() {
    check(&[
        ("buy a tea 10 1000", "+10 for 1000; a/tea 10 worth 1000"),
        ("buy a tea 20 2600", "+20 for 2600; a/tea 30 worth 3600"),
        ("sell a tea 15", "-15 for 1800; a/tea 15 worth 1800"),
        ("scrap a tea 5", "-5 for 600; a/tea 10 worth 1200"),
        // Credited 5 for 5.50 though they cost 6.00.
        ("send-back a tea 5 550", "-5 for 600 (-50 off); a/tea 5 worth 600"),
        ("sell a tea 5", "-5 for 600; a/tea 0 worth 0"),
        ("sell a tea 1", "not enough: a/tea (1 asked, 0 available, 0 promised to others)"),
    ]);
    check(&[
        // 3 for 10.00: the last takes what rounding left.
        ("buy a tea 3 1000", "+3 for 1000; a/tea 3 worth 1000"),
        ("sell a tea 1", "-1 for 333.333333; a/tea 2 worth 666.666667"),
        ("sell a tea 1", "-1 for 333.333334; a/tea 1 worth 333.333333"),
        ("sell a tea 1", "-1 for 333.333333; a/tea 0 worth 0"),
    ]);
    check(&[
        // 3.250 kg at 5.99, boxes at 24.90.
        ("buy a rice 3250 @599", "+3250 for 1946.75; a/rice 3250 worth 1946.75"),
        ("sell a rice 1000", "-1000 for 599; a/rice 2250 worth 1347.75"),
        // Free goods.
        ("buy a cup 3 0", "+3 for 0; a/cup 3 worth 0, a/rice 2250 worth 1347.75"),
        ("sell a cup 1", "-1 for 0; a/cup 2 worth 0, a/rice 2250 worth 1347.75"),
    ]);
}

#[test]
fn every_short_product_is_named() {
    check(&[
        ("buy a tea 5 500", "+5 for 500; a/tea 5 worth 500"),
        (
            "sell2 a tea 6 cup 1",
            "not enough: a/cup (1 asked, 0 available, 0 promised to others), a/tea (6 asked, 5 available, 0 promised to others)",
        ),
    ]);
}

#[test]
fn returns_of_customers() {
    check(&[
        ("buy a tea 3 1000", "+3 for 1000; a/tea 3 worth 1000"),
        ("sell a tea 3", "-3 for 1000; a/tea 0 worth 0"),
        ("buy a tea 1 1", "+1 for 1; a/tea 1 worth 1"),
        // In at what it left for, whatever tea costs now; all of it comes back with all of its cost.
        ("return a 2 1 1", "+1 for 333.333333; a/tea 2 worth 334.333333"),
        ("return a 2 1 3", "less is left: line 1 (2 of 3)"),
        ("return a 2 1 2", "+2 for 666.666667; a/tea 4 worth 1001"),
        ("return a 2 1 1", "less is left: line 1 (0 of 1)"),
        ("return a 2 2 1", "document #2 has no line 2"),
        ("undo 2", "2 documents are about document #2; reverse them first"),
        ("undo 4", "-1 for 333.333333; a/tea 3 worth 667.666667"),
        ("return a 2 1 1", "+1 for 333.333333; a/tea 4 worth 1001"),
    ]);
}

#[test]
fn counting() {
    check(&[
        ("count a tea 5", "+5 for 0; a/tea 5 worth 0"),
        ("buy a tea 5 1000", "+5 for 1000; a/tea 10 worth 1000"),
        // Surplus at the average, shortage at the average.
        ("count a tea 11", "+1 for 100; a/tea 11 worth 1100"),
        ("count a tea 9", "-2 for 200; a/tea 9 worth 900"),
        ("count a tea 9", "+0 for 0; a/tea 9 worth 900"),
        ("sell a tea 4", "-4 for 400; a/tea 5 worth 500"),
        // Somebody counted 8 before the sale.
        ("count a tea 8 against 4", "moved since they were counted: a/tea (from 9 to 5)"),
        ("count a tea 8 against 4 difference", "-1 for 100; a/tea 4 worth 400"),
        ("count a tea 0", "-4 for 400; a/tea 0 worth 0"),
        // The last average that was known; or what is stated.
        ("count a tea 2", "+2 for 200; a/tea 2 worth 200"),
        ("count a tea 3 for 50", "+1 for 50; a/tea 3 worth 250"),
        ("count a tea 3 at -1", "a count says what is there now; it cannot take effect before 2026-11-01T12:00:00Z"),
    ]);
}

/// The goods of a count came from a store where an invoice was late: they cost something else now, and nothing has moved.
#[test]
fn counting_while_costs_change() {
    check(&[
        ("buy a tea 10 1000 at -60", "+10 for 1000; a/tea 10 worth 1000"),
        ("move a b tea 5 at -30", "-5 for 500; a/tea 5 worth 500, b/tea 5 worth 500"),
        ("sell b tea 1", "-1 for 100; b/tea 4 worth 400"),
        ("buy a tea 10 3000 at -40", "+10 for 3000; a/tea 15 worth 3000"),
        ("work out", "all costs"),
        ("count b tea 4 against 2", "+0 for 0; b/tea 4 worth 800"),
        ("count b tea 3 against 2", "-1 for 200; b/tea 3 worth 600"),
        ("count b tea 3 against 2", "moved since they were counted: b/tea (from 4 to 3)"),
    ]);
    check(&[
        ("buy a milk 10 1000 x 2027-01-01 at -60", "+10 for 1000 x:10; a/milk 10 worth 1000"),
        ("move a b milk 5 at -30", "-5 for 500 x:5; a/milk 5 worth 500, b/milk 5 worth 500"),
        ("sell b milk 1", "-1 for 100 x:1; b/milk 4 worth 400"),
        ("buy a milk 10 3000 x 2027-01-01 at -40", "+10 for 3000 x:10; a/milk 15 worth 3000"),
        ("work out", "all costs"),
        ("count-lot b milk 3 x against 2", "-1 for 200 x:1; b/milk 3 worth 600"),
        ("count-lot b milk 3 x against 2", "moved since they were counted: b/milk (from 4 to 3)"),
    ]);
}

/// What the last units cost is known better by now.
#[test]
fn what_is_found_costs_what_the_last_ones_did() {
    check(&[
        ("buy a tea 10 1000 at -60", "+10 for 1000; a/tea 10 worth 1000"),
        ("move a b tea 5 at -30", "-5 for 500; a/tea 5 worth 500, b/tea 5 worth 500"),
        ("sell b tea 5 at -20", "-5 for 500; b/tea 0 worth 0"),
        ("buy a tea 10 3000 at -40", "+10 for 3000; a/tea 15 worth 3000"),
        ("work out", "all costs"),
        ("count b tea 2", "+2 for 400; b/tea 2 worth 400"),
    ]);
}

/// A cost that changed behind the reversal is no move.
#[test]
fn opening_again_after_costs_have_changed() {
    check(&[
        ("open b tea 10 1000 at -60", "+10 for 1000; b/tea 10 worth 1000"),
        ("undo 1 at -50", "-10 for 1000; b/tea 0 worth 0"),
        ("buy a tea 10 1000 at -60", "+10 for 1000; a/tea 10 worth 1000"),
        ("move a b tea 5 at -45", "-5 for 500; a/tea 5 worth 500, b/tea 5 worth 500"),
        ("undo 4", "+5 for 500; a/tea 10 worth 1000"),
        ("buy a tea 10 3000 at -55", "+10 for 3000; a/tea 20 worth 4000"),
        ("work out", "all costs"),
        ("open b tea 10 900", "+10 for 900; b/tea 10 worth 900"),
    ]);
}

#[test]
fn opening() {
    check(&[
        ("open a tea 10 1000", "+10 for 1000; a/tea 10 worth 1000"),
        ("open a tea 10 1000", "a/tea has moved already; only what never moved is opened"),
        ("undo 1", "-10 for 1000; a/tea 0 worth 0"),
        // A mistake that was taken back is none.
        ("open a tea 10 900", "+10 for 900; a/tea 10 worth 900"),
        ("sell a tea 10", "-10 for 900; a/tea 0 worth 0"),
        ("open a tea 10 900", "a/tea has moved already; only what never moved is opened"),
    ]);
}

#[test]
fn transfers() {
    check(&[
        ("buy a tea 3 1000", "+3 for 1000; a/tea 3 worth 1000"),
        ("buy b tea 1 100", "+1 for 100; b/tea 1 worth 100"),
        ("move a b tea 1", "-1 for 333.333333; a/tea 2 worth 666.666667, b/tea 2 worth 433.333333"),
        (
            "ship a b tea 2",
            "-2 for 666.666667; a/tea 0 worth 0, b/tea 2 worth 433.333333, b/tea on the way 2 worth 666.666667",
        ),
        ("sell b tea 3", "not enough: b/tea (3 asked, 2 available, 0 promised to others)"),
        ("receive b 4 1 1", "+1 for 333.333334; b/tea 3 worth 766.666667, b/tea on the way 1 worth 333.333333"),
        ("receive b 4 1 2", "less is left: line 1 (1 of 2)"),
        ("lose b 4 1 1", "-1 for 333.333333; b/tea 3 worth 766.666667, b/tea on the way 0 worth 0"),
        ("undo 4", "2 documents are about document #4; reverse them first"),
        ("undo 8", "+1 for 333.333333; b/tea 3 worth 766.666667, b/tea on the way 1 worth 333.333333"),
        ("undo 6", "+1 for 333.333334; b/tea 2 worth 433.333333, b/tea on the way 2 worth 666.666667"),
        ("undo 4", "+2 for 666.666667; a/tea 2 worth 666.666667"),
        ("undo 3", "+1 for 333.333333; a/tea 3 worth 1000"),
    ]);
    check(&[
        ("buy a tea 3 999", "+3 for 999; a/tea 3 worth 999"),
        ("move a b tea 1", "-1 for 333; a/tea 2 worth 666, b/tea 1 worth 333"),
        ("receive b 2 1 1", "transfer #2 was not in transit: it has arrived already"),
        ("lose b 2 1 1", "transfer #2 was not in transit: it has arrived already"),
    ]);
}

#[test]
fn reversals() {
    check(&[
        ("buy a tea 10 1000", "+10 for 1000; a/tea 10 worth 1000"),
        ("buy a tea 10 2000", "+10 for 2000; a/tea 20 worth 3000"),
        ("sell a tea 5", "-5 for 750; a/tea 15 worth 2250"),
        ("undo 2", "-10 for 2000; a/tea 5 worth 250"),
        ("undo 2", "document #2 is reversed"),
        ("undo 4", "a reversal cannot be reversed"),
        ("undo 3", "+5 for 750; a/tea 10 worth 1000"),
    ]);
    check(&[
        // What it came for is not there any more: at the average, and the difference is shown.
        ("buy a tea 10 1000", "+10 for 1000; a/tea 10 worth 1000"),
        ("buy a tea 10 2000", "+10 for 2000; a/tea 20 worth 3000"),
        ("sell a tea 9", "-9 for 1350; a/tea 11 worth 1650"),
        ("undo 2", "-10 for 1500 (+500 off); a/tea 1 worth 150"),
        ("undo 1", "not enough: a/tea (10 asked, 1 available, 0 promised to others)"),
    ]);
    check(&[
        // The last units take all.
        ("buy a tea 10 1000", "+10 for 1000; a/tea 10 worth 1000"),
        ("count a tea 15 for 0", "+5 for 0; a/tea 15 worth 1000"),
        ("sell a tea 5", "-5 for 333.333333; a/tea 10 worth 666.666667"),
        ("undo 1", "-10 for 666.666667 (+333 off); a/tea 0 worth 0"),
    ]);
}

#[test]
fn what_is_promised_is_not_sold() {
    check(&[
        ("buy a tea 10 1000", "+10 for 1000; a/tea 10 worth 1000"),
        ("hold a tea 4", "active"),
        ("sell a tea 7", "not enough: a/tea (7 asked, 6 available, 4 promised to others)"),
        ("sell a tea 6", "-6 for 600; a/tea 4 worth 400"),
        ("undo 1", "not enough: a/tea (10 asked, 0 available, 4 promised to others)"),
        ("sell-hold 1 a tea 5", "not enough: a/tea (1 asked, 0 available, 0 promised to others)"),
        // Of the 4 that are held 3 are sold; the rest is free again.
        ("sell-hold 1 a tea 3", "-3 for 300; a/tea 1 worth 100"),
        ("sell-hold 1 a tea 1", "the hold is converted"),
        ("sell a tea 1", "-1 for 100; a/tea 0 worth 0"),
    ]);
    let rows = [
        // A hold that has lapsed stands in nobody's way.
        ("buy a tea 10 1000", "+10 for 1000; a/tea 10 worth 1000"),
        ("hold a tea 10", "active"),
        ("sell a tea 1", "not enough: a/tea (1 asked, 0 available, 10 promised to others)"),
        ("wait 600", "later"),
        ("sell a tea 1", "-1 for 100; a/tea 9 worth 900"),
    ];
    check_in(World::new(), &rows);
    check(&[
        // More than the hold has is taken from what is free.
        ("buy a tea 10 1000", "+10 for 1000; a/tea 10 worth 1000"),
        ("hold a tea 4", "active"),
        ("sell-hold 1 a tea 6", "-6 for 600; a/tea 4 worth 400"),
        ("hold a cup 1", "no such pool: a/cup"),
    ]);
}

/// What was booked is delivered in as many sales as it takes; nobody else can have it meanwhile.
#[test]
fn what_is_booked_is_delivered() {
    check(&[
        ("buy a tea 10 1000", "+10 for 1000; a/tea 10 worth 1000"),
        ("hold a tea 6", "active"),
        ("book 1", "booked"),
        ("sell a tea 5", "not enough: a/tea (5 asked, 4 available, 6 promised to others)"),
        ("sell-hold 1 a tea 2", "-2 for 200; a/tea 8 worth 800"),
        ("sell a tea 5", "not enough: a/tea (5 asked, 4 available, 4 promised to others)"),
        // Of the 4 that are left in the booking, and one that nobody has.
        ("sell-hold 1 a tea 5", "-5 for 500; a/tea 3 worth 300"),
        ("sell-hold 1 a tea 1", "the hold has nothing that is sold here"),
        ("sell a tea 3", "-3 for 300; a/tea 0 worth 0"),
    ]);
    check(&[
        // Who comes first gets it where less is there than was booked.
        ("buy a tea 10 1000", "+10 for 1000; a/tea 10 worth 1000"),
        ("hold a tea 6", "active"),
        ("hold a tea 4", "active"),
        ("book 1", "booked"),
        ("book 2", "booked"),
        ("count a tea 8", "-2 for 200; a/tea 8 worth 800"),
        ("sell-hold 1 a tea 7", "not enough: a/tea (1 asked, 0 available, 4 promised to others)"),
        ("sell-hold 1 a tea 6", "-6 for 600; a/tea 2 worth 200"),
        ("sell-hold 2 a tea 4", "the total of a/tea would be -2"),
        ("sell-hold 2 a tea 2", "-2 for 200; a/tea 0 worth 0"),
    ]);
}

#[test]
fn lots_leave_by_expiry() {
    check(&[
        ("buy a milk 5 500", "lots of milk are told apart; name one"),
        ("buy a milk 5 500 late 2027-01-01", "+5 for 500 late:5; a/milk 5 worth 500"),
        ("buy a milk 5 700 soon 2026-12-01", "+5 for 700 soon:5; a/milk 10 worth 1200"),
        ("buy a milk 5 300 stale 2026-10-31", "+5 for 300 stale:5; a/milk 15 worth 1500"),
        ("buy a milk 1 100 soon never", "lot soon of a/milk has another date of expiry"),
        // First what expires first, but nothing that has; costs are those of all lots together.
        ("sell a milk 7", "-7 for 700 soon:5 late:2; a/milk 8 worth 800"),
        ("sell a milk 4", "only 3 of 4 can be had of the lots of a/milk"),
        ("sell-lot a milk 1 stale", "lot stale of milk has expired"),
        ("sell-lot a milk 4 late", "only 3 of 4 can be had of lot late of a/milk"),
        ("sell-lot a milk 1 late", "-1 for 100 late:1; a/milk 7 worth 700"),
        ("scrap a milk 5", "-5 for 500 stale:5; a/milk 2 worth 200"),
        ("return a 6 1 6", "+6 for 600 soon:5 late:1; a/milk 8 worth 800"),
        ("ship a b milk 6", "-6 for 600 soon:5 late:1; a/milk 2 worth 200, b/milk on the way 6 worth 600"),
        ("receive b 13 1 5", "+5 for 500 soon:5; b/milk 5 worth 500, b/milk on the way 1 worth 100"),
        ("receive b 13 1 1", "+1 for 100 late:1; b/milk 6 worth 600, b/milk on the way 0 worth 0"),
        ("sell-lot b milk 1 late", "-1 for 100 late:1; b/milk 5 worth 500, b/milk on the way 0 worth 0"),
        ("sell a tea 1", "not enough: a/tea (1 asked, 0 available, 0 promised to others)"),
    ]);
}

#[test]
fn pieces_are_in_one_place() {
    check(&[
        ("buy a phone 2 2000", "2 of phone move, with 0 serial numbers"),
        ("buy-pieces a phone 2000 x1 x2", "+2 for 2000; a/phone 2 worth 2000"),
        ("buy-pieces b phone 1000 x2", "phone x2 in a"),
        ("sell-pieces b phone x1", "not enough: b/phone (1 asked, 0 available, 0 promised to others)"),
        ("sell-pieces a phone x3", "phone x3 in no store"),
        ("sell-pieces a phone x1", "-1 for 1000; a/phone 1 worth 1000"),
        ("sell-pieces a phone x1", "phone x1 in no store"),
        ("return a 6 1 1 x2", "line 1: x2 did not move in the line that it is about"),
        // Nobody has ever seen it.
        ("return a 6 1 1 x9", "line 1: x9 did not move in the line that it is about"),
        ("return a 6 1 1 x1", "+1 for 1000; a/phone 2 worth 2000"),
        ("return a 6 1 1 x1", "less is left: line 1 (0 of 1)"),
        ("undo 2", "-2 for 2000; a/phone 0 worth 0"),
        ("buy-pieces b phone 1000 x2", "+1 for 1000; b/phone 1 worth 1000"),
        ("ship-pieces b a phone x1", "phone x1 in no store"),
    ]);
    check(&[
        ("buy-pieces a phone 2000 x1 x2", "+2 for 2000; a/phone 2 worth 2000"),
        ("ship-pieces a b phone x1 x2", "-2 for 2000; a/phone 0 worth 0, b/phone on the way 2 worth 2000"),
        ("sell-pieces b phone x1", "not enough: b/phone (1 asked, 0 available, 0 promised to others)"),
        ("receive b 2 1 1 x3", "line 1: x3 did not move in the line that it is about"),
        ("receive b 2 1 1 x1", "+1 for 1000; b/phone 1 worth 1000, b/phone on the way 1 worth 1000"),
        ("lose b 2 1 1 x1", "phone x1 in b"),
        ("lose b 2 1 1 x2", "-1 for 1000; b/phone 1 worth 1000, b/phone on the way 0 worth 0"),
        ("sell-pieces b phone x1", "-1 for 1000; b/phone 0 worth 0, b/phone on the way 0 worth 0"),
        ("undo 7", "+1 for 1000; b/phone 0 worth 0, b/phone on the way 1 worth 1000"),
        ("receive b 2 1 1 x2", "+1 for 1000; b/phone 1 worth 1000, b/phone on the way 0 worth 0"),
    ]);
}

/// Each row is posted later than the one above it; `at` says when it takes effect, in minutes.
#[test]
fn the_past() {
    check(&[
        ("buy a tea 10 1000 at -60", "+10 for 1000; a/tea 10 worth 1000"),
        ("sell a tea 5 at -30", "-5 for 500; a/tea 5 worth 500"),
        ("sell a tea 2 at -20", "-2 for 200; a/tea 3 worth 300"),
        // 10 more came for 30.00 before anything was sold: 20 for 40.00, so 7 cost 14.00 and not 7.00.
        ("buy a tea 10 3000 at -40", "+10 for 3000; a/tea 13 worth 2600"),
        ("return a 2 1 5", "+5 for 1000; a/tea 18 worth 3600"),
        ("scrap a tea 15 at -50", "at 2026-11-01T11:10:00Z there would have been -5 of a/tea"),
        ("scrap a tea 5 at -50", "-5 for 500; a/tea 13 worth 3033.333333"),
        ("sell a tea 1 at 1", "nothing takes effect in the future: it is 2026-11-01T12:00:00Z"),
        ("return a 2 1 1 at -31", "what is about document #2 takes effect from 2026-11-01T12:00:00Z on"),
    ]);
    check(&[
        // Nothing may have been sold that had not come yet.
        ("buy a tea 10 1000 at -10", "+10 for 1000; a/tea 10 worth 1000"),
        ("sell a tea 1 at -20", "at 2026-11-01T11:40:00Z there would have been -1 of a/tea"),
        ("sell a tea 10 at -5", "-10 for 1000; a/tea 0 worth 0"),
        ("buy a tea 5 500", "+5 for 500; a/tea 5 worth 500"),
        ("sell a tea 1 at -7", "at 2026-11-01T11:55:00Z there would have been -1 of a/tea"),
    ]);
    check(&[
        // What was transferred is worth to the other store what it is worth to this one.
        ("buy a tea 10 1000 at -60", "+10 for 1000; a/tea 10 worth 1000"),
        ("move a b tea 5 at -30", "-5 for 500; a/tea 5 worth 500, b/tea 5 worth 500"),
        ("buy a tea 10 3000 at -40", "+10 for 3000; a/tea 15 worth 3000"),
        ("move b a tea 5", "-5 for 1000; b/tea 0 worth 0, a/tea 20 worth 4000"),
    ]);
}

/// A transfer that was posted last and took effect early: what came after it there follows from its cost all the same.
#[test]
fn costs_follow_a_transfer_into_the_past() {
    check(&[
        ("buy a tea 10 1000 at -60", "+10 for 1000; a/tea 10 worth 1000"),
        ("buy b tea 10 1000 at -60", "+10 for 1000; b/tea 10 worth 1000"),
        ("sell b tea 3 at -10", "-3 for 300; b/tea 7 worth 700"),
        // At the same average: the sale costs what it did.
        ("move a b tea 5 at -30", "-5 for 500; a/tea 5 worth 500, b/tea 12 worth 1200"),
        // Now the transfer is worth 1,000, and the sale 400.
        ("buy a tea 10 3000 at -50", "+10 for 3000; a/tea 15 worth 3000"),
        ("work out", "all costs"),
        ("sell b tea 12", "-12 for 1600; b/tea 0 worth 0"),
    ]);
}

#[test]
fn lots_come_back_as_they_left() {
    check(&[
        ("buy a milk 5 500 soon 2026-12-01", "+5 for 500 soon:5; a/milk 5 worth 500"),
        ("buy a milk 5 500 late 2027-01-01", "+5 for 500 late:5; a/milk 10 worth 1000"),
        ("sell a milk 7", "-7 for 700 soon:5 late:2; a/milk 3 worth 300"),
        ("return a 3 1 5", "+5 for 500 soon:5; a/milk 8 worth 800"),
        ("return a 3 1 2", "+2 for 200 late:2; a/milk 10 worth 1000"),
        ("undo 4", "-5 for 500 soon:5; a/milk 5 worth 500"),
        // The late ones are back; only soon ones are out.
        ("return a 3 1 4", "+4 for 400 soon:4; a/milk 9 worth 900"),
        ("undo 5", "-2 for 200 late:2; a/milk 7 worth 700"),
        ("return a 3 1 3", "+3 for 300 soon:1 late:2; a/milk 10 worth 1000"),
    ]);
}

/// A lot was sold out, and came again with another date: what comes back is of the lot that is there.
#[test]
fn lots_come_back_though_their_date_has_changed() {
    check(&[
        ("buy a milk 5 500 x 2026-12-01", "+5 for 500 x:5; a/milk 5 worth 500"),
        ("sell a milk 5", "-5 for 500 x:5; a/milk 0 worth 0"),
        ("buy a milk 5 500 x 2027-12-01", "+5 for 500 x:5; a/milk 5 worth 500"),
        ("return a 2 1 2", "+2 for 200 x:2; a/milk 7 worth 700"),
        ("undo 4", "-2 for 200 x:2; a/milk 5 worth 500"),
        ("undo 2", "+5 for 500 x:5; a/milk 10 worth 1000"),
        ("buy a milk 1 100 x 2026-12-01", "lot x of a/milk has another date of expiry"),
        ("buy a milk 1 100 x 2027-12-01", "+1 for 100 x:1; a/milk 11 worth 1100"),
    ]);
}
