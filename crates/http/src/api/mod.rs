//! The API: each handler reads a request, runs one command or view, and answers. Nothing is decided here.
//! Start at [`Api::router`]; `caller.rs` says who may do what, `body.rs` how bodies and keys are read.

mod availability;
mod batch;
mod body;
mod books;
mod calendar;
mod caller;
mod cases;
mod documents;
mod endpoints;
mod epoch;
mod events;
mod explain;
#[cfg(feature = "fuzz")]
pub mod fuzz;
mod health;
mod holds;
mod inboxes;
mod keys;
mod operation_acts;
mod operations;
mod pages;
mod params;
mod pools;
mod products;
mod properties;
mod quotes;
mod repairs;
mod reservations;
mod scales;
mod schedules;
mod stays;
mod stock;
mod stores;
mod tasks;
mod tenants;
mod webhooks;

use std::sync::Arc;
use std::sync::Mutex;

use axum::Router;
use axum::extract::State;
use metrics_exporter_prometheus::PrometheusHandle;
use surehold_engine::{Engine, Views};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tracing::Span;

pub(crate) use self::body::parse;
use crate::inbox::Inbox;
use crate::keys::KeyRing;
pub use crate::keys::RateLimit;
use crate::observe::Observe;
use crate::problem::{Code, Problem};
use crate::routes::{Routes, routes};

#[derive(Clone, Debug)]
pub struct ApiConfig {
    pub rate_limit: RateLimit,
    /// Event streams open at once on this node.
    pub event_streams_max: usize,
    /// Whether `/metrics` needs no key.
    pub metrics_open: bool,
    /// Whose webhooks and which tasks are taken.
    pub inbox: Inbox,
    /// Connects a request's span with the caller's, given as the text of a `traceparent` header.
    pub adopt_parent: fn(&Span, &str),
    /// Says why an address may not be given to a webhook endpoint.
    pub check_webhook_url: CheckWebhookUrl,
}

/// Whoever will call the address decides.
pub type CheckWebhookUrl = fn(&str) -> Result<(), AddressRefused>;

/// Why an address may not be called, in a sentence that the tenant may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressRefused(pub String);

impl Default for ApiConfig {
    fn default() -> ApiConfig {
        ApiConfig {
            rate_limit: RateLimit::default(),
            event_streams_max: 1_000,
            metrics_open: false,
            inbox: Inbox::default(),
            adopt_parent: |_, _| {},
            check_webhook_url: |_| Err(AddressRefused("this installation calls no addresses".to_owned())),
        }
    }
}

/// Cheap to clone; all clones share the keys.
#[derive(Clone)]
pub struct Api {
    shared: Arc<Shared>,
}

struct Shared {
    engine: Engine,
    keys: Arc<KeyRing>,
    slugs: caller::Slugs,
    config: ApiConfig,
    metrics: Option<PrometheusHandle>,
    streams: Mutex<events::OpenStreams>,
    /// Kibibytes of batches that may be read at once.
    batch_kibibytes: Arc<Semaphore>,
    /// Kibibytes of events that may be received at once.
    inbox_kibibytes: Arc<Semaphore>,
    stop: CancellationToken,
}

impl std::fmt::Debug for Api {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Api")
    }
}

impl Api {
    /// Event streams and the background work end with `stop`. Must be called within a tokio runtime.
    pub fn new(engine: Engine, config: ApiConfig, metrics: Option<PrometheusHandle>, stop: CancellationToken) -> Api {
        let keys = KeyRing::start(engine.views().clone(), config.rate_limit, stop.clone());
        let streams = Mutex::default();
        let batch_kibibytes = Arc::new(Semaphore::new(batch::KIBIBYTES_AT_ONCE));
        let inbox_kibibytes = Arc::new(Semaphore::new(webhooks::KIBIBYTES_AT_ONCE));
        let slugs = caller::Slugs::default();
        let shared = Shared { engine, keys, slugs, config, metrics, streams, batch_kibibytes, inbox_kibibytes, stop };
        Api { shared: Arc::new(shared) }
    }

    /// Everything: for the local socket, and for the network unless administration listens apart.
    pub fn router(&self) -> Router {
        self.finish(public_routes().merge(admin_routes()))
    }

    /// Without administration.
    pub fn public_router(&self) -> Router {
        self.finish(public_routes())
    }

    /// Whether it lives, and how it does.
    pub fn health_router(&self) -> Router {
        self.finish(health_routes())
    }

    fn finish(&self, routes: Routes) -> Router {
        let observe = Observe::new(&routes.list, self.shared.config.adopt_parent);
        routes
            .router
            .merge(pages::routes(routes.list))
            .fallback(nothing_here)
            .method_not_allowed_fallback(no_such_method)
            .with_state(self.clone())
            .layer(observe)
    }

    fn engine(&self) -> &Engine {
        &self.shared.engine
    }

    pub(crate) fn views(&self) -> &Views {
        self.shared.engine.views()
    }
}

type ApiState = State<Api>;

