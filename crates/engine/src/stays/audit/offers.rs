//! What is offered: properties, what their nights cost, and quotes.

use surehold_core::kernel::{AMOUNT_MAX, ColumnType};
use surehold_core::stays::{Property, Quote, QuoteOption, RateMonth, RateNight, RatePlan, RoomType};

use super::{PROPERTY, QUOTE, RATES, each_record, readable};
use crate::SnapshotError;
use crate::audit::rules::Rule;
use crate::audit::{Auditing, Remedy};

const SET_AGAIN: Remedy = Remedy::Person("set the calendar of that month again: nobody else knows what it should say");
const ASK_AGAIN: Remedy = Remedy::Person("it cannot be used; whoever asked for it has to ask again");

pub(super) fn check(audit: &mut Auditing<'_>) -> Result<(), SnapshotError> {
    readable::<Property>(audit)?;
    readable::<RoomType>(audit)?;
    readable::<RatePlan>(audit)?;
    for rule in rules() {
        rule.check(audit)?;
    }
    rate_months(audit)?;
    quotes(audit)
}

fn rules() -> [Rule; 4] {
    [
        Rule::new(
            PROPERTY,
            "counts other room types or rate plans than it has",
            "a row was removed or added by hand: put the room type or the rate plan that is missing again",
            "select p.tenant, 'property', p.name from properties p where p.room_types <> (select count(*) \
              from room_types t where t.tenant = p.tenant and t.property = p.name) or p.rate_plans <> (select count(*) \
              from rate_plans t where t.tenant = p.tenant and t.property = p.name)",
        ),
        Rule::new(
            PROPERTY,
            "has no property",
            "put the property again, or find out who removed it",
            "select t.tenant, 'room type', t.property || '/' || t.code from room_types t where not exists (select 1 \
              from properties p where p.tenant = t.tenant and p.name = t.property)",
        ),
        Rule::new(
            PROPERTY,
            "has no property",
            "put the property again, or find out who removed it",
            "select t.tenant, 'rate plan', t.property || '/' || t.code from rate_plans t where not exists (select 1 \
              from properties p where p.tenant = t.tenant and p.name = t.property)",
        ),
        Rule {
            key: |month, what| format!("rates of {what} in {month}"),
            ..Rule::new(
                RATES,
                "there is no such room type or rate plan",
                "put the room type or the rate plan again; until then nobody is quoted these rates",
                "select m.tenant, m.month, m.rate_plan || ' for ' || m.property || '/' || m.room_type from rate_months m \
              where not exists (select 1 from room_types t where t.tenant = m.tenant and t.property = m.property \
              and t.code = m.room_type) or not exists (select 1 from rate_plans t where t.tenant = m.tenant \
              and t.property = m.property and t.code = m.rate_plan)",
            )
        },
    ]
}

fn rate_months(audit: &mut Auditing<'_>) -> Result<(), SnapshotError> {
    each_record::<RateMonth>(audit, &[], "", |findings, tenant, month, _| {
        let days = month.key.month.first().days_in_month();
        let is_odd = |night: &RateNight| {
            let odd_price = night.price.is_some_and(|price| !(0..=AMOUNT_MAX).contains(&price));
            !(1..=days).contains(&night.day) || odd_price
        };
        // A night is looked up by halving.
        let sorted = month.nights.is_sorted_by(|one, next| one.day < next.day);
        if !sorted || month.nights.iter().any(is_odd) {
            let key = &month.key;
            let name = format!("rates of {} for {}/{} in {}", key.rate_plan, key.property, key.room_type, key.month);
            let detail = "days are out of order, not of that month, or have a price that nothing costs".to_owned();
            findings.add(RATES, tenant, || (name, detail, SET_AGAIN));
        }
        Ok(())
    })
}

fn quotes(audit: &mut Auditing<'_>) -> Result<(), SnapshotError> {
    let joins = "left join properties p on p.tenant = r.tenant and p.name = r.property";
    let joined = [("p.currency", ColumnType::Text)];
    each_record::<Quote>(audit, &joined, joins, |findings, tenant, quote, row| {
        let same_currency = row.text_or_null()? == Some(quote.currency.as_str());
        let detail = if !same_currency {
            "there is no such property, or it sells in another currency"
        } else if quote.valid_until <= quote.created_at {
            "was never good"
        } else if !quote.options.iter().zip(1_u16..).all(|(option, number)| adds_up(quote, option, number)) {
            "an option is out of order, lacks a price, or does not add up"
        } else {
            return Ok(());
        };
        findings.add(QUOTE, tenant, || (format!("quote {}", quote.id), detail.to_owned(), ASK_AGAIN));
        Ok(())
    })
}

fn adds_up(quote: &Quote, option: &QuoteOption, number: u16) -> bool {
    let price = option.prices.iter().fold(0_i64, |sum, price| sum.saturating_add(*price));
    option.number == number
        && option.prices.len() == quote.dates.nights().count()
        && option.total == price.saturating_mul(i64::from(quote.rooms))
}
