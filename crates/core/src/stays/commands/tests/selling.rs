//! Holding, giving up, booking at the desk; and forgetting who it was.

use super::super::{
    CancelStay, ConfirmStay, CreateStay, EraseGuest, InventoryChange, PutProperty, PutRatePlan, PutRoomType,
    RateChange, Set, SetCalendar, StayItem, StayReply, WalkIn, WantedRooms,
};
use super::{ann, create, nights, quote_id, save_quote, save_quote_of, told, wanted};
use crate::kernel::{Currency, Hold, Pool, Title, decode_events};
use crate::operations::TimeZoneName;
use crate::stays::operations::tests::world::{World, double, hold_id, property};
use crate::stays::{
    CancellationPolicy, Guest, GuestDetails, Penalty, PropertyName, RateNight, RatePlanCode, RatePlanKey, RoomTypeCode,
    RoomTypeKey, Weekdays, pool_of,
};

fn show(reply: StayReply) -> String {
    let made = reply.reservation.map_or_else(String::new, |reservation| {
        format!(", {} by {} paid {}", reservation.state, reservation.source, reservation.paid)
    });
    format!("{} {}{made}", reply.hold.state.as_str(), reply.stay.total)
}

fn quoted(rooms: i64) -> World {
    let mut world = World::new(rooms);
    save_quote(&mut world);
    world
}

#[test]
fn creating() {
    let check = |prepare: &dyn Fn(&mut World), command: CreateStay, expected: &str| {
        let mut world = quoted(1);
        prepare(&mut world);
        assert_eq!(told(&mut world, &command, show), expected);
    };
    let first = || create(hold_id(1), 1);
    let item = |option, rooms| vec![StayItem { option, rooms }];
    let with_items = |items| CreateStay::new(hold_id(1), quote_id(), items).unwrap();
    let create_first = |world: &mut World| drop(world.run(&create(hold_id(1), 1)).unwrap());
    check(&|_| {}, first(), "active 20000");
    check(&create_first, first(), "active 20000");
    check(&|world| world.clock(1_799), first(), "active 20000");
    check(&|world| world.clock(1_800), first(), "the quote was good until 2026-11-01T12:30:00Z");
    // A repeat is answered however late it comes.
    check(&|world| (create_first(world), world.clock(1_800)).1, first(), "expired 20000");
    let reused = format!("stay {} exists with other content", hold_id(1));
    check(&create_first, create(hold_id(1), 2), &reused);
    let other_guest = first().guest(GuestDetails::default()).unwrap();
    check(&create_first, other_guest, &reused);
    check(
        &create_first,
        create(hold_id(2), 1),
        "sold out: sea-view/double on 2026-12-01 (0 left, 1 wanted), sea-view/double on 2026-12-02 (0 left, 1 wanted)",
    );
    check(&|_| {}, with_items(item(3, 1)), &format!("quote {} has no option 3", quote_id()));
    check(&|_| {}, with_items(item(1, 2)), "the number of rooms is 2; it must be between 1 and 1");
    let dearer = |world: &mut World| {
        world.set_night("flexible", RateNight { day: 2, price: Some(10_001), ..RateNight::default() });
    };
    check(&dearer, first(), "flexible of double costs 20001 now, not 20000");
    let stopped = |world: &mut World| {
        world.set_night("flexible", RateNight { day: 2, price: Some(10_000), stop_sell: true, ..RateNight::default() });
    };
    check(&stopped, first(), "flexible of double cannot be had: not sold on 2026-12-02");
    check(&stopped, create(hold_id(1), 2), "active 20000");
    assert!(CreateStay::new(hold_id(1), quote_id(), vec![]).is_err());
    assert!(CreateStay::new(hold_id(1), quote_id(), [item(1, 1), item(1, 1)].concat()).is_err());
    assert!(CreateStay::new(hold_id(1), quote_id(), item(1, 0)).is_err());
}

