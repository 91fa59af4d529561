//! Properties, their room types and rate plans: list, look, put.

use surehold_core::stays::{self, PropertyName, RatePlanCode, RatePlanKey, RoomTypeCode, RoomTypeKey, StayRefusal};

use crate::api::{
    Answer, Api, Caller, InPath, Json, Manage, Need, Query, Read, Reply, from_path, next_page, page_items,
};
use crate::describe;
use crate::problem::Problem;
use crate::wire::{
    Property, PropertyPage, PutProperty, PutRatePlan, PutRoomType, RatePlan, RatePlanList, RoomType, RoomTypeList,
};

from_path!(PropertyName: PropertyName::new, RoomTypeCode: RoomTypeCode::new, RatePlanCode: RatePlanCode::new);
from_path!(RoomTypeKey { property: PropertyName, code: RoomTypeCode });
from_path!(RatePlanKey { property: PropertyName, code: RatePlanCode });

pub(super) async fn find_property<N: Need>(
    api: &Api,
    caller: &Caller<N>,
    name: PropertyName,
) -> Result<stays::Property, Problem> {
    let found = api.views().record::<stays::Property>(caller.tenant, &name).await?;
    found.ok_or_else(|| StayRefusal::PropertyNotFound { property: name }.into())
}

#[describe::query(page after PropertyName)]
pub(crate) struct ListProperties {}

/// List properties
#[describe::path(get, "/v1/{tenant}/properties", tag = "Properties")]
pub(super) async fn properties_list(
    api: Api,
    caller: Caller<Read>,
    Query(query): Query<ListProperties>,
) -> Answer<PropertyPage> {
    let limit = page_items(query.limit)?;
    let found = api.views().properties(caller.tenant, query.after.as_ref(), limit).await?;
    let next = next_page(&found, limit, |property| property.name.to_string());
    Ok(Reply::found(PropertyPage { properties: found.into_iter().map(Property::from).collect(), next }))
}

/// Look at a property
#[describe::path(get, "/v1/{tenant}/properties/{property}", tag = "Properties")]
pub(super) async fn property_get(
    api: Api,
    caller: Caller<Read>,
    InPath(name): InPath<PropertyName>,
) -> Answer<Property> {
    Ok(Reply::found(find_property(&api, &caller, name).await?.into()))
}

/// Put a property
///
/// Creates it, or replaces what it was; its currency stays. Safe to repeat.
#[describe::path(put, "/v1/{tenant}/properties/{property}", tag = "Properties")]
pub(super) async fn property_put(
    api: Api,
    caller: Caller<Manage>,
    InPath(name): InPath<PropertyName>,
    Json(body): Json<PutProperty>,
) -> Answer<Property> {
    api.run(caller.tenant, body.into_command(name)?, None).await
}

/// List the room types of a property
#[describe::path(get, "/v1/{tenant}/properties/{property}/room-types", tag = "Properties")]
pub(super) async fn room_types_list(
    api: Api,
    caller: Caller<Read>,
    InPath(name): InPath<PropertyName>,
) -> Answer<RoomTypeList> {
    let property = find_property(&api, &caller, name).await?;
    let room_types = api.views().room_types(caller.tenant, &property.name).await?;
    Ok(Reply::found(RoomTypeList { room_types: room_types.into_iter().map(RoomType::from).collect() }))
}

/// Look at a room type
#[describe::path(get, "/v1/{tenant}/properties/{property}/room-types/{code}", tag = "Properties")]
pub(super) async fn room_type_get(
    api: Api,
    caller: Caller<Read>,
    InPath(key): InPath<RoomTypeKey>,
) -> Answer<RoomType> {
    let found = api.views().record::<stays::RoomType>(caller.tenant, &key).await?;
    let found = found.ok_or(StayRefusal::RoomTypeNotFound { property: key.property, room_type: key.code })?;
    Ok(Reply::found(found.into()))
}

/// Put a room type
///
/// Creates it, or replaces what it was. Safe to repeat.
#[describe::path(put, "/v1/{tenant}/properties/{property}/room-types/{code}", tag = "Properties")]
pub(super) async fn room_type_put(
    api: Api,
    caller: Caller<Manage>,
    InPath(key): InPath<RoomTypeKey>,
    Json(body): Json<PutRoomType>,
) -> Answer<RoomType> {
    api.run(caller.tenant, body.into_command(key)?, None).await
}

/// List the rate plans of a property
#[describe::path(get, "/v1/{tenant}/properties/{property}/rate-plans", tag = "Properties")]
pub(super) async fn rate_plans_list(
    api: Api,
    caller: Caller<Read>,
    InPath(name): InPath<PropertyName>,
) -> Answer<RatePlanList> {
    let property = find_property(&api, &caller, name).await?;
    let rate_plans = api.views().rate_plans(caller.tenant, &property.name).await?;
    Ok(Reply::found(RatePlanList { rate_plans: rate_plans.into_iter().map(RatePlan::from).collect() }))
}

/// Look at a rate plan
#[describe::path(get, "/v1/{tenant}/properties/{property}/rate-plans/{code}", tag = "Properties")]
pub(super) async fn rate_plan_get(
    api: Api,
    caller: Caller<Read>,
    InPath(key): InPath<RatePlanKey>,
) -> Answer<RatePlan> {
    let found = api.views().record::<stays::RatePlan>(caller.tenant, &key).await?;
    let found = found.ok_or(StayRefusal::RatePlanNotFound { property: key.property, rate_plan: key.code })?;
    Ok(Reply::found(found.into()))
}

/// Put a rate plan
///
/// Creates it, or replaces what it was. What was quoted and booked keeps the conditions that were promised. Safe to
/// repeat.
#[describe::path(put, "/v1/{tenant}/properties/{property}/rate-plans/{code}", tag = "Properties")]
pub(super) async fn rate_plan_put(
    api: Api,
    caller: Caller<Manage>,
    InPath(key): InPath<RatePlanKey>,
    Json(body): Json<PutRatePlan>,
) -> Answer<RatePlan> {
    api.run(caller.tenant, body.into_command(key)?, None).await
}
