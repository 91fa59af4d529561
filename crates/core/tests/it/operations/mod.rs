//! Operations without a store: tables in the language of `desk`, and a model of workers and a provider.
//! Every command is audited; start reading at `dedupe`.

mod audit;
mod dedupe;
mod desk;
mod ending;
mod kinds;
mod model;
mod operators;
mod order;
mod provider;
mod records;
pub(crate) mod store;
