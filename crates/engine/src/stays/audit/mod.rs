//! Stays: whether rooms, reservations and money agree with each other and with the holds that have the rooms.
//! Nothing of it is put right without a person: it is about what guests were promised, and about money.

mod bookings;
mod offers;
mod payments;

use surehold_core::kernel::{ColumnType, Corrupt, Record, Row, TenantId};

use crate::SnapshotError;
use crate::audit::findings::Findings;
use crate::audit::{Audit, Auditing, Invariant, Remedy};
use crate::views::{aliased_list, record_columns};

const READABLE: &str = "stay-rows-readable";
const STAY_HOLD: &str = "stay-has-hold";
const TOTAL: &str = "stay-total-adds-up";
const GUEST: &str = "guest-has-stay";
const RESERVATION_STAY: &str = "reservation-has-stay";
const RESERVATION_BOOKED: &str = "reservation-booked-as-said";
const RESERVATION_PAID: &str = "reservation-paid-as-said";
const RESERVATION_AMOUNTS: &str = "reservation-amounts-sane";
const PAYMENT_STAY: &str = "payment-has-stay";
const PAYMENT_ONE: &str = "payment-led-to-one-thing";
const PAYMENT_AMOUNTS: &str = "payment-state-matches-amounts";
const PAYMENT_REFUNDS: &str = "payment-refunds-on-their-way";
const PAYMENT_NAMES: &str = "payment-found-by-its-names";
const PROPERTY: &str = "property-counts-its-own";
const RATES: &str = "rates-of-what-is-sold";
const QUOTE: &str = "quote-adds-up";

pub(crate) const AUDIT: Audit = Audit {
    invariants: &[
        Invariant { name: READABLE, says: "everything that is kept of properties, stays and payments can be read" },
        Invariant { name: STAY_HOLD, says: "every stay has a hold, which claims its rooms on its nights" },
        Invariant { name: TOTAL, says: "stays and reservations cost what their rooms cost, night by night" },
        Invariant { name: GUEST, says: "what is known of guests belongs to a stay" },
        Invariant { name: RESERVATION_STAY, says: "every reservation has the stay that it came from" },
        Invariant {
            name: RESERVATION_BOOKED,
            says: "a confirmed reservation has its rooms booked on its nights; one that has ended, on none to come",
        },
        Invariant {
            name: RESERVATION_PAID,
            says: "a reservation that was paid online has its payment, and both say the same of the money",
        },
        Invariant {
            name: RESERVATION_AMOUNTS,
            says: "nothing is kept of a confirmed reservation, nor more than was agreed on, nor given back unpaid",
        },
        Invariant { name: PAYMENT_STAY, says: "every payment is for a stay, and asks for what that costs" },
        Invariant {
            name: PAYMENT_ONE,
            says: "a payment that succeeded led to exactly one of a reservation, a refund, a case",
        },
        Invariant {
            name: PAYMENT_AMOUNTS,
            says: "a payment's state is what its amounts say, and no more went back than came",
        },
        Invariant {
            name: PAYMENT_REFUNDS,
            says: "every refund that was asked for has its operation; none has died without a case",
        },
        Invariant { name: PAYMENT_NAMES, says: "other names of a payment lead to a payment" },
        Invariant { name: PROPERTY, says: "a property counts its room types and rate plans, and they have a property" },
        Invariant { name: RATES, says: "rates are of room types and plans that exist, on days that exist" },
        Invariant { name: QUOTE, says: "a quote has options that are numbered, priced for each night and add up" },
    ],
    check,
};

const RESTORE: Remedy = Remedy::Person("restore the row from a backup, or find out who wrote it");

fn check(audit: &mut Auditing<'_>) -> Result<(), SnapshotError> {
    offers::check(audit)?;
    bookings::check(audit)?;
    payments::check(audit)
}

/// What is joined to a record: expressions, and what they are.
type Joined<'a> = &'a [(&'a str, ColumnType)];

/// Every record of a kind, of all tenants, called `r` in what is joined to it. Those that cannot be read are told.
fn each_record<R: Record>(
    audit: &mut Auditing<'_>,
    joined: Joined<'_>,
    joins: &str,
    mut visit: impl FnMut(&mut Findings, TenantId, &R, &mut dyn Row) -> Result<(), Corrupt>,
) -> Result<(), SnapshotError> {
    let table = R::TABLE.name;
    let more: String = joined.iter().map(|(expression, _)| format!(", {expression}")).collect();
    let sql = format!("select r.tenant, {}{more} from {table} r {joins}", aliased_list("r", R::TABLE));
    let mut columns = vec![ColumnType::Int];
    columns.extend(record_columns(R::TABLE));
    columns.extend(joined.iter().map(|(_, kind)| *kind));
    audit.each(&sql, &[], &columns, |findings, row| {
        let tenant = TenantId(row.int().unwrap_or_default());
        let read = R::read(row).and_then(|record| visit(findings, tenant, &record, row));
        if let Err(corrupt) = read {
            findings.add(READABLE, tenant, || (format!("a row of {table}"), corrupt.to_string(), RESTORE));
        }
    })
}

fn readable<R: Record>(audit: &mut Auditing<'_>) -> Result<(), SnapshotError> {
    each_record::<R>(audit, &[], "", |_, _, _, _| Ok(()))
}
