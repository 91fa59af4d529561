//! What to do next, in the words of the command line, where the problem's own sentence does not say it.

use serde_json::Value;
use surehold_api::{PoolName, Problem, Request};
use surehold_core::kernel::Slot;

/// By code. `{name}` is what [`NAMES`] says, taken from the problem, or the tenant of the request.
const HINTS: &[(&[&str], &str)] = &[
    (&["sold-out"], "`surehold explain {tenant} {pool}` says who has it, and when the next is free"),
    (&["pool-closed"], "`surehold pool put {tenant} {pool} --open` opens it"),
    (&["pool-version"], "somebody changed it; look again with `surehold pool show {tenant} {pool}`"),
    (
        &["pool-not-found"],
        "`surehold pool list {tenant}` shows what there is; `surehold pool put {tenant} {pool} --total N` makes it",
    ),
    (&["cursor-gone"], "--after {cursor} begins with the oldest event that is kept"),
    (
        &["lifetime-too-long", "owner-holds-limit", "owner-lifetime-limit"],
        "`surehold tenant policy {tenant}` shows and changes the limits",
    ),
    (&["hold-not-found"], "`surehold hold list {tenant} --active` shows the live ones"),
    (&["hold-ended"], "place a new hold; an ended one does not come back"),
    (&["hold-id-reused"], "leave --id out to place another hold"),
    (
        &["hold-id-outside-window", "quote-id-outside-window", "document-id-outside-window"],
        "leave --id out; a UUIDv7 carries its time and is good for a while only",
    ),
    (&["idempotency-key-reused"], "use another --idempotency-key, or leave it out"),
    (&["key-not-found", "key-ended"], "`surehold key list [TENANT]` shows the keys"),
    (&["unauthenticated"], "check SUREHOLD_KEY or --key; `surehold key list` tells which keys are good"),
    (&["scope-missing"], "use a key with that scope; on the server's machine no key is needed"),
    (&["range-too-wide"], "ask for fewer nights, or name a --resource"),
    (&["nothing-booked"], "only what was converted with --book can be moved or given back"),
    (&["busy", "unavailable", "stopping", "not-executed"], "nothing was changed; run it again"),
    (&["outcome-unknown"], "look whether it happened, then run it again"),
    (&["too-many-requests", "too-many-streams"], "wait a moment, then run it again"),
    (&["corrupt"], "`surehold doctor` checks the store"),
    // Operations.
    (&["schedule-not-found"], "`surehold schedule list {tenant}` shows what there is"),
    (&["endpoint-not-found"], "`surehold webhook list {tenant}` shows the endpoints"),
    (&["endpoint-exists"], "--replace changes it; it keeps its secret and its place"),
    (&["address-not-allowed"], "give it a public https:// address; `webhooks.reach` widens what the server calls"),
    (
        &["operation-not-found"],
        "`surehold op list {tenant} --correlation KIND=VALUE` finds operations without their keys",
    ),
    (&["operation-state", "effect-not-in-doubt"], "`surehold op show {tenant} {operation}` says how it stands"),
    (
        &["effect-in-doubt"],
        "look at the provider's, then `surehold op settle {tenant} {operation} --step {step}` with what you found",
    ),
    (&["case-not-found"], "`surehold case list {tenant}` shows the open ones"),
    (&["case-resolved"], "`surehold case list {tenant} --resolved` shows how it ended"),
    (&["changed"], "somebody else was faster; look again, then decide"),
    // Stays.
    (
        &["property-not-found"],
        "`surehold stay property list {tenant}` shows what there is; `surehold stay property put {tenant} {property} \
         --zone ZONE --currency CODE` makes it",
    ),
    (&["room-type-not-found"], "`surehold stay room-type list {tenant} {property}` shows what there is"),
    (&["rate-plan-not-found"], "`surehold stay rate-plan list {tenant} {property}` shows what there is"),
    (&["option-not-found"], "`surehold stay quote show {tenant} {quote}` shows the options"),
    (
        &["quote-not-found", "quote-expired", "price-changed"],
        "ask anew with `surehold stay quote {tenant} {property} NIGHTS`",
    ),
    (&["stay-not-found"], "`surehold stay list {tenant} {property}` shows the stays whose rooms are held"),
    (
        &["reservation-not-found"],
        "`surehold stay show {tenant} {stay}` says what became of it; `surehold stay arrivals {tenant} {property} \
         DATE` lists reservations",
    ),
    (&["not-for-sale"], "`surehold stay calendar {tenant} {property} NIGHTS --plans` shows what is sold, and how"),
    (&["reservation-exists"], "`surehold stay reservation show {tenant} {stay}` shows it"),
    (
        &["payments-not-set-up"],
        "`surehold stay property put {tenant} {property} --payment-account NAME` names who is paid",
    ),
    (&["nothing-to-pay"], "`surehold stay confirm {tenant} {stay}` books it"),
    (&["payment-on-its-way"], "`surehold stay show {tenant} {stay}` says when it has come"),
    (&["too-many-pages"], "hold the rooms again: `surehold stay quote {tenant} {property} NIGHTS`"),
    (&["property-full"], "change one that is there, or make another property"),
    (&["currency-fixed"], "leave --currency out, or make another property"),
    (&["quote-id-reused", "stay-id-reused"], "leave --id out to make another one"),
    (&["reservation-ended"], "one that has ended does not come back; sell the nights again"),
    (&["guests-may-still-come"], "`surehold stay reservation cancel` gives rooms up before the day of arrival"),
    (&["stay-has-begun"], "name the same first night and the same rooms, and another last one"),
    // Stock.
    (
        &["store-not-found"],
        "`surehold stock store list {tenant}` shows what there is; `surehold stock store put {tenant} {store} \
         --currency CODE` makes it",
    ),
    (
        &["product-not-found"],
        "`surehold stock product list {tenant}` shows what there is; `surehold stock product put {tenant} {product}` \
         makes it",
    ),
    (
        &["pack-not-found"],
        "`surehold stock product show {tenant} {product}` shows its packs; `surehold stock product put {tenant} \
         {product} --pack NAME=COUNT` adds one",
    ),
    (&["barcode-not-found"], "`surehold stock barcode put {tenant} PRODUCT {barcode}` gives it to a product"),
    (&["barcode-taken"], "`surehold stock product show {tenant} {product}` shows whose it is"),
    (&["document-not-found"], "`surehold stock document list {tenant}` shows what there is"),
    (
        &["line-not-found", "document-state", "part-missing", "about-other-kind", "more-than-left"],
        "`surehold stock document show {tenant} {document}` shows its lines and what is left of them",
    ),
    (&["document-has-followers"], "`surehold stock document list {tenant} --about {document}` shows them"),
    (&["insufficient-stock"], "`surehold explain {tenant} {store}/{product}` says who has it"),
    (
        &["items-moved"],
        "`surehold stock card {tenant} {store} {product}` shows what moved; count again, or let the difference count \
         with --difference",
    ),
    (
        &["already-open", "insufficient-in-past", "count-backdated"],
        "`surehold stock card {tenant} {store} {product} --order effect` shows what moved, and when",
    ),
    (
        &["insufficient-lot", "lot-differs", "too-many-lots"],
        "`surehold stock show {tenant} --in {store} --product {product}` shows its lots",
    ),
    (&["not-opened"], "`surehold stock opening` brings what is there into the books, at what it cost"),
    (&["books-closed"], "post it with a later --at, or without one"),
    (&["books-busy"], "`surehold stock books {tenant}` says what is still on its way; then run it again"),
    (&["store-currency-fixed"], "leave --currency out, or make another store"),
    (&["product-fixed"], "scale, tracking and the size of a pack stay; make another product, or pack"),
    (&["document-id-reused"], "leave --id out to make another document"),
    (&["lot-expired"], "`surehold stock write-off` takes out what has expired"),
    (&["lot-needed"], "name it behind the line, as in milk=5@0.90,lot=L7"),
    (&["serials-missing"], "list every piece behind the line, as in phone=2,serial=A1,serial=A2"),
    (&["tracked-by-stock"], "documents move it: `surehold stock purchase`, `sale`, `recount` and others"),
];

