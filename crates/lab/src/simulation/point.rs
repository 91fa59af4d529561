//! Everything that can go wrong in a simulation, and how often it did.

use surehold_engine::Boundary;

macro_rules! points {
    ($($(#[$doc:meta])* $point:ident,)*) => {
        /// A fault, a crash between two steps, or a moment that matters.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Point {
            $($(#[$doc])* $point,)*
        }

        impl Point {
            pub const ALL: &[Point] = &[$(Point::$point,)*];
        }
    };
}

points! {
    /// The process dies in front of a transaction.
    CrashBeforeBegin,
    /// With the turn taken and the first records loaded.
    CrashAfterBegin,
    /// With all records loaded.
    CrashAfterLoad,
    /// All is decided; nothing is written.
    CrashBeforeCommit,
    /// All is written; nobody has been told.
    CrashAfterCommit,
    /// While finding out about a commit.
    CrashFindingOut,
    CrashStateFound,
    CrashStateDone,
    CrashEffectFound,
    CrashEffectStarted,
    CrashProbeAnswered,
    CrashCallAnswered,
    CrashEffectFinished,
    /// Told to stop, and started again.
    OrderlyRestart,
    BeginUnavailable,
    LoadUnavailable,
    /// Rolled back, and known to be.
    CommitUnavailable,
    CommitConflict,
    CommitRejected,
    /// Committed; the answer was lost.
    UnknownCommitted,
    /// Rolled back; the answer was lost.
    UnknownLost,
    FindingOutFails,
    /// Another node keeps the turn.
    TurnTaken,
    /// Of some of the batch's tenants.
    SomeTurnsTaken,
    /// The turn comes after waiting.
    TurnLate,
    /// The first records take their time.
    FirstLoadSlow,
    /// Somebody came before they were there, and was taken along.
    JoinedLate,
    /// The store takes its time.
    StoreSlow,
    ReadFails,
    /// The client is gone before the answer.
    ReplyLost,
    /// The client waits for a moment only.
    ShortDeadline,
    /// The same request twice at the same time.
    DuplicateDelivery,
    /// Answers come in another order.
    RepliesReordered,
    /// Unknown, and asked again with the same id or key.
    AskedAgain,
    /// Another request under a used key.
    KeyReused,
    ClockForward,
    ClockBack,
    /// The provider forgets its keys.
    DayPasses,
    /// Something was decided at the very instant at which its hold expires.
    DecidedAtExpiry,
    /// A worker lost its lease, and somebody looked after what it had left.
    LeaseTaken,
    /// Too often: a person had to let it go on.
    Redriven,
    ProviderAcceptThenDrop,
    ProviderAcceptThen500,
    ProviderLate,
    ProviderDropBefore,
    ProviderTwice,
    ProviderReject,
    ProviderBusy,
    ProviderGarbage,
    ProviderUnavailable,
}

impl Point {
    pub(super) fn at(boundary: Boundary) -> Point {
        match boundary {
            Boundary::StateFound => Point::CrashStateFound,
            Boundary::StateDone => Point::CrashStateDone,
            Boundary::EffectFound => Point::CrashEffectFound,
            Boundary::EffectStarted => Point::CrashEffectStarted,
            Boundary::ProbeAnswered => Point::CrashProbeAnswered,
            Boundary::CallAnswered => Point::CrashCallAnswered,
            Boundary::EffectFinished => Point::CrashEffectFinished,
        }
    }

    /// By the name that the provider gives to its fault.
    pub(super) fn of_provider(fault: &str) -> Option<Point> {
        Some(match fault {
            "accept_then_drop" => Point::ProviderAcceptThenDrop,
            "accept_then_500" => Point::ProviderAcceptThen500,
            "late" => Point::ProviderLate,
            "drop_before" => Point::ProviderDropBefore,
            "twice" => Point::ProviderTwice,
            "reject" => Point::ProviderReject,
            "busy" => Point::ProviderBusy,
            "garbage" => Point::ProviderGarbage,
            "unavailable" => Point::ProviderUnavailable,
            _ => return None,
        })
    }

    fn index(self) -> usize {
        Point::ALL.binary_search(&self).expect("every point is listed, in order")
    }

    /// How often of a thousand chances it happens, where it is enabled.
    pub(super) fn per_thousand(self) -> usize {
        match self {
            Point::ReadFails | Point::OrderlyRestart | Point::DayPasses => 5,
            Point::CrashBeforeBegin
            | Point::CrashAfterBegin
            | Point::CrashAfterLoad
            | Point::CrashBeforeCommit
            | Point::CrashAfterCommit => 8,
            Point::CommitConflict | Point::CommitRejected | Point::KeyReused => 15,
            Point::BeginUnavailable | Point::LoadUnavailable | Point::CommitUnavailable => 20,
            Point::UnknownCommitted | Point::UnknownLost | Point::StoreSlow => 25,
            Point::CrashEffectFound
            | Point::CrashEffectStarted
            | Point::CrashEffectFinished
            | Point::TurnTaken
            | Point::SomeTurnsTaken
            | Point::TurnLate
            | Point::FirstLoadSlow
            | Point::ClockForward
            | Point::ClockBack => 30,
            Point::CrashStateFound | Point::CrashStateDone => 40,
            Point::ReplyLost | Point::ShortDeadline | Point::DuplicateDelivery => 50,
            Point::CrashProbeAnswered | Point::CrashCallAnswered => 80,
            Point::CrashFindingOut => 150,
            Point::FindingOutFails => 400,
            Point::RepliesReordered => 500,
            // These are not drawn; they come about.
            Point::AskedAgain
            | Point::JoinedLate
            | Point::DecidedAtExpiry
            | Point::LeaseTaken
            | Point::Redriven
            | Point::ProviderAcceptThenDrop
            | Point::ProviderAcceptThen500
            | Point::ProviderLate
            | Point::ProviderDropBefore
            | Point::ProviderTwice
            | Point::ProviderReject
            | Point::ProviderBusy
            | Point::ProviderGarbage
            | Point::ProviderUnavailable => 0,
        }
    }
}

/// How often each point was visited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage(Vec<u64>);

impl Default for Coverage {
    fn default() -> Coverage {
        Coverage(vec![0; Point::ALL.len()])
    }
}

impl Coverage {
    pub fn visit(&mut self, point: Point) {
        self.add(point, 1);
    }

    pub(super) fn add(&mut self, point: Point, times: u64) {
        self.0[point.index()] += times;
    }

    pub fn times(&self, point: Point) -> u64 {
        self.0[point.index()]
    }

    pub fn merge(&mut self, other: &Coverage) {
        for (times, more) in self.0.iter_mut().zip(&other.0) {
            *times += more;
        }
    }

    pub fn never_visited(&self) -> Vec<Point> {
        Point::ALL.iter().copied().filter(|point| self.times(*point) == 0).collect()
    }
}

impl std::fmt::Display for Coverage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(Point::ALL.iter().map(|point| (point, self.times(*point)))).finish()
    }
}
