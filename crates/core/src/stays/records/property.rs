//! A property: one place, one time zone, one currency.

use serde::{Deserialize, Serialize};

use crate::kernel::{Column, ColumnType, Columns, Corrupt, Currency, Invalid, Json, Record, Row, Table, Title, Value};
use crate::operations::{TimeZoneName, number, versioned};
use crate::stays::{LocalTime, PaymentAccount, PropertyName};

use super::stored;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Property {
    pub name: PropertyName,
    pub title: Title,
    pub time_zone: TimeZoneName,
    pub currency: Currency,
    /// From when on rooms are ready.
    pub check_in: LocalTime,
    pub terms: Json<PropertyTerms>,
    pub payment_account: Option<PaymentAccount>,
    /// Counted, so that what a quote has to read is bounded.
    pub room_types: u32,
    pub rate_plans: u32,
    pub version: i64,
}

/// How long things last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PropertyTerms {
    /// A quote is good for so long.
    pub quote_secs: i64,
    /// Rooms are held for so long while a guest decides.
    pub hold_secs: i64,
    /// The hold outlives the provider's payment page by this.
    pub session_grace_secs: i64,
    /// Rooms are held for so long while a payment is on its way that takes days.
    pub async_payment_secs: i64,
}

impl Default for PropertyTerms {
    fn default() -> PropertyTerms {
        PropertyTerms { quote_secs: 1_800, hold_secs: 900, session_grace_secs: 300, async_payment_secs: 5 * 86_400 }
    }
}

impl PropertyTerms {
    pub fn check(&self) -> Result<(), Invalid> {
        const DAY: i64 = 86_400;
        for (what, amount, amount_min, amount_max) in [
            ("quote_secs", self.quote_secs, 60, 30 * DAY),
            ("hold_secs", self.hold_secs, 60, 30 * DAY),
            ("session_grace_secs", self.session_grace_secs, 0, DAY),
            ("async_payment_secs", self.async_payment_secs, 0, 30 * DAY),
        ] {
            if !(amount_min..=amount_max).contains(&amount) {
                return Err(Invalid::Amount { what: what.to_owned(), amount, amount_min, amount_max });
            }
        }
        Ok(())
    }
}

impl Record for Property {
    const TABLE: &'static Table = &Table {
        name: "properties",
        columns: &[
            Column::fixed("name", ColumnType::Text),
            Column::changing("title", ColumnType::Text),
            Column::changing("time_zone", ColumnType::Text),
            Column::fixed("currency", ColumnType::Text),
            Column::changing("check_in", ColumnType::Text),
            Column::changing("terms", ColumnType::Json),
            Column::changing("payment_account", ColumnType::Text),
            Column::changing("room_types", ColumnType::Int),
            Column::changing("rate_plans", ColumnType::Int),
        ],
        key_columns: 1,
        due: None,
    };

    type Key = PropertyName;

    fn key(&self) -> PropertyName {
        self.name.clone()
    }

    fn write_key<'a>(name: &'a PropertyName, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(name.as_str()));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(self.name.as_str()));
        out.put(Value::Text(self.title.as_str()));
        out.put(Value::Text(self.time_zone.as_str()));
        out.put(Value::Text(self.currency.as_str()));
        out.put(Value::Text(self.check_in.as_str()));
        out.put(Value::Text(self.terms.as_text()));
        out.put_text(self.payment_account.as_ref().map(PaymentAccount::as_str));
        out.put(Value::Int(i64::from(self.room_types)));
        out.put(Value::Int(i64::from(self.rate_plans)));
    }

    fn read(row: &mut dyn Row) -> Result<Property, Corrupt> {
        Ok(Property {
            name: stored(PropertyName::new(row.text()?))?,
            title: stored(Title::new(row.text()?))?,
            time_zone: stored(TimeZoneName::parse(row.text()?))?,
            currency: stored(Currency::parse(row.text()?))?,
            check_in: stored(LocalTime::parse(row.text()?))?,
            terms: Json::stored(row.text()?)?,
            payment_account: row.text_or_null()?.map(PaymentAccount::new).map(stored).transpose()?,
            room_types: number(row.int()?)?,
            rate_plans: number(row.int()?)?,
            version: row.int()?,
        })
    }

    versioned!();
}
