//! A calendar as people read it: weeks one below the other, a column for each night, a row for each room type with what
//! is free, and below it what it costs. Fits into a hundred columns.

use std::collections::BTreeMap;

use jiff::civil::{Date, Weekday};
use surehold_api::{Calendar, CalendarRates, CalendarRoomType, NightRestrictions};

use super::super::money::Money;

const WIDTH: usize = 100;
const GAP: usize = 2;
/// As many nights side by side as there is room for, a week or two if possible.
const NIGHTS_LIKED: [usize; 2] = [14, 7];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// One price a night: that of the cheapest plan that is sold.
    Cheapest,
    EveryPlan,
}

/// A line of the calendar, a cell for each night.
struct Row {
    name: String,
    cells: Vec<String>,
}

pub(super) fn view(calendar: &Calendar, detail: Detail) -> String {
    let dates = dates(calendar);
    let money = Money::of(calendar.currency);
    if calendar.room_types.is_empty() {
        return "there are no room types\n".to_owned();
    }
    let mut marks = Marks::default();
    let mut groups = Vec::new();
    for room_type in &calendar.room_types {
        let mut rows = vec![Row { name: room_type.code.to_string(), cells: free(room_type, &dates, &mut marks) }];
        let plans: Vec<Plan<'_>> = room_type.rates.iter().map(Plan::of).collect();
        match detail {
            Detail::Cheapest => {
                rows.push(Row { name: String::new(), cells: cheapest(&plans, &dates, money, &mut marks) });
            }
            Detail::EveryPlan => {
                for plan in &plans {
                    let cell = |(index, date): (usize, &Date)| plan.cell(index, *date, money, &mut marks);
                    let cells = dates.iter().enumerate().map(cell).collect();
                    rows.push(Row { name: format!("  {}", plan.rates.rate_plan), cells });
                }
            }
        }
        groups.push(rows);
    }
    format!("{}{}", weeks(&dates, &groups), marks.legend(calendar, detail))
}

fn dates(calendar: &Calendar) -> Vec<Date> {
    let nights = std::iter::successors(Some(calendar.from.0), |night| night.tomorrow().ok());
    nights.take_while(|night| *night < calendar.until.0).collect()
}

/// Which signs were used, so that only those are explained.
#[derive(Default)]
struct Marks {
    used: BTreeMap<&'static str, &'static str>,
}

impl Marks {
    fn use_mark(&mut self, mark: &'static str, meaning: &'static str) {
        self.used.insert(mark, meaning);
    }

    fn legend(&self, calendar: &Calendar, detail: Detail) -> String {
        let price = match detail {
            Detail::Cheapest => format!("the cheapest plan in {} (--plans shows all)", calendar.currency),
            Detail::EveryPlan => format!("prices in {}", calendar.currency),
        };
        let signs: String = self.used.iter().map(|(mark, meaning)| format!("   {mark} {meaning}")).collect();
        let whole = format!("free/rooms, and {price}{signs}");
        wrapped(&whole)
    }
}

