//! Who listens is told at once when operations were asked for, and when they will be due. Several wake-ups for a tenant
//! become one. Missing one costs a second, not an operation: workers look by themselves too.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

use surehold_core::kernel::{TenantId, Timestamp};
use tokio::sync::Notify;

#[derive(Clone, Debug, Default)]
pub struct Wakeups {
    listeners: Arc<Mutex<Vec<Weak<Heard>>>>,
}

/// One listener.
#[derive(Debug)]
pub struct WakeupListener(Arc<Heard>);

#[derive(Debug, Default)]
struct Heard {
    tenants: Mutex<HashMap<TenantId, Timestamp>>,
    something: Notify,
}

impl Wakeups {
    pub fn listen(&self) -> WakeupListener {
        let heard = Arc::new(Heard::default());
        self.listeners.lock().expect("nothing panics while holding it").push(Arc::downgrade(&heard));
        WakeupListener(heard)
    }

    /// An operation of the tenant is due then.
    pub fn wake(&self, tenant: TenantId, at: Timestamp) {
        self.wake_all_but(None, tenant, at);
    }

    /// The same, told by somebody who listens himself and knows already.
    pub fn pass_on(&self, from: &WakeupListener, tenant: TenantId, at: Timestamp) {
        self.wake_all_but(Some(from), tenant, at);
    }

    fn wake_all_but(&self, except: Option<&WakeupListener>, tenant: TenantId, at: Timestamp) {
        let mut listeners = self.listeners.lock().expect("nothing panics while holding it");
        listeners.retain(|listener| {
            let Some(heard) = listener.upgrade() else { return false };
            if except.is_none_or(|listener| !Arc::ptr_eq(&listener.0, &heard)) {
                heard.hear(tenant, at);
            }
            true
        });
    }
}

impl Heard {
    fn hear(&self, tenant: TenantId, at: Timestamp) {
        let mut tenants = self.tenants.lock().expect("nothing panics while holding it");
        tenants.entry(tenant).and_modify(|known| *known = at.min(*known)).or_insert(at);
        self.something.notify_one();
    }
}

impl WakeupListener {
    /// Waits until something was heard since the last [`WakeupListener::take`].
    pub async fn heard(&self) {
        self.0.something.notified().await;
    }

    /// Which tenants have something due when.
    pub fn take(&self) -> HashMap<TenantId, Timestamp> {
        std::mem::take(&mut *self.0.tenants.lock().expect("nothing panics while holding it"))
    }
}
