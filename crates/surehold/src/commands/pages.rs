//! Lists that come in pages, followed to their end.

use serde_json::Value;

use super::screen::Screen;
use super::view::list;
use crate::client::{Client, ClientError, Request};

/// Asks for page after page. For machines each is written as it came; for people the items are collected, to be shown
/// in one table, or `none` is said when there are no items.
pub(super) async fn show_all(
    client: &Client,
    screen: Screen,
    request: &Request,
    items: &str,
    view: impl FnOnce(&[Value]) -> String,
    none: &str,
) -> Result<(), ClientError> {
    let mut after: Option<String> = None;
    let mut found = Vec::new();
    loop {
        let page_request = request.clone().query("limit", "1000").query_if("after", after.as_deref());
        let answer = client.send(&page_request).await?;
        let page = answer.value()?;
        if screen.json {
            screen.raw(&answer)?;
        } else {
            found.extend_from_slice(list(&page[items]));
        }
        match page["next"].as_str() {
            Some(next) => after = Some(next.to_owned()),
            None => break,
        }
    }
    if screen.json {
        return Ok(());
    }
    if found.is_empty() {
        screen.note(none);
        return Ok(());
    }
    screen.print(&view(&found))
}
