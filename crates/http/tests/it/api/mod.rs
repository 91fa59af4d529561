//! The API as its callers meet it: rows of requests and answers, on a store of their own.

mod batch;
mod conventions;
mod events;
mod examples;
mod explain;
mod holds;
mod idempotency;
mod inbox;
mod keys;
mod limits;
mod pages;
mod pools;
mod schedules;
mod stays;
mod stock;
mod strict;
mod stripe;
mod walk;
mod webhooks;
mod world;
