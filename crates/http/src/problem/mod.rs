//! What goes wrong, as `application/problem+json` (RFC 9457). Each code is stable and has a page, served at `type`.

mod code;
mod from;
mod from_stock;

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use surehold_core::kernel::{HoldId, HoldState, PoolKey, Timestamp};
use surehold_core::operations::{CaseKey, OperationKey, OperationState};
use surehold_core::stays::{
    NotForSale, PropertyName, QuoteId, RatePlanCode, ReservationSource, ReservationState, RoomTypeCode,
};
use surehold_core::stock::{
    BarcodeText, DocumentId, DocumentKind, DocumentState, LotCode, PackName, ProductCode, SerialCode, StoreName,
};

pub use code::Code;

use crate::describe::ToSchema;
use crate::wire::ShortLine;
use crate::wire::described;
use crate::wire::stock::{ItemName, LeftLine, MovedItem, ShortItem, words};

/// A problem and what a caller needs to act on it. Members that do not apply are left out.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Problem {
    /// The address of the page that explains the code.
    #[schema(example = "/problems/sold-out")]
    r#type: String,
    #[schema(example = "Sold out")]
    title: &'static str,
    #[schema(example = 409)]
    status: u16,
    #[serde(serialize_with = "code_text")]
    #[schema(value_type = String, example = "sold-out")]
    code: Code,
    /// What happened, in a sentence.
    detail: String,
    /// Apart, so that a result with a problem in it stays small.
    #[serde(flatten)]
    data: Box<ProblemData>,
}

/// What belongs to one code or another.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct ProblemData {
    /// Every line that is short, sorted, with what is left.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub lines: Vec<ShortLine>,
    /// The pools that it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<crate::wire::PoolName>, required = false)]
    pub pools: Vec<PoolKey>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<crate::wire::described::HoldId>)]
    pub hold: Option<HoldId>,
    /// What the hold has become.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<crate::wire::HoldState>)]
    pub state: Option<HoldState>,
    /// The operation that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<crate::wire::OperationName>)]
    pub operation: Option<OperationKey>,
    /// What the operation is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<crate::wire::states::OperationState>)]
    pub operation_state: Option<OperationState>,
    /// The step of the operation that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u16>,
    /// The case that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<crate::wire::CaseName>)]
    pub case: Option<CaseKey>,
    /// When the hold expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Timestamp>,
    /// The property that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<crate::wire::described::ShortName>)]
    pub property: Option<PropertyName>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<crate::wire::described::ShortName>)]
    pub room_type: Option<RoomTypeCode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<crate::wire::described::ShortName>)]
    pub rate_plan: Option<RatePlanCode>,
    /// The quote that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<crate::wire::described::QuoteId>)]
    pub quote: Option<QuoteId>,
    /// The option of the quote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub option: Option<u16>,
    /// When the quote ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub valid_until: Option<Timestamp>,
    /// Why the nights are not for sale.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<crate::wire::WhyNotForSale>)]
    pub why: Option<NotForSale>,
    /// Of one room for all nights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_quoted: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_now: Option<i64>,
    /// What the reservation has become.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<crate::wire::words::ReservationState>)]
    pub reservation_state: Option<ReservationState>,
    /// How the reservation came about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<crate::wire::words::ReservationSource>)]
    pub source: Option<ReservationSource>,
    /// What was paid for the reservation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paid: Option<i64>,
    /// The store that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<described::StoreName>)]
    pub store: Option<StoreName>,
    /// The products that it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<described::ProductCode>, required = false)]
    pub products: Vec<ProductCode>,
    /// The barcodes that it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<described::BarcodeText>, required = false)]
    pub barcodes: Vec<BarcodeText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<described::StockCode>)]
    pub pack: Option<PackName>,
    /// The item that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<ItemName>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<described::StockCode>)]
    pub lot: Option<LotCode>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<described::StockCode>, required = false)]
    pub serials: Vec<SerialCode>,
    /// Every product of which there is not enough, sorted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub short: Vec<ShortItem>,
    /// Every item that has moved since it was counted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub moved: Vec<MovedItem>,
    /// Every line of which less is left.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub left: Vec<LeftLine>,
    /// Units that were asked of a lot, and that can be had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_of_lot: Option<i64>,
    /// The document that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<described::DocumentId>)]
    pub document: Option<DocumentId>,
    /// What the document is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<words::DocumentState>)]
    pub document_state: Option<DocumentState>,
    /// The kind of the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<words::DocumentKind>)]
    pub kind: Option<DocumentKind>,
    /// The line of the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The part of the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<u32>,
    /// Documents that are about the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub followers: Option<u32>,
    /// Documents that are being posted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub posting: Option<i64>,
    /// Items whose costs are being worked out anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revaluing: Option<i64>,
    /// The books are closed up to here.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub closed_until: Option<Timestamp>,
    /// The earliest instant at which it could take effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub effective_at: Option<Timestamp>,
    /// The store's clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub now: Option<Timestamp>,
    /// When there would have been so much.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantity: Option<i64>,
    /// The version that was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
    /// The most that is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<i64>,
    /// A cursor to go on from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Seconds to wait before the next try; also in `Retry-After`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_secs: Option<u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn code_text<S: serde::Serializer>(code: &Code, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(code.as_str())
}

impl Problem {
    pub fn new(code: Code, detail: impl Into<String>) -> Problem {
        Problem {
            r#type: format!("/problems/{}", code.as_str()),
            title: code.title(),
            status: code.status().as_u16(),
            code,
            detail: detail.into(),
            data: Box::default(),
        }
    }

    #[must_use]
    pub fn with(mut self, set: impl FnOnce(&mut ProblemData)) -> Problem {
        set(&mut self.data);
        self
    }

    pub fn code(&self) -> Code {
        self.code
    }

    pub fn status(&self) -> StatusCode {
        self.code.status()
    }
}

static PROBLEM_JSON: HeaderValue = HeaderValue::from_static("application/problem+json");

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = serde_json::to_vec(&self).expect("problems are plain data");
        let mut response = (self.status(), body).into_response();
        response.headers_mut().insert(header::CONTENT_TYPE, PROBLEM_JSON.clone());
        if let Some(secs) = self.data.retry_after_secs {
            response.headers_mut().insert(header::RETRY_AFTER, secs.into());
        }
        match self.code {
            Code::Unauthenticated => {
                let how = HeaderValue::from_static("Bearer realm=\"surehold\"");
                response.headers_mut().insert(header::WWW_AUTHENTICATE, how);
            }
            // What was not read of the body would be taken for the next request.
            Code::RequestTimeout | Code::BodyTooLarge => {
                response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            _ => {}
        }
        response.headers_mut().insert(HeaderName::from_static("cache-control"), HeaderValue::from_static("no-store"));
        response
    }
}
