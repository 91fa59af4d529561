//! API keys: who may do what to a tenant's data. Knows the hash of a secret, never the secret.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{ColumnType, ColumnValue, Corrupt, Invalid, KeyName, Record, Timestamp, Value, described, int_column};

/// A random number, written as 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(i64);

impl KeyId {
    pub fn new(number: u64) -> KeyId {
        KeyId(number.cast_signed())
    }

    pub fn parse(text: &str) -> Result<KeyId, Invalid> {
        let digits = text.len() == 16 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let number = u64::from_str_radix(text, 16).map_err(|_| Invalid::KeyIdMalformed)?;
        if digits { Ok(KeyId::new(number)) } else { Err(Invalid::KeyIdMalformed) }
    }
}

int_column!(KeyId);
described!(KeyId, "The last part of a key's reference.", TextShape::exactly("^[0-9a-f]{16}$"));

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0.cast_unsigned())
    }
}

impl Serialize for KeyId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for KeyId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<KeyId, D::Error> {
        let text = smol_str::SmolStr::deserialize(deserializer)?;
        KeyId::parse(&text).map_err(de::Error::custom)
    }
}

/// What a key may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum KeyScope {
    /// Look at pools, holds, stock and events.
    Read,
    /// Place, extend, convert, move and cancel holds; post sales and customers' returns.
    Sell,
    /// Change pools, inboxes and the policy; post all other documents, close books.
    Manage,
    /// Everything, for every tenant, and the keys themselves. Only keys of the installation have it.
    Admin,
    /// Deliver tasks: what a scheduler holds.
    Tasks,
}

impl KeyScope {
    pub const ALL: [KeyScope; 5] = [KeyScope::Read, KeyScope::Sell, KeyScope::Manage, KeyScope::Tasks, KeyScope::Admin];

    pub fn as_str(self) -> &'static str {
        match self {
            KeyScope::Read => "read",
            KeyScope::Sell => "sell",
            KeyScope::Manage => "manage",
            KeyScope::Admin => "admin",
            KeyScope::Tasks => "tasks",
        }
    }

    fn bit(self) -> i64 {
        match self {
            KeyScope::Read => 1,
            KeyScope::Sell => 2,
            KeyScope::Manage => 4,
            KeyScope::Admin => 8,
            KeyScope::Tasks => 16,
        }
    }
}

/// A set of scopes, never empty. Admin stands alone: it includes the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyScopes(i64);

impl KeyScopes {
    pub const ADMIN: KeyScopes = KeyScopes(8);

    /// What a tenant's key may have.
    const OF_TENANTS: i64 = 1 | 2 | 4 | 16;

    pub fn new(scopes: &[KeyScope]) -> Result<KeyScopes, Invalid> {
        let bits = scopes.iter().fold(0, |bits, scope| bits | scope.bit());
        KeyScopes::from_bits(bits).ok_or(Invalid::KeyScopes)
    }

    fn from_bits(bits: i64) -> Option<KeyScopes> {
        let of_a_tenant = bits != 0 && bits & !KeyScopes::OF_TENANTS == 0;
        (of_a_tenant || bits == KeyScope::Admin.bit()).then_some(KeyScopes(bits))
    }

    pub fn is_admin(self) -> bool {
        self == KeyScopes::ADMIN
    }

    pub fn allow(self, scope: KeyScope) -> bool {
        self.is_admin() || self.0 & scope.bit() != 0
    }

    pub fn iter(self) -> impl Iterator<Item = KeyScope> {
        KeyScope::ALL.into_iter().filter(move |scope| self.0 & scope.bit() != 0)
    }
}

impl ColumnValue for KeyScopes {
    const TYPE: ColumnType = ColumnType::Int;

    fn value(&self) -> Value<'_> {
        Value::Int(self.0)
    }

    fn from_value(value: Value<'_>) -> Result<KeyScopes, Corrupt> {
        KeyScopes::from_bits(value.int()?).ok_or_else(|| Corrupt::new("a key without scopes"))
    }
}

impl Serialize for KeyScopes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for KeyScopes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<KeyScopes, D::Error> {
        let scopes = Vec::<KeyScope>::deserialize(deserializer)?;
        KeyScopes::new(&scopes).map_err(de::Error::custom)
    }
}

/// What is known of a secret: enough to recognise it, too little to make it.
pub type SecretHash = [u8; 32];

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(table = "api_keys")]
pub struct ApiKey {
    #[column(key)]
    pub id: KeyId,
    #[column(fixed)]
    pub name: KeyName,
    #[column(fixed)]
    pub scopes: KeyScopes,
    #[column(fixed)]
    pub secret_hash: SecretHash,
    /// Requests a second on each node; `None` takes the node's default.
    #[column(fixed)]
    pub requests_per_s: Option<i64>,
    #[column(fixed)]
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
    /// The key that took its place.
    pub replaced_by: Option<KeyId>,
    pub version: i64,
}

impl ApiKey {
    /// Half-open, like holds: at the instant of expiry it no longer opens anything.
    pub fn is_usable(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|expires_at| now < expires_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes() {
        use KeyScope::{Admin, Manage, Read, Sell, Tasks};
        let check = |scopes: &[KeyScope], expected: Option<&[KeyScope]>| {
            let allowed = |set: KeyScopes| KeyScope::ALL.into_iter().filter(|scope| set.allow(*scope)).collect();
            let found: Option<Vec<KeyScope>> = KeyScopes::new(scopes).ok().map(allowed);
            assert_eq!(found.as_deref(), expected, "{scopes:?}");
        };
        check(&[], None);
        check(&[Read], Some(&[Read]));
        check(&[Sell, Read, Sell], Some(&[Read, Sell]));
        check(&[Manage], Some(&[Manage]));
        check(&[Tasks], Some(&[Tasks]));
        check(&[Tasks, Read, Manage, Sell], Some(&[Read, Sell, Manage, Tasks]));
        check(&[Admin], Some(&[Read, Sell, Manage, Tasks, Admin]));
        check(&[Admin, Read], None);
        check(&[Admin, Tasks], None);
    }

    #[test]
    fn ids() {
        for good in ["0000000000000000", "00ff00ff00ff00ff", "ffffffffffffffff"] {
            assert_eq!(KeyId::parse(good).unwrap().to_string(), good);
        }
        for bad in ["", "0", "00FF00FF00FF00FF", "+0ff00ff00ff00ff", "00000000000000000", "g000000000000000"] {
            assert_eq!(KeyId::parse(bad), Err(Invalid::KeyIdMalformed), "{bad}");
        }
    }

    #[test]
    fn a_key_dies_at_the_instant_of_its_expiry() {
        let at = Timestamp::from_micros;
        let key = |expires_at, revoked_at| ApiKey {
            id: KeyId::new(1),
            name: KeyName::new("till").unwrap(),
            scopes: KeyScopes::ADMIN,
            secret_hash: [0; 32],
            requests_per_s: None,
            created_at: at(0),
            expires_at,
            revoked_at,
            replaced_by: None,
            version: 1,
        };
        assert!(key(None, None).is_usable(at(9)));
        assert!(key(Some(at(10)), None).is_usable(at(9)));
        assert!(!key(Some(at(10)), None).is_usable(at(10)));
        assert!(!key(None, Some(at(5))).is_usable(at(9)));
    }
}
