//! `surehold stay room-type`

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::super::view::{fields, list, table, text};
use super::words::room_type;
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
    #[arg(value_name = "ROOM_TYPE", value_parser = room_type)]
    code: String,
    /// How many people one room takes; needed for a new one
    #[arg(long, value_name = "N")]
    guests: Option<u32>,
    /// What people call it [default: its code]
    #[arg(long)]
    title: Option<String>,
}

impl RoomTypeAction {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        match self {
            RoomTypeAction::Put(put) => put.run(desk).await,
            RoomTypeAction::List(property) => {
                let answer = desk.ask(property.get(&["room-types"])).await?;
                let PropertyArgs { tenant, property } = property;
                if list(&answer.value()?["room_types"]).is_empty() {
                    desk.screen.note(&format!(
                        "there are none; `surehold stay room-type put {tenant} {property} double --guests 2` makes one"
                    ));
                }
                desk.screen.show(&answer, |found| list_view(list(&found["room_types"])))
            }
        }
    }
}

impl Put {
    async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let known = desk.find(self.property.get(&["room-types", &self.code])).await?;
        let guests = self.guests.map(Value::from).or_else(|| known.get("guests_max").cloned());
        let guests = guests.ok_or_else(|| ClientError::Usage(format!("{} is new: --guests is needed", self.code)))?;
        let title = self.title.as_deref().or(known["title"].as_str()).unwrap_or(&self.code);
        let body = json!({"title": title, "guests_max": guests});
        desk.show(self.property.put(&["room-types", &self.code]).json(body), view).await
    }
}

fn view(room_type: &Value) -> String {
    fields(&[
        ("room type", text(&room_type["code"])),
        ("property", text(&room_type["property"])),
        ("title", text(&room_type["title"])),
        ("guests", text(&room_type["guests_max"])),
        ("version", text(&room_type["version"])),
    ])
}

fn list_view(found: &[Value]) -> String {
    if found.is_empty() {
        return String::new();
    }
    let row = |room_type: &Value| ["code", "title", "guests_max"].iter().map(|name| text(&room_type[*name])).collect();
    table(&["ROOM TYPE", "TITLE", "GUESTS"], &[2], found.iter().map(row))
}
