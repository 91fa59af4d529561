//! The example of each request, read as strictly as a server reads it.

use std::collections::BTreeMap;

use surehold_http::fuzz::{of_modules, operations};

#[test]
fn every_request_has_a_reader_that_makes_a_command_of_its_example() {
    let modules = of_modules();
    let mut readers: BTreeMap<_, _> = modules.iter().flat_map(|readers| readers.bodies.iter().copied()).collect();
    let requests: BTreeMap<_, _> = operations()
        .into_iter()
        .filter_map(|operation| Some((operation.body?.request, operation.body?.example)))
        .collect();
    for (request, example) in requests {
        let read = readers.remove(request).unwrap_or_else(|| panic!("no `fuzz.rs` has a reader of {request}"));
        let understood = read(example.to_string().as_bytes());
        let understood = understood.unwrap_or_else(|| panic!("the example of {request} is not one"));
        assert!(understood.is_command, "{request}: {}", understood.meaning);
    }
    assert!(readers.is_empty(), "nothing takes these: {:?}", readers.keys());
}
