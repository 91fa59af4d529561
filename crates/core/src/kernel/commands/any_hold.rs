//! Hold commands of different kinds in one request. Only those that may be repeated without a key: each carries the
//! id that makes its repeat harmless.

use super::super::{Command, Facts, HoldId, Reads, Refusal, Stop};
use super::{CancelHold, ConvertHold, ExtendHold, HoldReply, PlaceHold};

#[derive(Clone, Debug)]
pub enum AnyHoldCommand {
    Place(PlaceHold),
    Extend(ExtendHold),
    Convert(ConvertHold),
    Cancel(CancelHold),
}

impl AnyHoldCommand {
    pub fn id(&self) -> HoldId {
        match self {
            AnyHoldCommand::Place(place) => place.id(),
            AnyHoldCommand::Extend(extend) => extend.id(),
            AnyHoldCommand::Convert(convert) => convert.id,
            AnyHoldCommand::Cancel(cancel) => cancel.id,
        }
    }
}

impl Command for AnyHoldCommand {
    const NAME: &'static str = "any_hold_command";
    type Reply = HoldReply;
    type Refusal = Refusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        match self {
            AnyHoldCommand::Place(place) => place.reads(reads),
            AnyHoldCommand::Extend(extend) => extend.reads(reads),
            AnyHoldCommand::Convert(convert) => convert.reads(reads),
            AnyHoldCommand::Cancel(cancel) => cancel.reads(reads),
        }
    }

    fn decide(&self, facts: &mut Facts) -> Result<HoldReply, Stop<Refusal>> {
        match self {
            AnyHoldCommand::Place(place) => place.decide(facts),
            AnyHoldCommand::Extend(extend) => extend.decide(facts),
            AnyHoldCommand::Convert(convert) => convert.decide(facts),
            AnyHoldCommand::Cancel(cancel) => cancel.decide(facts),
        }
    }
}
