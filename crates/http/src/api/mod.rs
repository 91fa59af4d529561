//! The API: each handler reads a request, runs one command or view, and answers. Nothing is decided here.
//! Start at [`Api::router`]; `caller.rs` says who may do what, `body.rs` how bodies and keys are read.

mod body;
mod caller;
mod health;
mod module;
mod pages;
mod params;
mod room;

use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::extract::FromRequestParts;
use axum::http::Extensions;
use axum::http::request::Parts;
use metrics_exporter_prometheus::PrometheusHandle;
use surehold_core::kernel::{Command, TenantId};
use surehold_engine::{Engine, Failure, Options, RequestKey, Views};
use tokio_util::sync::CancellationToken;

pub(crate) use self::body::{
    Answer, BODY_BYTES_MAX, Idempotency, IdempotencyNeeded, IdempotencyRefused, Json, Reply, json_bytes, parse,
    read_body, read_bytes,
};
#[cfg(feature = "fuzz")]
pub(crate) use self::caller::bearer;
pub(crate) use self::caller::{
    Admin, Caller, KeyHolder, Manage, Need, Read, Sell, Tasks, admit_to_tenant, no_such_tenant, scope_missing,
};
pub(crate) use self::module::Module;
pub(crate) use self::params::{FromPath, InPath, Query, Segments, Text, from_path, malformed, next_page, page_items};
pub(crate) use self::room::Room;
use crate::keys::KeyRing;
use crate::modules::{ApiConfig, MODULES};
use crate::observe::Observe;
use crate::problem::{Code, Problem};
use crate::routes::{Routes, routes};

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
    modules: Extensions,
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
        let mut modules = Extensions::new();
        for module in MODULES {
            (module.state)(&mut modules);
        }
        let slugs = caller::Slugs::default();
        let shared = Shared { engine, keys, slugs, config, metrics, modules, stop };
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

    pub(crate) fn engine(&self) -> &Engine {
        &self.shared.engine
    }

    pub(crate) fn config(&self) -> &ApiConfig {
        &self.shared.config
    }

    pub(crate) fn keys(&self) -> &KeyRing {
        &self.shared.keys
    }

    /// Cancelled when the server stops.
    pub(crate) fn stop(&self) -> &CancellationToken {
        &self.shared.stop
    }

    /// What the handlers of a module share on this node.
    pub(crate) fn state<T: Clone + Send + Sync + 'static>(&self) -> &T {
        self.shared.modules.get().expect("a module puts in what its handlers ask for")
    }

    /// Runs a command for a tenant, under the caller's key if there is one.
    pub(crate) async fn run<C, T>(&self, tenant: TenantId, command: C, key: Option<RequestKey>) -> Answer<T>
    where
        C: Command,
        T: From<C::Reply>,
        Problem: From<Failure<C::Refusal>>,
    {
        let options = Options { key, ..Options::default() };
        Ok(Reply::ok(self.engine().run_with(tenant, command, options).await?))
    }

    pub(crate) fn views(&self) -> &Views {
        self.shared.engine.views()
    }
}

/// Handlers ask for it like for everything else that they need.
impl FromRequestParts<Api> for Api {
    type Rejection = Infallible;

    async fn from_request_parts(_: &mut Parts, api: &Api) -> Result<Api, Infallible> {
        Ok(api.clone())
    }
}

pub(crate) fn public_routes() -> Routes {
    MODULES.iter().map(|module| (module.public)()).fold(Routes::new(), Routes::merge).merge(health_routes())
}

pub(crate) fn health_routes() -> Routes {
    routes! {
        health: healthz, readyz, metrics_text;
    }
    .group("Health", "How the server is")
}

pub(crate) fn admin_routes() -> Routes {
    MODULES.iter().map(|module| (module.admin)()).fold(Routes::new(), Routes::merge)
}

async fn nothing_here() -> Problem {
    Problem::new(Code::NotFound, "there is nothing at this address; /docs lists what there is")
}

async fn no_such_method() -> Problem {
    Problem::new(Code::MethodNotAllowed, "the address exists, but not with this method; /docs lists what there is")
}
