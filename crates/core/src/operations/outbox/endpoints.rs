//! What a tenant does to its endpoints. Each command states the order in which it refuses.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::kernel::{Command, Facts, Invalid, JsonList, Reads, Stop, Tenant};
use crate::operations::cases::close_case;
use crate::operations::{
    Case, OperationInvalid, OperationRefusal, OperationsEvent, PreviousSecret, Reason, SigningSecret,
};

use super::deliver::gone_case;
use super::{EndpointAbout, EndpointId, EndpointState, EventCursor, WebhookEndpoint, offered_events};

pub const ENDPOINT_EVENTS_MAX: usize = 64;
pub const ENDPOINT_OVERLAP_SECS_MAX: i64 = 30 * 86_400;

/// Names an address to be told. The same again finds the endpoint as it is; its secret stays as it was.
///
/// Refuses, in this order: no such tenant; the endpoint exists with other content, unless that is to be replaced.
#[derive(Clone, Debug)]
pub struct PutEndpoint {
    id: EndpointId,
    url: SmolStr,
    events: Vec<SmolStr>,
    secret: SigningSecret,
    head: EventCursor,
    replace: bool,
}

impl PutEndpoint {
    /// `url` has been checked by whoever will call it. A new endpoint is told what happens behind `head`.
    pub fn new(
        id: EndpointId,
        url: &str,
        mut events: Vec<SmolStr>,
        secret: SigningSecret,
        head: EventCursor,
    ) -> Result<PutEndpoint, Invalid> {
        if events.len() > ENDPOINT_EVENTS_MAX {
            let what = "events".to_owned();
            return Err(Invalid::ItemCount { what, items: events.len(), items_max: ENDPOINT_EVENTS_MAX });
        }
        if let Some(unknown) = events.iter().find(|event| offered_events().all(|offered| offered != event.as_str())) {
            return Err(OperationInvalid::EventNotOffered { name: unknown.to_string() }.into());
        }
        events.sort();
        events.dedup();
        Ok(PutEndpoint { id, url: url.into(), events, secret, head, replace: false })
    }

    /// Another address or other events may take the place of what is there. Its secret and its place stay.
    #[must_use]
    pub fn replacing(mut self, replace: bool) -> PutEndpoint {
        self.replace = replace;
        self
    }

    fn is_request_of(&self, endpoint: &WebhookEndpoint) -> bool {
        endpoint.url == self.url && *endpoint.events == *self.events
    }
}

/// What became of the wish.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndpointPut {
    pub endpoint: EndpointAbout,
    /// Whether the secret of the request is the endpoint's; one that was there before keeps its own.
    pub created: bool,
}

impl Command for PutEndpoint {
    const NAME: &'static str = "put_endpoint";
    type Reply = EndpointPut;
    type Refusal = OperationRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Tenant>(&());
        reads.record::<WebhookEndpoint>(&self.id);
    }

    fn decide(&self, facts: &mut Facts) -> Result<EndpointPut, Stop<OperationRefusal>> {
        if facts.get::<Tenant>(&())?.is_none() {
            return Err(OperationRefusal::Kernel(crate::kernel::Refusal::TenantNotFound).into());
        }
        let now = facts.now();
        let known = facts.get::<WebhookEndpoint>(&self.id)?.cloned();
        let created = known.is_none();
        match known {
            Some(known) if self.is_request_of(&known) => {
                facts.mark_replayed();
                return Ok(EndpointPut { endpoint: (&known).into(), created });
            }
            Some(_) if !self.replace => {
                return Err(OperationRefusal::EndpointExists { endpoint: self.id.as_str().into() }.into());
            }
            Some(_) => {
                let endpoint = facts.get_mut::<WebhookEndpoint>(&self.id)?.expect("just read");
                endpoint.url = self.url.clone();
                endpoint.events = JsonList::from(self.events.clone());
            }
            None => drop(facts.insert(WebhookEndpoint {
                id: self.id.clone(),
                url: self.url.clone(),
                events: self.events.clone().into(),
                secret: self.secret.clone(),
                secret_previous: None,
                state: EndpointState::Enabled,
                disabled_reason: None,
                disabled_at: None,
                cursor: self.head,
                created_at: now,
                version: 0,
            })),
        }
        Ok(EndpointPut { endpoint: changed(facts, &self.id)?, created })
    }
}

/// Says that the endpoint has changed, and how it is now.
fn changed(facts: &mut Facts, id: &EndpointId) -> Result<EndpointAbout, Stop<OperationRefusal>> {
    facts.emit(&OperationsEvent::EndpointChanged { endpoint: id.as_str().into() }.into());
    Ok(facts.get::<WebhookEndpoint>(id)?.expect("just written").into())
}

