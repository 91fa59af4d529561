//! From refusals and faults to problems. Handlers translate; nothing is decided here.

use surehold_core::kernel::{Invalid, Refusal};
use surehold_core::operations::InboxRefusal;
use surehold_core::operations::OperationRefusal;
use surehold_core::stays::StayRefusal;
use surehold_engine::{Failure, Fault};

use super::{Code, Problem};
use crate::wire::ShortLine;

impl From<Invalid> for Problem {
    fn from(invalid: Invalid) -> Problem {
        Problem::new(Code::Invalid, invalid.to_string())
    }
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Problem {
        let code = match fault {
            Fault::Busy => Code::Busy,
            Fault::NotExecuted => Code::NotExecuted,
            Fault::OutcomeUnknown => Code::OutcomeUnknown,
            Fault::Unavailable => Code::Unavailable,
            Fault::Corrupt => Code::Corrupt,
            Fault::Stopping => Code::Stopping,
        };
        let retry_after_secs = (code != Code::Corrupt).then_some(1);
        Problem::new(code, fault.to_string()).with(|data| data.retry_after_secs = retry_after_secs)
    }
}

impl<R: Into<Problem>> From<Failure<R>> for Problem {
    fn from(failure: Failure<R>) -> Problem {
        match failure {
            Failure::Refused(refusal) => refusal.into(),
            Failure::KeyReused => Problem::new(Code::IdempotencyKeyReused, failure.to_string()),
            Failure::Fault(fault) => fault.into(),
            Failure::Defect => Problem::new(Code::Defect, failure.to_string()),
        }
    }
}

