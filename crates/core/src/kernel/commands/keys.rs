//! Giving out, replacing and taking back API keys. Whoever builds the command makes the secret and shows it once.

use super::super::{
    ApiKey, Command, Event, Facts, Invalid, KeyId, KeyName, KeyScopes, Reads, Refusal, SecretHash, Stop, Tenant,
    TenantId, Timestamp,
};
use super::{Decision, policy};

const REQUESTS_PER_S_MAX: i64 = 10_000_000;
/// A new key is not given a longer life than this, unless the old one had it.
const KEY_LIFETIME_SECS_MAX: i64 = 10 * 366 * 86_400;
/// A replaced key stays good long enough to be changed everywhere, and not for ever.
pub const KEY_OVERLAP_SECS_MAX: i64 = 30 * 86_400;

/// The id is the identity of the request: a repeat with the same content changes nothing.
///
/// Refuses, in this order: no such tenant; scopes that do not fit the tenant (admin belongs to the installation, and
/// nothing else does); the id is taken; an expiry in the past.
#[derive(Clone, Debug)]
pub struct CreateKey {
    id: KeyId,
    name: KeyName,
    scopes: KeyScopes,
    secret_hash: SecretHash,
    expires_at: Option<Timestamp>,
    requests_per_s: Option<i64>,
}

impl CreateKey {
    pub fn new(id: KeyId, name: KeyName, scopes: KeyScopes, secret_hash: SecretHash) -> CreateKey {
        CreateKey { id, name, scopes, secret_hash, expires_at: None, requests_per_s: None }
    }

    #[must_use]
    pub fn expires_at(mut self, expires_at: Timestamp) -> CreateKey {
        self.expires_at = Some(expires_at);
        self
    }

    pub fn requests_per_s(mut self, requests: i64) -> Result<CreateKey, Invalid> {
        if !(1..=REQUESTS_PER_S_MAX).contains(&requests) {
            let (what, units_max) = ("requests_per_s".to_owned(), REQUESTS_PER_S_MAX);
            return Err(Invalid::Units { what, units: requests, units_min: 1, units_max });
        }
        self.requests_per_s = Some(requests);
        Ok(self)
    }

    fn is_request_of(&self, key: &ApiKey) -> bool {
        self.secret_hash == key.secret_hash && self.name == key.name && self.scopes == key.scopes
    }
}

fn require_tenant(facts: &mut Facts) -> Decision<()> {
    // The installation is no tenant, and has keys all the same.
    if facts.tenant() == TenantId::DIRECTORY { Ok(()) } else { policy(facts).map(drop) }
}

fn known_key(facts: &mut Facts, id: KeyId) -> Decision<ApiKey> {
    Ok(facts.get::<ApiKey>(&id)?.ok_or(Refusal::KeyNotFound { key: id })?.clone())
}

impl Command for CreateKey {
    const NAME: &'static str = "create_key";
    type Reply = ApiKey;
    type Refusal = Refusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Tenant>(&());
        reads.record::<ApiKey>(&self.id);
    }

    fn decide(&self, facts: &mut Facts) -> Result<ApiKey, Stop<Refusal>> {
        require_tenant(facts)?;
        if self.scopes.is_admin() != (facts.tenant() == TenantId::DIRECTORY) {
            return Err(Refusal::Invalid(Invalid::KeyScopes).into());
        }
        if let Some(key) = facts.get::<ApiKey>(&self.id)? {
            if !self.is_request_of(key) {
                return Err(Refusal::KeyIdReused { key: self.id }.into());
            }
            let key = key.clone();
            facts.mark_replayed();
            return Ok(key);
        }
        let now = facts.now();
        if self.expires_at.is_some_and(|expires_at| expires_at <= now) {
            return Err(Refusal::KeyExpiryPast { now }.into());
        }
        facts.emit(&Event::KeyCreated { key: self.id });
        let key = ApiKey {
            id: self.id,
            name: self.name.clone(),
            scopes: self.scopes,
            secret_hash: self.secret_hash,
            requests_per_s: self.requests_per_s,
            created_at: now,
            expires_at: self.expires_at,
            revoked_at: None,
            replaced_by: None,
            version: 0,
        };
        Ok(facts.insert(key).clone())
    }
}

