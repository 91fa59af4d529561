//! The canonical form of each request that takes an `Idempotency-Key`. Its hash is kept with the reply: a repeat that an
//! upgraded server writes in another form would be refused as a reuse of the key.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use surehold_core::kernel::{HoldId, PoolKey};
use surehold_core::operations::{CaseKey, OperationKey};
use surehold_core::stock::DocumentId;
use surehold_http::wire;
use surehold_http::wire::stock;
use surehold_samples::{Golden, samples_of};

fn add<T: DeserializeOwned + Serialize>(golden: &mut Golden, what: &str) {
    golden.line(&format!("# {what}"));
    for request in samples_of::<T>() {
        golden.line(&serde_json::to_string(&request).unwrap());
    }
}

#[test]
fn canonical_requests_keep_their_form() {
    let mut golden = Golden::new(env!("CARGO_MANIFEST_DIR"), "requests.txt");
    add::<wire::PlaceHold>(&mut golden, "place a hold");
    add::<(HoldId, wire::ExtendHold)>(&mut golden, "extend a hold");
    add::<(HoldId, wire::ConvertHold)>(&mut golden, "convert a hold");
    add::<HoldId>(&mut golden, "cancel a hold or a stay");
    add::<(HoldId, wire::MoveBooked)>(&mut golden, "move what is booked");
    add::<(HoldId, wire::GiveBack)>(&mut golden, "give back what is booked");
    add::<(PoolKey, wire::AdjustPool)>(&mut golden, "adjust a pool");
    add::<(OperationKey, wire::Act)>(&mut golden, "act on an operation");
    add::<(OperationKey, wire::SettleEffect)>(&mut golden, "settle an effect");
    add::<(CaseKey, wire::AssignCase)>(&mut golden, "assign a case");
    add::<(CaseKey, wire::Act)>(&mut golden, "resolve a case");
    add::<wire::Act>(&mut golden, "raise the epoch");
    add::<wire::CreateStay>(&mut golden, "create a stay");
    add::<(HoldId, wire::ConfirmStay)>(&mut golden, "confirm a stay");
    add::<(HoldId, wire::RequestCheckout)>(&mut golden, "ask for a payment page");
    add::<wire::WalkIn>(&mut golden, "walk in");
    add::<(HoldId, wire::EndReservation)>(&mut golden, "cancel a reservation, or note that its guests did not come");
    add::<(HoldId, wire::ChangeReservation)>(&mut golden, "change a reservation");
    add::<stock::NewDocument>(&mut golden, "save or post a document");
    add::<DocumentId>(&mut golden, "post a draft");
    add::<(DocumentId, stock::ReverseDocument)>(&mut golden, "reverse a document");
    add::<(HoldId, stock::SellHold)>(&mut golden, "sell a hold");
    golden.line("# what handlers say under a key, as their source has it");
    golden.lines(&handed_over());
    golden.check();
}

/// A handler that says something else under a key is noticed by its source: the lists above cannot know it.
fn handed_over() -> Vec<String> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    for path in sources(&src) {
        let source = fs::read_to_string(&path).unwrap();
        let file = path.strip_prefix(&src).unwrap().with_extension("").display().to_string();
        for line in source.lines() {
            let said = |call: &str| line.split_once(call).map(|(_, rest)| rest);
            let unless = said("idempotency.key_unless(").and_then(|rest| rest.split_once(", ")).map(|(_, rest)| rest);
            if let Some(rest) = said("idempotency.key(").or(said("idempotency.needed_key(")).or(unless) {
                let request = rest.split([',', '?']).next().unwrap();
                let whole = if request.starts_with("&(") { rest.split_once(')').unwrap().0 } else { request };
                found.push(format!("{file}: {}", whole.trim_start_matches('&').trim_matches(['(', ')'])));
            }
        }
    }
    found.sort();
    found
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}
