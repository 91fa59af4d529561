//! Rentals: rent, list.

use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use surehold_core::kernel::OwnerName;

use crate::api::{ApiState, Caller, Json, Query, Read, Reply, Sell, page_items};
use crate::describe::{self, IntoParams};
use crate::problem::Problem;
use crate::wire::described;
use crate::wire::lockers::{RentLocker, Rental, RentalPage};

/// Rent a locker
///
/// The station's pool says how many there are. The request can be repeated: its id finds the same rental.
#[describe::path(post, path = "/v1/{tenant}/lockers", tag = "Lockers", params(("tenant" = described::Slug, Path)),
    request_body = RentLocker, responses((status = 201, body = Rental)))]
pub(super) async fn locker_rent(
    State(api): ApiState,
    caller: Caller<Sell>,
    Json(body): Json<RentLocker>,
) -> Result<Reply<Rental>, Problem> {
    let done = api.engine().run(caller.tenant, body.into_command()?).await?;
    Ok(Reply { status: StatusCode::CREATED, ..Reply::ok(done) })
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListRentals {
    /// The `next` of the page before.
    #[param(value_type = Option<described::Name>)]
    after: Option<OwnerName>,
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<u16>,
}

/// List who has a locker
#[describe::path(get, path = "/v1/{tenant}/lockers", tag = "Lockers",
    params(("tenant" = described::Slug, Path), ListRentals), responses((status = 200, body = RentalPage)))]
pub(super) async fn rentals_list(
    State(api): ApiState,
    caller: Caller<Read>,
    Query(query): Query<ListRentals>,
) -> Result<Reply<RentalPage>, Problem> {
    let limit = page_items(query.limit)?;
    let found = api.views().locker_rentals(caller.tenant, query.after.as_ref(), limit).await?;
    let full = found.len() == usize::from(limit);
    let next = found.last().filter(|_| full).map(|last| last.renter.clone());
    Ok(Reply::found(RentalPage { rentals: found.into_iter().map(Rental::from).collect(), next }))
}
