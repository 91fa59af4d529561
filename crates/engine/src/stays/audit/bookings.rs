//! Stays and reservations: the rooms that their holds have, what they cost, and what was paid.

use surehold_core::kernel::{ColumnType, Corrupt, HoldId, Lines, Row, TenantId};
use surehold_core::operations::TimeZoneName;
use surehold_core::stays::{
    PropertyName, Reservation, ReservationSource, ReservationState, Stay, StayDates, StayRoom, stay_lines, today,
};
use uuid::Uuid;

use super::{
    GUEST, RESERVATION_AMOUNTS, RESERVATION_BOOKED, RESERVATION_PAID, RESERVATION_STAY, RESTORE, STAY_HOLD, TOTAL,
    each_record,
};
use crate::SnapshotError;
use crate::audit::{Auditing, Remedy};

const COMPARE: Remedy = Remedy::Person(
    "compare with a backup and with what the guest was told; then cancel, change or book it through the API",
);
const MONEY: Remedy =
    Remedy::Person("compare with the provider's books, then with a backup: one of the two is not what came");

pub(super) fn check(audit: &mut Auditing<'_>) -> Result<(), SnapshotError> {
    stays(audit)?;
    reservations(audit)?;
    guests(audit)
}

fn stays(audit: &mut Auditing<'_>) -> Result<(), SnapshotError> {
    let joined = [("cast(h.lines as text)", ColumnType::Json)];
    let joins = "left join holds h on h.tenant = r.tenant and h.id = r.hold";
    each_record::<Stay>(audit, &joined, joins, |findings, tenant, stay, row| {
        let held = lines(row)?;
        let name = || format!("stay {}", stay.hold);
        let wrong = match held {
            None => Some("has no hold"),
            Some(held) if Some(&held) != lines_of(&stay.property, &stay.rooms, stay.dates).as_ref() => {
                Some("its hold claims other rooms or nights")
            }
            Some(_) => None,
        };
        if let Some(detail) = wrong {
            findings.add(STAY_HOLD, tenant, || (name(), detail.to_owned(), COMPARE));
        }
        if let Some(detail) = priced_otherwise(&stay.rooms, stay.dates, stay.total) {
            findings.add(TOTAL, tenant, || (name(), detail, COMPARE));
        }
        Ok(())
    })
}

fn lines(row: &mut dyn Row) -> Result<Option<Lines>, Corrupt> {
    let read = |text: &str| serde_json::from_str(text).map_err(|error| Corrupt::new(error.to_string()));
    row.text_or_null()?.map(read).transpose()
}

/// What a hold for them claims; nothing if there can be no such hold.
fn lines_of(property: &PropertyName, rooms: &[StayRoom], dates: StayDates) -> Option<Lines> {
    let rooms: Vec<_> = rooms.iter().map(|room| (room.room_type.clone(), room.rooms)).collect();
    stay_lines(property, &rooms, dates).ok()
}

fn priced_otherwise(rooms: &[StayRoom], dates: StayDates, total: i64) -> Option<String> {
    let nights = dates.nights().count();
    if let Some(room) = rooms.iter().find(|room| room.prices.len() != nights) {
        return Some(format!("{} has {} prices for {nights} nights", room.room_type, room.prices.len()));
    }
    let price = |room: &StayRoom| {
        let nights = room.prices.iter().fold(0_i64, |sum, price| sum.saturating_add(*price));
        nights.saturating_mul(i64::from(room.rooms))
    };
    let sum = rooms.iter().map(price).fold(0_i64, i64::saturating_add);
    (sum != total).then(|| format!("says that it costs {total}; its rooms cost {sum}"))
}

/// What other tables say about a reservation.
struct Elsewhere {
    booked: Option<Lines>,
    time_zone: Option<TimeZoneName>,
    has_stay: bool,
    payment: Option<PaymentSaid>,
}

struct PaymentSaid {
    hold: Uuid,
    received: i64,
    given_back: i64,
    currency: String,
    resolution: Option<String>,
}

const JOINED: [(&str, ColumnType); 10] = {
    use ColumnType::{Int, Json, Text, Uuid};
    [
        ("cast(h.kept as text)", Json),
        ("h.kept_as", Text),
        ("p.time_zone", Text),
        ("s.hold", Uuid),
        ("y.hold", Uuid),
        ("y.received", Int),
        ("y.refunded", Int),
        ("y.refund_failed", Int),
        ("y.currency", Text),
        ("y.resolution", Text),
    ]
};

const JOINS: &str = "left join holds h on h.tenant = r.tenant and h.id = r.booked_by \
     left join properties p on p.tenant = r.tenant and p.name = r.property \
     left join stays s on s.tenant = r.tenant and s.hold = r.hold \
     left join payments y on y.tenant = r.tenant and y.provider = 'stripe' and y.object = r.payment";

impl Elsewhere {
    /// In the order of [`JOINED`].
    fn read(row: &mut dyn Row) -> Result<Elsewhere, Corrupt> {
        let kept = lines(row)?;
        let books = row.text_or_null()? == Some("book");
        let time_zone = row.text_or_null()?.and_then(|zone| TimeZoneName::parse(zone).ok());
        let has_stay = row.uuid_or_null()?.is_some();
        let hold = row.uuid_or_null()?;
        let [received, refunded, failed] = [row.int_or_null()?, row.int_or_null()?, row.int_or_null()?];
        let currency = row.text_or_null()?.unwrap_or_default().to_owned();
        let resolution = row.text_or_null()?.map(str::to_owned);
        let given_back = refunded.unwrap_or(0).saturating_sub(failed.unwrap_or(0)).max(0);
        let payment = hold.map(|hold| {
            let received = received.unwrap_or(0);
            PaymentSaid { hold, received, given_back, currency, resolution }
        });
        Ok(Elsewhere { booked: kept.filter(|_| books), time_zone, has_stay, payment })
    }
}

