//! What must be true of all types of operation together. Run by a test over everything that is registered.

use std::collections::HashMap;

use super::{Nature, OperationType};

/// Parts that say when or by chance: the same thing asked for twice would be two things.
const CHANCE_WORDS: &[&str] = &[
    "time",
    "timestamp",
    "now",
    "at",
    "clock",
    "date",
    "millis",
    "micros",
    "secs",
    "random",
    "rand",
    "nonce",
    "uuid",
    "guid",
    "seed",
    "attempt",
    "worker",
    "host",
];

/// What is wrong, one sentence each; nothing if all is well.
pub fn lint(types: &[&OperationType]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut names: HashMap<String, &str> = HashMap::new();
    let mut forms: HashMap<String, &str> = HashMap::new();
    for kind in types {
        let name = kind.name;
        if super::TypeName::new(name).is_err() {
            wrong.push(format!("{name}: a type is named in capitals, digits and underscores"));
        }
        if let Some(other) = names.insert(plain(name), name) {
            wrong.push(format!("{name} and {other} are one type by two names, or one type listed twice"));
        }
        // With its type a key form names one effect, so two forms that read the same are two keys for one thing.
        let form = format!("{}:{}", plain(name), kind.key.iter().map(|part| plain(part)).collect::<Vec<_>>().join(":"));
        if let Some(other) = forms.insert(form, name) {
            wrong.push(format!("{name} and {other} share a key form"));
        }
        lint_key(kind, &mut wrong);
        lint_nature(kind, &mut wrong);
    }
    wrong
}

/// What is left when spelling is put aside.
fn plain(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}

fn words(part: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in part.chars() {
        if c.is_ascii_uppercase() || !c.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if c.is_ascii_alphanumeric() {
            words.last_mut().expect("never empty").push(c.to_ascii_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn lint_key(kind: &OperationType, wrong: &mut Vec<String>) {
    let name = kind.name;
    if kind.key.is_empty() {
        wrong.push(format!("{name}: a key has at least one part"));
    }
    for (index, part) in kind.key.iter().enumerate() {
        let words = words(part);
        if words.iter().any(|word| CHANCE_WORDS.contains(&word.as_str())) {
            wrong.push(format!("{name}: the part `{part}` of its key is a time or chance"));
        }
        if words.iter().any(|word| word == "or") || part.contains(['|', '/', '?', ' ', ':']) {
            wrong.push(format!("{name}: the part `{part}` of its key has more than one form"));
        }
        let twice = kind.key.iter().take(index).any(|other| plain(other) == plain(part));
        if twice {
            wrong.push(format!("{name}: the part `{part}` is in its key twice"));
        }
    }
}

fn lint_nature(kind: &OperationType, wrong: &mut Vec<String>) {
    let name = kind.name;
    match kind.nature {
        Nature::Effect { probe: false, window_secs: None, .. } => {
            wrong.push(format!("{name}: an effect without a probe and without a provider's window cannot be repeated"));
        }
        Nature::Effect { provider: "", .. } => wrong.push(format!("{name}: an effect names its provider")),
        Nature::Effect { .. } | Nature::State => {}
    }
    if kind.deadline_secs == 0 || kind.recheck_secs == 0 || kind.running_max == 0 || kind.retry.attempts_max == 0 {
        wrong.push(format!("{name}: deadline, recheck, running_max and attempts are at least one"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Mode, Priority, RetryPolicy};
    use super::*;

    const SOUND: OperationType = OperationType {
        name: "ISSUE_TICKETS",
        key: &["purchaseId"],
        mode: Mode::Once,
        priority: Priority::Normal,
        retry: RetryPolicy::exponential(5, 100, 2, 1_000),
        deadline_secs: 10,
        stuck_after_secs: 60,
        recheck_secs: 10,
        running_max: 1,
        nature: Nature::State,
    };
    const CALLING: Nature = Nature::Effect { provider: "bank", window_secs: None, probe: true, calls_max: 1 };

    fn check(types: &[OperationType], expected: &[&str]) {
        let found = lint(&types.iter().collect::<Vec<_>>());
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.contains(expected), "{found} should say {expected}");
        }
    }

    #[test]
    fn sound_types_pass() {
        check(&[SOUND, OperationType { name: "ISSUE_ENTRIES", nature: CALLING, ..SOUND }], &[]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        check(&[SOUND, SOUND], &["listed twice", "share a key form"]);
        check(&[SOUND, OperationType { name: "ISSUETICKETS", key: &["saleId"], ..SOUND }], &["two names"]);
        check(&[OperationType { name: "issue", ..SOUND }], &["capitals"]);
        check(&[OperationType { key: &["purchaseId", "createdAt"], ..SOUND }], &["a time or chance"]);
        check(&[OperationType { key: &["randomSuffix"], ..SOUND }], &["a time or chance"]);
        check(&[OperationType { key: &["purchaseIdOrSaleId"], ..SOUND }], &["more than one form"]);
        check(&[OperationType { key: &["a", "A"], ..SOUND }], &["twice"]);
        check(&[OperationType { key: &[], ..SOUND }], &["at least one part"]);
        let mute = Nature::Effect { provider: "bank", window_secs: None, probe: false, calls_max: 1 };
        check(&[OperationType { nature: mute, ..SOUND }], &["without a probe"]);
        check(&[OperationType { running_max: 0, ..SOUND }], &["at least one"]);
    }
}
