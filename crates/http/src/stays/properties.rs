//! Properties, their room types and rate plans: list, look, put.

use axum::extract::State;
use serde::Deserialize;
use surehold_core::stays::{self, PropertyName, StayRefusal};

use crate::api::{
    Api, ApiState, Caller, Json, Manage, Need, PropertyPath, Query, RatePlanPath, Read, Reply, RoomTypePath, page_items,
};
use crate::describe::{self, IntoParams};
use crate::problem::Problem;
use crate::wire::{
    Property, PropertyPage, PutProperty, PutRatePlan, PutRoomType, RatePlan, RatePlanList, RoomType, RoomTypeList,
    described,
};

pub(super) async fn find_property<N: Need>(
    api: &Api,
    caller: &Caller<N>,
    name: PropertyName,
) -> Result<stays::Property, Problem> {
    let found = api.engine().views().record::<stays::Property>(caller.tenant, &name).await?;
    found.ok_or_else(|| StayRefusal::PropertyNotFound { property: name }.into())
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListProperties {
    /// The `next` of the page before.
    #[param(value_type = Option<described::ShortName>)]
    after: Option<PropertyName>,
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<u16>,
}

/// List properties
#[describe::path(get, path = "/v1/{tenant}/properties", tag = "Properties",
    params(("tenant" = described::Slug, Path), ListProperties), responses((status = 200, body = PropertyPage)))]
pub(super) async fn properties_list(
    State(api): ApiState,
    caller: Caller<Read>,
    Query(query): Query<ListProperties>,
) -> Result<Reply<PropertyPage>, Problem> {
    let limit = page_items(query.limit)?;
    let found = api.engine().views().properties(caller.tenant, query.after.as_ref(), limit).await?;
    let full = found.len() == usize::from(limit);
    let next = found.last().filter(|_| full).map(|property| property.name.to_string());
    Ok(Reply::found(PropertyPage { properties: found.into_iter().map(Property::from).collect(), next }))
}

/// Look at a property
#[describe::path(get, path = "/v1/{tenant}/properties/{property}", tag = "Properties",
    params(("tenant" = described::Slug, Path), ("property" = described::ShortName, Path)),
    responses((status = 200, body = Property)))]
pub(super) async fn property_get(
    State(api): ApiState,
    caller: Caller<Read>,
    PropertyPath(name): PropertyPath,
) -> Result<Reply<Property>, Problem> {
    Ok(Reply::found(find_property(&api, &caller, name).await?.into()))
}

/// Put a property
///
/// Creates it, or replaces what it was; its currency stays. Safe to repeat.
#[describe::path(put, path = "/v1/{tenant}/properties/{property}", tag = "Properties",
    params(("tenant" = described::Slug, Path), ("property" = described::ShortName, Path)),
    request_body = PutProperty, responses((status = 200, body = Property)))]
pub(super) async fn property_put(
    State(api): ApiState,
    caller: Caller<Manage>,
    PropertyPath(name): PropertyPath,
    Json(body): Json<PutProperty>,
) -> Result<Reply<Property>, Problem> {
    let done = api.engine().run(caller.tenant, body.into_command(name)?).await?;
    Ok(Reply::ok(done))
}

/// List the room types of a property
#[describe::path(get, path = "/v1/{tenant}/properties/{property}/room-types", tag = "Properties",
    params(("tenant" = described::Slug, Path), ("property" = described::ShortName, Path)),
    responses((status = 200, body = RoomTypeList)))]
pub(super) async fn room_types_list(
    State(api): ApiState,
    caller: Caller<Read>,
    PropertyPath(name): PropertyPath,
) -> Result<Reply<RoomTypeList>, Problem> {
    let property = find_property(&api, &caller, name).await?;
    let room_types = api.engine().views().room_types(caller.tenant, &property.name).await?;
    Ok(Reply::found(RoomTypeList { room_types: room_types.into_iter().map(RoomType::from).collect() }))
}

