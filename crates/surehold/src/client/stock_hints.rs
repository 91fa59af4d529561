//! What to do next about stock, in the words of the command line. `None` where the problem's own sentence says it all.

use serde_json::Value;
use surehold_http::problem::Code;

use super::hints::quoted;

pub(super) fn hint_about_stock(code: Code, problem: &Value, tenant: &str) -> Option<String> {
    let named = |value: &Value, absent: &str| value.as_str().map_or_else(|| absent.to_owned(), quoted);
    let (store, document) = (named(&problem["store"], "STORE"), named(&problem["document"], "DOCUMENT"));
    let product = named(&problem["products"][0], "PRODUCT");
    let item = |item: &Value| (named(&item["store"], "STORE"), named(&item["product"], "PRODUCT"));
    Some(match code {
        Code::StoreNotFound => format!(
            "`surehold stock store list {tenant}` shows what there is; `surehold stock store put {tenant} {store} \
             --currency CODE` makes it"
        ),
        Code::ProductNotFound => format!(
            "`surehold stock product list {tenant}` shows what there is; `surehold stock product put {tenant} {product}` \
             makes it"
        ),
        Code::PackNotFound => format!(
            "`surehold stock product show {tenant} {product}` shows its packs; `surehold stock product put {tenant} \
             {product} --pack NAME=COUNT` adds one"
        ),
        Code::BarcodeNotFound => {
            let code = named(&problem["barcodes"][0], "CODE");
            format!("`surehold stock barcode put {tenant} PRODUCT {code}` gives it to a product")
        }
        Code::BarcodeTaken => format!("`surehold stock product show {tenant} {product}` shows whose it is"),
        Code::DocumentNotFound => format!("`surehold stock document list {tenant}` shows what there is"),
        Code::LineNotFound | Code::DocumentState | Code::PartMissing | Code::AboutOtherKind | Code::MoreThanLeft => {
            format!("`surehold stock document show {tenant} {document}` shows its lines and what is left of them")
        }
        Code::DocumentHasFollowers => format!("`surehold stock document list {tenant} --about {document}` shows them"),
        Code::Short => {
            let (store, product) = item(&problem["short"][0]);
            format!("`surehold explain {tenant} {store}/{product}` says who has it")
        }
        Code::ItemsMoved => {
            let (store, product) = item(&problem["moved"][0]);
            format!(
                "`surehold stock card {tenant} {store} {product}` shows what moved; count again, or let the difference \
                 count with --difference"
            )
        }
        Code::AlreadyOpen | Code::ShortInPast | Code::CountBackdated => {
            let (store, product) = item(&problem["item"]);
            format!("`surehold stock card {tenant} {store} {product} --order effect` shows what moved, and when")
        }
        Code::LotShort | Code::LotDiffers | Code::TooManyLots => {
            let (store, product) = item(&problem["item"]);
            format!("`surehold stock show {tenant} --in {store} --product {product}` shows its lots")
        }
        Code::NotOpened => "`surehold stock opening` brings what is there into the books, at what it cost".to_owned(),
        Code::BooksClosed => "post it with a later --at, or without one".to_owned(),
        Code::BooksBusy => format!("`surehold stock books {tenant}` says what is still on its way; then run it again"),
        Code::StoreCurrencyFixed => "leave --currency out, or make another store".to_owned(),
        Code::ProductFixed => "scale, tracking and the size of a pack stay; make another product, or pack".to_owned(),
        Code::DocumentIdReused => "leave --id out to make another document".to_owned(),
        Code::DocumentIdOutsideWindow => {
            "leave --id out; a UUIDv7 carries its time and is good for a while only".to_owned()
        }
        Code::LotExpired => "`surehold stock write-off` takes out what has expired".to_owned(),
        Code::LotNeeded => "name it behind the line, as in milk=5@0.90,lot=L7".to_owned(),
        Code::SerialsMissing => "list every piece behind the line, as in phone=2,serial=A1,serial=A2".to_owned(),
        Code::TrackedByStock => "documents move it: `surehold stock purchase`, `sale`, `recount` and others".to_owned(),
        _ => return None,
    })
}
