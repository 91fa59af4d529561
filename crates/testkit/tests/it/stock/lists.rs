//! What is listed, page by page.

use std::collections::BTreeSet;
use std::slice;

use surehold_core::kernel::commands::PlaceHold;
use surehold_core::kernel::{Line, Lines, Reference};
use surehold_core::stock::commands::PutBarcodes;
use surehold_core::stock::{Barcode, BarcodeText, DocumentHeader, DocumentId, DocumentKind, ItemKey, Place, pool_of};
use surehold_engine::{DocumentsFilter, ItemsFilter};
use surehold_testkit::fixture::Fixture;

use super::shop::{Shop, costing, header, in_transit, is_transit, line, on_hand, product, store};
use crate::conformance::new_id;

pub(super) async fn catalogues_and_documents(fixture: Fixture) {
    let shop = Shop::open(&fixture).await;
    let (views, tenant) = (shop.world.engine.views().clone(), shop.world.tenant);
    let names = |stores: Vec<surehold_core::stock::Store>| -> Vec<String> {
        stores.into_iter().map(|store| store.name.to_string()).collect()
    };
    assert_eq!(names(views.stores(tenant, None, 1).await.unwrap()), ["a"]);
    assert_eq!(names(views.stores(tenant, Some(&store("a")), 9).await.unwrap()), ["b"]);
    let codes = views.products(tenant, Some(&product("cup")), 2).await.unwrap();
    assert_eq!(codes.iter().map(|product| product.code.as_str()).collect::<Vec<_>>(), ["milk", "phone"]);
    for (code, barcodes) in [("tea", ["2", "1"]), ("cup", ["4", "3"])] {
        let barcodes = barcodes.map(|code| (BarcodeText::new(code).unwrap(), None)).to_vec();
        shop.run(PutBarcodes::new(product(code), barcodes).unwrap()).await;
    }
    let barcodes = views.barcodes_of(tenant, &product("tea")).await.unwrap();
    assert_eq!(barcodes.iter().map(|barcode| barcode.code.as_str()).collect::<Vec<_>>(), ["1", "2"]);
    // Several at once, as far as there are any.
    let wanted = ["4", "9", "1"].map(|code| BarcodeText::new(code).unwrap());
    let found: Vec<Barcode> = views.records_by_key(tenant, &wanted.into()).await.unwrap();
    let mut found: Vec<String> = found.iter().map(|barcode| format!("{}: {}", barcode.code, barcode.product)).collect();
    found.sort();
    assert_eq!(found, ["1: tea", "4: cup"]);
    assert_eq!(views.records_by_key::<Barcode>(tenant, &BTreeSet::new()).await.unwrap(), []);

    let mut ids: Vec<DocumentId> = Vec::new();
    for (place, reference) in [("a", "x"), ("b", "x"), ("a", "y"), ("a", "x")] {
        let reference = Some(Reference::new(reference).unwrap());
        let bought = DocumentHeader { reference, ..header(DocumentKind::Purchase, place) };
        ids.push(shop.post(bought, vec![costing("tea", 5, 100)]).await.document.id);
    }
    let sale = shop.post(header(DocumentKind::Sale, "a"), vec![line("tea", 5)]).await.document.id;
    let back = DocumentHeader { about: Some(sale), ..header(DocumentKind::CustomerReturn, "a") };
    for _ in 0..3 {
        let of_line = surehold_core::stock::DocumentLine::of_line(1, 1);
        ids.push(shop.post(back.clone(), vec![of_line]).await.document.id);
    }
    let [x1, x2, y, x3, back1, back2, back3] = ids[..] else { unreachable!("seven were posted") };
    let (a, x) = (Some(store("a")), Some(Reference::new("x").unwrap()));
    for (filter, expected) in [
        (DocumentsFilter::default(), vec![back3, back2, back1, sale, x3, y, x2, x1]),
        (DocumentsFilter { store: Some(store("b")), ..DocumentsFilter::default() }, vec![x2]),
        (DocumentsFilter { reference: x.clone(), ..DocumentsFilter::default() }, vec![x3, x2, x1]),
        (DocumentsFilter { reference: x.clone(), store: a.clone(), ..DocumentsFilter::default() }, vec![x3, x1]),
        (DocumentsFilter { about: Some(sale), ..DocumentsFilter::default() }, vec![back3, back2, back1]),
        (DocumentsFilter { about: Some(sale), store: a, reference: x, after: None }, vec![]),
    ] {
        let mut read = Vec::new();
        let mut page = filter.clone();
        loop {
            let documents = views.stock_documents(tenant, &page, 2).await.unwrap();
            let Some(last) = documents.last() else { break };
            page.after = Some(last.id);
            read.extend(documents.into_iter().map(|document| document.id));
        }
        assert_eq!(read, expected, "{filter:?}");
    }
    let parts = views.document_parts(tenant, sale, 0, 10).await.unwrap();
    assert_eq!((parts.len(), parts[0].outcomes[0].quantity), (1, -5));
    assert!(views.document_parts(tenant, sale, 1, 10).await.unwrap().is_empty());
}

