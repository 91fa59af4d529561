//! Properties, room types and rate plans.

use surehold_core::kernel::{Event, Invalid};
use surehold_core::stays::commands::{PutRoomType, RATE_PLANS_MAX, ROOM_TYPES_MAX};
use surehold_core::stays::{
    LocalTime, PaymentAccount, Property, PropertyTerms, RatePlan, RatePlanKey, RoomType, RoomTypeKey, StaysEvent,
};

use super::desk::{Desk, plan, put_plan, put_property, put_room, room, sea, title};

#[test]
fn put_and_put_again() {
    let mut desk = Desk::with_tenant();
    let made = desk.run(&put_property("BRL")).unwrap();
    assert_eq!(made.events, [Event::Stays(StaysEvent::PropertyChanged { property: sea(), version: 1 })]);
    assert_eq!((made.reply.check_in, *made.reply.terms), (LocalTime::CHECK_IN, PropertyTerms::default()));
    assert!(desk.run(&put_property("BRL")).unwrap().replayed);

    desk.run(&put_room("double", 2)).unwrap();
    let terms = PropertyTerms { quote_secs: 60, ..PropertyTerms::default() };
    let account = PaymentAccount::new("acct_1").unwrap();
    let other = put_property("BRL").terms(terms).unwrap().payment_account(account.clone());
    let changed = desk.run(&other.check_in(LocalTime::parse("14:30").unwrap())).unwrap().reply;
    assert_eq!((changed.version, changed.room_types, changed.payment_account.as_ref()), (3, 1, Some(&account)));
    assert_eq!(desk.record::<Property>(&sea()), Some(changed));

    let changed = desk.run(&put_room("double", 3)).unwrap().reply;
    assert_eq!((changed.guests_max, changed.version), (3, 2));
    assert!(desk.run(&put_room("double", 3)).unwrap().replayed);
    assert_eq!(desk.record::<RoomType>(&RoomTypeKey { property: sea(), code: room("double") }), Some(changed));
    let made = desk.run(&put_plan("flex")).unwrap().reply;
    assert!(desk.run(&put_plan("flex")).unwrap().replayed);
    assert_eq!(desk.record::<RatePlan>(&RatePlanKey { property: sea(), code: plan("flex") }), Some(made));
    let property = desk.record::<Property>(&sea()).unwrap();
    assert_eq!((property.room_types, property.rate_plans), (1, 1));
}

#[test]
fn refused() {
    let told = |refusal: Result<_, surehold_core::stays::StayRefusal>| refusal.unwrap_err().to_string();
    let mut desk = Desk::bare();
    assert_eq!(told(desk.run(&put_property("BRL")).map(drop)), "there is no such tenant");
    assert_eq!(told(desk.run(&put_room("double", 2)).map(drop)), "there is no such tenant");
    let mut desk = Desk::with_tenant();
    assert_eq!(told(desk.run(&put_room("double", 2)).map(drop)), "there is no property sea");
    assert_eq!(told(desk.run(&put_plan("flex")).map(drop)), "there is no property sea");
    desk.run(&put_property("BRL")).unwrap();
    let expected = "sea sells in BRL; a property's currency cannot be changed";
    assert_eq!(told(desk.run(&put_property("EUR")).map(drop)), expected);
}

#[test]
fn as_many_as_a_quote_can_read() {
    let mut desk = Desk::with_tenant();
    desk.run(&put_property("BRL")).unwrap();
    for n in 0..ROOM_TYPES_MAX {
        desk.run(&put_room(&format!("r{n}"), 2)).unwrap();
    }
    for n in 0..RATE_PLANS_MAX {
        desk.run(&put_plan(&format!("p{n}"))).unwrap();
    }
    let refusal = desk.run(&put_room("more", 2)).unwrap_err();
    assert_eq!(refusal.to_string(), "sea has 100 room types, the most allowed");
    let refusal = desk.run(&put_plan("more")).unwrap_err();
    assert_eq!(refusal.to_string(), "sea has 20 rate plans, the most allowed");
    assert!(!desk.run(&put_room("r0", 3)).unwrap().replayed, "what is there may be changed");
}

#[test]
fn malformed() {
    let key = || RoomTypeKey { property: sea(), code: room("double") };
    for guests_max in [0, 1_001] {
        let made = PutRoomType::new(key(), title("Double"), guests_max);
        assert!(matches!(made, Err(Invalid::Amount { .. })), "{guests_max}");
    }
    for terms in [
        PropertyTerms { quote_secs: 59, ..PropertyTerms::default() },
        PropertyTerms { hold_secs: i64::MAX, ..PropertyTerms::default() },
        PropertyTerms { session_grace_secs: -1, ..PropertyTerms::default() },
        PropertyTerms { async_payment_secs: 31 * 86_400, ..PropertyTerms::default() },
    ] {
        assert!(put_property("BRL").terms(terms).is_err(), "{terms:?}");
    }
}
