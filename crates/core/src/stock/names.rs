//! Names and ids of what is kept in stores.

use std::fmt;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use uuid::{Uuid, Variant};

use crate::kernel::{Invalid, PoolKey, ResourceName, Slot, Timestamp, check_name, check_slug, name, uuid_v7};

/// With the name of a store in front it is still the name of a pool.
const CODE_BYTES_MAX: usize = 100;

/// What [`check_code`] takes.
#[cfg(feature = "schema")]
const CODE: crate::kernel::schema::TextShape = crate::kernel::schema::TextShape::line(
    CODE_BYTES_MAX,
    "At most 100 bytes of UTF-8, no control characters, no blank at either end.",
);

fn check_code(what: &str, text: &str) -> Result<(), Invalid> {
    check_name(what, text)?;
    if text.len() > CODE_BYTES_MAX {
        return Err(Invalid::NameTooLong { what: what.to_owned(), bytes: text.len(), bytes_max: CODE_BYTES_MAX });
    }
    Ok(())
}

name!(
    /// A place with goods: a shop, a warehouse, a van.
    StoreName, "store", check_slug, SLUG, "main"
);
name!(
    /// What is bought and sold: the caller's own number or code for it.
    ProductCode, "product", check_code, CODE, "tea"
);
name!(
    /// What a product is counted in: `pcs`, `g`, `ml`.
    UnitName, "unit", check_code, CODE, "pcs"
);
name!(
    /// Several units that come together: a box of 12.
    PackName, "pack", check_code, CODE, "box"
);
name!(
    /// What a scanner reads.
    BarcodeText, "barcode", check_code, CODE, "4006381333931"
);
name!(
    /// Goods of one make, with one date of expiry.
    LotCode, "lot", check_code, CODE
);
name!(
    /// One single piece.
    SerialCode, "serial number", check_code, CODE
);
name!(
    /// What is written on a document, for people.
    DocumentNote, "note", check_name, NAME
);
uuid_v7!(
    /// Identity of a document and of the request that posts it: posted twice, it is still one.
    DocumentId, "019a8d1e-6f00-7000-8000-000000000003"
);

/// The pool that a product in a store is claimed from. A store's name has no slash, so no two share a pool.
pub fn pool_of(store: &StoreName, product: &ProductCode) -> PoolKey {
    let resource = ResourceName::new(&format!("{store}/{product}")).expect("a slug and a code are a short, legal name");
    PoolKey { resource, slot: Slot::NONE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pools() {
        let (store, product) = ("x".repeat(63), "y".repeat(100));
        let pool = pool_of(&StoreName::new(&store).unwrap(), &ProductCode::new(&product).unwrap());
        assert_eq!(pool.to_string(), format!("{store}/{product}"));
        assert!(ProductCode::new(&"y".repeat(101)).is_err());
        assert!(StoreName::new("a/b").is_err());
        assert_eq!(
            pool_of(&StoreName::new("a").unwrap(), &ProductCode::new("b/c").unwrap()).to_string(),
            "a/b/c",
            "only what is behind the first slash is the product"
        );
    }
}