pub(super) async fn items_with_their_pools(fixture: Fixture) {
    let shop = Shop::open(&fixture).await;
    let (views, tenant) = (shop.world.engine.views().clone(), shop.world.tenant);
    let bought = vec![costing("tea", 10, 100), costing("cup", 20, 100)];
    shop.post(header(DocumentKind::Purchase, "a"), bought).await;
    let shipped =
        DocumentHeader { to_store: Some(store("b")), in_transit: true, ..header(DocumentKind::Transfer, "a") };
    shop.post(shipped, vec![line("tea", 2), line("cup", 3)]).await;
    let moved = DocumentHeader { to_store: Some(store("b")), ..header(DocumentKind::Transfer, "a") };
    shop.post(moved, vec![line("tea", 1)]).await;
    let lines = Lines::new(vec![Line { pool: pool_of(&store("a"), &product("tea")), quantity: 3 }]).unwrap();
    shop.run(PlaceHold::new(new_id(), lines).lifetime_secs(60).unwrap()).await;

    let (a_cup, a_tea, b_tea) = (on_hand("a", "cup"), on_hand("a", "tea"), on_hand("b", "tea"));
    let (cup_comes, tea_comes) = (in_transit("b", "cup"), in_transit("b", "tea"));
    let filter = |store_wish: &str, code: &str, place: Option<Place>| ItemsFilter {
        store: (!store_wish.is_empty()).then(|| store(store_wish)),
        product: (!code.is_empty()).then(|| product(code)),
        place,
        after: None,
    };
    let (here, coming) = (Some(Place::OnHand), Some(Place::InTransit));
    for (filter, expected) in [
        (filter("", "", None), vec![&a_cup, &a_tea, &cup_comes, &tea_comes, &b_tea]),
        (filter("b", "", None), vec![&cup_comes, &tea_comes, &b_tea]),
        (filter("", "tea", None), vec![&a_tea, &tea_comes, &b_tea]),
        (filter("", "", here), vec![&a_cup, &a_tea, &b_tea]),
        (filter("", "", coming), vec![&cup_comes, &tea_comes]),
        (filter("b", "tea", None), vec![&tea_comes, &b_tea]),
        (filter("b", "tea", here), vec![&b_tea]),
        (filter("b", "", coming), vec![&cup_comes, &tea_comes]),
        (filter("", "tea", coming), vec![&tea_comes]),
        (filter("c", "", None), vec![]),
    ] {
        for page_rows in [1, 2, 10] {
            let mut page = filter.clone();
            let mut read: Vec<ItemKey> = Vec::new();
            loop {
                let items = views.stock_items(tenant, &page, page_rows).await.unwrap();
                let Some(last) = items.last() else { break };
                page.after = Some(last.item.key.clone());
                for view in items {
                    let pool = view.pool.as_ref().map(|pool| pool.total);
                    let expected = (!is_transit(view.item.key.place)).then_some(view.item.quantity);
                    assert_eq!(pool, expected, "{}", view.item.key);
                    read.push(view.item.key);
                }
            }
            assert_eq!(read.iter().collect::<Vec<_>>(), expected, "{filter:?} by {page_rows}");
        }
    }
    let tea = views.stock_item(tenant, &a_tea).await.unwrap().unwrap();
    assert_eq!((tea.item.quantity, tea.available()), (7, 4));

    let short = async |store_wish: Option<&str>, below: i64, after: Option<ItemKey>, rows: u16| -> Vec<ItemKey> {
        let wished = store_wish.map(store);
        let found = views.shortages(tenant, wished.as_ref(), below, after, rows).await.unwrap();
        // Where a page is not full, everything was looked at.
        assert_eq!(found.next.is_some(), found.items.len() == usize::from(rows));
        found.items.into_iter().map(|view| view.item.key).collect()
    };
    assert_eq!(short(None, 5, None, 10).await, [a_tea.clone(), b_tea.clone()]);
    assert_eq!(short(None, 5, None, 1).await, slice::from_ref(&a_tea));
    assert_eq!(short(None, 5, Some(a_tea.clone()), 1).await, slice::from_ref(&b_tea));
    assert_eq!(short(Some("a"), 18, None, 10).await, [a_cup, a_tea]);
    assert_eq!(short(None, 1, None, 10).await, Vec::<ItemKey>::new());
    shop.check(2).await;
}
