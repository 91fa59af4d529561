//! Under one idempotency key: one request, one answer, word for word; another request is told so.

use std::collections::HashMap;

use super::findings::{Verdict, count_of};
use super::requests::{Fate, Request, function, is_defect, is_turned_away};
use crate::torture::history::Answer;

/// Whether it says anything about the key: those who were turned away, and who met a defect, were not looked at.
fn is_decided(refusal: &str) -> bool {
    !is_turned_away(refusal) && !is_defect(refusal)
}

pub(super) fn check(requests: &[Request<'_>], verdict: &mut Verdict) {
    let mut groups: HashMap<(&str, &str), Vec<&Request<'_>>> = HashMap::new();
    for request in requests {
        if let Some(key) = request.key() {
            groups.entry((function(request.ask()), key)).or_default().push(request);
        }
    }
    verdict.checked.keys = count_of(groups.len());
    for ((name, key), group) in &groups {
        check_group(&format!("{name} under the key {key}"), group, verdict);
    }
}

/// What was said, without whether it had been said before.
fn words(answer: &Answer) -> Answer {
    match answer.clone() {
        Answer::Hold { hold, .. } => Answer::Hold { hold, replayed: true },
        Answer::Pool { pool, .. } => Answer::Pool { pool, replayed: true },
        Answer::Absent => Answer::Absent,
        Answer::Task { .. } => Answer::Task { replayed: true },
    }
}

fn check_group(name: &str, group: &[&Request<'_>], verdict: &mut Verdict) {
    let oks: Vec<&&Request<'_>> = group.iter().filter(|request| request.fate == Fate::Ok).collect();
    let reused = group.iter().filter(|request| request.refusal() == Some("idempotency-key-reused"));
    if group.iter().all(|request| request.ask() == group[0].ask()) {
        for request in reused {
            verdict.add("replies-repeat", || format!("{name}: {} is no other request", request.name()));
        }
    }
    let Some(first) = oks.iter().min_by_key(|request| request.done()) else { return };
    for request in &oks {
        if request.ask() != first.ask() {
            verdict.add("replies-repeat", || format!("{name}: {} and {} are both ok", first.name(), request.name()));
        } else if request.answer().map(words) != first.answer().map(words) {
            let (one, other) = (first.answer(), request.answer());
            verdict.add("replies-repeat", || format!("{name} was answered {one:?} and {other:?}"));
        }
    }
    let news = oks.iter().filter(|request| request.is_news()).count();
    if news > 1 {
        verdict.add("replies-repeat", || format!("{name} was new {news} times"));
    }
    for request in group.iter().filter(|request| request.begun() > first.done()) {
        let Some(refusal) = request.refusal().filter(|refusal| is_decided(refusal)) else { continue };
        if request.ask() == first.ask() || refusal != "idempotency-key-reused" {
            verdict.add("replies-repeat", || format!("{name} was done, and {} was answered {refusal}", request.name()));
        }
    }
}
