//! Where metrics are kept until somebody asks for them.

use std::time::Duration;

use anyhow::{Context, Result};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

const SECONDS: &[f64] = &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
const COMMANDS: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0, 2048.0, 4096.0, 8192.0];
const UPKEEP_PAUSE: Duration = Duration::from_secs(5);

/// For the whole process, once. Must be called within a tokio runtime.
pub(crate) fn install() -> Result<PrometheusHandle> {
    let builder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), SECONDS)
        .and_then(|builder| builder.set_buckets_for_metric(Matcher::Suffix("_commands".to_owned()), COMMANDS));
    let handle = builder.and_then(PrometheusBuilder::install_recorder).context("cannot keep metrics")?;
    let kept = handle.clone();
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(UPKEEP_PAUSE).await;
            // Samples pile up until they are counted; nobody may ever ask for them.
            kept.run_upkeep();
        }
    });
    Ok(handle)
}