/// Where a problem has what hints name, and the word that stands for it where it does not.
const NAMES: &[(&str, &[&str], &str)] = &[
    ("resource", &["/lines/0/resource", "/pools/0/resource"], "RESOURCE"),
    ("cursor", &["/cursor"], "0-0"),
    ("type", &["/operation/type"], "TYPE"),
    ("key", &["/operation/key"], "KEY"),
    ("step", &["/step"], "STEP"),
    ("property", &["/property"], "PROPERTY"),
    ("quote", &["/quote"], "QUOTE"),
    ("stay", &["/hold"], "STAY"),
    ("store", &["/store", "/short/0/store", "/moved/0/store", "/item/store"], "STORE"),
    ("product", &["/products/0", "/short/0/product", "/moved/0/product", "/item/product"], "PRODUCT"),
    ("barcode", &["/barcodes/0"], "CODE"),
    ("document", &["/document"], "DOCUMENT"),
];

pub(super) fn hint_for(problem: &Problem, request: &Request) -> Option<String> {
    let tenant = request.tenant.as_deref();
    match (&*problem.code, tenant) {
        ("not-found", _) if request.test => {
            let tenant = tenant.unwrap_or("TENANT");
            return Some(format!("test data begins with the first test key: `surehold key create {tenant} --test`"));
        }
        ("not-found", Some(_)) => {
            return Some("`surehold tenant list` shows the tenants; a key opens only its own".to_owned());
        }
        _ => {}
    }
    let (_, hint) = HINTS.iter().find(|(codes, _)| codes.contains(&&*problem.code))?;
    Some(filled_in(hint, problem, tenant.unwrap_or("TENANT")))
}

