//! Scenario, answer. One file per group of commands; `rules` has what spans several of them.

mod any_hold;
mod bad_input;
mod booked;
mod convert;
mod endings;
mod expiry;
mod extend;
mod journal;
mod keys;
mod owners;
mod place;
mod pools;
mod rules;
mod schedules;
mod tenants;
