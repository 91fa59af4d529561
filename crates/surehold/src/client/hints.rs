//! What to do next, in the words of the command line, where the problem's own sentence does not say it.

use serde_json::Value;
use surehold_http::problem::Code;

use super::Request;
use super::stock_hints::hint_about_stock;

#[expect(clippy::too_many_lines, reason = "a table: one row for each code")]
pub(super) fn hint_for(code: Code, problem: &Value, request: &Request) -> Option<String> {
    let tenant = request.tenant.as_deref().unwrap_or("TENANT");
    let fixed = match code {
        Code::SoldOut | Code::PoolNotFound | Code::PoolClosed | Code::PoolVersion => {
            return Some(hint_about_pools(code, problem, tenant));
        }
        Code::CursorGone => {
            let cursor = problem["cursor"].as_str().unwrap_or("0-0");
            return Some(format!("--after {cursor} begins with the oldest event that is kept"));
        }
        Code::NotFound if is_test(request) => {
            return Some(format!("test data begins with the first test key: `surehold key create {tenant} --test`"));
        }
        Code::NotFound if request.tenant.is_some() => {
            "`surehold tenant list` shows the tenants; a key opens only its own"
        }
        Code::LifetimeTooLong | Code::OwnerHoldsLimit | Code::OwnerLifetimeLimit => {
            return Some(format!("`surehold tenant policy {tenant}` shows and changes the limits"));
        }
        Code::HoldNotFound => {
            return Some(format!("`surehold hold list {tenant} --active` shows the live ones"));
        }
        Code::ScheduleNotFound
        | Code::EndpointNotFound
        | Code::EndpointExists
        | Code::AddressNotAllowed
        | Code::OperationNotFound
        | Code::OperationState
        | Code::EffectNotInDoubt
        | Code::EffectInDoubt
        | Code::CaseNotFound
        | Code::CaseResolved
        | Code::Changed => return hint_about_operations(code, problem, tenant),
        Code::PropertyNotFound
        | Code::RoomTypeNotFound
        | Code::RatePlanNotFound
        | Code::QuoteNotFound
        | Code::OptionNotFound
        | Code::StayNotFound
        | Code::ReservationNotFound
        | Code::QuoteIdOutsideWindow
        | Code::QuoteIdReused
        | Code::StayIdReused
        | Code::CurrencyFixed
        | Code::PropertyFull
        | Code::QuoteExpired
        | Code::NotForSale
        | Code::PriceChanged
        | Code::ReservationExists
        | Code::ReservationEnded
        | Code::GuestsMayStillCome
        | Code::PaymentsNotSetUp
        | Code::NothingToPay
        | Code::PaymentOnItsWay
        | Code::StayHasBegun
        | Code::TooManyPages => return Some(hint_about_stays(code, problem, tenant)),
        Code::TrackedByStock
        | Code::StoreNotFound
        | Code::ProductNotFound
        | Code::PackNotFound
        | Code::BarcodeNotFound
        | Code::DocumentNotFound
        | Code::LineNotFound
        | Code::DocumentIdOutsideWindow
        | Code::DocumentIdReused
        | Code::StoreCurrencyFixed
        | Code::ProductFixed
        | Code::BarcodeTaken
        | Code::BooksClosed
        | Code::BooksBusy
        | Code::DocumentState
        | Code::PartMissing
        | Code::DocumentTooLong
        | Code::EffectiveInFuture
        | Code::CurrenciesDiffer
        | Code::AboutOtherKind
        | Code::AboutOtherStore
        | Code::EffectiveTooEarly
        | Code::DocumentHasFollowers
        | Code::MoreThanLeft
        | Code::ItemsMoved
        | Code::CountBackdated
        | Code::AlreadyOpen
        | Code::NotOpened
        | Code::LotNeeded
        | Code::LotUnwanted
        | Code::LotDiffers
        | Code::LotExpired
        | Code::TooManyLots
        | Code::LotShort
        | Code::SerialsMissing
        | Code::SerialsUnwanted
        | Code::SerialsNotCounted
        | Code::SerialsElsewhere
        | Code::ItemOutOfRange
        | Code::DocumentOutOfRange
        | Code::ShortInPast
        | Code::HoldOfOthers
        | Code::NotReversible
        | Code::Short => return hint_about_stock(code, problem, tenant),
        Code::HoldEnded => "place a new hold; an ended one does not come back",
        Code::HoldIdReused => "leave --id out to place another hold",
        Code::HoldIdOutsideWindow => "leave --id out; a UUIDv7 carries its time and is good for a while only",
        Code::IdempotencyKeyReused => "use another --idempotency-key, or leave it out",
        Code::KeyNotFound | Code::KeyEnded => "`surehold key list [TENANT]` shows the keys",
        Code::Unauthenticated => "check SUREHOLD_KEY or --key; `surehold key list` tells which keys are good",
        Code::ScopeMissing => "use a key with that scope; on the server's machine no key is needed",
        Code::RangeTooWide => "ask for fewer nights, or name a --resource",
        Code::NothingBooked => "only what was converted with --book can be moved or given back",
        Code::Busy | Code::Unavailable | Code::Stopping | Code::NotExecuted => "nothing was changed; run it again",
        Code::OutcomeUnknown => {
            return Some(match &request.repeat_with {
                Some(flag) => format!("run it again with {flag}: it will not happen twice"),
                None => "look whether it happened, then run it again".to_owned(),
            });
        }
        Code::TooManyRequests | Code::TooManyStreams => "wait a moment, then run it again",
        Code::Corrupt => "`surehold doctor` checks the store",
        Code::MalformedJson
        | Code::MalformedRequest
        | Code::IdempotencyKeyMissing
        | Code::IdempotencyKeyMalformed
        | Code::NotFound
        | Code::MethodNotAllowed
        | Code::RequestTimeout
        | Code::BodyTooLarge
        | Code::UnsupportedMediaType
        | Code::Invalid
        | Code::TaskIdMissing
        | Code::TaskNotFound
        | Code::SignatureInvalid
        | Code::OperationConflict
        | Code::TenantExists
        | Code::KeyIdReused
        | Code::KeyExpiryPast
        | Code::HoldNotDue
        | Code::TotalOutOfRange
        | Code::LinesExceedHold
        | Code::GrantExceeded
        | Code::Defect => return None,
    };
    Some(fixed.to_owned())
}

