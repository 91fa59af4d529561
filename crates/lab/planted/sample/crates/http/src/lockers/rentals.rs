//! Rentals: rent, list.

use axum::http::StatusCode;
use surehold_core::kernel::OwnerName;

use crate::api::{Answer, Api, Caller, Json, Query, Read, Reply, Sell, next_page, page_items};
use crate::describe;
use crate::wire::lockers::{RentLocker, Rental, RentalPage};

/// Rent a locker
///
/// The station's pool says how many there are. The request can be repeated: its id finds the same rental.
#[describe::path(post, "/v1/{tenant}/lockers", tag = "Lockers", status(201))]
pub(super) async fn locker_rent(api: Api, caller: Caller<Sell>, Json(body): Json<RentLocker>) -> Answer<Rental> {
    let reply = api.run(caller.tenant, body.into_command()?, None).await?;
    Ok(Reply { status: StatusCode::CREATED, ..reply })
}

#[describe::query(page after OwnerName)]
pub(crate) struct ListRentals {}

/// List who has a locker
#[describe::path(get, "/v1/{tenant}/lockers", tag = "Lockers")]
pub(super) async fn rentals_list(
    api: Api,
    caller: Caller<Read>,
    Query(query): Query<ListRentals>,
) -> Answer<RentalPage> {
    let limit = page_items(query.limit)?;
    let found = api.views().locker_rentals(caller.tenant, query.after.as_ref(), limit).await?;
    let next = next_page(&found, limit, |last| last.renter.clone());
    Ok(Reply::found(RentalPage { rentals: found.into_iter().map(Rental::from).collect(), next }))
}
