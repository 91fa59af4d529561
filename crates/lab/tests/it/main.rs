//! What proves the stores: the same suite on each of them, a comparison with the pure core, and what only one has.
//! Postgres comes from `cargo xtask test`; see `surehold_lab::fixture`.
#![allow(clippy::unwrap_used, reason = "a test that unwraps what is not there has failed, as it should")]

/// Events that change nothing about pools and holds.
macro_rules! not_about_units {
    () => {
        surehold_core::kernel::Event::SlugClaimed { .. }
            | surehold_core::kernel::Event::TenantCreated { .. }
            | surehold_core::kernel::Event::PolicyChanged { .. }
            | surehold_core::kernel::Event::KeyCreated { .. }
            | surehold_core::kernel::Event::KeyRotated { .. }
            | surehold_core::kernel::Event::KeyRevoked { .. }
            | surehold_core::kernel::Event::JournalTrimmed { .. }
            | surehold_core::kernel::Event::OperationSucceeded { .. }
            | surehold_core::kernel::Event::OperationDied { .. }
            | surehold_core::kernel::Event::OperationRedriven { .. }
            | surehold_core::kernel::Event::EffectSettled { .. }
            | surehold_core::kernel::Event::CaseOpened { .. }
            | surehold_core::kernel::Event::CaseAssigned { .. }
            | surehold_core::kernel::Event::CaseResolved { .. }
            | surehold_core::kernel::Event::EpochRaised { .. }
            | surehold_core::kernel::Event::InboxReceived { .. }
            | surehold_core::kernel::Event::ScheduleChanged { .. }
            | surehold_core::kernel::Event::ScheduleRemoved { .. }
            | surehold_core::kernel::Event::ScheduleFired { .. }
            | surehold_core::kernel::Event::EndpointChanged { .. }
            | surehold_core::kernel::Event::EndpointDisabled { .. }
            | surehold_core::kernel::Event::EndpointRemoved { .. }
            | surehold_core::kernel::Event::Announced { .. }
    };
}

mod bad_input;
mod conformance;
mod explain;
mod explain_views;
mod faults;
mod http_load;
mod http_stores;
mod model;
mod postgres_readers;
mod postgres_roles;
mod postgres_server;
mod provider;
mod sqlite_file;