fn hint_about_pools(code: Code, problem: &Value, tenant: &str) -> String {
    let pool = if code == Code::SoldOut { named(&problem["lines"][0]) } else { named(&problem["pools"][0]) };
    match code {
        Code::SoldOut => format!("`surehold explain {tenant} {pool}` says who has it, and when the next is free"),
        Code::PoolClosed => format!("`surehold pool put {tenant} {pool} --open` opens it"),
        Code::PoolVersion => format!("somebody changed it; look again with `surehold pool show {tenant} {pool}`"),
        _ => format!(
            "`surehold pool list {tenant}` shows what there is; `surehold pool put {tenant} {pool} --total N` makes it"
        ),
    }
}

fn hint_about_operations(code: Code, problem: &Value, tenant: &str) -> Option<String> {
    Some(match code {
        Code::ScheduleNotFound => {
            format!("`surehold schedule list {tenant}` shows what there is")
        }
        Code::EndpointNotFound => {
            format!("`surehold webhook list {tenant}` shows the endpoints")
        }
        Code::EndpointExists => "--replace changes it; it keeps its secret and its place".to_owned(),
        Code::AddressNotAllowed => {
            "give it a public https:// address; `webhooks.reach` widens what the server calls".to_owned()
        }
        Code::OperationNotFound => {
            format!("`surehold op list {tenant} --correlation KIND=VALUE` finds operations without their keys")
        }
        Code::OperationState | Code::EffectNotInDoubt => {
            let operation = operation_named(&problem["operation"]);
            format!("`surehold op show {tenant} {operation}` says how it stands")
        }
        Code::EffectInDoubt => {
            let (operation, step) = (operation_named(&problem["operation"]), &problem["step"]);
            format!(
                "look at the provider's, then `surehold op settle {tenant} {operation} --step {step}` with what you found"
            )
        }
        Code::CaseNotFound => {
            format!("`surehold case list {tenant}` shows the open ones")
        }
        Code::CaseResolved => {
            format!("`surehold case list {tenant} --resolved` shows how it ended")
        }
        Code::Changed => "somebody else was faster; look again, then decide".to_owned(),
        _ => return None,
    })
}

