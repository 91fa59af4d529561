//! The keys in use on this node. A key read from the store is believed for less than a second, so that a revoked one
//! opens nothing after that, on any node; a background task reads those in use anew before their time is over, so
//! that hardly any request waits for it.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use subtle::ConstantTimeEq;
use surehold_core::kernel::{ApiKey, KeyScopes, Slug, Tenant, TenantId};
use surehold_engine::{Fault, Views};
use tokio_util::sync::CancellationToken;

use super::KeyRef;
use super::text::parse_key;

/// Below the second that is promised for a revocation: the rest is for reading.
const BELIEVED: Duration = Duration::from_millis(600);
const REFRESH_PAUSE: Duration = Duration::from_millis(300);
/// A key that was not used for this long is forgotten.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(10);
/// Lookups of keys that were not used lately, on this node.
const STRANGERS_PER_S: NonZeroU32 = NonZeroU32::new(500).expect("not zero");
/// Unknown keys are not kept, so only real ones count.
const KEYS_MAX: usize = 100_000;

/// A key that opened the door.
#[derive(Clone, Debug)]
pub(crate) struct Admitted {
    pub(crate) tenant: TenantId,
    pub(crate) scopes: KeyScopes,
    /// `None` for keys of the installation.
    pub(crate) slug: Option<Slug>,
    /// `None` for whoever needs no key.
    pub(crate) key: Option<KeyRef>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NotAdmitted {
    /// Not a key, unknown, wrong, expired or revoked: the caller is not told which.
    Unknown,
    TooMany {
        wait: Duration,
    },
    /// The store could not be asked.
    Fault(Fault),
}

struct Entry {
    key: ApiKey,
    admitted: Admitted,
    /// When the reading began: what was revoked before is known.
    read_at: Instant,
    shared: Arc<Shared>,
}

/// What stays while the key is read anew.
struct Shared {
    limiter: DefaultDirectRateLimiter,
    used: std::sync::atomic::AtomicBool,
    last_used_at: std::sync::Mutex<Instant>,
}

#[derive(Clone, Copy, Debug)]
pub struct RateLimit {
    pub requests_per_s_default: u32,
    /// How many seconds' worth of requests may come at once.
    pub burst_secs: u32,
}

impl Default for RateLimit {
    fn default() -> RateLimit {
        RateLimit { requests_per_s_default: 2_000, burst_secs: 2 }
    }
}

pub(crate) struct KeyRing {
    views: Views,
    limit: RateLimit,
    entries: RwLock<HashMap<KeyRef, Arc<Entry>>>,
    strangers: DefaultDirectRateLimiter,
}

impl KeyRing {
    /// Starts the background reading, which ends with `stop`.
    pub(crate) fn start(views: Views, limit: RateLimit, stop: CancellationToken) -> Arc<KeyRing> {
        let strangers = RateLimiter::direct(Quota::per_second(STRANGERS_PER_S));
        let ring = Arc::new(KeyRing { views, limit, entries: RwLock::default(), strangers });
        tokio::spawn(stop.run_until_cancelled_owned(Arc::clone(&ring).refresh_forever()));
        ring
    }

    pub(crate) async fn admit(&self, text: &str) -> Result<Admitted, NotAdmitted> {
        let (key, secret) = parse_key(text).ok_or(NotAdmitted::Unknown)?;
        self.look_up_stranger(key)?;
        let entry = self.entry(key).await.map_err(NotAdmitted::Fault)?.ok_or(NotAdmitted::Unknown)?;
        let same = bool::from(entry.key.secret_hash.ct_eq(&secret.hash()));
        if !same || !entry.key.is_usable(now()) {
            return Err(NotAdmitted::Unknown);
        }
        entry.shared.used.store(true, std::sync::atomic::Ordering::Relaxed);
        entry.shared.limiter.check().map_err(|until| NotAdmitted::TooMany {
            wait: until.wait_time_from(governor::clock::Clock::now(&governor::clock::DefaultClock::default())),
        })?;
        Ok(entry.admitted.clone())
    }

