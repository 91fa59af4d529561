//! Traces to an OpenTelemetry collector. A thread of its own sends them: a collector that is slow or gone costs the
//! spans that do not fit into the queue, and no request waits.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::{TraceContextExt, TracerProvider};
use opentelemetry::{Context, KeyValue};
use opentelemetry_otlp::{Protocol, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracer, SdkTracerProvider, SpanData, SpanExporter,
};
use tracing::{Span, Subscriber, info, warn};
use tracing_opentelemetry::{OpenTelemetryLayer, OpenTelemetrySpanExt};
use tracing_subscriber::registry::LookupSpan;

use super::TelemetryError;
use crate::config::{OtlpHeaders, Telemetry};

const EXPORT_TIMEOUT: Duration = Duration::from_secs(3);
/// Longer would make a stop wait for the sake of a collector that does not answer.
pub(super) const STOP_MAX: Duration = Duration::from_secs(3);
const QUEUED_SPANS_MAX: usize = 8_192;
const SPANS_PER_EXPORT_MAX: usize = 1_024;
const PAUSE_BETWEEN_EXPORTS: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Traces {
    provider: SdkTracerProvider,
}

impl Traces {
    /// `None` if no collector is configured.
    pub(super) fn start(config: &Telemetry) -> Result<Option<Traces>, TelemetryError> {
        let Some(endpoint) = &config.otlp_endpoint else { return Ok(None) };
        // The client refuses to be built without one, even for plain HTTP. One that was chosen before stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let headers = config.otlp_headers.as_ref().map(OtlpHeaders::to_map).unwrap_or_default();
        let exporter = opentelemetry_otlp::SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(endpoint.traces_url())
            .with_timeout(EXPORT_TIMEOUT)
            .with_headers(headers)
            .build()
            .map_err(|_| TelemetryError::Exporter { endpoint: endpoint.to_string() })?;
        let exporter = Reporting { exporter, endpoint: endpoint.to_string(), failing: AtomicBool::new(false) };
        let batches = BatchConfigBuilder::default()
            .with_max_queue_size(QUEUED_SPANS_MAX)
            .with_max_export_batch_size(SPANS_PER_EXPORT_MAX)
            .with_scheduled_delay(PAUSE_BETWEEN_EXPORTS);
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let resource = Resource::builder().with_service_name(config.service_name.clone()).with_attribute(version);
        let provider = SdkTracerProvider::builder()
            .with_span_processor(BatchSpanProcessor::builder(exporter).with_batch_config(batches.build()).build())
            .with_sampler(Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(config.sample_ratio.0))))
            .with_resource(resource.build())
            .build();
        Ok(Some(Traces { provider }))
    }

    pub(super) fn layer<S>(&self) -> OpenTelemetryLayer<S, SdkTracer>
    where
        S: Subscriber + for<'s> LookupSpan<'s>,
    {
        // What is off here would be paid for by every request, and says nothing about it.
        tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer("surehold"))
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_tracked_inactivity(false)
            .with_context_activation(false)
    }

    pub(super) fn stop(&self) {
        if self.provider.shutdown_with_timeout(STOP_MAX).is_err() {
            warn!("Some traces were not sent before the end");
        }
    }
}

/// Makes the caller's span the parent of a request's, from the text of a W3C `traceparent` header. To be called before
/// the span is entered. Does nothing if the text is not one, or if nobody traces.
pub(crate) fn adopt_parent(span: &Span, traceparent: &str) {
    if span.is_disabled() {
        return;
    }
    let carrier = HashMap::from([("traceparent".to_owned(), traceparent.to_owned())]);
    let parent = TraceContextPropagator::new().extract_with_context(&Context::new(), &carrier);
    if parent.span().span_context().is_valid() {
        // Refused if only the log wants this span: then there is nothing to connect.
        let _ = span.set_parent(parent);
    }
}

/// Says when traces begin to be lost and when they arrive again, and not for every batch.
#[derive(Debug)]
struct Reporting<E> {
    exporter: E,
    endpoint: String,
    failing: AtomicBool,
}

impl<E: SpanExporter> SpanExporter for Reporting<E> {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let result = self.exporter.export(batch).await;
        let failed_before = self.failing.swap(result.is_err(), Ordering::Relaxed);
        match (&result, failed_before) {
            // Not the error's text: it comes from the collector, and may repeat what it was sent.
            (Err(_), false) => warn!("Cannot send traces to {}; they are dropped until it answers", self.endpoint),
            (Ok(()), true) => info!("Sending traces to {} again", self.endpoint),
            (Err(_), true) | (Ok(()), false) => {}
        }
        result
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.exporter.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}
