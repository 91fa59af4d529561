//! Whatever the provider says, in whatever order and however often, about whichever stays.

use proptest::prelude::*;

use super::world::{HOLD_SECS, TOTAL, World};
use crate::stays::DisputeState;
use crate::stays::operations::PaymentTurn;

#[derive(Clone, Debug)]
enum Deed {
    HoldStay,
    /// A page for one of the stays.
    Session {
        stay: usize,
    },
    Tell {
        session: usize,
        turn: PaymentTurn,
    },
    Again,
    Clock {
        secs: i64,
    },
    Cancel {
        stay: usize,
    },
    SellOne,
    Refund {
        session: usize,
    },
}

fn turn() -> impl Strategy<Value = PaymentTurn> {
    let paid = |amount, currency: &str| PaymentTurn::Paid { amount, currency: currency.into() };
    let dispute = |state| PaymentTurn::Dispute { dispute: "dp_1".into(), state, amount: TOTAL };
    prop_oneof![
        6 => Just(paid(TOTAL, "brl")),
        1 => Just(paid(TOTAL - 1, "brl")),
        1 => Just(paid(TOTAL, "usd")),
        2 => Just(PaymentTurn::Awaiting),
        2 => Just(PaymentTurn::Failed),
        1 => Just(PaymentTurn::SessionExpired),
        2 => prop_oneof![Just(1), Just(TOTAL / 2), Just(TOTAL)].prop_map(|total| PaymentTurn::Refunded { total }),
        1 => prop_oneof![Just(DisputeState::Open), Just(DisputeState::Won), Just(DisputeState::Lost)].prop_map(dispute),
    ]
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        2 => Just(Deed::HoldStay),
        3 => (0..4_usize).prop_map(|stay| Deed::Session { stay }),
        8 => (0..6_usize, turn()).prop_map(|(session, turn)| Deed::Tell { session, turn }),
        2 => Just(Deed::Again),
        2 => prop_oneof![Just(1), Just(HOLD_SECS - 1), Just(HOLD_SECS), Just(3 * 86_400)]
            .prop_map(|secs| Deed::Clock { secs }),
        1 => (0..4_usize).prop_map(|stay| Deed::Cancel { stay }),
        1 => Just(Deed::SellOne),
        1 => (0..6_usize).prop_map(|session| Deed::Refund { session }),
    ]
}

fn play(world: &mut World, sessions: &mut Vec<String>, deed: &Deed) {
    match deed {
        Deed::HoldStay => drop(world.hold_stay()),
        Deed::Session { stay } => {
            if let Some(hold) = world.stays.get(*stay).copied() {
                let session = format!("cs_{}", sessions.len());
                world.know_session(hold, &session);
                sessions.push(session);
            }
        }
        Deed::Tell { session, turn } => {
            // Also about sessions that are not known, or not yet.
            world.tell(&format!("cs_{session}"), turn.clone());
        }
        Deed::Again => {
            if world.has_told() {
                world.deliver_again();
            }
        }
        Deed::Clock { secs } => world.clock(*secs),
        Deed::Cancel { stay } => {
            if let Some(hold) = world.stays.get(*stay).copied() {
                world.try_cancel(hold);
            }
        }
        Deed::SellOne => world.sell_one(),
        Deed::Refund { session } => {
            let session = format!("cs_{session}");
            if world.payment(&session).is_some_and(|payment| payment.refunds > 0) {
                world.refund(&session, 1);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn every_payment_leads_to_exactly_one_thing(rooms in 1..3_i64, deeds in prop::collection::vec(deed(), 1..60)) {
        let mut world = World::new(rooms);
        let mut sessions = Vec::new();
        let mut states = Vec::new();
        for (number, deed) in deeds.iter().enumerate() {
            play(&mut world, &mut sessions, deed);
            let audited = world.audit(&sessions);
            prop_assert!(audited.is_ok(), "after deed {number}, {deed:?}: {audited:?}");
            for (index, session) in sessions.iter().enumerate() {
                let payment = world.payment(session).unwrap();
                states.resize(sessions.len(), (0, None));
                let (rank, resolution) = states[index];
                prop_assert!(payment.state.rank() >= rank, "{session} went back: {payment:?}");
                prop_assert!(resolution.is_none() || resolution == payment.resolution, "{session}: {payment:?}");
                prop_assert!(payment.refund_confirmed <= payment.refund_asked, "{payment:?}");
                prop_assert!(payment.refund_asked <= payment.received, "{payment:?}");
                states[index] = (payment.state.rank(), payment.resolution);
            }
        }
    }
}
