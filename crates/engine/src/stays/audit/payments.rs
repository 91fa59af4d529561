//! Payments: what came, what it led to, and what goes back.

use surehold_core::stays::Payment;

use super::{PAYMENT_AMOUNTS, PAYMENT_NAMES, PAYMENT_ONE, PAYMENT_REFUNDS, PAYMENT_STAY, readable};
use crate::SnapshotError;
use crate::audit::Auditing;
use crate::audit::rules::Rule;

const LOOK: &str =
    "compare with the provider's books and with a backup, then book the stay or give the money back by hand";
const BOOKS: &str = "compare with the provider's books: they say what came and what went back";

pub(super) fn check(audit: &mut Auditing<'_>) -> Result<(), SnapshotError> {
    readable::<Payment>(audit)?;
    for rule in led_to_one_thing().into_iter().chain(amounts()).chain(refunds()).chain(names()) {
        rule.check(audit)?;
    }
    Ok(())
}

/// Each answer is a tenant, a provider and what the provider calls the payment.
fn rule(invariant: &'static str, says: &'static str, remedy: &'static str, sql: &'static str) -> Rule {
    Rule { key: |_, object| format!("payment {object}"), ..Rule::new(invariant, says, remedy, sql) }
}

fn led_to_one_thing() -> Vec<Rule> {
    vec![
        rule(
            PAYMENT_ONE,
            "the money came, and led to nothing",
            LOOK,
            "select p.tenant, p.provider, p.object from payments p where p.received > 0 and p.resolution is null",
        ),
        rule(
            PAYMENT_ONE,
            "led to something, and has not succeeded",
            LOOK,
            "select p.tenant, p.provider, p.object from payments p where p.resolution is not null \
              and p.state in ('created', 'awaiting', 'expired', 'failed')",
        ),
        rule(
            PAYMENT_ONE,
            "led to a reservation that is not there",
            LOOK,
            "select p.tenant, p.provider, p.object from payments p where p.resolution = 'reservation' and not exists \
              (select 1 from reservations r where r.tenant = p.tenant and r.hold = p.hold and r.payment = p.object)",
        ),
        rule(
            PAYMENT_ONE,
            "led to a reservation, and to something else or nothing",
            LOOK,
            "select p.tenant, p.provider, p.object from payments p where coalesce(p.resolution, '') <> 'reservation' \
              and exists (select 1 from reservations r where r.tenant = p.tenant and r.hold = p.hold \
              and r.payment = p.object)",
        ),
        rule(
            PAYMENT_ONE,
            "goes back, and no refund was asked for",
            LOOK,
            "select p.tenant, p.provider, p.object from payments p where p.resolution = 'refund' and p.refunds = 0",
        ),
        rule(
            PAYMENT_ONE,
            "was left to a person, and there is no case",
            LOOK,
            // A case that somebody has resolved was seen.
            "select p.tenant, p.provider, p.object from payments p where p.resolution = 'case' and not exists \
              (select 1 from cases c where c.tenant = p.tenant and c.kind in ('amount-mismatch', 'refunded-elsewhere') \
              and c.key = p.object)",
        ),
    ]
}

fn amounts() -> Vec<Rule> {
    vec![
        rule(
            PAYMENT_STAY,
            "there is no such stay",
            BOOKS,
            "select p.tenant, p.provider, p.object from payments p where not exists (select 1 from stays s \
              where s.tenant = p.tenant and s.hold = p.hold)",
        ),
        rule(
            PAYMENT_STAY,
            "asks for another amount than its stay costs",
            BOOKS,
            "select p.tenant, p.provider, p.object from payments p join stays s on s.tenant = p.tenant \
              and s.hold = p.hold where s.total <> p.amount or s.currency <> p.currency",
        ),
        rule(
            PAYMENT_AMOUNTS,
            "more goes back than came",
            BOOKS,
            // Refunds may be told before the payment: then nobody knows yet what came.
            "select p.tenant, p.provider, p.object from payments p where (p.received > 0 and p.refunded > p.received) \
              or p.refund_asked > p.received or p.refund_confirmed > p.refund_asked",
        ),
        rule(
            PAYMENT_AMOUNTS,
            "its amounts are not those of its state",
            BOOKS,
            // What is left to a person may be any amount, in any currency.
            "select p.tenant, p.provider, p.object from payments p where coalesce(p.resolution, '') <> 'case' and not \
              case p.state when 'succeeded' then p.received > 0 and p.refunded = 0 \
              when 'partially_refunded' then p.refunded > 0 \
              and p.refunded < (case when p.received > 0 then p.received else p.amount end) \
              when 'refunded' then p.refunded >= (case when p.received > 0 then p.received else p.amount end) \
              else p.received = 0 and p.refunded = 0 end",
        ),
        rule(
            PAYMENT_AMOUNTS,
            "another amount came than was asked for, and no person decided",
            BOOKS,
            "select p.tenant, p.provider, p.object from payments p where p.resolution in ('reservation', 'refund') \
              and p.received <> p.amount",
        ),
    ]
}

fn refunds() -> Vec<Rule> {
    vec![
        rule(
            PAYMENT_REFUNDS,
            "has asked for other refunds than there are operations",
            LOOK,
            "select p.tenant, p.provider, p.object from payments p where p.refunds <> (select count(*) \
              from operation_correlations k where k.tenant = p.tenant and k.correlation_kind = 'checkoutSession' \
              and k.correlation_value = p.object and k.type = 'REFUND_PAYMENT')",
        ),
        rule(
            PAYMENT_REFUNDS,
            "a refund of it has died, and there is no case",
            "see why with `surehold op show`; redrive it, or give the money back in another way and cancel it",
            "select distinct p.tenant, p.provider, p.object from operations o join operation_dead_letters d \
              on d.tenant = o.tenant and d.type = o.type and d.key = o.key and d.resolved_at is null \
              join operation_correlations k on k.tenant = o.tenant and k.correlation_kind = 'checkoutSession' \
              and k.type = o.type and k.key = o.key join payments p on p.tenant = k.tenant \
              and p.object = k.correlation_value where o.type = 'REFUND_PAYMENT' and o.outcome = 'DEAD_LETTER' \
              and not exists (select 1 from cases c where c.tenant = o.tenant and c.state = 'open' \
              and ((c.kind = 'refund-refused' and c.key = o.key) \
              or (c.kind in ('effect-unknown', 'operation-stuck') and c.key = o.type || ' ' || o.key)))",
        ),
    ]
}

fn names() -> Vec<Rule> {
    vec![
        Rule {
            key: |_, object| format!("name {object}"),
            ..Rule::new(
                PAYMENT_NAMES,
                "leads to a payment that is not there",
                "news about it cannot be dealt with: compare with the provider's books",
                "select a.tenant, a.provider, a.object from payment_aliases a where not exists (select 1 from payments p \
              where p.tenant = a.tenant and p.provider = a.provider and p.object = a.payment)",
            )
        },
        rule(
            PAYMENT_NAMES,
            "cannot be found by its payment intent or charge",
            "news about it cannot be dealt with: compare with the provider's books",
            "select p.tenant, p.provider, p.object from payments p where (p.payment_intent is not null and not exists \
              (select 1 from payment_aliases a where a.tenant = p.tenant and a.provider = p.provider \
              and a.object = p.payment_intent)) or (p.charge is not null and not exists (select 1 from payment_aliases a \
              where a.tenant = p.tenant and a.provider = p.provider and a.object = p.charge))",
        ),
    ]
}
