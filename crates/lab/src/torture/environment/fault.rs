//! The ways to harm what runs, their names, and where each of them is possible.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use serde::{Serialize, Serializer};

use surehold_testkit::fixture::StoreKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultKind {
    /// SIGKILL of a server.
    Kill,
    /// SIGKILL of a worker.
    KillWorker,
    /// SIGSTOP of a server in the middle of a batch, then SIGCONT: sooner or later than its turn is taken from it.
    Freeze,
    /// SIGSTOP of a worker that has a lease, until it has lost it, then SIGCONT.
    FreezeWorker,
    /// Every process of Postgres is killed at once; it then recovers.
    RestartPostgres,
    /// Postgres ends the sessions of one server.
    TerminateBackend,
    /// The connection is cut; Postgres gets everything but the commit.
    CutBeforeCommit,
    /// The connection is cut after Postgres has committed, before the server hears it.
    CutAfterCommit,
    /// The connection is cut; the commit reaches Postgres a little later.
    CutLateCommit,
    /// Everything that a server says to Postgres takes longer.
    Latency,
    /// The disk of the data folder is full for a while.
    DiskFull,
    /// The clock of a server jumps.
    ClockJump,
    /// A server is killed several times in a row, also while it starts.
    RestartStorm,
    /// SIGTERM of a server: an orderly end under load.
    Stop,
}

impl FaultKind {
    pub const ALL: [FaultKind; 14] = [
        FaultKind::Kill,
        FaultKind::KillWorker,
        FaultKind::Freeze,
        FaultKind::FreezeWorker,
        FaultKind::RestartPostgres,
        FaultKind::TerminateBackend,
        FaultKind::CutBeforeCommit,
        FaultKind::CutAfterCommit,
        FaultKind::CutLateCommit,
        FaultKind::Latency,
        FaultKind::DiskFull,
        FaultKind::ClockJump,
        FaultKind::RestartStorm,
        FaultKind::Stop,
    ];

    pub fn name(self) -> &'static str {
        match self {
            FaultKind::Kill => "kill",
            FaultKind::KillWorker => "kill-worker",
            FaultKind::Freeze => "freeze",
            FaultKind::FreezeWorker => "freeze-worker",
            FaultKind::RestartPostgres => "restart-postgres",
            FaultKind::TerminateBackend => "terminate-backend",
            FaultKind::CutBeforeCommit => "cut-before-commit",
            FaultKind::CutAfterCommit => "cut-after-commit",
            FaultKind::CutLateCommit => "cut-late-commit",
            FaultKind::Latency => "latency",
            FaultKind::DiskFull => "disk-full",
            FaultKind::ClockJump => "clock-jump",
            FaultKind::RestartStorm => "restart-storm",
            FaultKind::Stop => "stop",
        }
    }

    /// How often it is drawn when nobody says how often, compared with the others.
    pub(super) fn weight(self) -> u32 {
        match self {
            FaultKind::Kill => 8,
            FaultKind::KillWorker | FaultKind::CutBeforeCommit | FaultKind::CutAfterCommit => 3,
            FaultKind::Freeze
            | FaultKind::RestartPostgres
            | FaultKind::TerminateBackend
            | FaultKind::CutLateCommit
            | FaultKind::ClockJump => 2,
            FaultKind::FreezeWorker
            | FaultKind::Latency
            | FaultKind::DiskFull
            | FaultKind::RestartStorm
            | FaultKind::Stop => 1,
        }
    }

    /// Why it cannot be done to this store, if it cannot.
    pub fn unfit_for(self, store: StoreKind) -> Option<&'static str> {
        match self {
            FaultKind::Kill | FaultKind::Freeze | FaultKind::ClockJump | FaultKind::RestartStorm | FaultKind::Stop => {
                None
            }
            FaultKind::RestartPostgres
            | FaultKind::TerminateBackend
            | FaultKind::CutBeforeCommit
            | FaultKind::CutAfterCommit
            | FaultKind::CutLateCommit
            | FaultKind::Latency => (store == StoreKind::Sqlite).then_some("there is no Postgres"),
            FaultKind::KillWorker | FaultKind::FreezeWorker => {
                (store == StoreKind::Sqlite).then_some("on SQLite the worker is in the server")
            }
            FaultKind::DiskFull => {
                (store == StoreKind::Postgres).then_some("only the data folder of SQLite can be filled")
            }
        }
    }
}

