//! Stays and reservations, with what belongs to them in one question, so that all of it is of one instant.

use surehold_core::kernel::{Hold, HoldId, Record, Slot, TenantId, Timestamp};
use surehold_core::stays::commands::PAGES_MAX;
use surehold_core::stays::{
    Guest, Payment, PropertyName, Reservation, ReservationState, STRIPE, Stay, earliest_arrival,
};
use uuid::Uuid;

use crate::views::text;
use crate::views::{Views, aliased_list, part, part_or_none};
use crate::{Fault, OwnedValue, ReadRow, Scope};

/// The hold's state is as stored: whoever shows it applies `Hold::as_of`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StayView {
    pub stay: Stay,
    pub hold: Hold,
    pub guest: Option<Guest>,
    pub reservation: Option<Reservation>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReservationView {
    pub reservation: Reservation,
    pub guest: Option<Guest>,
    /// If it was paid online.
    pub payment: Option<Payment>,
}

/// Which reservations of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReservationsOn {
    Arriving(Slot),
    Departing(Slot),
    /// Who sleeps there that night.
    Staying(Slot),
}

impl ReservationsOn {
    /// By what they are ordered, and between which dates that is.
    fn range(self) -> (&'static str, String, Slot) {
        match self {
            ReservationsOn::Arriving(date) => ("checkin", date.to_string(), date),
            ReservationsOn::Departing(date) => ("checkout", date.to_string(), date),
            // No stay is longer, so the index is not read from its beginning.
            ReservationsOn::Staying(night) => {
                let earliest = night.date().map(|date| earliest_arrival(date).to_string());
                ("checkin", earliest.unwrap_or_default(), night)
            }
        }
    }

    fn condition(self) -> &'static str {
        match self {
            ReservationsOn::Arriving(_) | ReservationsOn::Departing(_) => "",
            ReservationsOn::Staying(_) => "and r.checkout > $4 ",
        }
    }

    /// Where a reservation stands in the list.
    pub fn place_of(self, reservation: &Reservation) -> (Slot, HoldId) {
        let date = match self {
            ReservationsOn::Arriving(_) | ReservationsOn::Staying(_) => reservation.dates.checkin(),
            ReservationsOn::Departing(_) => reservation.dates.checkout(),
        };
        (Slot::night(date).expect("stays have years of four digits"), reservation.hold)
    }
}

const WITH_GUEST_AND_RESERVATION: &str = "left join guests g on g.tenant = $1 and g.hold = s.hold \
                                          left join reservations r on r.tenant = $1 and r.hold = s.hold";
const WITH_GUEST_AND_PAYMENT: &str = "left join guests g on g.tenant = $1 and g.hold = r.hold \
                                      left join payments p on p.tenant = $1 and p.provider = $2 and p.object = r.payment";

impl Views {
    pub async fn stay(&self, tenant: TenantId, hold: HoldId) -> Result<Option<StayView>, Fault> {
        let sql = format!(
            "select {} from stays s join holds h on h.tenant = $1 and h.id = s.hold {WITH_GUEST_AND_RESERVATION} \
             where s.tenant = $1 and s.hold = $2",
            stay_columns()
        );
        let params = vec![OwnedValue::Int(tenant.0), OwnedValue::Uuid(hold.uuid())];
        let rows = self.store.query(Scope::Tenant(tenant), &sql, params).await?;
        rows.first().map(read_stay).transpose()
    }

    /// All payments that were asked for, of a stay: one for each page that there was.
    pub async fn payments_of(&self, tenant: TenantId, hold: HoldId) -> Result<Vec<Payment>, Fault> {
        let params = [OwnedValue::Uuid(hold.uuid()), OwnedValue::Int(i64::from(PAGES_MAX))];
        let mut payments: Vec<Payment> = self.records(tenant, "and hold = $2 limit $3", params).await?;
        payments.sort_by_key(|payment| payment.created_at);
        Ok(payments)
    }

