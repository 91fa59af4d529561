//! Path and query parameters, with problems instead of plain text when they cannot be read.

use std::fmt::Display;

use axum::extract::path::RawPathParamsIter;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
#[cfg(test)]
use utoipa::PartialSchema;
#[cfg(test)]
use utoipa::openapi::{RefOr, Schema};

use super::Api;
use crate::problem::{Code, Problem};
use crate::wire::{PAGE_ITEMS_DEFAULT, PAGE_ITEMS_MAX};

pub(crate) fn malformed(detail: impl Into<String>) -> Problem {
    Problem::new(Code::MalformedRequest, detail)
}

/// The query string. Unknown parameters are refused where the type says so.
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<Api> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Api) -> Result<Query<T>, Problem> {
        let query = axum::extract::Query::<T>::try_from_uri(&parts.uri);
        query.map(|query| Query(query.0)).map_err(|error| malformed(format!("the query cannot be read: {error}")))
    }
}

/// What the path names below the tenant.
pub(crate) struct InPath<T>(pub(crate) T);

impl<T: FromPath> FromRequestParts<Api> for InPath<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<InPath<T>, Problem> {
        let params = RawPathParams::from_request_parts(parts, api).await;
        let params = params.map_err(|error| malformed(format!("the address cannot be read: {error}")))?;
        T::from_path(&mut Segments(params.iter())).map(InPath)
    }
}

/// What is named by one segment of a path, or by several that follow each other.
pub(crate) trait FromPath: Sized {
    fn from_path(segments: &mut Segments<'_>) -> Result<Self, Problem>;

    /// One for each segment.
    #[cfg(test)]
    fn schemas() -> Vec<RefOr<Schema>>;
}

/// The parameters of a path in their order, without the tenant: that one is the caller's.
pub(crate) struct Segments<'a>(RawPathParamsIter<'a>);

impl Segments<'_> {
    pub(crate) fn text(&mut self) -> &str {
        self.0.find(|(name, _)| *name != "tenant").map(|(_, text)| text).unwrap_or_default()
    }

    pub(crate) fn read<T, E: Display>(&mut self, read: fn(&str) -> Result<T, E>) -> Result<T, Problem> {
        read(self.text()).map_err(|error| malformed(error.to_string()))
    }
}

impl<A: FromPath, B: FromPath> FromPath for (A, B) {
    fn from_path(segments: &mut Segments<'_>) -> Result<(A, B), Problem> {
        Ok((A::from_path(segments)?, B::from_path(segments)?))
    }

    #[cfg(test)]
    fn schemas() -> Vec<RefOr<Schema>> {
        [A::schemas(), B::schemas()].concat()
    }
}

/// A segment that is looked up as it is.
pub(crate) struct Text(pub(crate) String);

impl FromPath for Text {
    fn from_path(segments: &mut Segments<'_>) -> Result<Text, Problem> {
        Ok(Text(segments.text().to_owned()))
    }

    #[cfg(test)]
    fn schemas() -> Vec<RefOr<Schema>> {
        vec![String::schema()]
    }
}

/// `from_path!(HoldId: HoldId::parse)`: types that one segment names, and what reads them.
/// `from_path!(RoomTypeKey { property: PropertyName, code: RoomTypeCode })`: a type that several segments name together.
macro_rules! from_path {
    ($($type:ty: $read:expr),+) => {$(
        impl $crate::api::FromPath for $type {
            fn from_path(segments: &mut $crate::api::Segments<'_>) -> Result<$type, $crate::problem::Problem> {
                segments.read($read)
            }

            #[cfg(test)]
            fn schemas() -> Vec<utoipa::openapi::RefOr<utoipa::openapi::Schema>> {
                vec![$crate::openapi::parameters::mention::<$type>()]
            }
        }
    )+};
    ($type:ident { $($part:ident: $part_type:ty),+ }) => {
        impl $crate::api::FromPath for $type {
            fn from_path(segments: &mut $crate::api::Segments<'_>) -> Result<$type, $crate::problem::Problem> {
                Ok($type { $($part: $crate::api::FromPath::from_path(segments)?),+ })
            }

            #[cfg(test)]
            fn schemas() -> Vec<utoipa::openapi::RefOr<utoipa::openapi::Schema>> {
                [$(<$part_type as $crate::api::FromPath>::schemas()),+].concat()
            }
        }
    };
}

pub(crate) use from_path;

/// How many items a page has.
pub(crate) fn page_items(limit: Option<u16>) -> Result<u16, Problem> {
    match limit.unwrap_or(PAGE_ITEMS_DEFAULT) {
        items @ 1..=PAGE_ITEMS_MAX => Ok(items),
        _ => Err(malformed(format!("limit is between 1 and {PAGE_ITEMS_MAX}"))),
    }
}

/// Where the next page begins, if this one is full.
pub(crate) fn next_page<T, C>(found: &[T], limit: u16, cursor: impl FnOnce(&T) -> C) -> Option<C> {
    let full = found.len() == usize::from(limit);
    found.last().filter(|_| full).map(cursor)
}