fn known(facts: &mut Facts, id: &EndpointId) -> Result<WebhookEndpoint, Stop<OperationRefusal>> {
    let endpoint = facts.get::<WebhookEndpoint>(id)?;
    Ok(endpoint.ok_or_else(|| OperationRefusal::EndpointNotFound { endpoint: id.as_str().into() })?.clone())
}

/// A new secret; the old one signs too for a while, so that receivers can change over. Of two rotations within that while
/// only the last two secrets sign.
///
/// Refuses: no such endpoint.
#[derive(Clone, Debug)]
pub struct RotateEndpointSecret {
    id: EndpointId,
    secret: SigningSecret,
    overlap_secs: i64,
}

impl RotateEndpointSecret {
    pub fn new(id: EndpointId, secret: SigningSecret, overlap_secs: i64) -> Result<RotateEndpointSecret, Invalid> {
        if !(0..=ENDPOINT_OVERLAP_SECS_MAX).contains(&overlap_secs) {
            let (what, units_max) = ("overlap_secs".to_owned(), ENDPOINT_OVERLAP_SECS_MAX);
            return Err(Invalid::Units { what, units: overlap_secs, units_min: 0, units_max });
        }
        Ok(RotateEndpointSecret { id, secret, overlap_secs })
    }
}

impl Command for RotateEndpointSecret {
    const NAME: &'static str = "rotate_endpoint_secret";
    type Reply = EndpointAbout;
    type Refusal = OperationRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<WebhookEndpoint>(&self.id);
    }

    fn decide(&self, facts: &mut Facts) -> Result<EndpointAbout, Stop<OperationRefusal>> {
        known(facts, &self.id)?;
        let until = facts.now().plus_secs(self.overlap_secs);
        let endpoint = facts.get_mut::<WebhookEndpoint>(&self.id)?.expect("just read");
        let old = std::mem::replace(&mut endpoint.secret, self.secret.clone());
        endpoint.secret_previous = (self.overlap_secs > 0).then_some(PreviousSecret { secret: old, until });
        changed(facts, &self.id)
    }
}

/// Lets an endpoint be told again: everything since it was disabled, or, if told so, what happens from now on. What was
/// on its way when it was disabled is not sent by itself; it can be replayed. A repeat changes nothing.
///
/// Refuses: no such endpoint.
#[derive(Clone, Debug)]
pub struct EnableEndpoint {
    pub id: EndpointId,
    /// Go on behind this place instead of where it stopped.
    pub skip_to: Option<EventCursor>,
}

impl Command for EnableEndpoint {
    const NAME: &'static str = "enable_endpoint";
    type Reply = EndpointAbout;
    type Refusal = OperationRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<WebhookEndpoint>(&self.id);
        reads.record::<Case>(&gone_case(&self.id));
    }

    fn decide(&self, facts: &mut Facts) -> Result<EndpointAbout, Stop<OperationRefusal>> {
        let known = known(facts, &self.id)?;
        // Never backwards: that would be a replay without a name.
        let cursor = self.skip_to.map_or(known.cursor, |skip_to| skip_to.max(known.cursor));
        if known.state == EndpointState::Enabled && known.cursor == cursor {
            facts.mark_replayed();
            return Ok((&known).into());
        }
        close_case(facts, &gone_case(&self.id), None, &Reason::stored("the endpoint was enabled"))?;
        let endpoint = facts.get_mut::<WebhookEndpoint>(&self.id)?.expect("just read");
        endpoint.state = EndpointState::Enabled;
        endpoint.disabled_reason = None;
        endpoint.disabled_at = None;
        endpoint.cursor = cursor;
        changed(facts, &self.id)
    }
}

/// What is on its way to it is not sent any more.
///
/// Refuses: no such endpoint.
#[derive(Clone, Debug)]
pub struct RemoveEndpoint {
    pub id: EndpointId,
}

impl Command for RemoveEndpoint {
    const NAME: &'static str = "remove_endpoint";
    type Reply = ();
    type Refusal = OperationRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<WebhookEndpoint>(&self.id);
        reads.record::<Case>(&gone_case(&self.id));
    }

    fn decide(&self, facts: &mut Facts) -> Result<(), Stop<OperationRefusal>> {
        known(facts, &self.id)?;
        close_case(facts, &gone_case(&self.id), None, &Reason::stored("the endpoint was removed"))?;
        facts.remove::<WebhookEndpoint>(&self.id);
        facts.emit(&OperationsEvent::EndpointRemoved { endpoint: self.id.as_str().into() }.into());
        Ok(())
    }
}