pub(crate) fn public_routes() -> Routes {
    Routes::new()
        .routes(routes!(tenants::tenant_get))
        .routes(routes!(tenants::policy_put))
        .routes(routes!(pools::pools_list, pools::pools_put))
        .routes(routes!(pools::pool_get, pools::pool_put))
        .routes(routes!(pools::pool_adjust))
        .routes(routes!(explain::pool_explain))
        .routes(routes!(availability::availability))
        .routes(routes!(holds::holds_list, holds::hold_place))
        .routes(routes!(holds::hold_get))
        .routes(routes!(holds::hold_extend))
        .routes(routes!(holds::hold_convert))
        .routes(routes!(holds::hold_cancel))
        .routes(routes!(holds::hold_move))
        .routes(routes!(holds::hold_give_back))
        .routes(routes!(batch::holds_batch))
        .routes(routes!(schedules::schedules_list))
        .routes(routes!(schedules::schedule_get, schedules::schedule_put, schedules::schedule_remove))
        .routes(routes!(events::events))
        .routes(routes!(operations::operations_list))
        .routes(routes!(operations::operation_get))
        .routes(routes!(operations::timeline))
        .routes(routes!(operation_acts::operation_retry))
        .routes(routes!(operation_acts::operation_cancel))
        .routes(routes!(operation_acts::operation_redrive))
        .routes(routes!(operation_acts::operation_settle))
        .routes(routes!(cases::cases_list))
        .routes(routes!(cases::case_get))
        .routes(routes!(cases::case_assign))
        .routes(routes!(cases::case_resolve))
        .routes(routes!(endpoints::endpoints_list))
        .routes(routes!(endpoints::endpoint_get, endpoints::endpoint_put, endpoints::endpoint_remove))
        .routes(routes!(endpoints::endpoint_rotate_secret))
        .routes(routes!(endpoints::endpoint_enable))
        .routes(routes!(endpoints::endpoint_replay))
        .routes(routes!(endpoints::endpoint_deliveries))
        .routes(routes!(inboxes::inboxes_list))
        .routes(routes!(inboxes::inbox_put, inboxes::inbox_remove))
        .routes(routes!(tasks::task_deliver))
        .routes(routes!(tasks::task_deliver_to_own))
        .routes(routes!(webhooks::webhook_receive))
        .merge(stays_routes())
        .merge(stock_routes())
        .merge(health_routes())
}

fn stays_routes() -> Routes {
    Routes::new()
        .routes(routes!(properties::properties_list))
        .routes(routes!(properties::property_get, properties::property_put))
        .routes(routes!(properties::room_types_list))
        .routes(routes!(properties::room_type_get, properties::room_type_put))
        .routes(routes!(properties::rate_plans_list))
        .routes(routes!(properties::rate_plan_get, properties::rate_plan_put))
        .routes(routes!(calendar::calendar_get, calendar::calendar_put))
        .routes(routes!(quotes::quote_ask))
        .routes(routes!(quotes::quote_get))
        .routes(routes!(stays::stays_list, stays::stay_create))
        .routes(routes!(stays::stay_get))
        .routes(routes!(stays::stay_cancel))
        .routes(routes!(stays::stay_confirm))
        .routes(routes!(stays::stay_checkout))
        .routes(routes!(stays::guest_erase))
        .routes(routes!(reservations::reservations_list, reservations::reservation_walk_in))
        .routes(routes!(reservations::reservation_get))
        .routes(routes!(reservations::reservation_cancel))
        .routes(routes!(reservations::reservation_no_show))
        .routes(routes!(reservations::reservation_change))
}

fn stock_routes() -> Routes {
    Routes::new()
        .routes(routes!(stores::stores_list))
        .routes(routes!(stores::store_get, stores::store_put))
        .routes(routes!(products::products_list))
        .routes(routes!(products::product_get, products::product_put))
        .routes(routes!(products::barcodes_put))
        .routes(routes!(products::barcode_get))
        .routes(routes!(books::books_get, books::books_close))
        .routes(routes!(documents::documents_list, documents::document_create))
        .routes(routes!(documents::document_preview))
        .routes(routes!(documents::document_get))
        .routes(routes!(documents::part_put))
        .routes(routes!(documents::document_post))
        .routes(routes!(documents::document_reverse))
        .routes(routes!(documents::hold_sell))
        .routes(routes!(stock::stock_list))
        .routes(routes!(stock::stock_balances))
        .routes(routes!(stock::stock_turnover))
        .routes(routes!(stock::stock_shortages))
        .routes(routes!(stock::stock_get))
        .routes(routes!(stock::stock_card))
}

pub(crate) fn health_routes() -> Routes {
    Routes::new().routes(routes!(health::healthz)).routes(routes!(health::readyz)).routes(routes!(health::metrics_text))
}

pub(crate) fn admin_routes() -> Routes {
    Routes::new()
        .routes(routes!(tenants::tenants_list, tenants::tenant_create))
        .routes(routes!(keys::keys_list, keys::key_create))
        .routes(routes!(keys::key_rotate))
        .routes(routes!(keys::key_revoke))
        .routes(routes!(epoch::epoch_get, epoch::epoch_raise))
        .routes(routes!(repairs::repairs_make))
}

async fn nothing_here() -> Problem {
    Problem::new(Code::NotFound, "there is nothing at this address; /docs lists what there is")
}

async fn no_such_method() -> Problem {
    Problem::new(Code::MethodNotAllowed, "the address exists, but not with this method; /docs lists what there is")
}
