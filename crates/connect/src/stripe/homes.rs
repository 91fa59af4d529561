//! Whose an account at Stripe is. A tenant names accounts freely in its own records; this is what says that the name is
//! its to use.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use secrecy::SecretString;
use smol_str::SmolStr;
use surehold_core::kernel::{Slug, Tenant, TenantId};
use surehold_engine::{Fault, Views};

/// Where the events of an account go, and who may ask for its money.
#[derive(Clone, Debug)]
pub struct AccountHome {
    pub account: SmolStr,
    pub tenant: Slug,
    /// It is about the tenant's test data.
    pub is_test: bool,
    /// Any of them is believed; two while one replaces the other.
    pub webhook_secrets: Vec<SecretString>,
}

/// All accounts of an installation. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Homes {
    views: Views,
    by_account: Arc<BTreeMap<SmolStr, AccountHome>>,
    /// A slug never goes to another tenant, so what was found stays true.
    known: Arc<Mutex<BTreeMap<SmolStr, TenantId>>>,
}

impl Homes {
    pub fn new(views: Views, homes: impl IntoIterator<Item = AccountHome>) -> Homes {
        let by_account = homes.into_iter().map(|home| (home.account.clone(), home)).collect();
        Homes { views, by_account: Arc::new(by_account), known: Arc::default() }
    }

    /// The names, in order.
    pub fn accounts(&self) -> impl Iterator<Item = &SmolStr> {
        self.by_account.keys()
    }

    /// None if there is no such account, or no such tenant yet.
    pub async fn tenant(&self, account: &str) -> Result<Option<TenantId>, Fault> {
        let Some(home) = self.by_account.get(account) else { return Ok(None) };
        let known = self.known.lock().expect("nothing panics while holding it").get(account).copied();
        if known.is_some() {
            return Ok(known);
        }
        let Some(tenant) = self.views.tenant_of(&home.tenant).await? else { return Ok(None) };
        let tenant = if home.is_test { tenant.twin() } else { tenant };
        // A twin comes into being with the first test key.
        if self.views.record::<Tenant>(tenant, &()).await?.is_none() {
            return Ok(None);
        }
        self.known.lock().expect("nothing panics while holding it").insert(account.into(), tenant);
        Ok(Some(tenant))
    }
}