fn hint_about_stays(code: Code, problem: &Value, tenant: &str) -> String {
    let named = |name: &str, absent: &str| problem[name].as_str().map_or_else(|| absent.to_owned(), quoted);
    let (property, stay) = (named("property", "PROPERTY"), named("hold", "STAY"));
    match code {
        Code::PropertyNotFound => format!(
            "`surehold stay property list {tenant}` shows what there is; `surehold stay property put {tenant} {property} \
             --zone ZONE --currency CODE` makes it"
        ),
        Code::RoomTypeNotFound => format!("`surehold stay room-type list {tenant} {property}` shows what there is"),
        Code::RatePlanNotFound => format!("`surehold stay rate-plan list {tenant} {property}` shows what there is"),
        Code::OptionNotFound => {
            format!("`surehold stay quote show {tenant} {}` shows the options", named("quote", "QUOTE"))
        }
        Code::QuoteNotFound | Code::QuoteExpired | Code::PriceChanged => {
            format!("ask anew with `surehold stay quote {tenant} {property} NIGHTS`")
        }
        Code::StayNotFound => format!("`surehold stay list {tenant} {property}` shows the stays whose rooms are held"),
        Code::ReservationNotFound => format!(
            "`surehold stay show {tenant} {stay}` says what became of it; `surehold stay arrivals {tenant} {property} \
             DATE` lists reservations"
        ),
        Code::NotForSale => {
            format!("`surehold stay calendar {tenant} {property} NIGHTS --plans` shows what is sold, and how")
        }
        Code::ReservationExists => format!("`surehold stay reservation show {tenant} {stay}` shows it"),
        Code::PaymentsNotSetUp => {
            format!("`surehold stay property put {tenant} {property} --payment-account NAME` names who is paid")
        }
        Code::NothingToPay => format!("`surehold stay confirm {tenant} {stay}` books it"),
        Code::PaymentOnItsWay => format!("`surehold stay show {tenant} {stay}` says when it has come"),
        Code::TooManyPages => format!("hold the rooms again: `surehold stay quote {tenant} {property} NIGHTS`"),
        Code::PropertyFull => "change one that is there, or make another property".to_owned(),
        Code::CurrencyFixed => "leave --currency out, or make another property".to_owned(),
        Code::QuoteIdReused | Code::StayIdReused => "leave --id out to make another one".to_owned(),
        Code::QuoteIdOutsideWindow => {
            "leave --id out; a UUIDv7 carries its time and is good for a while only".to_owned()
        }
        Code::ReservationEnded => "one that has ended does not come back; sell the nights again".to_owned(),
        Code::GuestsMayStillCome => {
            "`surehold stay reservation cancel` gives rooms up before the day of arrival".to_owned()
        }
        Code::StayHasBegun => "name the same first night and the same rooms, and another last one".to_owned(),
        _ => format!("`surehold problem {}` explains it", code.as_str()),
    }
}

fn is_test(request: &Request) -> bool {
    request.headers.iter().any(|(name, value)| *name == "surehold-mode" && value == "test")
}

/// An argument to paste.
pub(super) fn quoted(text: &str) -> String {
    let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.:@%=".contains(&b));
    if plain { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

fn operation_named(operation: &Value) -> String {
    let part = |name: &str, absent: &str| operation[name].as_str().map_or_else(|| absent.to_owned(), quoted);
    format!("{} {}", part("type", "TYPE"), part("key", "KEY"))
}

/// As arguments to paste.
fn named(pool: &Value) -> String {
    let resource = quoted(pool["resource"].as_str().unwrap_or("RESOURCE"));
    match pool["slot"].as_str() {
        None | Some("") => resource,
        Some(slot) => format!("{resource} --slot {slot}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn hints_can_be_pasted() {
        let check = |code, problem: Value, expected: &str| {
            let hint = hint_for(code, &problem, &Request::get(&["v1", "casa", "pools"])).unwrap();
            assert!(hint.contains(expected), "{hint}");
        };
        let line = json!({"lines": [{"resource": "double", "slot": "2026-12-24"}]});
        check(Code::SoldOut, line, "`surehold explain casa double --slot 2026-12-24`");
        let pool = json!({"pools": [{"resource": "it's a shirt", "slot": ""}]});
        check(Code::PoolClosed, pool, r"`surehold pool put casa 'it'\''s a shirt' --open`");
        let operation = json!({"operation": {"type": "SEND_MONEY", "key": "a b:1"}, "step": 1});
        check(Code::EffectInDoubt, operation, "`surehold op settle casa SEND_MONEY 'a b:1' --step 1`");
        let unknown = json!({"property": "casa-mar", "room_type": "duoble"});
        check(Code::RoomTypeNotFound, unknown, "`surehold stay room-type list casa casa-mar`");
        let hold = "01a292d7-1960-7c3a-9f21-5d0e8b6a4c17";
        let booked = format!("`surehold stay reservation show casa {hold}`");
        check(Code::ReservationExists, json!({ "hold": hold }), &booked);
        let short = json!({"short": [{"store": "main", "product": "tea"}]});
        check(Code::Short, short, "`surehold explain casa main/tea`");
        check(Code::ProductNotFound, json!({"products": ["a b"]}), "`surehold stock product put casa 'a b'`");
        check(Code::CursorGone, json!({"cursor": "0-0"}), "--after 0-0 ");
        check(Code::NotFound, json!({}), "tenant list");
        assert_eq!(hint_for(Code::NotFound, &json!({}), &Request::get(&["admin", "x"])), None);
        let test = Request::get(&["v1", "casa"]).test(true);
        assert!(hint_for(Code::NotFound, &json!({}), &test).unwrap().contains("key create casa --test"));
    }
}
