//! Path and query parameters, with problems instead of plain text when they cannot be read.

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use surehold_core::kernel::{HoldId, PoolKey, ResourceName, Slot};
use surehold_core::operations::ScheduleName;
use surehold_core::operations::outbox::EndpointId;
use surehold_core::operations::{CaseKey, DedupeKey, OperationKey, TypeName};
use surehold_core::stays::{PropertyName, QuoteId, RatePlanCode, RatePlanKey, RoomTypeCode, RoomTypeKey};
use surehold_core::stock::{BarcodeText, DocumentId, ProductCode, StoreName};

use super::Api;
use crate::describe;
use crate::keys::KeyRef;
use crate::problem::{Code, Problem};
use crate::wire::{PAGE_ITEMS_DEFAULT, PAGE_ITEMS_MAX, described};

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

pub(crate) async fn path_param(parts: &mut Parts, api: &Api, name: &str) -> Result<String, Problem> {
    let params = RawPathParams::from_request_parts(parts, api).await;
    let params = params.map_err(|error| malformed(format!("the address cannot be read: {error}")))?;
    let found = params.iter().find(|(param, _)| *param == name).map(|(_, value)| value.to_owned());
    Ok(found.unwrap_or_default())
}

/// The hold named in the path.
pub(crate) struct HoldPath(pub(crate) HoldId);

impl FromRequestParts<Api> for HoldPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<HoldPath, Problem> {
        let text = path_param(parts, api, "hold").await?;
        HoldId::parse(&text).map(HoldPath).map_err(|invalid| malformed(invalid.to_string()))
    }
}

/// The quote named in the path.
pub(crate) struct QuotePath(pub(crate) QuoteId);

impl FromRequestParts<Api> for QuotePath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<QuotePath, Problem> {
        let text = path_param(parts, api, "quote").await?;
        QuoteId::parse(&text).map(QuotePath).map_err(|invalid| malformed(invalid.to_string()))
    }
}

/// The property named in the path.
pub(crate) struct PropertyPath(pub(crate) PropertyName);

impl FromRequestParts<Api> for PropertyPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<PropertyPath, Problem> {
        let text = path_param(parts, api, "property").await?;
        PropertyName::new(&text).map(PropertyPath).map_err(|invalid| malformed(invalid.to_string()))
    }
}

/// The room type named in the path, and its property.
pub(crate) struct RoomTypePath(pub(crate) RoomTypeKey);

impl FromRequestParts<Api> for RoomTypePath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<RoomTypePath, Problem> {
        let PropertyPath(property) = PropertyPath::from_request_parts(parts, api).await?;
        let text = path_param(parts, api, "code").await?;
        let code = RoomTypeCode::new(&text).map_err(|invalid| malformed(invalid.to_string()))?;
        Ok(RoomTypePath(RoomTypeKey { property, code }))
    }
}

/// The rate plan named in the path, and its property.
pub(crate) struct RatePlanPath(pub(crate) RatePlanKey);

impl FromRequestParts<Api> for RatePlanPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<RatePlanPath, Problem> {
        let PropertyPath(property) = PropertyPath::from_request_parts(parts, api).await?;
        let text = path_param(parts, api, "code").await?;
        let code = RatePlanCode::new(&text).map_err(|invalid| malformed(invalid.to_string()))?;
        Ok(RatePlanPath(RatePlanKey { property, code }))
    }
}

/// The store named in the path.
pub(crate) struct StorePath(pub(crate) StoreName);

impl FromRequestParts<Api> for StorePath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<StorePath, Problem> {
        let text = path_param(parts, api, "store").await?;
        StoreName::new(&text).map(StorePath).map_err(|invalid| malformed(invalid.to_string()))
    }
}

/// The product named in the path.
pub(crate) struct ProductPath(pub(crate) ProductCode);

impl FromRequestParts<Api> for ProductPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<ProductPath, Problem> {
        let text = path_param(parts, api, "product").await?;
        ProductCode::new(&text).map(ProductPath).map_err(|invalid| malformed(invalid.to_string()))
    }
}

/// The store and the product named in the path.
pub(crate) struct ItemPath(pub(crate) StoreName, pub(crate) ProductCode);

impl FromRequestParts<Api> for ItemPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<ItemPath, Problem> {
        let StorePath(store) = StorePath::from_request_parts(parts, api).await?;
        let ProductPath(product) = ProductPath::from_request_parts(parts, api).await?;
        Ok(ItemPath(store, product))
    }
}

/// The barcode named in the path.
pub(crate) struct BarcodePath(pub(crate) BarcodeText);

impl FromRequestParts<Api> for BarcodePath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<BarcodePath, Problem> {
        let text = path_param(parts, api, "barcode").await?;
        BarcodeText::new(&text).map(BarcodePath).map_err(|invalid| malformed(invalid.to_string()))
    }
}

/// The document named in the path.
pub(crate) struct DocumentPath(pub(crate) DocumentId);

