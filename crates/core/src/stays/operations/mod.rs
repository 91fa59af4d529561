//! What follows from payments and leads to them. Start reading at `process.rs`: the news of a payment, decided with all
//! their consequences in one transaction.

mod create_session;
mod expire_session;
mod news;
mod paid;
mod process;
mod refund;
mod request;
mod stray;
#[cfg(test)]
pub(super) mod tests;
mod types;

pub use create_session::CreateCheckoutSession;
pub(super) use create_session::{checkout_key, create_checkout_session, outlive, session_end};
pub use expire_session::ExpireCheckoutSession;
pub(super) use expire_session::expire_checkout_session;
pub use news::{PaymentNews, PaymentObjects, PaymentTurn, process_stripe_event};
pub use process::ProcessStripeEvent;
pub use refund::RefundPayment;
pub(super) use refund::refund_payment;
pub use request::{CheckoutItem, MARK, NewRefund, NewSession, PaymentRequest, SessionCreated, SessionExpiry};
pub use types::{CREATE_CHECKOUT_SESSION, EXPIRE_CHECKOUT_SESSION, PROCESS_STRIPE_EVENT, REFUND_PAYMENT, TYPES};
