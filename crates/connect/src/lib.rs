//! The outside world: what Surehold says to other systems and hears from them. Knows wires and signatures; knows
//! nothing of databases, retries or of what a message means.
//!
//! [`webhooks`] speaks with everybody: [`webhooks::Sender`] posts one signed message to a customer's endpoint, and
//! [`webhooks::verify`] judges one that came in. Both follow the Standard Webhooks specification. [`stripe`] speaks with
//! Stripe: payments asked for, expired and refunded, and the events that tell what became of them.
//!
//! | Item | What it is for |
//! |---|---|
//! | [`webhooks::Secret`] | a signing secret, `whsec_…`; shown only on purpose |
//! | [`webhooks::sign`], [`webhooks::verify`] | the three headers, made and judged; time is an argument |
//! | [`webhooks::Address`], [`webhooks::Reach`], [`webhooks::is_public`] | whom we dare to call; ask when an endpoint is registered |
//! | [`webhooks::Sender`], [`webhooks::Delivery`] | one attempt: checked, signed, sent, never redirected |
//! | [`webhooks::Answer`], [`webhooks::SendError`] | its outcome, and whether it may have arrived |
//! | [`webhooks::Deliveries`] | the provider that carries out `DELIVER_WEBHOOK` operations with a sender |
//! | [`webhooks::Lookup`] | where the addresses of a name come from |
//! | [`stripe::verify`], [`stripe::Event`] | an event of Stripe's, believed and read |
//! | [`stripe::Stripe`], [`stripe::StripeAccount`] | single requests to Stripe, for one or several accounts |
//! | [`stripe::StripeProvider`] | the provider that carries out the stays' operations at Stripe |
//! | [`stripe::AccountHome`], [`stripe::Homes`] | whose an account is: who may use it, and who is told of its events |
//! | [`stripe::news`], [`stripe::arrival`] | an event in the core's words, and as the inbox keeps it |
//! | [`stripe::Sweeper`] | finds the events that never arrived |

pub mod stripe;
pub mod webhooks;
