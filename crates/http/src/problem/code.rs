//! The list of problem codes. A code never changes its meaning or its status.

use axum::http::StatusCode;

macro_rules! codes {
    ($($variant:ident = $text:literal, $status:ident, $title:literal;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $($variant),* }

        impl Code {
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];

            pub fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $text),* }
            }

            pub fn title(self) -> &'static str {
                match self { $(Code::$variant => $title),* }
            }

            pub fn status(self) -> StatusCode {
                match self { $(Code::$variant => StatusCode::$status),* }
            }

            /// The page that explains the code.
            pub fn page(self) -> &'static str {
                match self { $(Code::$variant => include_str!(concat!("../../../../docs/problems/", $text, ".md"))),* }
            }
        }
    };
}

codes! {
    // What is wrong with the request itself.
    MalformedJson = "malformed-json", BAD_REQUEST, "The body is not JSON";
    MalformedRequest = "malformed-request", BAD_REQUEST, "The request cannot be read";
    IdempotencyKeyMissing = "idempotency-key-missing", BAD_REQUEST, "An idempotency key is needed";
    IdempotencyKeyMalformed = "idempotency-key-malformed", BAD_REQUEST, "The idempotency key cannot be used";
    TaskIdMissing = "task-id-missing", BAD_REQUEST, "The task has no id";
    Unauthenticated = "unauthenticated", UNAUTHORIZED, "A valid key is needed";
    SignatureInvalid = "signature-invalid", UNAUTHORIZED, "The signature cannot be believed";
    ScopeMissing = "scope-missing", FORBIDDEN, "The key may not do this";
    NotFound = "not-found", NOT_FOUND, "There is nothing here";
    MethodNotAllowed = "method-not-allowed", METHOD_NOT_ALLOWED, "The address has no such method";
    RequestTimeout = "request-timeout", REQUEST_TIMEOUT, "The body took too long to arrive";
    BodyTooLarge = "body-too-large", PAYLOAD_TOO_LARGE, "The body is too large";
    UnsupportedMediaType = "unsupported-media-type", UNSUPPORTED_MEDIA_TYPE, "The body is not declared as JSON";
    Invalid = "invalid", UNPROCESSABLE_ENTITY, "A value is not allowed";
    IdempotencyKeyReused = "idempotency-key-reused", UNPROCESSABLE_ENTITY, "The key was used for another request";
    RangeTooWide = "range-too-wide", UNPROCESSABLE_ENTITY, "The range holds too much for one answer";
    AddressNotAllowed = "address-not-allowed", UNPROCESSABLE_ENTITY, "The address may not be called";
    TooManyRequests = "too-many-requests", TOO_MANY_REQUESTS, "Too many requests";
    TooManyStreams = "too-many-streams", TOO_MANY_REQUESTS, "Too many open event streams";
    // What is wrong with what it names.
    HoldNotFound = "hold-not-found", NOT_FOUND, "There is no such hold";
    PoolNotFound = "pool-not-found", NOT_FOUND, "There is no such pool";
    KeyNotFound = "key-not-found", NOT_FOUND, "There is no such key";
    TaskNotFound = "task-not-found", NOT_FOUND, "There is no such task";
    OperationNotFound = "operation-not-found", NOT_FOUND, "There is no such operation";
    CaseNotFound = "case-not-found", NOT_FOUND, "There is no such case";
    ScheduleNotFound = "schedule-not-found", NOT_FOUND, "There is no such schedule";
    EndpointNotFound = "endpoint-not-found", NOT_FOUND, "There is no such webhook endpoint";
    PropertyNotFound = "property-not-found", NOT_FOUND, "There is no such property";
    RoomTypeNotFound = "room-type-not-found", NOT_FOUND, "There is no such room type";
    RatePlanNotFound = "rate-plan-not-found", NOT_FOUND, "There is no such rate plan";
    QuoteNotFound = "quote-not-found", NOT_FOUND, "There is no such quote";
    OptionNotFound = "option-not-found", NOT_FOUND, "The quote has no such option";
    StayNotFound = "stay-not-found", NOT_FOUND, "There is no such stay";
    ReservationNotFound = "reservation-not-found", NOT_FOUND, "There is no such reservation";
    StoreNotFound = "store-not-found", NOT_FOUND, "There is no such store";
    ProductNotFound = "product-not-found", NOT_FOUND, "There is no such product";
    PackNotFound = "pack-not-found", NOT_FOUND, "The product has no such pack";
    BarcodeNotFound = "barcode-not-found", NOT_FOUND, "There is no such barcode";
    DocumentNotFound = "document-not-found", NOT_FOUND, "There is no such document";
    LineNotFound = "line-not-found", NOT_FOUND, "The document has no such line";
    CursorGone = "cursor-gone", GONE, "The cursor is outside of what is kept";
    TenantExists = "tenant-exists", CONFLICT, "The tenant exists with other content";
    EndpointExists = "endpoint-exists", CONFLICT, "The webhook endpoint exists with other content";
    HoldIdOutsideWindow = "hold-id-outside-window", UNPROCESSABLE_ENTITY, "The hold's id is too old or from the future";
    HoldIdReused = "hold-id-reused", UNPROCESSABLE_ENTITY, "The hold's id was used for another request";
    KeyIdReused = "key-id-reused", UNPROCESSABLE_ENTITY, "The key's id was used for another request";
    KeyExpiryPast = "key-expiry-past", UNPROCESSABLE_ENTITY, "The key would have expired already";
    QuoteIdOutsideWindow = "quote-id-outside-window", UNPROCESSABLE_ENTITY, "The quote's id is too old or from the future";
    QuoteIdReused = "quote-id-reused", UNPROCESSABLE_ENTITY, "The quote's id was used for another request";
    StayIdReused = "stay-id-reused", UNPROCESSABLE_ENTITY, "The stay's id was used for another request";
    DocumentIdOutsideWindow = "document-id-outside-window", UNPROCESSABLE_ENTITY, "The document's id is too old or from the future";
    DocumentIdReused = "document-id-reused", UNPROCESSABLE_ENTITY, "The document's id was used for another request";
    OperationConflict = "operation-conflict", UNPROCESSABLE_ENTITY, "The operation exists with other content";
    // What the state does not allow.
    HoldEnded = "hold-ended", CONFLICT, "The hold has ended";
    HoldNotDue = "hold-not-due", CONFLICT, "The hold has not expired yet";
    LifetimeTooLong = "lifetime-too-long", UNPROCESSABLE_ENTITY, "The hold would live too long";
    PoolVersion = "pool-version", CONFLICT, "The pool has changed";
    TotalOutOfRange = "total-out-of-range", UNPROCESSABLE_ENTITY, "The total would be out of range";
    PoolClosed = "pool-closed", CONFLICT, "The pool is closed";
    NothingBooked = "nothing-booked", CONFLICT, "The hold has nothing booked";
    LinesExceedHold = "lines-exceed-hold", UNPROCESSABLE_ENTITY, "More than the hold has";
    GrantExceeded = "grant-exceeded", CONFLICT, "More than is granted";
    OwnerHoldsLimit = "owner-holds-limit", CONFLICT, "The owner holds too much";
    OwnerLifetimeLimit = "owner-lifetime-limit", CONFLICT, "The owner's holds live too long";
    KeyEnded = "key-ended", CONFLICT, "The key was revoked, was replaced or has expired";
    TrackedByStock = "tracked-by-stock", CONFLICT, "The total is kept by stock";
    SoldOut = "sold-out", CONFLICT, "Sold out";
    OperationState = "operation-state", CONFLICT, "The operation's state does not allow it";
    EffectInDoubt = "effect-in-doubt", CONFLICT, "An effect of the operation may have happened";
    EffectNotInDoubt = "effect-not-in-doubt", CONFLICT, "The effect is not in doubt";
    CaseResolved = "case-resolved", CONFLICT, "The case is resolved";
    CurrencyFixed = "currency-fixed", CONFLICT, "A property's currency cannot be changed";
    PropertyFull = "property-full", CONFLICT, "The property has as many as it may have";
    QuoteExpired = "quote-expired", CONFLICT, "The quote is no longer good";
    NotForSale = "not-for-sale", CONFLICT, "The nights are not for sale";
    PriceChanged = "price-changed", CONFLICT, "The price has changed";
    ReservationExists = "reservation-exists", CONFLICT, "The stay is booked already";
    ReservationEnded = "reservation-ended", CONFLICT, "The reservation has ended";
    GuestsMayStillCome = "guests-may-still-come", CONFLICT, "The guests may still come";
    StayHasBegun = "stay-has-begun", CONFLICT, "The guests are in the house";
    PaymentsNotSetUp = "payments-not-set-up", CONFLICT, "The property takes no online payments";
    NothingToPay = "nothing-to-pay", CONFLICT, "There is nothing to pay";
    PaymentOnItsWay = "payment-on-its-way", CONFLICT, "The money is on its way";
    TooManyPages = "too-many-pages", CONFLICT, "The stay has had too many payment pages";
    StoreCurrencyFixed = "store-currency-fixed", CONFLICT, "A store's currency cannot be changed";
    ProductFixed = "product-fixed", CONFLICT, "What documents count in cannot be changed";
    BarcodeTaken = "barcode-taken", CONFLICT, "The barcode means something else";
    BooksClosed = "books-closed", CONFLICT, "The books are closed";
    BooksBusy = "books-busy", CONFLICT, "Something is still on its way into the books";
    DocumentState = "document-state", CONFLICT, "The document's state does not allow it";
    PartMissing = "part-missing", CONFLICT, "A part of the document has no lines";
    DocumentTooLong = "document-too-long", UNPROCESSABLE_ENTITY, "Such a document has one part";
    EffectiveInFuture = "effective-in-future", UNPROCESSABLE_ENTITY, "Nothing takes effect in the future";
    CurrenciesDiffer = "currencies-differ", CONFLICT, "The stores count in different currencies";
    AboutOtherKind = "about-other-kind", CONFLICT, "The document is about one of another kind";
    AboutOtherStore = "about-other-store", CONFLICT, "The document is about one of another store";
    EffectiveTooEarly = "effective-too-early", CONFLICT, "It takes effect before what it is about";
    DocumentHasFollowers = "document-has-followers", CONFLICT, "Other documents are about it";
    MoreThanLeft = "more-than-left", CONFLICT, "Less is left of the line";
    ItemsMoved = "items-moved", CONFLICT, "It has moved since it was counted";
    CountBackdated = "count-backdated", CONFLICT, "A count says what is there now";
    AlreadyOpen = "already-open", CONFLICT, "It has moved already";
    NotOpened = "not-opened", CONFLICT, "The pool has units that no document brought";
    LotNeeded = "lot-needed", UNPROCESSABLE_ENTITY, "The line has to name a lot";
    LotUnwanted = "lot-unwanted", UNPROCESSABLE_ENTITY, "Lots of the product are not told apart";
    LotDiffers = "lot-differs", CONFLICT, "The lot has another date of expiry";
    LotExpired = "lot-expired", CONFLICT, "The lot has expired";
    TooManyLots = "too-many-lots", CONFLICT, "The item has too many lots";
    LotShort = "lot-short", CONFLICT, "Not enough of the lot is there";
    SerialsMissing = "serials-missing", UNPROCESSABLE_ENTITY, "A serial number is needed for each unit";
    SerialsUnwanted = "serials-unwanted", UNPROCESSABLE_ENTITY, "Pieces of the product are not told apart";
    SerialsNotCounted = "serials-not-counted", UNPROCESSABLE_ENTITY, "Pieces are not counted";
    SerialsElsewhere = "serials-elsewhere", CONFLICT, "The pieces are somewhere else";
    ItemOutOfRange = "item-out-of-range", UNPROCESSABLE_ENTITY, "The item would have more than can be counted";
    DocumentOutOfRange = "document-out-of-range", UNPROCESSABLE_ENTITY, "The document costs more than can be counted";
    ShortInPast = "short-in-past", CONFLICT, "There would have been less than nothing";
    HoldOfOthers = "hold-of-others", CONFLICT, "The hold has nothing that is sold here";
    NotReversible = "not-reversible", CONFLICT, "A reversal is not reversed";
    Short = "short", CONFLICT, "Not enough is there";
    Changed = "changed", CONFLICT, "Somebody else was faster";
    // What the world or we did wrong.
    Defect = "defect", INTERNAL_SERVER_ERROR, "We made a mistake";
    Corrupt = "corrupt", INTERNAL_SERVER_ERROR, "Something stored cannot be read";
    Busy = "busy", SERVICE_UNAVAILABLE, "Too much is waiting";
    NotExecuted = "not-executed", SERVICE_UNAVAILABLE, "The deadline passed before the work began";
    Unavailable = "unavailable", SERVICE_UNAVAILABLE, "The store cannot be reached";
    Stopping = "stopping", SERVICE_UNAVAILABLE, "The server is stopping";
    OutcomeUnknown = "outcome-unknown", GATEWAY_TIMEOUT, "The outcome is not known yet";
}

impl Code {
    pub fn parse(text: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.as_str() == text)
    }
}
