//! `surehold epoch`: saying that the data was put back to an earlier state.

use clap::{Args, Subcommand};
use surehold_api::operations::{self, Epoch};

use super::desk::Desk;
use super::input::{Acting, IdempotencyKey};
use super::show::{Show, line, some};
use super::view::instant;
use super::{Act, Common};
use crate::client::ClientError;

/// Say that a backup was restored, or see when one was
#[derive(Args)]
pub(crate) struct EpochCommand {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    common: Common,
}

#[derive(Subcommand)]
enum Action {
    /// Show when the data was last put back
    Show,
    /// Say that the data was put back: providers are asked before anything is sent to them
    Raise {
        #[command(flatten)]
        acting: Acting,
        #[command(flatten)]
        key: IdempotencyKey,
    },
}

impl Act for EpochCommand {
    fn common(&self) -> &Common {
        &self.common
    }

    async fn act(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let call = match &self.action {
            Action::Show => operations::epoch(),
            Action::Raise { acting, key } => key.put_on(operations::raise_epoch(&acting.act()?), desk.screen),
        };
        desk.detail(call, EPOCH).await
    }
}

const EPOCH: &[Show<Epoch>] = &[
    line("epoch", |epoch, ()| epoch.number.to_string()),
    line("raised", |epoch, ()| some(epoch.raised_at.map(instant))),
    line("raised by", |epoch, ()| some(epoch.raised_by.as_ref())),
    line("reason", |epoch, ()| some(epoch.reason.as_ref())),
];
