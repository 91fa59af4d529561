//! The API without a server between: the router is called in this process, as the owner of the data.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::response::Response;
use futures_util::StreamExt;
use http_body_util::BodyExt;
use surehold_api::{Call, Request};
use surehold_engine::Engine;
use surehold_http::Api;
use surehold_http::server::Peer;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use super::{Answer, Chunks, ClientError, Reply};
use crate::accounts::Accounts;
use crate::config::Config;
use crate::installation;

/// An API in this process.
#[derive(Clone)]
pub(crate) struct InProcess(Router);

impl InProcess {
    pub(crate) fn new(api: &Api) -> InProcess {
        InProcess(api.router())
    }

    pub(crate) async fn send<T>(&self, call: &Call<T>) -> Result<Answer<T>, ClientError> {
        let response = self.call(call.request(), None).await?;
        Self::read(response).await?.judge(call.request(), None)
    }

    pub(super) async fn stream(&self, request: &Request) -> Result<Chunks, ClientError> {
        let response = self.call(request, Some("text/event-stream")).await?;
        if response.status().is_success() {
            let chunks = response.into_body().into_data_stream();
            return Ok(chunks.map(|chunk| chunk.map_err(|_| ClientError::CutHere)).boxed());
        }
        Err(Self::read(response).await?.judge::<()>(request, None).err().unwrap_or(ClientError::CutHere))
    }

    async fn call(&self, request: &Request, accept: Option<&str>) -> Result<Response, ClientError> {
        let body = request.body.clone().map_or(Body::empty(), Body::from);
        let mut http = axum::http::Request::builder().method(request.method).uri(&request.target);
        for (name, value) in request.headers().chain(accept.map(|accept| ("accept", accept))) {
            http = http.header(name, value);
        }
        let mut http = http.body(body).map_err(|_| ClientError::Unsendable)?;
        http.extensions_mut().insert(Peer::Local);
        let Ok(response) = self.0.clone().oneshot(http).await;
        Ok(response)
    }

    async fn read(response: Response) -> Result<Reply, ClientError> {
        let status = response.status().as_u16();
        let replayed = response.headers().contains_key("idempotent-replayed");
        let body: Bytes = response.into_body().collect().await.map_err(|_| ClientError::CutHere)?.to_bytes();
        Ok(Reply { status, replayed, body })
    }
}

/// A store that this process has opened for the length of a command.
pub(crate) struct Opened {
    pub(super) api: InProcess,
    engine: Engine,
    stop: CancellationToken,
}

impl Opened {
    pub(super) async fn open(config: &Config) -> anyhow::Result<Opened> {
        let mut config = config.clone();
        // One caller needs no more; and what happens by itself is the work of servers.
        config.store.lanes = 1;
        config.store.readers = 1;
        config.engine.sweep_pause_ms = 0;
        config.engine.schedule_pause_ms = 0;
        let engine = installation::open(&config).await?;
        let stop = CancellationToken::new();
        let api_config = installation::api_config(&config, &Accounts::none()?);
        let api = Api::new(engine.clone(), api_config, None, stop.clone());
        Ok(Opened { api: InProcess::new(&api), engine, stop })
    }

    pub(super) async fn close(self) {
        self.stop.cancel();
        drop(self.api);
        self.engine.stop().await;
    }
}
