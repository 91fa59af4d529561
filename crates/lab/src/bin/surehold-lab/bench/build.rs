//! How this executable was built: figures of different builds cannot be compared.

use std::fmt::{self, Display, Formatter};

use serde::Serialize;

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Build {
    profile: &'static str,
    opt_level: &'static str,
    debug_assertions: bool,
}

impl Build {
    /// The profile and the opt-level come from the build script.
    pub(super) const THIS: Build = Build {
        profile: env!("SUREHOLD_LAB_PROFILE"),
        opt_level: env!("SUREHOLD_LAB_OPT_LEVEL"),
        debug_assertions: cfg!(debug_assertions),
    };
}

impl Display for Build {
    fn fmt(&self, text: &mut Formatter<'_>) -> fmt::Result {
        let Build { profile, opt_level, debug_assertions } = self;
        let assertions = if *debug_assertions { "with" } else { "without" };
        write!(text, "build: profile {profile}, opt-level {opt_level}, {assertions} debug assertions")
    }
}
