//! Names that are formats. An idempotency key counts within its command, so a command with another name would act on a
//! repeat; an operation is found by its type and its key; a case by its kind and its key; words stand in columns.

use std::fmt::Display;

use surehold_core::operations::builtin::{ANNOUNCE, EXPIRE_HOLD, PROCESS_INBOX_EVENT};
use surehold_core::operations::outbox::{DELIVER_WEBHOOK, EndpointState, offered_events};
use surehold_core::operations::{
    AttemptOutcome, CaseState, Doubt, EffectState, OperationState, OperationType, Outcome, RECONCILE_STUCK_OPERATION,
};
use surehold_core::stays::operations::{
    CREATE_CHECKOUT_SESSION, EXPIRE_CHECKOUT_SESSION, PROCESS_STRIPE_EVENT, REFUND_PAYMENT,
};
use surehold_core::stock::operations::POST_DOCUMENT;
use surehold_samples::Golden;

use super::sources::declared;

const TYPES: [&OperationType; 10] = [
    &ANNOUNCE,
    &CREATE_CHECKOUT_SESSION,
    &DELIVER_WEBHOOK,
    &EXPIRE_CHECKOUT_SESSION,
    &EXPIRE_HOLD,
    &POST_DOCUMENT,
    &PROCESS_INBOX_EVENT,
    &PROCESS_STRIPE_EVENT,
    &RECONCILE_STUCK_OPERATION,
    &REFUND_PAYMENT,
];

#[test]
fn names_that_are_formats_stay() {
    let mut golden = Golden::new(env!("CARGO_MANIFEST_DIR"), "names.txt");
    golden.line("# commands");
    golden.lines(&declared("const NAME: &'static str = \"", "\""));
    golden.line("# types of operations, with the parts of their keys");
    for kind in TYPES {
        golden.line(&format!("{} {}", kind.name, kind.key.join(" ")));
    }
    golden.line("# kinds of cases");
    let mut kinds: Vec<String> = declared("const CASE_", ";").iter().map(|kind| quoted(kind)).collect();
    kinds.sort();
    kinds.dedup();
    golden.lines(&kinds);
    golden.line("# events that webhooks can choose");
    offered_events().for_each(|event| golden.line(event));
    golden.line("# words");
    words(&mut golden, "states of operations", OperationState::ALL);
    words(&mut golden, "how operations ended", Outcome::ALL);
    words(&mut golden, "states of effects", EffectState::ALL);
    words(&mut golden, "doubts about effects", Doubt::ALL);
    words(&mut golden, "how attempts ended", AttemptOutcome::ALL);
    words(&mut golden, "states of cases", CaseState::ALL);
    words(&mut golden, "states of endpoints", EndpointState::ALL);
    golden.check();
}

#[test]
fn every_type_of_operation_is_listed() {
    let listed: Vec<&str> = TYPES.iter().map(|kind| kind.name).collect();
    assert_eq!(listed, declared("pub static ", ": OperationType"));
}

fn quoted(declaration: &str) -> String {
    declaration.split('"').nth(1).expect("a kind of case is a text").to_owned()
}

fn words(golden: &mut Golden, what: &str, words: &[impl Display]) {
    let words: Vec<String> = words.iter().map(ToString::to_string).collect();
    golden.line(&format!("{what}: {}", words.join(", ")));
}
