//! Typed ids. Made outside, checked here.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::{Uuid, Variant};

use super::{Invalid, Timestamp, int_column};

/// The company that owns the data. Leads every key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TenantId(pub i64);

impl TenantId {
    /// The installation itself: owns the directory of slugs and nothing that is sold.
    pub const DIRECTORY: TenantId = TenantId(0);

    /// Where the tenant's test keys work: the same slug, data of its own. A tenant is its twin's twin.
    #[must_use]
    pub fn twin(self) -> TenantId {
        TenantId(self.0.strict_neg())
    }

    /// Whether what happens here is a rehearsal.
    pub fn is_test(self) -> bool {
        self < TenantId::DIRECTORY
    }
}

int_column!(TenantId);

impl fmt::Display for TenantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

macro_rules! uuid_v7 {
    ($(#[doc = $doc:literal])* $type:ident, $example:literal) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "Uuid", into = "Uuid")]
        pub struct $type(Uuid);

        impl $type {
            pub fn new(id: Uuid) -> Result<$type, Invalid> {
                let is_v7 = id.get_version_num() == 7 && id.get_variant() == Variant::RFC4122;
                is_v7.then_some($type(id)).ok_or(Invalid::IdNotUuidV7)
            }

            pub fn parse(text: &str) -> Result<$type, Invalid> {
                Uuid::try_parse(text).map_err(|_| Invalid::IdNotUuidV7).and_then($type::new)
            }

            pub fn uuid(self) -> Uuid {
                self.0
            }

            /// When the id says it was made. Its maker's clock decides, so it is only good for rejecting ids that are
            /// too old.
            pub fn made_at(self) -> Timestamp {
                let millis = self.0.as_u128() >> 80;
                Timestamp::from_millis(i64::try_from(millis).expect("48 bits fit"))
            }
        }

        $crate::kernel::described!($type, concat!($($doc),*), UUID_V7, $example);

        impl $crate::kernel::ColumnValue for $type {
            const TYPE: $crate::kernel::ColumnType = $crate::kernel::ColumnType::Uuid;

            fn value(&self) -> $crate::kernel::Value<'_> {
                $crate::kernel::Value::Uuid(self.0)
            }

            fn from_value(value: $crate::kernel::Value<'_>) -> Result<$type, $crate::kernel::Corrupt> {
                Ok($type::new(value.uuid()?)?)
            }
        }

        impl TryFrom<Uuid> for $type {
            type Error = Invalid;
            fn try_from(id: Uuid) -> Result<$type, Invalid> {
                $type::new(id)
            }
        }

        impl From<$type> for Uuid {
            fn from(id: $type) -> Uuid {
                id.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}
pub(crate) use uuid_v7;

uuid_v7!(
    /// Identity of a hold and of the request that placed it: a UUIDv7, so that its age can be told without looking it up.
    HoldId, "019a8d1e-6f00-7000-8000-000000000001"
);
