//! `surehold epoch`: saying that the data was put back to an earlier state.

use clap::{Args, Subcommand};
use serde_json::Value;

use super::input::{Acting, IdempotencyKey};
use super::screen::Screen;
use super::view::{fields, instant, text};
use super::{Act, Common};
use crate::client::{Client, ClientError, Request};

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

    async fn act(&self, client: &Client, screen: &Screen) -> Result<(), ClientError> {
        let request = match &self.action {
            Action::Show => Request::get(&["admin", "epoch"]),
            Action::Raise { acting, key } => {
                key.put_on(Request::post(&["admin", "epoch"]).json(acting.json()?), *screen)
            }
        };
        let answer = client.send(&request).await?;
        screen.show(&answer, view)
    }
}

fn view(epoch: &Value) -> String {
    fields(&[
        ("epoch", text(&epoch["number"])),
        ("raised", instant(&epoch["raised_at"])),
        ("raised by", text(&epoch["raised_by"])),
        ("reason", text(&epoch["reason"])),
    ])
}
