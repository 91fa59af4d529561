//! Problems: what a client reads when it is refused.

use serde::de::DeserializeOwned;
use surehold_core::kernel::{Invalid, Refusal};
use surehold_core::operations::{InboxRefusal, OperationInvalid, OperationRefusal};
use surehold_core::stays::{StayInvalid, StayRefusal};
use surehold_core::stock::{StockInvalid, StockRefusal};
use surehold_http::problem::Problem;
use surehold_http::wire;
use surehold_samples::Form::Tagged;
use surehold_samples::{Forms, Golden, samples_with};

/// An enum with a tag, which samples have to be told about.
const FORMS: Forms = &[(
    "NotForSale",
    Tagged {
        tag: "reason",
        variants: &[
            "in_the_past",
            "too_few_places",
            "no_rooms",
            "closed",
            "sold_out",
            "closed_to_arrival",
            "closed_to_departure",
            "stay_too_short",
            "stay_too_long",
            "too_late",
            "too_early",
            "stop_sell",
            "no_price",
        ],
        fields: &[
            &["today"],
            &["guests_max"],
            &["night"],
            &["night"],
            &["night", "available"],
            &["checkin"],
            &["checkout"],
            &["nights_min"],
            &["nights_max"],
            &["days_min"],
            &["days_max"],
            &["night"],
            &["night"],
        ],
    },
)];

fn told(problem: Problem) -> String {
    serde_json::to_string(&wire::Problem::from(problem)).unwrap()
}

fn add<R: DeserializeOwned + Into<Problem>>(golden: &mut Golden, what: &str) {
    golden.line(&format!("# {what}"));
    for refusal in samples_with::<R>(FORMS) {
        golden.line(&told(refusal.into()));
    }
}

/// What modules find wrong, in their own words.
fn add_invalid<I: DeserializeOwned + Into<Invalid>>(golden: &mut Golden, what: &str) {
    golden.line(&format!("# {what}"));
    for invalid in samples_with::<I>(FORMS) {
        golden.line(&told(Problem::from(invalid.into())));
    }
}

#[test]
fn refusals_keep_their_form() {
    let mut golden = Golden::new(env!("CARGO_MANIFEST_DIR"), "problems.txt");
    add::<Invalid>(&mut golden, "what is wrong with a request");
    add_invalid::<OperationInvalid>(&mut golden, "what is wrong with a request about operations");
    add_invalid::<StayInvalid>(&mut golden, "what is wrong with a request about stays");
    add_invalid::<StockInvalid>(&mut golden, "what is wrong with a request about stock");
    add::<Refusal>(&mut golden, "kernel");
    add::<OperationRefusal>(&mut golden, "operations");
    add::<InboxRefusal>(&mut golden, "inbox");
    add::<StayRefusal>(&mut golden, "stays");
    add::<StockRefusal>(&mut golden, "stock");
    golden.check();
}
