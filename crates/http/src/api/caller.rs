//! Who asks, whose data it is about, and whether they may. A handler names the scope it needs in its type, so it
//! cannot forget to ask.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::RwLock;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::HeaderName;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use smol_str::SmolStr;
use surehold_core::kernel::{KeyScope, KeyScopes, Slug, TenantId};
use surehold_engine::Fault;

use super::Api;
use crate::keys::{Admitted, KeyMode, KeyRef, NotAdmitted};
use crate::problem::{Code, Problem};
use crate::server::Peer;

/// What a handler needs its caller to be allowed.
pub(crate) trait Need: Send + Sync + 'static {
    const SCOPE: KeyScope;
}

macro_rules! needs {
    ($($name:ident)*) => {
        $(
            #[derive(Debug)]
            pub(crate) struct $name;
            impl Need for $name {
                const SCOPE: KeyScope = KeyScope::$name;
            }
        )*
    };
}

needs!(Read Sell Manage Tasks);

/// Somebody who may do what `N` says to the data of `tenant`.
pub(crate) struct Caller<N: Need> {
    pub(crate) tenant: TenantId,
    pub(crate) slug: Slug,
    /// The key that was shown; `None` for whoever needs none.
    pub(crate) key: Option<KeyRef>,
    need: PhantomData<N>,
}

impl<N: Need> FromRequestParts<Api> for Caller<N> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Caller<N>, Problem> {
        let (admitted, tenant, slug) = admit_to_tenant(parts, api).await?;
        if !admitted.scopes.allow(N::SCOPE) {
            return Err(scope_missing(N::SCOPE));
        }
        Ok(Caller { tenant, slug, key: admitted.key, need: PhantomData })
    }
}

/// Who asks, and the tenant whose data the address is about.
pub(crate) async fn admit_to_tenant(parts: &mut Parts, api: &Api) -> Result<(Admitted, TenantId, Slug), Problem> {
    let admitted = admit(parts, api).await?;
    let params = RawPathParams::from_request_parts(parts, api).await.map_err(|_| no_such_tenant())?;
    let slug = params.iter().find(|(name, _)| *name == "tenant").map(|(_, slug)| slug).unwrap_or_default();
    let (tenant, slug) = match &admitted.slug {
        Some(own) if own.as_str() == slug => {
            require_mode(parts, admitted.tenant)?;
            (admitted.tenant, own.clone())
        }
        None if admitted.scopes.is_admin() => api.find_tenant(slug, mode(parts)?).await?,
        Some(_) | None => return Err(no_such_tenant()),
    };
    Ok((admitted, tenant, slug))
}

/// Somebody who may do what `N` says, at an address without a tenant: the key says whose data it is about.
pub(crate) struct KeyHolder<N: Need> {
    pub(crate) tenant: TenantId,
    need: PhantomData<N>,
}

impl<N: Need> FromRequestParts<Api> for KeyHolder<N> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<KeyHolder<N>, Problem> {
        let admitted = admit(parts, api).await?;
        if !admitted.scopes.allow(N::SCOPE) {
            return Err(scope_missing(N::SCOPE));
        }
        if admitted.slug.is_none() {
            let detail = "a key of the installation names no tenant; use the address that does, below /v1/{tenant}";
            return Err(Problem::new(Code::MalformedRequest, detail));
        }
        require_mode(parts, admitted.tenant)?;
        Ok(KeyHolder { tenant: admitted.tenant, need: PhantomData })
    }
}

/// Whoever runs the installation.
pub(crate) struct Admin;

impl FromRequestParts<Api> for Admin {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Admin, Problem> {
        let admitted = admit(parts, api).await?;
        if admitted.scopes.is_admin() { Ok(Admin) } else { Err(scope_missing(KeyScope::Admin)) }
    }
}

/// Somebody else's tenant looks like none.
pub(crate) fn no_such_tenant() -> Problem {
    Problem::new(Code::NotFound, "there is no such tenant, or the key belongs to another one")
}

