//! The store and the engine that a configuration asks for, opened.

use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use surehold_connect::stripe::{Homes, StripeProvider, Sweeper};
use surehold_connect::webhooks::{self, Deliveries, Reach, Sender, SenderConfig};
use surehold_core::operations::outbox::DeliverWebhook;
use surehold_core::operations::{EffectHandler, OperationType};
use surehold_core::stays;
use surehold_engine::{Engine, EngineConfig, Registry, Store, Views, WorkerConfig, builtin};
use surehold_http::inbox::{Inbox, StripeSource};
use surehold_http::{AddressRefused, ApiConfig, CheckWebhookUrl, RateLimit};
use surehold_postgres::{PostgresConfig, PostgresStore};
use tokio_util::task::AbortOnDropHandle;

use crate::accounts::Accounts;
use crate::config::{Config, StoreTarget, WebhookReach};
use crate::equipment::{Equipment, NoEquipment};
use crate::telemetry;

/// For a command that carries no operation out, and so needs nobody's keys. Must be called within a tokio runtime.
pub(crate) async fn open(config: &Config) -> Result<Engine> {
    open_with(config, &Accounts::none()?, &NoEquipment).await
}

/// With accounts to be paid by, and with what the executable adds.
pub(crate) async fn open_with(config: &Config, accounts: &Accounts, equipment: &dyn Equipment) -> Result<Engine> {
    make_private_folder(&config.store.data_dir)?;
    let store: Arc<dyn Store> = match config.store.target() {
        StoreTarget::Sqlite(path) => Arc::new(equipment.open_sqlite(&path)?),
        StoreTarget::Postgres(url) => {
            let (lanes, readers) = (config.store.lanes, config.store.readers);
            let plain = PostgresConfig { lanes, readers, ..PostgresConfig::new(url.expose()) };
            Arc::new(PostgresStore::connect(equipment.postgres_config(plain)).await?)
        }
    };
    let registry = equipment.registry(registry(config, accounts, &store)?);
    Ok(Engine::start_with(store, engine_config(config), registry)?)
}

/// The types of operation that this binary can carry out, with those whom they call.
fn registry(config: &Config, accounts: &Accounts, store: &Arc<dyn Store>) -> Result<Registry> {
    let sender = Sender::new(SenderConfig {
        reach: reach(config),
        timeout: Duration::from_secs(config.webhooks.timeout_secs),
        ..SenderConfig::default()
    })?;
    let views = Views::new(Arc::clone(store));
    let deliveries = Deliveries::new(sender, views.clone());
    let stripe = StripeProvider::new(accounts.stripe.clone(), Homes::new(views, accounts.homes.clone()));
    Ok(stripe.register(builtin(Registry::default()).effect(DeliverWebhook, Arc::new(deliveries))))
}

/// The types of operation that this binary can carry out, for whoever only looks at what is stored.
pub(crate) fn operation_kinds() -> Vec<&'static OperationType> {
    builtin(Registry::default()).kinds().chain([DeliverWebhook.kind()]).chain(stays::operations::TYPES).collect()
}

/// Looks for events of Stripe that never arrived, until it is dropped.
pub(crate) fn sweep_stripe(
    engine: &Engine,
    accounts: &Accounts,
    equipment: &dyn Equipment,
) -> Option<AbortOnDropHandle<()>> {
    if accounts.homes.is_empty() {
        return None;
    }
    let homes = Homes::new(engine.views().clone(), accounts.homes.clone());
    let sweeper = Sweeper::new(engine.clone(), accounts.stripe.clone(), homes, equipment.sweep_config());
    Some(AbortOnDropHandle::new(tokio::spawn(sweeper.run())))
}

/// Whose webhooks and which tasks are taken.
fn inbox(accounts: &Accounts) -> Inbox {
    let inbox = Inbox::default();
    if accounts.homes.is_empty() { inbox } else { inbox.with_source(StripeSource::new(accounts.homes.clone())) }
}

fn reach(config: &Config) -> Reach {
    match config.webhooks.reach {
        WebhookReach::Public => Reach::Public,
        WebhookReach::Anywhere => Reach::Anywhere,
    }
}

/// Whoever will call the address says whether it may be given.
fn check_webhook_url(config: &Config) -> CheckWebhookUrl {
    fn check(url: &str, reach: Reach) -> Result<(), AddressRefused> {
        webhooks::Address::parse(url, reach).map(drop).map_err(|refused| AddressRefused(refused.to_string()))
    }
    match reach(config) {
        Reach::Public => |url| check(url, Reach::Public),
        Reach::Anywhere => |url| check(url, Reach::Anywhere),
    }
}

fn engine_config(config: &Config) -> EngineConfig {
    EngineConfig {
        waiting_commands_max: config.engine.waiting_commands_max,
        deadline: config.engine.deadline(),
        sweep_pause: config.engine.sweep_pause(),
        schedule_pause: config.engine.schedule_pause(),
        journal_retention: Some(config.events.retention()),
        render_event: Some(surehold_api::render_event),
        ..EngineConfig::default()
    }
}

pub(crate) fn worker_config(config: &Config) -> WorkerConfig {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    WorkerConfig {
        host: host.trim().to_owned(),
        effects_max: config.worker.effects_max,
        beat_pause: Duration::from_secs(config.worker.beat_secs),
        // Who misses a beat or two is not dead yet.
        silent_after: Duration::from_secs(config.worker.silent_secs.max(3 * config.worker.beat_secs)),
        drain_max: Duration::from_secs(config.worker.drain_secs_max),
        ..WorkerConfig::default()
    }
}

pub(crate) fn api_config(config: &Config, accounts: &Accounts) -> ApiConfig {
    ApiConfig {
        rate_limit: RateLimit {
            requests_per_s_default: config.limits.requests_per_s_default,
            burst_secs: config.limits.burst_secs,
        },
        event_streams_max: config.limits.event_streams_max,
        metrics_open: config.server.metrics_open,
        inbox: inbox(accounts),
        adopt_parent: telemetry::adopt_parent,
        check_webhook_url: check_webhook_url(config),
    }
}

/// What is sold is nobody else's business.
pub(crate) fn make_private_folder(path: &Path) -> Result<()> {
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.with_context(|| format!("cannot make the data folder {}; choose another --data", path.display()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use surehold_core::operations::lint;
    use surehold_sqlite::SqliteStore;

    use super::*;

    /// A type that shares its name or key with another, whose key is a matter of time or chance, or whose effect can
    /// neither be repeated nor asked about, does not ship.
    #[tokio::test]
    async fn all_types_that_ship_are_sound() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder.path().join("surehold.db")).unwrap());
        let registry = registry(&Config::default(), &Accounts::none().unwrap(), &store).unwrap();
        let kinds: Vec<&OperationType> = registry.kinds().collect();
        assert!(kinds.iter().any(|kind| kind.name == "DELIVER_WEBHOOK") && kinds.len() >= 9, "{registry:?}");
        assert_eq!(lint(&kinds), Vec::<String>::new());
        let names = |kinds: &[&OperationType]| kinds.iter().map(|kind| kind.name).collect::<BTreeSet<_>>();
        assert_eq!(names(&kinds), names(&operation_kinds()), "an audit knows all of them");
    }
}
