//! The attributes by which types describe themselves. Builds for use leave them out, because the generated code is large
//! and the committed description says the same.

#[cfg(not(feature = "schema"))]
pub(crate) use surehold_http_macros::ToSchema;
pub(crate) use surehold_http_macros::wire;
#[cfg(feature = "schema")]
pub(crate) use utoipa::ToSchema;
