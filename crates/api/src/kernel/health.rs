//! How a server does, and which it is.

use std::borrow::Cow;

use crate::describe::wire;

#[wire]
pub struct Health {
    #[schema(value_type = String, example = "ok")]
    pub status: Cow<'static, str>,
    #[schema(value_type = String)]
    pub version: Cow<'static, str>,
}

impl Health {
    /// Of a server of this version that can do its work.
    pub const OK: Health = Health { status: Cow::Borrowed("ok"), version: Cow::Borrowed(env!("CARGO_PKG_VERSION")) };
}