/// In two plans: all of them or none, and each night is claimed once.
#[test]
fn several_rooms_in_one_hold() {
    let create = |number, rooms: [u32; 2]| {
        let items = (1..).zip(rooms).map(|(option, rooms)| StayItem { option, rooms });
        CreateStay::new(hold_id(number), quote_id(), items.collect()).unwrap()
    };
    let mut world = World::new(4);
    save_quote_of(&mut world, 3);
    assert_eq!(told(&mut world, &create(1, [1, 2]), show), "active 60000");
    assert_eq!(world.taken(), "3+0 3+0 0+0 0+0");
    let lines = world.facts.get::<Hold>(&hold_id(1)).unwrap().unwrap().lines.as_json().to_owned();
    assert_eq!(lines, r#"[["sea-view/double","2026-12-01",3],["sea-view/double","2026-12-02",3]]"#);
    assert!(told(&mut world, &create(2, [1, 2]), show).starts_with("sold out: sea-view/double on 2026-12-01 (1 left"));
    assert_eq!(told(&mut world, &create(2, [1, 1]), show), "the number of rooms is 2; it must be between 3 and 3");
    assert_eq!(world.taken(), "3+0 3+0 0+0 0+0");
    let confirm = ConfirmStay::new(hold_id(1), 0).unwrap();
    assert_eq!(told(&mut world, &confirm, show), "converted 60000, confirmed by desk paid 0");
    assert_eq!(world.taken(), "0+3 0+3 0+0 0+0");
}

/// Names are a property's own: the same ones elsewhere are other rooms, and what is only elsewhere is nowhere here.
#[test]
fn rooms_of_another_property() {
    let hill = PropertyName::new("hill").unwrap();
    let (flexible, tent) = (RatePlanCode::new("flexible").unwrap(), RoomTypeCode::new("tent").unwrap());
    let title = || Title::new("Hill").unwrap();
    let mut world = World::new(1);
    let put = PutProperty::new(hill.clone(), title(), TimeZoneName::utc(), Currency::parse("BRL").unwrap());
    world.run(&put).unwrap();
    for code in [double(), tent.clone()] {
        let key = RoomTypeKey { property: hill.clone(), code };
        world.run(&PutRoomType::new(key, title(), 2).unwrap()).unwrap();
    }
    let policy = CancellationPolicy { free_until_hours: None, penalty: Penalty::All, no_show: Penalty::All };
    let key = RatePlanKey { property: hill.clone(), code: flexible.clone() };
    world.run(&PutRatePlan::new(key, title(), policy).unwrap()).unwrap();
    let inventory = Some(InventoryChange { total: Some(1), ..InventoryChange::default() });
    let rates = vec![(flexible, RateChange { price: Set::To(1), ..RateChange::default() })];
    let range = nights(1, 3).into();
    world.run(&SetCalendar::new(hill.clone(), double(), range, Weekdays::ALL, inventory, rates).unwrap()).unwrap();

    let walk_in = |number, property: &PropertyName, room_type: &RoomTypeCode, plan: &str| {
        let rooms = vec![WantedRooms { room_type: room_type.clone(), ..wanted(plan, 1).remove(0) }];
        WalkIn::new(hold_id(number), property.clone(), nights(1, 3), rooms).unwrap()
    };
    let booked = "converted 2, confirmed by walk_in paid 0";
    assert_eq!(told(&mut world, &walk_in(1, &hill, &double(), "flexible"), show), booked);
    assert_eq!(world.taken(), "0+0 0+0 0+0 0+0");
    assert!(told(&mut world, &walk_in(2, &hill, &double(), "flexible"), show).starts_with("sold out: hill/double"));
    let ours = property();
    let nowhere = "there is no room type tent in sea-view";
    assert_eq!(told(&mut world, &walk_in(2, &ours, &tent, "flexible"), show), nowhere);
    let nowhere = "there is no rate plan fixed in hill";
    assert_eq!(told(&mut world, &walk_in(2, &hill, &double(), "fixed"), show), nowhere);
    let booked = "converted 20000, confirmed by walk_in paid 0";
    assert_eq!(told(&mut world, &walk_in(2, &ours, &double(), "flexible"), show), booked);
}

#[test]
fn a_hold_that_is_no_stays() {
    let mut world = quoted(2);
    let hold = world.hold_stay().unwrap();
    world.facts.remove::<crate::stays::Stay>(&hold);
    world.facts.keep_changes();
    assert_eq!(told(&mut world, &create(hold, 1), show), format!("hold {hold} exists with other content"));
}

#[test]
fn ending_at_the_desk() {
    let mut world = quoted(1);
    let hold = hold_id(1);
    let confirm = |paid| ConfirmStay::new(hold, paid).unwrap();
    assert_eq!(told(&mut world, &CancelStay { hold }, show), format!("there is no stay {hold}"));
    world.run(&create(hold, 1)).unwrap();
    assert_eq!(world.taken(), "1+0 1+0 0+0 0+0");
    assert_eq!(told(&mut world, &CancelStay { hold }, show), "cancelled 20000");
    assert_eq!(told(&mut world, &CancelStay { hold }, show), "cancelled 20000");
    assert_eq!(world.taken(), "0+0 0+0 0+0 0+0");
    assert_eq!(told(&mut world, &confirm(0), show), "the hold is cancelled");

    let hold = hold_id(2);
    let confirm = |paid| ConfirmStay::new(hold, paid).unwrap();
    world.run(&create(hold, 1)).unwrap();
    let booked = "converted 20000, confirmed by desk paid 5000";
    assert_eq!(told(&mut world, &confirm(5_000), show), booked);
    assert_eq!(told(&mut world, &confirm(5_000), show), booked);
    assert_eq!(told(&mut world, &confirm(1), show), "the stay is booked already (desk, 5000 paid)");
    assert_eq!(told(&mut world, &CancelStay { hold }, show), "the hold is converted");
    assert_eq!(world.taken(), "0+1 0+1 0+0 0+0");
    assert!(ConfirmStay::new(hold, -1).is_err());
}

#[test]
fn walking_in() {
    let mut world = World::new(2);
    let walk_in =
        |number, rooms| WalkIn::new(hold_id(number), property(), nights(1, 3), wanted("fixed", rooms)).unwrap();
    let booked = "converted 40000, confirmed by walk_in paid 0";
    assert_eq!(told(&mut world, &walk_in(1, 2), show), booked);
    assert_eq!(told(&mut world, &walk_in(1, 2), show), booked);
    assert_eq!(world.taken(), "0+2 0+2 0+0 0+0");
    // Placed and booked: the journal tells of two changes of the hold, and of its pools.
    assert_eq!(world.facts.get::<Hold>(&hold_id(1)).unwrap().unwrap().version, 2);
    let pool = pool_of(&property(), &double(), nights(1, 3).checkin());
    assert_eq!(world.facts.get::<Pool>(&pool).unwrap().unwrap().version, 3);
    let reused = format!("stay {} exists with other content", hold_id(1));
    assert_eq!(told(&mut world, &walk_in(1, 1), show), reused);
    assert_eq!(told(&mut world, &walk_in(1, 2).paid(1).unwrap(), show), reused);
    assert_eq!(told(&mut world, &walk_in(1, 2).guest(ann()).unwrap(), show), reused);
    assert!(told(&mut world, &walk_in(2, 1), show).starts_with("sold out"));
    world.clock(40 * 86_400);
    assert_eq!(
        told(&mut world, &walk_in(3, 1), show),
        "fixed of double cannot be had: it is 2026-12-11 at the property; nobody can arrive before that"
    );
}

#[test]
fn guests_are_forgotten() {
    let mut world = quoted(1);
    let hold = hold_id(1);
    assert!(world.run(&EraseGuest { hold }).is_err());
    let reply = world.run(&create(hold, 1)).unwrap();
    assert_eq!(world.facts.get::<Guest>(&hold).unwrap().unwrap().details, ann());
    // Nowhere else: not in replies, which are kept, not in the hold, and not in the journal.
    let kept = serde_json::to_string(&reply).unwrap();
    let of_hold = serde_json::to_string(world.facts.get::<Hold>(&hold).unwrap().unwrap()).unwrap();
    let told = format!("{:?}", decode_events(world.facts.events().0).unwrap());
    for text in [kept, of_hold, told] {
        assert!(!text.contains("Ann") && !text.contains("ann@"), "{text}");
    }
    let erased = world.run(&EraseGuest { hold }).unwrap();
    assert_eq!(world.facts.get::<Guest>(&hold).unwrap().unwrap().details, GuestDetails::default());
    world.clock(1);
    assert_eq!(world.run(&EraseGuest { hold }).unwrap(), erased);
    // Its maker may still repeat the request.
    assert_eq!(show(world.run(&create(hold, 1)).unwrap()), "active 20000");
}
