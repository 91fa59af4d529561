//! Properties, what their nights cost and how many rooms are left. Bounded by how many room types and plans a property
//! may have, and by the nights that are asked for. Stays and reservations are in `bookings.rs`.

use surehold_core::kernel::commands::ID_AGE_SECS_MAX;
use surehold_core::kernel::{Corrupt, Pool, Record, TenantId, Timestamp};
use surehold_core::stays::commands::{RATE_PLANS_MAX, ROOM_TYPES_MAX};
use surehold_core::stays::quote::QuoteBasis;
use surehold_core::stays::{
    Month, NightRange, Property, PropertyName, Quote, QuoteId, RateMonth, RatePlan, RoomType, RoomTypeCode, StayDates,
    rooms_of,
};
use uuid::Uuid;

use crate::views::{Views, aliased_list, corrupt, part, part_or_none, read_records, text};
use crate::{Fault, OwnedValue, ReadRow, Scope};

/// Rooms and rates of a range of nights, as far as something is said about them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calendar {
    /// In the order of room types, then of nights.
    pub pools: Vec<Pool>,
    /// In the order of months, plans and room types. Whole months: the nights around the range are in them too.
    pub months: Vec<RateMonth>,
}

fn rows(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl Views {
    /// Everything that a quote is computed from, in four questions that are asked at once. Not of one instant: a quote
    /// is best effort, and whoever holds rooms looks again. `None`: there is no such property.
    pub async fn quote_basis(
        &self,
        tenant: TenantId,
        property: &PropertyName,
        dates: StayDates,
    ) -> Result<Option<QuoteBasis>, Fault> {
        let months_of_stay = dates.months();
        let described = async {
            let Some((property, room_types)) = self.property_with_room_types(tenant, property).await? else {
                return Ok(None);
            };
            let codes = room_types.iter().map(|room_type| &room_type.key.code);
            let pools = self.rooms_between(tenant, &property.name, codes, dates.into()).await?;
            Ok(Some((property, room_types, pools)))
        };
        let (described, rate_plans, months) = tokio::try_join!(
            described,
            self.rate_plans(tenant, property),
            // Also that of the day of departure.
            self.months_between(tenant, property, None, &months_of_stay),
        )?;
        let Some((property, room_types, pools)) = described else { return Ok(None) };
        Ok(Some(QuoteBasis { property, room_types, rate_plans, months, pools }))
    }

    /// Rooms and rates of a property over a range, of one room type or of all. Empty for a property that does not exist.
    pub async fn calendar(
        &self,
        tenant: TenantId,
        property: &PropertyName,
        room_type: Option<&RoomTypeCode>,
        range: NightRange,
    ) -> Result<Calendar, Fault> {
        let months = range.months();
        let rooms = async {
            if let Some(code) = room_type {
                return self.rooms_between(tenant, property, [code], range).await;
            }
            let room_types = self.room_types(tenant, property).await?;
            let codes = room_types.iter().map(|room_type| &room_type.key.code);
            self.rooms_between(tenant, property, codes, range).await
        };
        let (pools, months) = tokio::try_join!(rooms, self.months_between(tenant, property, room_type, &months))?;
        Ok(Calendar { pools, months })
    }

    /// Properties behind `after`, in the order of their names.
    pub async fn properties(
        &self,
        tenant: TenantId,
        after: Option<&PropertyName>,
        rows_max: u16,
    ) -> Result<Vec<Property>, Fault> {
        let after = text(after.map_or("", PropertyName::as_str));
        self.records(tenant, "and name > $2 order by name limit $3", [after, OwnedValue::Int(i64::from(rows_max))])
            .await
    }

    /// All room types of a property, in the order of their codes.
    pub async fn room_types(&self, tenant: TenantId, property: &PropertyName) -> Result<Vec<RoomType>, Fault> {
        let params = [text(property), OwnedValue::Int(i64::from(ROOM_TYPES_MAX))];
        self.records(tenant, "and property = $2 order by code limit $3", params).await
    }

    /// All rate plans of a property, in the order of their codes.
    pub async fn rate_plans(&self, tenant: TenantId, property: &PropertyName) -> Result<Vec<RatePlan>, Fault> {
        let params = [text(property), OwnedValue::Int(i64::from(RATE_PLANS_MAX))];
        self.records(tenant, "and property = $2 order by code limit $3", params).await
    }

    /// Quotes that are spent, the oldest first. Through the key: ids begin with the time at which they were made.
    pub(crate) async fn spent_quotes(
        &self,
        tenant: TenantId,
        now: Timestamp,
        rows_max: u16,
    ) -> Result<Vec<QuoteId>, Fault> {
        let sql = "select id from quotes where tenant = $1 and id < $2 and valid_until <= $3 order by id limit $4";
        let made_before = now.plus_secs(-ID_AGE_SECS_MAX).micros().max(0) / 1_000;
        let params = vec![
            OwnedValue::Int(tenant.0),
            OwnedValue::Uuid(Uuid::from_u128(u128::from(made_before.unsigned_abs()) << 80)),
            OwnedValue::Time(Quote::spent_before(now)),
            OwnedValue::Int(i64::from(rows_max)),
        ];
        let rows = self.store.query(Scope::Tenant(tenant), sql, params).await?;
        let id = |row: &ReadRow| QuoteId::new(row.uuid(0)?).map_err(|invalid| Corrupt::new(invalid.to_string()));
        rows.iter().map(id).collect::<Result<_, Corrupt>>().map_err(|what| corrupt(&what))
    }

    async fn property_with_room_types(
        &self,
        tenant: TenantId,
        property: &PropertyName,
    ) -> Result<Option<(Property, Vec<RoomType>)>, Fault> {
        let sql = format!(
            "select {}, {} from properties p left join room_types r on r.tenant = $1 and r.property = p.name \
             where p.tenant = $1 and p.name = $2 order by r.code limit $3",
            aliased_list("p", Property::TABLE),
            aliased_list("r", RoomType::TABLE)
        );
        let params = vec![OwnedValue::Int(tenant.0), text(property), OwnedValue::Int(i64::from(ROOM_TYPES_MAX))];
        let rows = self.store.query(Scope::Tenant(tenant), &sql, params).await?;
        let Some(first) = rows.first() else { return Ok(None) };
        let (property, next) = part::<Property>(first, 0)?;
        let room_type = |row: &ReadRow| part_or_none::<RoomType>(row, next).map(|(found, _)| found);
        let room_types = rows.iter().filter_map(|row| room_type(row).transpose()).collect::<Result<_, Fault>>()?;
        Ok(Some((property, room_types)))
    }

    /// Through the key, which has months before plans and room types.
    async fn months_between(
        &self,
        tenant: TenantId,
        property: &PropertyName,
        room_type: Option<&RoomTypeCode>,
        months: &[Month],
    ) -> Result<Vec<RateMonth>, Fault> {
        let (Some(first), Some(last)) = (months.first(), months.last()) else { return Ok(Vec::new()) };
        let rows_max = rows(months.len()) * i64::from(ROOM_TYPES_MAX) * i64::from(RATE_PLANS_MAX);
        let params = [text(property), text(first), text(last), OwnedValue::Int(rows_max)];
        let range = "and property = $2 and month >= $3 and month <= $4";
        let order = "order by month, rate_plan, room_type limit $5";
        match room_type {
            None => self.records(tenant, &format!("{range} {order}"), params).await,
            Some(room_type) => {
                let condition = format!("{range} and room_type = $6 {order}");
                self.records(tenant, &condition, params.into_iter().chain([text(room_type)])).await
            }
        }
    }

    /// The pools of each room type, looked up by its name one by one: no planner may begin with all pools of these nights.
    async fn rooms_between(
        &self,
        tenant: TenantId,
        property: &PropertyName,
        room_types: impl IntoIterator<Item = &RoomTypeCode>,
        nights: NightRange,
    ) -> Result<Vec<Pool>, Fault> {
        let sql = format!(
            "select {} from pools p where p.tenant = $1 and p.resource = $2 and p.slot >= $3 and p.slot < $4 \
             order by p.slot limit $5",
            aliased_list("p", Pool::TABLE)
        );
        let each = room_types.into_iter().map(|room_type| {
            let resource = OwnedValue::Text(rooms_of(property, room_type).to_string());
            let nights_max = OwnedValue::Int(nights.nights_count());
            vec![OwnedValue::Int(tenant.0), resource, text(&nights.from()), text(&nights.until()), nights_max]
        });
        read_records(self.store.query_each(Scope::Tenant(tenant), &sql, each.collect()).await?).await
    }
}