/// Replaces a key by a new one with the same name, scopes, limits and lifetime; the old one lives on for a while.
///
/// Refuses, in this order: no such key; the key is revoked, was replaced or has expired; the new id is taken.
#[derive(Clone, Debug)]
pub struct RotateKey {
    id: KeyId,
    new_id: KeyId,
    new_secret_hash: SecretHash,
    overlap_secs: i64,
}

impl RotateKey {
    pub fn new(id: KeyId, new_id: KeyId, new_secret_hash: SecretHash, overlap_secs: i64) -> Result<RotateKey, Invalid> {
        if !(0..=KEY_OVERLAP_SECS_MAX).contains(&overlap_secs) {
            let what = "overlap_secs".to_owned();
            return Err(Invalid::Units { what, units: overlap_secs, units_min: 0, units_max: KEY_OVERLAP_SECS_MAX });
        }
        Ok(RotateKey { id, new_id, new_secret_hash, overlap_secs })
    }
}

impl Command for RotateKey {
    const NAME: &'static str = "rotate_key";
    type Reply = ApiKey;
    type Refusal = Refusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<ApiKey>(&self.id);
        reads.record::<ApiKey>(&self.new_id);
    }

    fn decide(&self, facts: &mut Facts) -> Result<ApiKey, Stop<Refusal>> {
        let now = facts.now();
        let old = known_key(facts, self.id)?;
        if !old.is_usable(now) || old.replaced_by.is_some() {
            return Err(Refusal::KeyEnded { key: self.id }.into());
        }
        if facts.get::<ApiKey>(&self.new_id)?.is_some() {
            return Err(Refusal::KeyIdReused { key: self.new_id }.into());
        }
        let last_instant = now.plus_secs(self.overlap_secs);
        // A key that was to end earlier still does.
        let ends_at = old.expires_at.map_or(last_instant, |expires_at| expires_at.min(last_instant));
        if let Some(key) = facts.get_mut::<ApiKey>(&self.id)? {
            key.expires_at = Some(ends_at);
            key.replaced_by = Some(self.new_id);
        }
        facts.emit(&Event::KeyRotated { key: self.id, replaced_by: self.new_id, ends_at });
        let lifetime = |ends_at: Timestamp| ends_at.micros().saturating_sub(old.created_at.micros());
        // Beyond this there is no calendar; who meant never still means it.
        let new_end = |ends_at: Timestamp| {
            let end = Timestamp::from_micros(now.micros().saturating_add(lifetime(ends_at)));
            end.min(ends_at.max(now.plus_secs(KEY_LIFETIME_SECS_MAX)))
        };
        let new = ApiKey {
            id: self.new_id,
            secret_hash: self.new_secret_hash,
            created_at: now,
            expires_at: old.expires_at.map(new_end),
            revoked_at: None,
            version: 0,
            ..old
        };
        Ok(facts.insert(new).clone())
    }
}

/// From the next second on the key opens nothing, on any node. A repeat changes nothing.
///
/// Refuses: no such key.
#[derive(Clone, Debug)]
pub struct RevokeKey {
    pub id: KeyId,
}

impl Command for RevokeKey {
    const NAME: &'static str = "revoke_key";
    type Reply = ApiKey;
    type Refusal = Refusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<ApiKey>(&self.id);
    }

    fn decide(&self, facts: &mut Facts) -> Result<ApiKey, Stop<Refusal>> {
        let key = known_key(facts, self.id)?;
        if key.revoked_at.is_some() {
            facts.mark_replayed();
            return Ok(key);
        }
        let now = facts.now();
        facts.emit(&Event::KeyRevoked { key: self.id });
        let key = facts.get_mut::<ApiKey>(&self.id)?.expect("read before");
        key.revoked_at = Some(now);
        Ok(key.clone())
    }
}