    /// Stays of a property whose hold was active when last touched, the next to expire first. Goes through the live
    /// holds of the tenant, which are few, and not through all stays there ever were: asked for the property of each one,
    /// no planner can begin with those.
    pub async fn active_stays(
        &self,
        tenant: TenantId,
        property: &PropertyName,
        after: (Timestamp, Uuid),
        rows_max: u16,
    ) -> Result<Vec<StayView>, Fault> {
        let sql = format!(
            "select {} from (select h.id from holds h where h.tenant = $1 and h.state = 'active' and h.expires_at >= $3 \
             and (h.expires_at > $3 or h.id > $4) \
             and (select s.property from stays s where s.tenant = $1 and s.hold = h.id) = $2 \
             order by h.expires_at, h.id limit $5) looked_at join holds h on h.tenant = $1 and h.id = looked_at.id \
             join stays s on s.tenant = $1 and s.hold = h.id {WITH_GUEST_AND_RESERVATION} \
             order by h.expires_at, h.id",
            stay_columns()
        );
        let (expires_at, id) = after;
        let (from, limit) = (OwnedValue::Time(expires_at), OwnedValue::Int(i64::from(rows_max)));
        let params = vec![OwnedValue::Int(tenant.0), text(property), from, OwnedValue::Uuid(id), limit];
        let rows = self.store.query(Scope::Tenant(tenant), &sql, params).await?;
        rows.iter().map(read_stay).collect()
    }

    pub async fn reservation(&self, tenant: TenantId, hold: HoldId) -> Result<Option<ReservationView>, Fault> {
        let sql = format!(
            "select {} from reservations r {WITH_GUEST_AND_PAYMENT} where r.tenant = $1 and r.hold = $3",
            reservation_columns()
        );
        let params = vec![OwnedValue::Int(tenant.0), text(STRIPE), OwnedValue::Uuid(hold.uuid())];
        let rows = self.store.query(Scope::Tenant(tenant), &sql, params).await?;
        rows.first().map(read_reservation).transpose()
    }

    /// Reservations of a property in a state, behind `after` in the order of the date that is asked for.
    pub async fn reservations_on(
        &self,
        tenant: TenantId,
        property: &PropertyName,
        on: ReservationsOn,
        state: ReservationState,
        after: Option<(Slot, HoldId)>,
        rows_max: u16,
    ) -> Result<Vec<ReservationView>, Fault> {
        let (column, first, last) = on.range();
        // Said as a range also where it is one date: asked for `checkin = $3 order by hold`, SQLite without statistics
        // walks through all reservations of the tenant rather than look the date up.
        let sql = format!(
            "select {} from reservations r {WITH_GUEST_AND_PAYMENT} where r.tenant = $1 and r.property = $5 \
             and r.{column} >= $3 and r.{column} <= $4 and (r.{column}, r.hold) > ($6, $7) and r.state = $8 \
             {}order by r.{column}, r.hold limit $9",
            reservation_columns(),
            on.condition()
        );
        let (after_date, after_hold) = match after {
            Some((date, hold)) => (date.to_string(), hold.uuid()),
            None => (String::new(), Uuid::nil()),
        };
        let params = vec![
            OwnedValue::Int(tenant.0),
            text(STRIPE),
            text(&first),
            text(&last),
            text(property),
            text(&after_date),
            OwnedValue::Uuid(after_hold),
            text(&state),
            OwnedValue::Int(i64::from(rows_max)),
        ];
        let rows = self.store.query(Scope::Tenant(tenant), &sql, params).await?;
        rows.iter().map(read_reservation).collect()
    }
}

fn stay_columns() -> String {
    let stay = aliased_list("s", Stay::TABLE);
    let (hold, guest) = (aliased_list("h", Hold::TABLE), aliased_list("g", Guest::TABLE));
    format!("{stay}, {hold}, {guest}, {}", aliased_list("r", Reservation::TABLE))
}

fn read_stay(row: &ReadRow) -> Result<StayView, Fault> {
    let (stay, next) = part(row, 0)?;
    let (hold, next) = part(row, next)?;
    let (guest, next) = part_or_none(row, next)?;
    let (reservation, _) = part_or_none(row, next)?;
    Ok(StayView { stay, hold, guest, reservation })
}

fn reservation_columns() -> String {
    let (reservation, guest) = (aliased_list("r", Reservation::TABLE), aliased_list("g", Guest::TABLE));
    format!("{reservation}, {guest}, {}", aliased_list("p", Payment::TABLE))
}

fn read_reservation(row: &ReadRow) -> Result<ReservationView, Fault> {
    let (reservation, next) = part(row, 0)?;
    let (guest, next) = part_or_none(row, next)?;
    let (payment, _) = part_or_none(row, next)?;
    Ok(ReservationView { reservation, guest, payment })
}
