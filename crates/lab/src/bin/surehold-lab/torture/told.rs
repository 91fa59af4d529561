//! What is told beside the history: by the list of faults, by the provider, by the reader of the feed.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde_json::Value;
use surehold_lab::torture::auditor::ChargeSeen;
use surehold_lab::torture::workload::Followed;
use surehold_simulators::provider::ProviderReport;

use super::findings::Findings;

/// As the faults call it.
const CLOCK_JUMP: &str = "clock-jump";

/// How far, in seconds, a clock was ever turned: at the least and at the most. It began with the true time, and ends
/// with it.
pub(super) fn clock_offsets(faults: &str) -> Result<(i64, i64)> {
    let mut offsets = (0, 0);
    for line in faults.lines() {
        let fault: Value = serde_json::from_str(line).context("a line of the faults is none")?;
        if fault["kind"] == CLOCK_JUMP && fault["done"] == true {
            let offset = fault["detail"]["offset_secs"].as_i64().context("a clock that jumped nowhere")?;
            offsets = (offset.min(offsets.0), offset.max(offsets.1));
        }
    }
    Ok(offsets)
}

pub(super) fn require_well_told(followed: &Followed, findings: &mut Findings) {
    let Followed { end, told, caught_up, defects } = followed;
    for defect in defects {
        findings.add("a live reader is told what it can read", defect);
    }
    if !caught_up {
        let end = end.as_deref().unwrap_or("a place that nobody tells");
        findings.add("a live reader comes to the end of the feed", format!("it ends at {end}; told up to {told}"));
    }
}

pub(super) fn charges_seen(provider: &ProviderReport) -> Vec<ChargeSeen> {
    let mut seen: BTreeMap<(&str, i64), u64> = BTreeMap::new();
    for charge in &provider.charges {
        let operation = charge.operation().unwrap_or_default();
        *seen.entry((operation, charge.amount)).or_default() += 1;
    }
    let charge = |((operation, amount), times): ((&str, i64), u64)| ChargeSeen {
        operation: operation.to_owned(),
        amount,
        times,
    };
    seen.into_iter().map(charge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_far_clocks_were_turned() {
        let jump = |offset: i64, done: bool| {
            format!(r#"{{"kind":"clock-jump","done":{done},"detail":{{"offset_secs":{offset}}}}}"#)
        };
        let kill = r#"{"kind":"kill","done":true,"detail":null}"#.to_owned();
        let missed = r#"{"kind":"clock-jump","done":false,"detail":"there is no clock to turn"}"#.to_owned();
        let check = |lines: &[String], expected: (i64, i64)| {
            assert_eq!(clock_offsets(&lines.join("\n")).unwrap(), expected, "{lines:?}");
        };
        check(&[], (0, 0));
        check(&[kill.clone(), missed], (0, 0));
        check(&[jump(23, true), kill, jump(-9, true), jump(7, true)], (-9, 23));
        check(&[jump(-4, true)], (-4, 0));
        assert!(clock_offsets(r#"{"kind":"clock-jump","done":true,"detail":null}"#).is_err());
    }

    #[test]
    fn what_a_reader_was_told_wrongly_is_found() {
        let found = |followed: &Followed| {
            let mut findings = Findings::default();
            require_well_told(followed, &mut findings);
            findings.by_rule().iter().map(|(rule, broken)| (*rule, broken.times)).collect::<Vec<_>>()
        };
        let (end, told) = (Some("9-0".to_owned()), "9-0".to_owned());
        let well = Followed { end, told, caught_up: true, defects: Vec::new() };
        assert_eq!(found(&well), []);
        let unread = Followed { defects: vec!["an event".to_owned(), "a refusal".to_owned()], ..well.clone() };
        assert_eq!(found(&unread), [("a live reader is told what it can read", 2)]);
        let behind = Followed { end: None, caught_up: false, ..well };
        assert_eq!(found(&behind), [("a live reader comes to the end of the feed", 1)]);
    }
}
