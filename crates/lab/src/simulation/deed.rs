//! Every command of the sales kernel as one type, so that they stand in one list and in one request.

use serde::{Deserialize, Serialize};
use surehold_core::kernel::commands::{
    AdjustPool, CancelHold, ConvertHold, ExpireHold, ExtendHold, GiveBack, GrantUnits, HoldReply, MoveBooked,
    PlaceHold, PutPool,
};
use surehold_core::kernel::{HoldId, Pool, PoolKey};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Reply {
    Hold(Box<HoldReply>),
    Pool(Pool),
}

impl From<HoldReply> for Reply {
    fn from(reply: HoldReply) -> Reply {
        Reply::Hold(Box::new(reply))
    }
}

impl From<Pool> for Reply {
    fn from(pool: Pool) -> Reply {
        Reply::Pool(pool)
    }
}

surehold_testkit::deeds!(
    pub(super) Deed,
    replies Reply, by Reply::from,
    of AdjustPool, CancelHold, ConvertHold, ExpireHold, ExtendHold, GiveBack, GrantUnits, MoveBooked, PlaceHold, PutPool,
);

/// What a deed is done to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Subject {
    Hold(HoldId),
    Pool(PoolKey),
}
