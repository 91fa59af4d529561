//! The simulated Stripe over real HTTP: its promises, its bad days, its page and its webhooks.

mod events;
mod faults;
mod keys;
mod page;
mod refunds;
mod scene;
mod sessions;
mod webhooks;
