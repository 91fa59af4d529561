//! Speaks the API for the commands: over the network, over the socket of a server on this machine, or with an engine in
//! this process. `target.rs` chooses which, and is where to start reading. Knows nothing of what is asked or shown.

mod error;
mod in_process;
mod remote;
mod sse;
mod target;

use std::marker::PhantomData;

use axum::body::Bytes;
use futures_util::stream::BoxStream;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use surehold_api::{Call, Request};

pub(crate) use error::{ClientError, Refused};
pub(crate) use in_process::InProcess;
pub(crate) use sse::Parser;
pub(crate) use target::{ConnectionArgs, Purpose};

use crate::config::Config;
use in_process::Opened;
use remote::Remote;

/// What the API answered when it did what was asked: a `T`, for those who read it.
pub(crate) struct Answer<T> {
    /// As it came.
    pub(crate) body: Bytes,
    /// The effect was already there.
    pub(crate) replayed: bool,
    of: PhantomData<fn() -> T>,
}

impl<T> Answer<T> {
    pub(crate) fn read(&self) -> Result<T, serde_json::Error>
    where
        T: DeserializeOwned,
    {
        self.read_as()
    }

    /// Only a part of it, or another view of it.
    pub(crate) fn read_as<'a, P: Deserialize<'a>>(&'a self) -> Result<P, serde_json::Error> {
        serde_json::from_slice(&self.body)
    }
}

/// What came back, before it is known whether it is good news.
struct Reply {
    status: u16,
    replayed: bool,
    body: Bytes,
}

impl Reply {
    /// `server` is where pages about problems are served, if that is an address that can be opened.
    fn judge<T>(self, request: &Request, server: Option<&str>) -> Result<Answer<T>, ClientError> {
        if (200..300).contains(&self.status) {
            return Ok(Answer { body: self.body, replayed: self.replayed, of: PhantomData });
        }
        Err(Refused::error(self.status, &self.body, request, server))
    }
}

pub(crate) type Chunks = BoxStream<'static, Result<Bytes, ClientError>>;

/// Somebody who answers.
pub(crate) enum Client {
    Remote(Remote),
    Here(Box<Opened>),
}

impl Client {
    pub(crate) async fn connect(args: &ConnectionArgs, purpose: Purpose) -> Result<Client, ClientError> {
        target::connect(args, purpose).await
    }

    /// Whoever has the store of a configuration: its server, else this process.
    pub(crate) async fn of_folder(config: &Config) -> Result<Client, ClientError> {
        target::connect_folder(config, Purpose::Use).await
    }

    pub(crate) async fn send<T>(&self, call: &Call<T>) -> Result<Answer<T>, ClientError> {
        match self {
            Client::Remote(remote) => remote.send(call).await,
            Client::Here(opened) => opened.api.send(call).await,
        }
    }

    /// What the server says that it is, if it says so.
    pub(crate) async fn server_version(&self) -> Option<String> {
        let health = self.send(&surehold_api::kernel::health()).await.ok()?;
        health.read().ok().map(|health| health.version.into_owned())
    }

    /// Whether a server answers, which carries out what is left for later. In this process nobody does.
    pub(crate) fn has_workers(&self) -> bool {
        match self {
            Client::Remote(_) => true,
            Client::Here(_) => false,
        }
    }

    /// Opens a stream of server-sent events.
    pub(crate) async fn stream<T>(&self, call: &Call<T>) -> Result<Chunks, ClientError> {
        match self {
            Client::Remote(remote) => remote.stream(call.request()).await,
            Client::Here(opened) => opened.api.stream(call.request()).await,
        }
    }

    /// Finishes what was begun and lets go of the store.
    pub(crate) async fn close(self) {
        match self {
            Client::Remote(_) => {}
            Client::Here(opened) => opened.close().await,
        }
    }
}
