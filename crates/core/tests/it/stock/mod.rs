//! Stock without HTTP and without a store.

mod documents;
mod fraction;
mod long;
mod model;
mod random;
mod rounds;
mod tables;
mod world;