impl From<Failure<InboxRefusal>> for Problem {
    fn from(failure: Failure<InboxRefusal>) -> Problem {
        match failure {
            Failure::Refused(refusal @ InboxRefusal::OperationConflict { .. }) => {
                Problem::new(Code::OperationConflict, refusal.to_string())
            }
            Failure::KeyReused => Problem::new(Code::IdempotencyKeyReused, failure.to_string()),
            Failure::Fault(fault) => fault.into(),
            Failure::Defect => Problem::new(Code::Defect, failure.to_string()),
        }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Problem {
        let detail = refusal.to_string();
        let problem = |code| Problem::new(code, detail);
        match refusal {
            Refusal::Invalid(invalid) => invalid.into(),
            Refusal::TenantNotFound => problem(Code::NotFound),
            Refusal::TenantExists => problem(Code::TenantExists),
            Refusal::IdOutsideWindow { id, .. } => problem(Code::HoldIdOutsideWindow).with(|data| data.hold = Some(id)),
            Refusal::HoldIdReused { id } => problem(Code::HoldIdReused).with(|data| data.hold = Some(id)),
            Refusal::HoldNotFound { id } => problem(Code::HoldNotFound).with(|data| data.hold = Some(id)),
            Refusal::HoldEnded { state } => problem(Code::HoldEnded).with(|data| data.state = Some(state)),
            Refusal::HoldNotDue { expires_at } => {
                problem(Code::HoldNotDue).with(|data| data.expires_at = Some(expires_at))
            }
            Refusal::LifetimeTooLong { secs_max, .. } => {
                problem(Code::LifetimeTooLong).with(|data| data.max = Some(secs_max))
            }
            Refusal::PoolNotFound { pools } => problem(Code::PoolNotFound).with(|data| data.pools = pools),
            Refusal::PoolVersion { pool, version } => problem(Code::PoolVersion).with(|data| {
                data.pools = vec![pool];
                data.version = Some(version);
            }),
            Refusal::TotalOutOfRange { pool, .. } => {
                problem(Code::TotalOutOfRange).with(|data| data.pools = vec![pool])
            }
            Refusal::PoolClosed { pools } => problem(Code::PoolClosed).with(|data| data.pools = pools),
            Refusal::NothingBooked => problem(Code::NothingBooked),
            Refusal::LinesExceedHold { pools } => problem(Code::LinesExceedHold).with(|data| data.pools = pools),
            Refusal::GrantExceeded { pool, granted } => problem(Code::GrantExceeded).with(|data| {
                data.pools = vec![pool];
                data.max = Some(granted);
            }),
            Refusal::OwnerHoldsLimit { holds_max } => {
                problem(Code::OwnerHoldsLimit).with(|data| data.max = Some(holds_max))
            }
            Refusal::OwnerLifetimeLimit { secs_max, .. } => {
                problem(Code::OwnerLifetimeLimit).with(|data| data.max = Some(secs_max))
            }
            Refusal::KeyNotFound { .. } => problem(Code::KeyNotFound),
            Refusal::KeyIdReused { .. } => problem(Code::KeyIdReused),
            Refusal::KeyEnded { .. } => problem(Code::KeyEnded),
            Refusal::KeyExpiryPast { .. } => problem(Code::KeyExpiryPast),
            Refusal::TrackedByStock { pools } => problem(Code::TrackedByStock).with(|data| data.pools = pools),
            Refusal::SoldOut { lines } => {
                problem(Code::SoldOut).with(|data| data.lines = lines.into_iter().map(ShortLine::from).collect())
            }
        }
    }
}

impl From<OperationRefusal> for Problem {
    fn from(refusal: OperationRefusal) -> Problem {
        let detail = refusal.to_string();
        let problem = |code| Problem::new(code, detail);
        match refusal {
            OperationRefusal::Kernel(refusal) => refusal.into(),
            // Between us and our workers: no request can be answered with it.
            OperationRefusal::Trouble(_) | OperationRefusal::LeaseLost { .. } => problem(Code::Defect),
            OperationRefusal::OperationNotFound { operation } => {
                problem(Code::OperationNotFound).with(|data| data.operation = Some(operation))
            }
            OperationRefusal::OperationConflict { operation } => {
                problem(Code::OperationConflict).with(|data| data.operation = Some(operation))
            }
            OperationRefusal::OperationState { operation, state } => problem(Code::OperationState).with(|data| {
                data.operation = Some(operation);
                data.operation_state = Some(state);
            }),
            OperationRefusal::EffectInDoubt { operation, step } => problem(Code::EffectInDoubt).with(|data| {
                data.operation = Some(operation);
                data.step = Some(step);
            }),
            OperationRefusal::EffectNotInDoubt { operation, step } => problem(Code::EffectNotInDoubt).with(|data| {
                data.operation = Some(operation);
                data.step = Some(step);
            }),
            OperationRefusal::CaseNotFound { case } => problem(Code::CaseNotFound).with(|data| data.case = Some(case)),
            OperationRefusal::CaseResolved { case } => problem(Code::CaseResolved).with(|data| data.case = Some(case)),
            OperationRefusal::ScheduleNotFound { .. } => problem(Code::ScheduleNotFound),
            OperationRefusal::EndpointNotFound { .. } => problem(Code::EndpointNotFound),
            OperationRefusal::EndpointExists { .. } => problem(Code::EndpointExists),
            OperationRefusal::Changed { .. } => problem(Code::Changed),
        }
    }
}

impl From<StayRefusal> for Problem {
    fn from(refusal: StayRefusal) -> Problem {
        let detail = refusal.to_string();
        let problem = |code| Problem::new(code, detail);
        match refusal {
            StayRefusal::Kernel(refusal) => refusal.into(),
            StayRefusal::PropertyNotFound { property } => {
                problem(Code::PropertyNotFound).with(|data| data.property = Some(property))
            }
            StayRefusal::RoomTypeNotFound { property, room_type } => problem(Code::RoomTypeNotFound).with(|data| {
                data.property = Some(property);
                data.room_type = Some(room_type);
            }),
            StayRefusal::RatePlanNotFound { property, rate_plan } => problem(Code::RatePlanNotFound).with(|data| {
                data.property = Some(property);
                data.rate_plan = Some(rate_plan);
            }),
            StayRefusal::CurrencyFixed { property, .. } => {
                problem(Code::CurrencyFixed).with(|data| data.property = Some(property))
            }
            StayRefusal::PropertyFull { property, count, .. } => problem(Code::PropertyFull).with(|data| {
                data.property = Some(property);
                data.max = Some(i64::from(count));
            }),
            StayRefusal::QuoteIdOutsideWindow { id, .. } => {
                problem(Code::QuoteIdOutsideWindow).with(|data| data.quote = Some(id))
            }
            StayRefusal::QuoteIdReused { id } => problem(Code::QuoteIdReused).with(|data| data.quote = Some(id)),
            StayRefusal::QuoteNotFound { id } => problem(Code::QuoteNotFound).with(|data| data.quote = Some(id)),
            StayRefusal::QuoteExpired { id, valid_until } => problem(Code::QuoteExpired).with(|data| {
                data.quote = Some(id);
                data.valid_until = Some(valid_until);
            }),
            StayRefusal::OptionNotFound { id, option } => problem(Code::OptionNotFound).with(|data| {
                data.quote = Some(id);
                data.option = Some(option);
            }),
            StayRefusal::NotForSale { room_type, rate_plan, why } => problem(Code::NotForSale).with(|data| {
                data.room_type = Some(room_type);
                data.rate_plan = Some(rate_plan);
                data.why = Some(why);
            }),
            StayRefusal::PriceChanged { room_type, rate_plan, price_quoted, price_now } => problem(Code::PriceChanged)
                .with(|data| {
                    data.room_type = Some(room_type);
                    data.rate_plan = Some(rate_plan);
                    data.price_quoted = Some(price_quoted);
                    data.price_now = Some(price_now);
                }),
            StayRefusal::StayNotFound { hold } => problem(Code::StayNotFound).with(|data| data.hold = Some(hold)),
            StayRefusal::StayIdReused { hold } => problem(Code::StayIdReused).with(|data| data.hold = Some(hold)),
            StayRefusal::ReservationNotFound { hold } => {
                problem(Code::ReservationNotFound).with(|data| data.hold = Some(hold))
            }
            StayRefusal::ReservationExists { hold, made_by, paid } => problem(Code::ReservationExists).with(|data| {
                data.hold = Some(hold);
                data.source = Some(made_by);
                data.paid = Some(paid);
            }),
            StayRefusal::ReservationEnded { state } => {
                problem(Code::ReservationEnded).with(|data| data.reservation_state = Some(state))
            }
            StayRefusal::GuestsMayStillCome { .. } => problem(Code::GuestsMayStillCome),
            StayRefusal::StayHasBegun { .. } => problem(Code::StayHasBegun),
            StayRefusal::PaymentsNotSetUp { property } => {
                problem(Code::PaymentsNotSetUp).with(|data| data.property = Some(property))
            }
            StayRefusal::NothingToPay => problem(Code::NothingToPay),
            StayRefusal::PaymentOnItsWay => problem(Code::PaymentOnItsWay),
            StayRefusal::TooManyPages { pages_max } => {
                problem(Code::TooManyPages).with(|data| data.max = Some(i64::from(pages_max)))
            }
        }
    }
}
