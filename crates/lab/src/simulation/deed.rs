//! Every command of the sales kernel as one type, so that they stand in one list and in one request.

use serde::{Deserialize, Serialize};
use surehold_core::kernel::commands::{
    AdjustPool, CancelHold, ConvertHold, ExpireHold, ExtendHold, GiveBack, GrantUnits, HoldReply, MoveBooked,
    PlaceHold, PutPool,
};
use surehold_core::kernel::{Command, Facts, HoldId, Pool, PoolKey, Reads, Refusal, Stop};

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

macro_rules! deeds {
    ($($command:ident),* $(,)?) => {
        #[derive(Clone, Debug)]
        pub(super) enum Deed {
            $($command($command),)*
        }

        $(impl From<$command> for Deed {
            fn from(command: $command) -> Deed {
                Deed::$command(command)
            }
        })*

        impl Command for Deed {
            const NAME: &'static str = "deed";
            type Reply = Reply;
            type Refusal = Refusal;

            fn reads(&self, reads: &mut Reads<'_>) {
                match self {
                    $(Deed::$command(command) => command.reads(reads),)*
                }
            }

            fn decide(&self, facts: &mut Facts) -> Result<Reply, Stop<Refusal>> {
                match self {
                    $(Deed::$command(command) => command.decide(facts).map(Reply::from),)*
                }
            }
        }
    };
}

deeds! {
    AdjustPool, CancelHold, ConvertHold, ExpireHold, ExtendHold, GiveBack, GrantUnits, MoveBooked, PlaceHold, PutPool,
}

/// What a deed is done to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Subject {
    Hold(HoldId),
    Pool(PoolKey),
}