pub(super) fn repeat_hint(flag: &str) -> String {
    format!("run it again with {flag}: it will not happen twice")
}

fn filled_in(hint: &str, problem: &Problem, tenant: &str) -> String {
    let mut said = String::new();
    let mut rest = hint;
    while let Some((before, (name, after))) =
        rest.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
    {
        said.push_str(before);
        let word = match name {
            "tenant" => tenant.to_owned(),
            "pool" => pool_named(problem),
            "operation" => format!("{} {}", named("type", problem), named("key", problem)),
            _ => named(name, problem),
        };
        said.push_str(&word);
        rest = after;
    }
    said + rest
}

/// What a member of a problem has at a place in it.
fn found(problem: &Problem, place: &str) -> Option<Value> {
    let (member, within) = place.split_at(place[1..].find('/').map_or(place.len(), |end| end + 1));
    problem.member::<Value>(&member[1..])?.pointer(within).cloned()
}

/// As an argument to paste.
fn named(name: &str, problem: &Problem) -> String {
    let Some((_, places, absent)) = NAMES.iter().find(|(known, _, _)| *known == name) else {
        unreachable!("a test fills in every hint")
    };
    match places.iter().find_map(|place| found(problem, place)) {
        Some(Value::String(text)) => quoted(&text),
        Some(Value::Number(number)) => number.to_string(),
        _ => (*absent).to_owned(),
    }
}

/// As arguments to paste.
fn pool_named(problem: &Problem) -> String {
    let resource = named("resource", problem);
    let pools = ["lines", "pools"].iter().find_map(|member| problem.member::<Vec<PoolName>>(member));
    match pools.as_deref() {
        Some([PoolName { slot, .. }, ..]) if *slot != Slot::NONE => format!("{resource} --slot {slot}"),
        Some(_) | None => resource,
    }
}

