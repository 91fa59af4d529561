//! Secrets planted where secrets live. Whatever the program says, in any way, must not contain one. Also part of the
//! unit tests of the binary, so it uses nothing of theirs.

/// All of them contain this, so that half a secret is found too.
const MARK: &str = "canary";

pub(crate) const STORE_PASSWORD: &str = "canary-store-5d1f";
pub(crate) const OTLP_HEADER: &str = "canary-otlp-83ab";
pub(crate) const API_KEY: &str = "canary-key-c07e";
pub(crate) const METADATA: &str = "canary-metadata-19b2";

/// Panics, with the line but without the secret, if the text contains one.
#[track_caller]
pub(crate) fn assert_no_canary(text: &str) {
    let leaking = text.lines().enumerate().find(|(_, line)| line.to_lowercase().contains(MARK));
    if let Some((index, line)) = leaking {
        panic!("line {} shows a secret: {}", index + 1, line.to_lowercase().replace(MARK, "<HERE>"));
    }
}

#[test]
fn a_planted_secret_is_found() {
    for secret in [STORE_PASSWORD, OTLP_HEADER, API_KEY, METADATA] {
        let text = format!("fine\nurl=postgres://u:{secret}@h/d\n");
        assert!(std::panic::catch_unwind(|| assert_no_canary(&text)).is_err(), "{secret}");
    }
    assert_no_canary("nothing to see");
}
