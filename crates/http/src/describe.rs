//! The attributes by which handlers and their queries describe themselves. Unit tests compile them into the description of
//! the API; other builds leave them out, because the generated code is large and the committed text says the same.

#[cfg(not(test))]
pub(crate) use surehold_http_macros::IntoParams;
pub(crate) use surehold_http_macros::{path, query};
#[cfg(test)]
pub(crate) use utoipa::IntoParams;
