//! The books of all stores: how far they are closed, and closing them.

use surehold_core::stock;
use surehold_core::stock::commands;

use crate::api::{Answer, Api, Caller, Json, Manage, Read, Reply};
use crate::describe;
use crate::wire::stock::{Books, CloseBooks};

/// Look how far the books are closed
#[describe::path(get, "/v1/{tenant}/books", tag = "Stock")]
pub(super) async fn books_get(api: Api, caller: Caller<Read>) -> Answer<Books> {
    let books = api.views().record::<stock::Books>(caller.tenant, &()).await?;
    Ok(Reply::found(books.unwrap_or_default().into()))
}

/// Close the books up to an instant
///
/// For all stores at once, because transfers carry cost between them; never opened again. Safe to repeat.
#[describe::path(put, "/v1/{tenant}/books", tag = "Stock")]
pub(super) async fn books_close(api: Api, caller: Caller<Manage>, Json(body): Json<CloseBooks>) -> Answer<Books> {
    api.run(caller.tenant, commands::CloseBooks { until: body.closed_until }, None).await
}
