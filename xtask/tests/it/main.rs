//! Rules about the source that no compiler checks. Builds nothing of the product, so it runs with `--quick`.
#![allow(clippy::unwrap_used, reason = "a test that unwraps what is not there has failed, as it should")]

mod tidy;
