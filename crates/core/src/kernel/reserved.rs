//! Names that fields of declarations must not have, because what is sent has them already beside the fields.

/// The members of every problem.
pub(crate) const IN_PROBLEMS: &[&str] = &["type", "title", "status", "code", "detail", "retry_after_secs"];
/// The members of every event.
pub(crate) const IN_EVENTS: &[&str] = &["type", "cursor", "at"];

/// Whether none of these names is taken.
pub(crate) const fn are_free(names: &[&str], taken: &[&str]) -> bool {
    match names {
        [] => true,
        [name, rest @ ..] => !is_one_of(name.as_bytes(), taken) && are_free(rest, taken),
    }
}

const fn is_one_of(name: &[u8], taken: &[&str]) -> bool {
    match taken {
        [] => false,
        [first, rest @ ..] => is_same(name, first.as_bytes()) || is_one_of(name, rest),
    }
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    match (one, other) {
        ([], []) => true,
        ([first, rest @ ..], [other_first, other_rest @ ..]) => *first == *other_first && is_same(rest, other_rest),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_cannot_have_the_name_of_what_is_sent_beside_it() {
        let check = |names: &[&str], taken, expected: bool| assert_eq!(are_free(names, taken), expected, "{names:?}");
        check(&[], IN_PROBLEMS, true);
        check(&["cart", "max", "codes", "typ"], IN_PROBLEMS, true);
        check(&["cart", "code"], IN_PROBLEMS, false);
        check(&["cursor", "at"], IN_PROBLEMS, true);
        check(&["hold", "expires_at", "cursors"], IN_EVENTS, true);
        check(&["hold", "at"], IN_EVENTS, false);
        check(&["cursor", "hold"], IN_EVENTS, false);
        check(&["type"], IN_EVENTS, false);
    }
}
