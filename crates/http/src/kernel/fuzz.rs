//! What the fuzzer may reach of this module: its bodies, its cursors and its query strings.

use surehold_core::kernel::commands as kernel_commands;
use surehold_core::kernel::{HoldPolicy, KeyId, KeyScopes, PoolKey, ResourceName, Slot};

use super::availability::Range;
use super::events::{Cursor, ListEvents};
use super::holds::ListHolds;
use super::keys::ListKeys;
use super::pools::ListPools;
use super::tenants::ListTenants;
use super::{holds, pools};
use crate::readers::{Readers, Understood, canonical, plain, some_hold, taken, understood};
use crate::wire;

pub(super) const READERS: Readers = Readers {
    bodies: &[
        ("PlaceHold", |body| canonical(body, |place: wire::PlaceHold| place.into_command(some_hold()))),
        ("ExtendHold", |body| canonical(body, |extend: wire::ExtendHold| extend.into_command(some_hold()))),
        ("ConvertHold", |body| canonical(body, |convert: wire::ConvertHold| convert.into_command(some_hold()))),
        ("MoveBooked", |body| canonical(body, |moved: wire::MoveBooked| moved.into_command(some_hold()))),
        ("GiveBack", |body| canonical(body, |back: wire::GiveBack| back.into_command(some_hold()))),
        ("PutPool", |body| canonical(body, |put: wire::PutPool| put.into_command(some_pool()))),
        ("PutPools", |body| canonical(body, wire::PutPools::into_command)),
        ("AdjustPool", |body| {
            canonical(body, |adjust: wire::AdjustPool| {
                kernel_commands::AdjustPool::new(some_pool(), adjust.total_delta)
            })
        }),
        ("Policy", |body| canonical(body, |policy: wire::Policy| plain(HoldPolicy::from(policy)))),
        ("CreateTenant", |body| canonical(body, plain::<wire::CreateTenant>)),
        ("CreateKey", |body| {
            understood(body, |key: wire::CreateKey| {
                let scopes = key.scopes;
                KeyScopes::new(&scopes)
            })
        }),
        ("RotateKey", |body| {
            understood(body, |rotate: wire::RotateKey| {
                let (old, new) = (KeyId::new(1), KeyId::new(2));
                kernel_commands::RotateKey::new(old, new, [7; 32], rotate.overlap_secs)
            })
        }),
        ("BatchRequest", |body| {
            let (meaning, refused) = batch(body)?;
            Some(Understood { meaning, is_command: refused == 0, canonical: None })
        }),
    ],
    cursors: &[
        ("events", |text| Some(Cursor::parse(text).ok()?.to_string())),
        ("holds", |text| Some(holds::parse_id(text).ok()?.to_string())),
        ("expiry", |text| {
            let (expires_at, id) = holds::parse_expiry(text).ok()?;
            Some(format!("{}-{id}", expires_at.micros()))
        }),
        ("pools", |text| Some(pools::cursor(&pools::parse_cursor(text).ok()?))),
    ],
    queries: &[
        ("events", |uri| taken::<ListEvents>(uri, |_| true)),
        ("holds", |uri| taken::<ListHolds>(uri, |_| true)),
        ("pools", |uri| taken::<ListPools>(uri, |_| true)),
        ("keys", |uri| taken::<ListKeys>(uri, |_| true)),
        ("tenants", |uri| taken::<ListTenants>(uri, |_| true)),
        ("availability", |uri| taken::<Range>(uri, |range| range.nights().is_ok())),
    ],
};

fn some_pool() -> PoolKey {
    PoolKey { resource: ResourceName::new("double").expect("a good name"), slot: Slot::NONE }
}

/// A batch: its commands, and how many of them were refused by themselves.
pub fn batch(body: &[u8]) -> Option<(String, usize)> {
    let (items, commands) = super::batch::understand(body).ok()?;
    let refused = items.iter().filter(|item| item.problem.is_some()).count();
    assert_eq!(items.len(), commands.len() + refused, "every command is understood or refused");
    Some((format!("{commands:?}"), refused))
}