fn reservations(audit: &mut Auditing<'_>) -> Result<(), SnapshotError> {
    each_record::<Reservation>(audit, &JOINED, JOINS, |findings, tenant, reservation, row| {
        let elsewhere = Elsewhere::read(row)?;
        let name = || format!("reservation {}", reservation.hold);
        if !elsewhere.has_stay {
            findings.add(RESERVATION_STAY, tenant, || (name(), "its stay is not there".to_owned(), RESTORE));
        }
        if let Some(detail) = booked_otherwise(reservation, &elsewhere) {
            findings.add(RESERVATION_BOOKED, tenant, || (name(), detail.to_owned(), COMPARE));
        }
        if let Some(detail) = paid_otherwise(reservation, elsewhere.payment.as_ref()) {
            findings.add(RESERVATION_PAID, tenant, || (name(), detail, MONEY));
        }
        if let Some(detail) = odd_amounts(reservation) {
            findings.add(RESERVATION_AMOUNTS, tenant, || (name(), detail.to_owned(), MONEY));
        }
        if let Some(detail) = priced_otherwise(&reservation.rooms, reservation.dates, reservation.total) {
            findings.add(TOTAL, tenant, || (name(), detail, COMPARE));
        }
        Ok(())
    })
}

fn booked_otherwise(reservation: &Reservation, elsewhere: &Elsewhere) -> Option<&'static str> {
    let Some(said) = lines_of(&reservation.property, &reservation.rooms, reservation.dates) else {
        return Some("has rooms and nights that no hold can have");
    };
    let (Some(booked), Some(zone)) = (&elsewhere.booked, &elsewhere.time_zone) else {
        return Some("its property is not there, or no hold has booked anything for it");
    };
    match reservation.state {
        ReservationState::Confirmed if *booked == said => None,
        ReservationState::Confirmed => Some("is confirmed, and other rooms or nights are booked for it"),
        ReservationState::Cancelled | ReservationState::NoShow => {
            // Not the day itself: the property may have come to another time zone since.
            let ended_on = reservation.ended_at.map(|at| today(zone, at));
            let is_to_come = |night| ended_on.is_none_or(|ended_on| night > ended_on);
            let to_come = booked.iter().any(|line| line.pool.slot.date().is_none_or(is_to_come));
            let beyond = booked.iter().any(|line| line.quantity > said.quantity_of(&line.pool));
            (to_come || beyond).then_some("has ended, and rooms are booked for it that others could have")
        }
    }
}

fn paid_otherwise(reservation: &Reservation, payment: Option<&PaymentSaid>) -> Option<String> {
    let online = match reservation.source {
        ReservationSource::Payment | ReservationSource::LatePayment => true,
        ReservationSource::Desk | ReservationSource::WalkIn => false,
    };
    if online != reservation.payment.is_some() {
        return Some(format!("came about by {}, with the payment {:?}", reservation.source, reservation.payment));
    }
    let session = reservation.payment.as_ref()?;
    let Some(PaymentSaid { hold, received, given_back, currency, resolution }) = payment else {
        return Some(format!("its payment {session} is not there"));
    };
    if *hold != reservation.hold.uuid() || resolution.as_deref() != Some("reservation") {
        return Some(format!("its payment {session} is of another stay, or led to something else"));
    }
    let same = (reservation.paid, reservation.refunded) == (*received, *given_back);
    if same && reservation.currency.as_str() == currency {
        return None;
    }
    Some(format!(
        "says that {} {} were paid and {} given back; its payment says {received} {currency} and {given_back}",
        reservation.paid, reservation.currency, reservation.refunded
    ))
}

fn odd_amounts(reservation: &Reservation) -> Option<&'static str> {
    let Reservation { total, paid, refunded, penalty, ended_at, .. } = reservation;
    let is_confirmed = reservation.state == ReservationState::Confirmed;
    if [total, paid, refunded, penalty].iter().any(|amount| **amount < 0) {
        return Some("an amount is below zero");
    }
    if is_confirmed && *penalty > 0 {
        return Some("is confirmed, and something is kept as if it had ended");
    }
    if penalty > total {
        return Some("more is kept than was agreed on");
    }
    if refunded > paid {
        return Some("more was given back than was paid");
    }
    (is_confirmed == ended_at.is_some())
        .then_some("has ended exactly if it is confirmed, instead of the other way round")
}

fn guests(audit: &mut Auditing<'_>) -> Result<(), SnapshotError> {
    let sql = "select g.tenant, g.hold from guests g where not exists \
               (select 1 from stays s where s.tenant = g.tenant and s.hold = g.hold)";
    audit.each(sql, &[], &[ColumnType::Int, ColumnType::Uuid], |findings, row| {
        let mut read = || Ok::<_, Corrupt>((TenantId(row.int()?), row.uuid()?));
        let Ok((tenant, hold)) = read() else { return };
        let name = HoldId::new(hold).map_or_else(|_| "a guest".to_owned(), |hold| format!("guest of {hold}"));
        let remedy = Remedy::Person("remove the row, so that nothing is kept of somebody without a reason");
        findings.add(GUEST, tenant, || (name, "there is no such stay".to_owned(), remedy));
    })
}
