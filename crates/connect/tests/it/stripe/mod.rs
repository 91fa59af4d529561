//! Stripe as it is spoken to.

mod afterwards;
mod asking;
mod events;
mod scripted;
