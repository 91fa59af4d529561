//! What can be asked about operations, cases, schedules, webhook endpoints and the epoch.

use surehold_core::kernel::Slug;
use surehold_core::operations::outbox::EndpointId;
use surehold_core::operations::{DedupeKey, ScheduleName, TypeName};

#[allow(clippy::wildcard_imports, reason = "calls name nearly all types of the module")]
use super::*;
use crate::call::{calls, lists, pages};

calls! {
    GET "/v1/{tenant}/operations" operations(tenant: &Slug) -> OperationPage;
    GET "/v1/{tenant}/operations/{type}/{key}" operation(tenant: &Slug, r#type: &TypeName, key: &DedupeKey) -> Operation;
    POST "/v1/{tenant}/operations/{type}/{key}/retry"
        retry(tenant: &Slug, r#type: &TypeName, key: &DedupeKey; Act) -> OperationActed;
    POST "/v1/{tenant}/operations/{type}/{key}/cancel"
        cancel(tenant: &Slug, r#type: &TypeName, key: &DedupeKey; Act) -> OperationActed;
    POST "/v1/{tenant}/operations/{type}/{key}/redrive"
        redrive(tenant: &Slug, r#type: &TypeName, key: &DedupeKey; Act) -> OperationActed;
    POST "/v1/{tenant}/operations/{type}/{key}/settle"
        settle(tenant: &Slug, r#type: &TypeName, key: &DedupeKey; SettleEffect) -> EffectSettled;
    GET "/v1/{tenant}/timeline" timeline(tenant: &Slug) -> Timeline;
    GET "/v1/{tenant}/cases" cases(tenant: &Slug) -> CasePage;
    GET "/v1/{tenant}/cases/{kind}/{key}" case(tenant: &Slug, kind: &str, key: &str) -> Case;
    POST "/v1/{tenant}/cases/{kind}/{key}/assign" assign_case(tenant: &Slug, kind: &str, key: &str; AssignCase) -> Case;
    POST "/v1/{tenant}/cases/{kind}/{key}/resolve" resolve_case(tenant: &Slug, kind: &str, key: &str; Act) -> Case;
    GET "/v1/{tenant}/schedules" schedules(tenant: &Slug) -> SchedulePage;
    GET "/v1/{tenant}/schedules/{name}" schedule(tenant: &Slug, name: &ScheduleName) -> Schedule;
    PUT "/v1/{tenant}/schedules/{name}" put_schedule(tenant: &Slug, name: &ScheduleName; PutSchedule) -> Schedule;
    DELETE "/v1/{tenant}/schedules/{name}" remove_schedule(tenant: &Slug, name: &ScheduleName) -> Schedule;
    GET "/v1/{tenant}/webhook-endpoints" endpoints(tenant: &Slug) -> WebhookEndpointPage;
    GET "/v1/{tenant}/webhook-endpoints/{endpoint}" endpoint(tenant: &Slug, endpoint: &EndpointId) -> WebhookEndpoint;
    PUT "/v1/{tenant}/webhook-endpoints/{endpoint}"
        put_endpoint(tenant: &Slug, endpoint: &EndpointId; PutWebhookEndpoint) -> NewWebhookEndpoint;
    DELETE "/v1/{tenant}/webhook-endpoints/{endpoint}" remove_endpoint(tenant: &Slug, endpoint: &EndpointId) -> ();
    POST "/v1/{tenant}/webhook-endpoints/{endpoint}/rotate-secret"
        rotate_secret(tenant: &Slug, endpoint: &EndpointId; RotateWebhookSecret) -> NewWebhookEndpoint;
    POST "/v1/{tenant}/webhook-endpoints/{endpoint}/enable"
        enable_endpoint(tenant: &Slug, endpoint: &EndpointId; EnableWebhookEndpoint) -> WebhookEndpoint;
    POST "/v1/{tenant}/webhook-endpoints/{endpoint}/replay"
        replay(tenant: &Slug, endpoint: &EndpointId; ReplayEvents) -> ReplayedEvents;
    GET "/v1/{tenant}/webhook-endpoints/{endpoint}/deliveries"
        deliveries(tenant: &Slug, endpoint: &EndpointId) -> WebhookDeliveryPage;
    GET "/admin/epoch" epoch() -> Epoch;
    POST "/admin/epoch" raise_epoch(; Act) -> Epoch;
}

pages! {
    OperationPage { operations: OperationSummary }
    CasePage { cases: Case }
    SchedulePage { schedules: Schedule }
}

lists! {
    WebhookEndpointPage { endpoints: WebhookEndpoint }
}
