//! Quotes: ask, look.

use axum::http::StatusCode;
use surehold_core::stays::commands::SaveQuote;
use surehold_core::stays::quote::{QuoteRequest, compute};
use surehold_core::stays::{self, QuoteId, StayRefusal};
use surehold_engine::new_uuid_v7;

use crate::api::{Answer, Api, Caller, InPath, Json, Read, Reply, Sell, from_path};
use crate::describe;
use crate::problem::Problem;
use crate::wire::{AskQuote, Quote};

from_path!(QuoteId: QuoteId::parse);

/// Ask what can be had, and for how much
///
/// Best effort: nothing is promised before rooms are held. The quote is kept, so that a stay can refer to it; if there is
/// nothing to offer, nothing is kept and the status is 200. With an `id` of your own a repeat finds the first quote.
#[describe::path(post, "/v1/{tenant}/quotes", tag = "Stays", status(200, 201))]
pub(super) async fn quote_ask(api: Api, caller: Caller<Sell>, Json(body): Json<AskQuote>) -> Answer<Quote> {
    let request = body.request()?;
    if let Some(known) = known_quote(&api, &caller, body.id, &request).await? {
        return Ok(Reply { replayed: true, ..kept(&caller, known.into()) });
    }
    let views = api.views();
    let basis = views.quote_basis(caller.tenant, request.property(), request.dates());
    let (now, basis) = tokio::try_join!(views.time_for(caller.tenant), basis)?;
    let basis = basis.ok_or_else(|| StayRefusal::PropertyNotFound { property: request.property().clone() })?;
    let mut offers = compute(&basis, &request, now);
    if offers.options.is_empty() {
        return Ok(Reply::found(Quote::nothing_to_offer(&basis.property, &request, offers)));
    }
    let id = match body.id {
        Some(id) => id,
        None => QuoteId::new(new_uuid_v7())?,
    };
    let save = SaveQuote::new(id, request, std::mem::take(&mut offers.options))?;
    let done = api.engine().run(caller.tenant, save).await?;
    let quote = Quote::from(done.reply);
    // Somebody with the same id was faster: what is not for sale was not told then either.
    let quote = if done.replayed { quote } else { quote.with_the_rest(offers) };
    Ok(Reply { replayed: done.replayed, ..kept(&caller, quote) })
}

fn kept(caller: &Caller<Sell>, quote: Quote) -> Reply<Quote> {
    let location = quote.id.map(|id| format!("/v1/{}/quotes/{id}", caller.slug));
    Reply { status: StatusCode::CREATED, location, ..Reply::found(quote) }
}

/// The quote that a repeat is about. Looked for before anything is computed: by now there may be nothing to offer.
async fn known_quote(
    api: &Api,
    caller: &Caller<Sell>,
    id: Option<QuoteId>,
    request: &QuoteRequest,
) -> Result<Option<stays::Quote>, Problem> {
    let Some(id) = id else { return Ok(None) };
    let known = api.views().record::<stays::Quote>(caller.tenant, &id).await?;
    match known {
        Some(quote) if !request.is_of(&quote) => Err(StayRefusal::QuoteIdReused { quote: id }.into()),
        known => Ok(known),
    }
}

/// Look at a quote
///
/// Also one that is no longer good: `valid_until` says so.
#[describe::path(get, "/v1/{tenant}/quotes/{quote}", tag = "Stays")]
pub(super) async fn quote_get(api: Api, caller: Caller<Read>, InPath(id): InPath<QuoteId>) -> Answer<Quote> {
    let quote = api.views().record::<stays::Quote>(caller.tenant, &id).await?;
    Ok(Reply::found(quote.ok_or(StayRefusal::QuoteNotFound { quote: id })?.into()))
}
