//! Prints the description of the API as it is committed: `cargo run -p surehold-http --example openapi`.
#![allow(clippy::print_stdout, reason = "the description is what this program has to say")]

fn main() {
    let text = surehold_http::openapi_document().to_pretty_json().expect("a description is plain data");
    println!("{text}");
}
