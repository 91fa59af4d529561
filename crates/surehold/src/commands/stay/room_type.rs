//! `surehold stay room-type`

use clap::{Args, Subcommand};
use surehold_api::stays::{self, PutRoomType, RoomType};
use surehold_core::kernel::Title;
use surehold_core::stays::RoomTypeCode;

use super::super::input::titled;
use super::super::show::{Show, both, line, number};
use super::{Desk, PropertyArgs};
use crate::client::ClientError;

#[derive(Subcommand)]
pub(super) enum RoomTypeAction {
    Put(Put),
    /// List the room types of a property
    List(PropertyArgs),
}

/// Make a room type, or change one; what is left out stays as it is
#[derive(Args)]
pub(super) struct Put {
    #[command(flatten)]
    property: PropertyArgs,
    /// As in double
    #[arg(value_name = "ROOM_TYPE")]
    code: RoomTypeCode,
    /// How many people one room takes; needed for a new one
    #[arg(long, value_name = "N")]
    guests: Option<u32>,
    /// What people call it [default: its code]
    #[arg(long)]
    title: Option<Title>,
}

const ROOM_TYPE: &[Show<RoomType>] = &[
    both("room type", |room_type, ()| room_type.code.to_string()),
    line("property", |room_type, ()| room_type.property.to_string()),
    both("title", |room_type, ()| room_type.title.to_string()),
    number(both("guests", |room_type, ()| room_type.guests_max.to_string())),
    line("version", |room_type, ()| room_type.version.to_string()),
];

impl RoomTypeAction {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        match self {
            RoomTypeAction::Put(put) => put.run(desk).await,
            RoomTypeAction::List(PropertyArgs { tenant, property }) => {
                let none = format!(
                    "there are none; `surehold stay room-type put {tenant} {property} double --guests 2` makes one"
                );
                desk.list(stays::room_types(tenant, property), ROOM_TYPE, &none).await
            }
        }
    }
}

impl Put {
    async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let (PropertyArgs { tenant, property }, code) = (&self.property, &self.code);
        let known = desk.find(stays::room_type(tenant, property, code)).await?;
        let guests_max = self.guests.or(known.as_ref().map(|known| known.guests_max));
        let guests_max = guests_max.ok_or_else(|| ClientError::Usage(format!("{code} is new: --guests is needed")))?;
        let title = self.title.clone().or(known.map(|known| known.title)).unwrap_or_else(|| titled(code));
        let put = stays::put_room_type(tenant, property, code, &PutRoomType { title, guests_max });
        desk.detail(put, ROOM_TYPE).await
    }
}