pub(crate) fn scope_missing(scope: KeyScope) -> Problem {
    Problem::new(Code::ScopeMissing, format!("the key lacks the scope `{}`", scope.as_str()))
}

async fn admit(parts: &Parts, api: &Api) -> Result<Admitted, Problem> {
    let Some(header) = parts.headers.get(AUTHORIZATION) else {
        // Whoever may open the data folder's socket may read the data itself.
        return match parts.extensions.get::<Peer>() {
            Some(Peer::Local) => {
                Ok(Admitted { tenant: TenantId::DIRECTORY, scopes: KeyScopes::ADMIN, slug: None, key: None })
            }
            Some(Peer::Network(_)) | None => Err(unauthenticated()),
        };
    };
    let text = header.to_str().ok().and_then(bearer).ok_or_else(unauthenticated)?;
    api.shared.keys.admit(text).await.map_err(|refused| match refused {
        NotAdmitted::Unknown => unauthenticated(),
        NotAdmitted::TooMany { wait } => {
            let secs = wait.as_secs() + 1;
            let detail = format!("the key has used up its requests for now; wait {secs} s");
            Problem::new(Code::TooManyRequests, detail).retry_after(secs)
        }
        NotAdmitted::Fault(fault) => fault.into(),
    })
}

pub(crate) fn bearer(header: &str) -> Option<&str> {
    let (scheme, text) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| text.trim())
}

fn unauthenticated() -> Problem {
    let detail = "send `Authorization: Bearer KEY` with a key that is known, not expired and not revoked";
    Problem::new(Code::Unauthenticated, detail)
}

/// A tenant's key says by itself which data it works on; a header may agree.
fn require_mode(parts: &Parts, tenant: TenantId) -> Result<(), Problem> {
    let own = if tenant.is_test() { KeyMode::Test } else { KeyMode::Live };
    if !parts.headers.contains_key(&MODE) || mode(parts)? == own {
        return Ok(());
    }
    Err(Problem::new(Code::MalformedRequest, "Surehold-Mode contradicts the key; use a key of that mode"))
}

static MODE: HeaderName = HeaderName::from_static("surehold-mode");

/// Whoever runs the installation says in a header which data it is about.
fn mode(parts: &Parts) -> Result<KeyMode, Problem> {
    match parts.headers.get(&MODE).map(axum::http::HeaderValue::as_bytes) {
        None | Some(b"live") => Ok(KeyMode::Live),
        Some(b"test") => Ok(KeyMode::Test),
        Some(_) => Err(Problem::new(Code::MalformedRequest, "Surehold-Mode is live or test")),
    }
}

/// Tenants by slug. A slug is never given to anybody else, so what was read once stays true.
#[derive(Default)]
pub(crate) struct Slugs(RwLock<HashMap<SmolStr, TenantId>>);

const SLUGS_MAX: usize = 100_000;

impl Api {
    pub(crate) async fn find_tenant(&self, slug: &str, mode: KeyMode) -> Result<(TenantId, Slug), Problem> {
        let slug = Slug::new(slug).map_err(|_| no_such_tenant())?;
        let tenant = self.tenant_of(&slug, mode).await?.ok_or_else(no_such_tenant)?;
        Ok((tenant, slug))
    }

    pub(crate) async fn tenant_of(&self, slug: &Slug, mode: KeyMode) -> Result<Option<TenantId>, Fault> {
        let known = self.shared.slugs.0.read().expect("nothing panics while holding it").get(slug.as_str()).copied();
        let tenant = if let Some(tenant) = known {
            tenant
        } else {
            let Some(tenant) = self.engine().views().tenant_of(slug).await? else { return Ok(None) };
            let mut slugs = self.shared.slugs.0.write().expect("nothing panics while holding it");
            if slugs.len() < SLUGS_MAX {
                slugs.insert(slug.as_str().into(), tenant);
            }
            tenant
        };
        Ok(Some(match mode {
            KeyMode::Live => tenant,
            KeyMode::Test => tenant.twin(),
        }))
    }
}