impl Display for FaultKind {
    fn fmt(&self, text: &mut Formatter<'_>) -> fmt::Result {
        text.write_str(self.name())
    }
}

impl Serialize for FaultKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Which faults are wanted, each with the least number of times; 0 where nobody said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultList(pub BTreeMap<FaultKind, u32>);

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownFault {
    #[error("there is no fault `{found}`; there are {all}, and `none`", all = FaultKind::ALL.map(FaultKind::name).join(", "))]
    Name { found: String },
    #[error("`{found}` is not a count; write it as kill=50")]
    Count { found: String },
    #[error("`{found}` is named twice")]
    Twice { found: &'static str },
}

impl FaultList {
    /// Every fault, as often as it comes.
    pub fn all() -> FaultList {
        FaultList(FaultKind::ALL.into_iter().map(|kind| (kind, 0)).collect())
    }
}

impl FromStr for FaultList {
    type Err = UnknownFault;

    fn from_str(text: &str) -> Result<FaultList, UnknownFault> {
        let mut list = BTreeMap::new();
        if text.trim() == "none" {
            return Ok(FaultList(list));
        }
        for word in text.split(',').map(str::trim) {
            let (name, count) = word.split_once('=').map_or((word, None), |(name, count)| (name, Some(count)));
            let kind = FaultKind::ALL.into_iter().find(|kind| kind.name() == name);
            let kind = kind.ok_or_else(|| UnknownFault::Name { found: name.to_owned() })?;
            let least = match count {
                None => 0,
                Some(count) => count.parse().map_err(|_| UnknownFault::Count { found: count.to_owned() })?,
            };
            if list.insert(kind, least).is_some() {
                return Err(UnknownFault::Twice { found: kind.name() });
            }
        }
        Ok(FaultList(list))
    }
}

impl Display for FaultList {
    fn fmt(&self, text: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return text.write_str("none");
        }
        for (place, (kind, least)) in self.0.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            match least {
                0 => write!(text, "{comma}{kind}")?,
                least => write!(text, "{comma}{kind}={least}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        let check = |text: &str, expected: Result<&str, &str>| {
            let list = text.parse::<FaultList>().map(|list| list.to_string()).map_err(|error| error.to_string());
            match (&list, expected) {
                (Ok(list), Ok(expected)) => assert_eq!(list, expected, "{text}"),
                (Err(error), Err(expected)) => assert!(error.contains(expected), "{text}: {error}"),
                (Ok(_), Err(_)) | (Err(_), Ok(_)) => panic!("{text}: {list:?}"),
            }
        };
        check("kill", Ok("kill"));
        check("stop , kill=50,cut-before-commit=10", Ok("kill=50,cut-before-commit=10,stop"));
        check("kill=0", Ok("kill"));
        check("none", Ok("none"));
        check("", Err("there is no fault ``"));
        check("murder", Err("there are kill, kill-worker, freeze,"));
        check("kill=many", Err("`many` is not a count"));
        check("kill=-1", Err("`-1` is not a count"));
        check("kill,stop,kill=3", Err("`kill` is named twice"));
    }

    #[test]
    fn every_fault_is_fit_for_some_store() {
        for kind in FaultKind::ALL {
            let unfit = [StoreKind::Sqlite, StoreKind::Postgres].map(|store| kind.unfit_for(store).is_some());
            assert_ne!(unfit, [true, true], "{kind}");
            assert_eq!(kind.name().parse(), Ok(FaultList(BTreeMap::from([(kind, 0)]))));
        }
    }
}
