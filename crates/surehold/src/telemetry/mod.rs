//! Logs on standard error and, where a collector is configured, traces to it. Each has a filter of its own: what only
//! the traces want does not appear in the log, and what nobody wants is disabled where it would be made.
//!
//! Records of the `log` crate are not taken over: the Postgres driver logs parameters there, which are customers' data.

mod traces;

#[cfg(test)]
mod tests;

use std::io::IsTerminal;

use thiserror::Error;
use tracing::{Level, Subscriber};
use tracing_subscriber::filter::{LevelFilter, filter_fn};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::{Layer, Registry};

use crate::config::{Config, LogFormat};
use traces::Traces;

pub(crate) use traces::adopt_parent;

#[derive(Debug, Error)]
pub(crate) enum TelemetryError {
    #[error("cannot send traces to {endpoint}\nhint: correct telemetry.otlp_endpoint, or leave it out")]
    Exporter { endpoint: String },
    #[error("logging was started before, in the same process")]
    StartedBefore,
}

/// Sends what is left when it is dropped, within a bound. Drop it last, outside of the asynchronous runtime.
#[must_use]
#[derive(Debug)]
pub(crate) struct Guard(Option<Traces>);

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(traces) = self.0.take() {
            traces.stop();
        }
    }
}

/// For the whole process, once.
pub(crate) fn start(config: &Config) -> Result<Guard, TelemetryError> {
    let traces = Traces::start(&config.telemetry)?;
    let coloured = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let subscriber = subscriber(config, traces.as_ref(), std::io::stderr, coloured);
    tracing::subscriber::set_global_default(subscriber).map_err(|_| TelemetryError::StartedBefore)?;
    Ok(Guard(traces))
}

fn subscriber<W>(config: &Config, traces: Option<&Traces>, writer: W, coloured: bool) -> impl Subscriber + use<W>
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let log = log_layer(config.log.format, writer, coloured).with_filter(config.log.filter.to_filter());
    // A list and not an `Option`: around an absent layer the registry would make spans that nobody wants.
    let mut layers: Vec<Box<dyn Layer<Registry> + Send + Sync>> = vec![log.boxed()];
    layers.extend(traces.map(|traces| {
        let wanted = filter_fn(|metadata| {
            metadata.is_span() && *metadata.level() <= Level::DEBUG && metadata.target().starts_with("surehold")
        });
        traces.layer().with_filter(wanted.with_max_level_hint(LevelFilter::DEBUG)).boxed()
    }));
    tracing_subscriber::registry().with(layers)
}

fn log_layer<S, W>(format: LogFormat, writer: W, coloured: bool) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'s> LookupSpan<'s>,
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let layer = tracing_subscriber::fmt::layer().with_writer(writer);
    match format {
        LogFormat::Human => layer.with_ansi(coloured).boxed(),
        LogFormat::Json => layer.json().flatten_event(true).with_span_list(false).boxed(),
    }
}
