//! Small histories by hand: what each rule is for. Every scene is right as it is, and wrong with its lie.

mod effects;
mod feed;
mod order;
mod refusals;
mod requests;
mod scenes;
mod tasks;