impl FromRequestParts<Api> for DocumentPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<DocumentPath, Problem> {
        let text = path_param(parts, api, "document").await?;
        DocumentId::parse(&text).map(DocumentPath).map_err(|invalid| malformed(invalid.to_string()))
    }
}

/// The part of a document named in the path.
pub(crate) struct PartPath(pub(crate) DocumentId, pub(crate) u32);

impl FromRequestParts<Api> for PartPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<PartPath, Problem> {
        let DocumentPath(document) = DocumentPath::from_request_parts(parts, api).await?;
        let number = path_param(parts, api, "number").await?.parse();
        let number = number.map_err(|_| malformed("parts are numbered from 0 on"))?;
        Ok(PartPath(document, number))
    }
}

/// The key named in the path.
pub(crate) struct KeyPath(pub(crate) KeyRef);

impl FromRequestParts<Api> for KeyPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<KeyPath, Problem> {
        let text = path_param(parts, api, "key").await?;
        KeyRef::parse(&text).map(KeyPath).map_err(|error| malformed(error.to_string()))
    }
}

/// The schedule named in the path.
pub(crate) struct SchedulePath(pub(crate) ScheduleName);

impl FromRequestParts<Api> for SchedulePath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<SchedulePath, Problem> {
        let text = path_param(parts, api, "name").await?;
        ScheduleName::new(&text).map(SchedulePath).map_err(|invalid| malformed(invalid.to_string()))
    }
}

/// The webhook endpoint named in the path.
pub(crate) struct EndpointPath(pub(crate) EndpointId);

impl FromRequestParts<Api> for EndpointPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<EndpointPath, Problem> {
        let text = path_param(parts, api, "endpoint").await?;
        EndpointId::new(&text).map(EndpointPath).map_err(|invalid| malformed(invalid.to_string()))
    }
}

/// The pool named by the path and, where it has one, the slot in the query.
pub(crate) struct PoolPath(pub(crate) PoolKey);

#[derive(Deserialize, describe::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "read through its text; here for the description")]
pub(crate) struct SlotQuery {
    /// A date; left out for things without one.
    #[param(value_type = Option<described::Slot>)]
    slot: Option<String>,
}

impl FromRequestParts<Api> for PoolPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<PoolPath, Problem> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Slotted {
            #[serde(default)]
            slot: String,
        }
        let resource = path_param(parts, api, "resource").await?;
        let resource = ResourceName::new(&resource).map_err(|invalid| malformed(invalid.to_string()))?;
        let Query(Slotted { slot }) = Query::from_request_parts(parts, api).await?;
        let slot = Slot::parse(&slot).map_err(|invalid| malformed(invalid.to_string()))?;
        Ok(PoolPath(PoolKey { resource, slot }))
    }
}

/// The operation named in the path. Its key is decoded once, so a `%` of its own is sent as `%25`.
pub(crate) struct OperationPath(pub(crate) OperationKey);

impl FromRequestParts<Api> for OperationPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<OperationPath, Problem> {
        let (kind, key) = (path_param(parts, api, "type").await?, path_param(parts, api, "key").await?);
        let kind = TypeName::new(&kind).map_err(|invalid| malformed(invalid.to_string()))?;
        let key = DedupeKey::new(&key).map_err(|invalid| malformed(invalid.to_string()))?;
        Ok(OperationPath(OperationKey { kind, key }))
    }
}

/// The case named in the path.
pub(crate) struct CasePath(pub(crate) CaseKey);

const CASE_KIND_BYTES_MAX: usize = 64;
const CASE_KEY_BYTES_MAX: usize = 500;

/// Names that no case can have are not looked up: not every store can be asked for them.
pub(crate) fn case_key(kind: &str, key: &str) -> Option<CaseKey> {
    let good = |text: &str, bytes_max: usize| {
        let sized = !text.is_empty() && text.len() <= bytes_max;
        sized && text.trim() == text && !text.chars().any(char::is_control)
    };
    let named = good(kind, CASE_KIND_BYTES_MAX) && good(key, CASE_KEY_BYTES_MAX);
    named.then(|| CaseKey { kind: kind.into(), key: key.into() })
}

impl FromRequestParts<Api> for CasePath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<CasePath, Problem> {
        let (kind, key) = (path_param(parts, api, "kind").await?, path_param(parts, api, "key").await?);
        let not_one = || {
            malformed(format!(
                "a case has a kind of up to {CASE_KIND_BYTES_MAX} bytes and a key of up to {CASE_KEY_BYTES_MAX}, \
                 without control characters or blanks at their ends"
            ))
        };
        case_key(&kind, &key).map(CasePath).ok_or_else(not_one)
    }
}

/// How many items a page has.
pub(crate) fn page_items(limit: Option<u16>) -> Result<u16, Problem> {
    match limit.unwrap_or(PAGE_ITEMS_DEFAULT) {
        items @ 1..=PAGE_ITEMS_MAX => Ok(items),
        _ => Err(malformed(format!("limit is between 1 and {PAGE_ITEMS_MAX}"))),
    }
}