/// Look at a room type
#[describe::path(get, path = "/v1/{tenant}/properties/{property}/room-types/{code}", tag = "Properties",
    params(("tenant" = described::Slug, Path), ("property" = described::ShortName, Path),
        ("code" = described::ShortName, Path)),
    responses((status = 200, body = RoomType)))]
pub(super) async fn room_type_get(
    State(api): ApiState,
    caller: Caller<Read>,
    RoomTypePath(key): RoomTypePath,
) -> Result<Reply<RoomType>, Problem> {
    let found = api.engine().views().record::<stays::RoomType>(caller.tenant, &key).await?;
    let found = found.ok_or(StayRefusal::RoomTypeNotFound { property: key.property, room_type: key.code })?;
    Ok(Reply::found(found.into()))
}

/// Put a room type
///
/// Creates it, or replaces what it was. Safe to repeat.
#[describe::path(put, path = "/v1/{tenant}/properties/{property}/room-types/{code}", tag = "Properties",
    params(("tenant" = described::Slug, Path), ("property" = described::ShortName, Path),
        ("code" = described::ShortName, Path)),
    request_body = PutRoomType, responses((status = 200, body = RoomType)))]
pub(super) async fn room_type_put(
    State(api): ApiState,
    caller: Caller<Manage>,
    RoomTypePath(key): RoomTypePath,
    Json(body): Json<PutRoomType>,
) -> Result<Reply<RoomType>, Problem> {
    let done = api.engine().run(caller.tenant, body.into_command(key)?).await?;
    Ok(Reply::ok(done))
}

/// List the rate plans of a property
#[describe::path(get, path = "/v1/{tenant}/properties/{property}/rate-plans", tag = "Properties",
    params(("tenant" = described::Slug, Path), ("property" = described::ShortName, Path)),
    responses((status = 200, body = RatePlanList)))]
pub(super) async fn rate_plans_list(
    State(api): ApiState,
    caller: Caller<Read>,
    PropertyPath(name): PropertyPath,
) -> Result<Reply<RatePlanList>, Problem> {
    let property = find_property(&api, &caller, name).await?;
    let rate_plans = api.engine().views().rate_plans(caller.tenant, &property.name).await?;
    Ok(Reply::found(RatePlanList { rate_plans: rate_plans.into_iter().map(RatePlan::from).collect() }))
}

/// Look at a rate plan
#[describe::path(get, path = "/v1/{tenant}/properties/{property}/rate-plans/{code}", tag = "Properties",
    params(("tenant" = described::Slug, Path), ("property" = described::ShortName, Path),
        ("code" = described::ShortName, Path)),
    responses((status = 200, body = RatePlan)))]
pub(super) async fn rate_plan_get(
    State(api): ApiState,
    caller: Caller<Read>,
    RatePlanPath(key): RatePlanPath,
) -> Result<Reply<RatePlan>, Problem> {
    let found = api.engine().views().record::<stays::RatePlan>(caller.tenant, &key).await?;
    let found = found.ok_or(StayRefusal::RatePlanNotFound { property: key.property, rate_plan: key.code })?;
    Ok(Reply::found(found.into()))
}

/// Put a rate plan
///
/// Creates it, or replaces what it was. What was quoted and booked keeps the conditions that were promised. Safe to
/// repeat.
#[describe::path(put, path = "/v1/{tenant}/properties/{property}/rate-plans/{code}", tag = "Properties",
    params(("tenant" = described::Slug, Path), ("property" = described::ShortName, Path),
        ("code" = described::ShortName, Path)),
    request_body = PutRatePlan, responses((status = 200, body = RatePlan)))]
pub(super) async fn rate_plan_put(
    State(api): ApiState,
    caller: Caller<Manage>,
    RatePlanPath(key): RatePlanPath,
    Json(body): Json<PutRatePlan>,
) -> Result<Reply<RatePlan>, Problem> {
    let done = api.engine().run(caller.tenant, body.into_command(key)?).await?;
    Ok(Reply::ok(done))
}