fn quoted(text: &str) -> String {
    let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.:@%=".contains(&b));
    if plain { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use surehold_api::kernel;
    use surehold_core::kernel::Slug;
    use surehold_http::problem::ProblemType;

    use super::*;

    fn problem(code: &str, data: &Value) -> Problem {
        let mut problem = json!({"type": "", "title": "", "status": 409, "code": code, "detail": ""});
        problem.as_object_mut().unwrap().extend(data.as_object().unwrap().clone());
        serde_json::from_str(&problem.to_string()).unwrap()
    }

    #[test]
    fn hints_can_be_pasted() {
        let casa = Slug::new("casa").unwrap();
        let check = |code, data: Value, expected: &str| {
            let hint = hint_for(&problem(code, &data), kernel::pools(&casa).request()).unwrap();
            assert!(hint.contains(expected), "{hint}");
        };
        let line = json!({"lines": [{"resource": "double", "slot": "2026-12-24"}]});
        check("sold-out", line, "`surehold explain casa double --slot 2026-12-24`");
        let pool = json!({"pools": [{"resource": "it's a shirt", "slot": ""}]});
        check("pool-closed", pool, r"`surehold pool put casa 'it'\''s a shirt' --open`");
        let operation = json!({"operation": {"type": "SEND_MONEY", "key": "a b:1"}, "step": 1});
        check("effect-in-doubt", operation, "`surehold op settle casa SEND_MONEY 'a b:1' --step 1`");
        let unknown = json!({"property": "casa-mar", "room_type": "duoble"});
        check("room-type-not-found", unknown, "`surehold stay room-type list casa casa-mar`");
        let hold = "01a292d7-1960-7c3a-9f21-5d0e8b6a4c17";
        let booked = format!("`surehold stay reservation show casa {hold}`");
        check("reservation-exists", json!({ "hold": hold }), &booked);
        let short = json!({"short": [{"store": "main", "product": "tea"}]});
        check("insufficient-stock", short, "`surehold explain casa main/tea`");
        check("product-not-found", json!({"products": ["a b"]}), "`surehold stock product put casa 'a b'`");
        check("cursor-gone", json!({"cursor": "0-0"}), "--after 0-0 ");
        check("not-found", json!({}), "tenant list");
        let nothing = problem("not-found", &json!({}));
        assert_eq!(hint_for(&nothing, kernel::tenants().request()), None);
        let test = kernel::tenant(&casa).test(true);
        assert!(hint_for(&nothing, test.request()).unwrap().contains("key create casa --test"));
    }

    #[test]
    fn hints_are_about_codes_that_exist_and_can_be_filled_in() {
        let mut seen = Vec::new();
        for (codes, hint) in HINTS {
            assert!(!filled_in(hint, &problem("x", &json!({})), "casa").contains(['{', '}']), "{hint}");
            for code in *codes {
                assert!(ProblemType::find(code).is_some(), "{code}");
                assert!(!seen.contains(code), "{code} has two hints");
                seen.push(code);
            }
        }
    }

    /// What the problem itself says is enough.
    const NEEDS_NONE: &[&str] = &[
        // The command line does not make such requests, or they are not of its making.
        "malformed-json",
        "malformed-request",
        "idempotency-key-missing",
        "idempotency-key-malformed",
        "task-id-missing",
        "task-not-found",
        "signature-invalid",
        "method-not-allowed",
        "request-timeout",
        "unsupported-media-type",
        "key-id-reused",
        // Something that was asked for cannot be, and the sentence names the bound.
        "body-too-large",
        "invalid",
        "total-out-of-range",
        "lines-exceed-hold",
        "grant-exceeded",
        "key-expiry-past",
        "document-too-long",
        "effective-in-future",
        "effective-too-early",
        "item-out-of-range",
        "document-out-of-range",
        // It contradicts what is there, and the sentence names both.
        "tenant-exists",
        "hold-not-due",
        "operation-conflict",
        "currencies-differ",
        "about-other-store",
        "lot-unwanted",
        "serials-unwanted",
        "serials-not-counted",
        "serials-elsewhere",
        "hold-of-others",
        "not-reversible",
        // Nothing can be done but to report it.
        "defect",
    ];

    #[test]
    fn every_code_has_a_hint_or_needs_none() {
        let hinted: Vec<&str> = HINTS.iter().flat_map(|(codes, _)| codes.iter().copied()).collect();
        for known in ProblemType::all() {
            // What is not found depends on who asks for it.
            let has_hint = hinted.contains(&known.code) || known.code == "not-found";
            let needs_none = NEEDS_NONE.contains(&known.code);
            assert!(has_hint || needs_none, "`{}` is new: write a hint, or list it above", known.code);
            assert!(!(has_hint && needs_none), "`{}` has a hint", known.code);
        }
        for code in NEEDS_NONE {
            assert!(ProblemType::find(code).is_some(), "{code}");
        }
    }
}