/// Between signs, not within.
fn wrapped(legend: &str) -> String {
    let mut lines = vec![String::new()];
    for part in legend.split("   ") {
        let line = lines.last_mut().expect("there is one");
        if line.is_empty() {
            line.push_str(part);
        } else if line.chars().count() + 3 + part.chars().count() <= WIDTH {
            line.push_str("   ");
            line.push_str(part);
        } else {
            lines.push(part.to_owned());
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// `8/10`; `–` where there are no rooms.
fn free(room_type: &CalendarRoomType, dates: &[Date], marks: &mut Marks) -> Vec<String> {
    let oversold: BTreeMap<Date, i64> = room_type.oversold.iter().map(|night| (night.night.0, night.rooms)).collect();
    let count = |counts: &[Option<i64>], index: usize| counts.get(index).copied().flatten();
    let mut cell = |(index, date): (usize, &Date)| {
        let (Some(free), Some(total)) = (count(&room_type.available, index), count(&room_type.total, index)) else {
            marks.use_mark("–", "nothing set");
            return "–".to_owned();
        };
        let cell = if room_type.closed.iter().any(|night| night.0 == *date) {
            marks.use_mark("closed", "takes nobody");
            "closed".to_owned()
        } else {
            format!("{free}/{total}")
        };
        if let Some(rooms) = oversold.get(date) {
            marks.use_mark("!N", "N rooms oversold");
            return format!("{cell} !{rooms}");
        }
        cell
    };
    dates.iter().enumerate().map(&mut cell).collect()
}

/// The rates of one plan.
struct Plan<'a> {
    rates: &'a CalendarRates,
    restrictions: BTreeMap<Date, &'a NightRestrictions>,
}

impl<'a> Plan<'a> {
    fn of(rates: &'a CalendarRates) -> Plan<'a> {
        Plan { rates, restrictions: rates.restrictions.iter().map(|said| (said.night.0, said)).collect() }
    }

    fn price(&self, index: usize) -> Option<i64> {
        self.rates.prices.get(index).copied().flatten()
    }

    fn said_of(&self, date: Date) -> Option<&NightRestrictions> {
        self.restrictions.get(&date).copied()
    }

    fn is_stopped(&self, date: Date) -> bool {
        self.said_of(date).is_some_and(|said| said.stop_sell == Some(true))
    }

    /// The price with its restrictions: `450 3+`.
    fn cell(&self, index: usize, date: Date, money: Money, marks: &mut Marks) -> String {
        let mut parts = Vec::new();
        if self.is_stopped(date) {
            marks.use_mark("stop", "not sold");
            parts.push("stop".to_owned());
        } else {
            let price = self.price(index).map(|price| money.short(price));
            if price.is_none() {
                marks.use_mark("–", "nothing set");
            }
            parts.push(price.unwrap_or_else(|| "–".to_owned()));
        }
        let Some(said) = self.said_of(date) else { return parts.join(" ") };
        if let Some(nights) = said.min_stay {
            marks.use_mark("N+", "N nights or more");
            parts.push(format!("{nights}+"));
        }
        if let Some(nights) = said.max_stay {
            marks.use_mark("-N", "N nights or fewer");
            parts.push(format!("-{nights}"));
        }
        if said.closed_to_arrival == Some(true) {
            marks.use_mark("xA", "no arrivals");
            parts.push("xA".to_owned());
        }
        if said.closed_to_departure == Some(true) {
            marks.use_mark("xD", "no departures");
            parts.push("xD".to_owned());
        }
        if said.min_advance_days.or(said.max_advance_days).is_some() {
            marks.use_mark("adv", "sold only so many days ahead");
            parts.push("adv".to_owned());
        }
        parts.join(" ")
    }
}

/// On each night the plan that costs least and is sold; if none is, one that is stopped.
fn cheapest(plans: &[Plan<'_>], dates: &[Date], money: Money, marks: &mut Marks) -> Vec<String> {
    let cell = |(index, date): (usize, &Date)| {
        let priced = plans.iter().filter(|plan| plan.price(index).is_some());
        let best = priced.min_by_key(|plan| (plan.is_stopped(*date), plan.price(index)));
        best.map_or_else(String::new, |plan| plan.cell(index, *date, money, marks))
    };
    dates.iter().enumerate().map(cell).collect()
}

/// Blocks of nights, all as wide as the widest cell.
fn weeks(dates: &[Date], groups: &[Vec<Row>]) -> String {
    let chars = |text: &String| text.chars().count();
    let rows = || groups.iter().flatten();
    let name_width = rows().map(|row| chars(&row.name)).max().unwrap_or(0);
    let cell_width = rows().flat_map(|row| row.cells.iter().map(chars)).max().unwrap_or(0).max("Mon 24".len());
    let fit = (WIDTH.saturating_sub(name_width) / (cell_width + GAP)).max(1);
    let at_once = NIGHTS_LIKED.into_iter().find(|liked| *liked <= fit).unwrap_or(fit);
    let mut shown = String::new();
    for first in (0..dates.len()).step_by(at_once) {
        let last = (first + at_once).min(dates.len());
        let line = |name: &str, cells: &mut dyn Iterator<Item = String>| {
            let cells: String = cells.map(|cell| format!("{:GAP$}{cell:>cell_width$}", "")).collect();
            format!("{}\n", format!("{name:name_width$}{cells}").trim_end())
        };
        shown.push_str(&months(&dates[first..last]));
        shown.push('\n');
        shown += &line("", &mut dates[first..last].iter().map(|date| format!("{} {:2}", day(*date), date.day())));
        for row in rows() {
            let cells = &row.cells[first..last];
            if row.name.is_empty() && cells.iter().all(String::is_empty) {
                continue;
            }
            shown += &line(&row.name, &mut cells.iter().cloned());
        }
        shown.push('\n');
    }
    shown
}

/// `December 2026`, or `December 2026 – January 2027`
fn months(dates: &[Date]) -> String {
    let name = |date: &Date| date.strftime("%B %Y").to_string();
    match (dates.first().map(name), dates.last().map(name)) {
        (Some(first), Some(last)) if first != last => format!("{first} – {last}"),
        (Some(first), _) => first,
        (None, _) => String::new(),
    }
}

fn day(date: Date) -> &'static str {
    match date.weekday() {
        Weekday::Monday => "Mon",
        Weekday::Tuesday => "Tue",
        Weekday::Wednesday => "Wed",
        Weekday::Thursday => "Thu",
        Weekday::Friday => "Fri",
        Weekday::Saturday => "Sat",
        Weekday::Sunday => "Sun",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use super::*;

    fn calendar() -> Calendar {
        let calendar = json!({
            "property": "casa-mar", "currency": "BRL", "from": "2026-12-30", "until": "2027-01-02",
            "room_types": [
                {"code": "double", "title": "Double", "guests_max": 2, "held": [], "booked": [],
                 "total": [10, 10, 2], "available": [8, 0, 0], "closed": ["2026-12-31"],
                 "oversold": [{"night": "2027-01-01", "rooms": 1}],
                 "rates": [
                    {"rate_plan": "fixed", "prices": [40_000, 40_000, 40_000],
                     "restrictions": [{"night": "2026-12-31", "stop_sell": true}]},
                    {"rate_plan": "flexible", "prices": [45_000, 45_050, null],
                     "restrictions": [{"night": "2026-12-31", "min_stay": 3, "closed_to_arrival": true}]}]},
                {"code": "suite", "title": "Suite", "guests_max": 4, "held": [], "booked": [],
                 "total": [null, null, null], "available": [null, null, null], "rates": []}]
        });
        from_value(calendar).unwrap()
    }

    #[test]
    fn the_cheapest_plan() {
        let expected = "\
December 2026 – January 2027
              Wed 30        Thu 31        Fri  1
double          8/10        closed        0/2 !1
                 400  450.50 3+ xA           400
suite              –             –             –

free/rooms, and the cheapest plan in BRL (--plans shows all)   !N N rooms oversold
N+ N nights or more   closed takes nobody   xA no arrivals   – nothing set
";
        assert_eq!(view(&calendar(), Detail::Cheapest), expected);
    }

    #[test]
    fn every_plan() {
        let shown = view(&calendar(), Detail::EveryPlan);
        let line =
            |name: &str| shown.lines().find(|line| line.contains(name)).unwrap().split_whitespace().collect::<Vec<_>>();
        assert_eq!(line("fixed"), ["fixed", "400", "stop", "400"]);
        assert_eq!(line("flexible"), ["flexible", "450", "450.50", "3+", "xA", "–"]);
        assert!(shown.lines().all(|line| line.chars().count() <= WIDTH), "{shown}");
    }

    #[test]
    fn a_month_is_shown_in_weeks() {
        let nights = 31;
        let calendar = json!({
            "property": "casa-mar", "currency": "BRL", "from": "2026-12-01", "until": "2027-01-01",
            "room_types": [{"code": "r", "title": "R", "guests_max": 2, "held": [], "booked": [], "total": vec![10; nights], "available": vec![9; nights],
                "rates": [{"rate_plan": "p", "prices": vec![45_000; nights]}]}]
        });
        let shown = view(&from_value(calendar).unwrap(), Detail::Cheapest);
        assert_eq!(shown.matches("December 2026\n").count(), 5);
        assert!(shown.lines().all(|line| line.chars().count() <= WIDTH), "{shown}");
    }
}