    /// Whether a key that was admitted would still be. For answers without end: they cost no further requests.
    pub(crate) async fn still_opens(&self, key: KeyRef) -> Result<bool, Fault> {
        let Some(entry) = self.entry(key).await? else { return Ok(false) };
        entry.shared.used.store(true, std::sync::atomic::Ordering::Relaxed);
        Ok(entry.key.is_usable(now()))
    }

    async fn entry(&self, key: KeyRef) -> Result<Option<Arc<Entry>>, Fault> {
        let known = self.entries.read().expect("nothing panics while holding it").get(&key).cloned();
        match known.filter(|entry| entry.read_at.elapsed() < BELIEVED) {
            Some(entry) => Ok(Some(entry)),
            None => self.read(key).await,
        }
    }

    /// Whoever makes keys up must not keep the store busy: those not in the ring share a few lookups a second.
    fn look_up_stranger(&self, key: KeyRef) -> Result<(), NotAdmitted> {
        let known = self.entries.read().expect("nothing panics while holding it").contains_key(&key);
        if known {
            return Ok(());
        }
        self.strangers.check().map_err(|_| NotAdmitted::TooMany { wait: Duration::from_secs(1) })
    }

    /// The key as it is in the store now, kept for the next request.
    async fn read(&self, key: KeyRef) -> Result<Option<Arc<Entry>>, Fault> {
        let read_at = Instant::now();
        let Some(record) = self.views.record_for_door::<ApiKey>(key.tenant, &key.id).await? else {
            self.entries.write().expect("nothing panics while holding it").remove(&key);
            return Ok(None);
        };
        let slug = match key.tenant {
            TenantId::DIRECTORY => None,
            tenant => self.views.record_for_door::<Tenant>(tenant, &()).await?.map(|tenant| tenant.slug),
        };
        let admitted = Admitted { tenant: key.tenant, scopes: record.scopes, slug, key: Some(key) };
        let mut entries = self.entries.write().expect("nothing panics while holding it");
        let shared = entries.get(&key).map_or_else(|| Arc::new(self.shared(&record)), |old| Arc::clone(&old.shared));
        let entry = Arc::new(Entry { key: record, admitted, read_at, shared });
        if entries.len() < KEYS_MAX || entries.contains_key(&key) {
            entries.insert(key, Arc::clone(&entry));
        }
        Ok(Some(entry))
    }

    fn shared(&self, key: &ApiKey) -> Shared {
        let per_s = key.requests_per_s.and_then(|requests| u32::try_from(requests).ok());
        let per_s = NonZeroU32::new(per_s.unwrap_or(self.limit.requests_per_s_default)).unwrap_or(NonZeroU32::MIN);
        let burst = per_s.saturating_mul(NonZeroU32::new(self.limit.burst_secs).unwrap_or(NonZeroU32::MIN));
        Shared {
            limiter: RateLimiter::direct(Quota::per_second(per_s).allow_burst(burst)),
            used: false.into(),
            last_used_at: Instant::now().into(),
        }
    }

    async fn refresh_forever(self: Arc<KeyRing>) {
        loop {
            tokio::time::sleep(REFRESH_PAUSE).await;
            for key in self.in_use() {
                // A store that cannot be asked shows itself to the next request.
                let _ = self.read(key).await;
            }
        }
    }

    /// Keys used lately; the others are forgotten.
    fn in_use(&self) -> Vec<KeyRef> {
        let mut entries = self.entries.write().expect("nothing panics while holding it");
        entries.retain(|_, entry| {
            let mut last_used_at = entry.shared.last_used_at.lock().expect("nothing panics while holding it");
            if entry.shared.used.swap(false, std::sync::atomic::Ordering::Relaxed) {
                *last_used_at = Instant::now();
            }
            last_used_at.elapsed() < FORGOTTEN_AFTER
        });
        entries.keys().copied().collect()
    }
}

/// Keys expire by this node's clock: an expiry is a day, not an instant that decides a sale.
pub(crate) fn now() -> surehold_core::kernel::Timestamp {
    let elapsed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    surehold_core::kernel::Timestamp::from_micros(i64::try_from(elapsed.as_micros()).unwrap_or(i64::MAX))
}
