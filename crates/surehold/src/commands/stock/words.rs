//! What is typed about stock, one word at a time: names, instants, barcodes, packs. Pure.

use jiff::tz::TimeZone;
use surehold_api::stock::NewBarcode;
use surehold_core::kernel::Timestamp;
use surehold_core::stock::{BarcodeText, DocumentId, PackName, ProductCode};

use super::super::input::{check_segment, core_instant, date, id, instant};

pub(super) fn product(text: &str) -> Result<ProductCode, String> {
    check_segment(text, "a product called")?;
    ProductCode::new(text).map_err(|invalid| invalid.to_string())
}

pub(super) fn document_id(text: &str) -> Result<DocumentId, String> {
    id(text, "`stock document list` shows it")
}

pub(super) fn barcode(text: &str) -> Result<BarcodeText, String> {
    check_segment(text, "a barcode that is")?;
    BarcodeText::new(text).map_err(|invalid| invalid.to_string())
}

/// An instant with its offset, or a date: the beginning of that day, UTC.
pub(super) fn moment(text: &str) -> Result<Timestamp, String> {
    let beginning = || date(text).ok()?.to_zoned(TimeZone::UTC).ok().map(|day| core_instant(day.timestamp()));
    instant(text).ok().or_else(beginning).ok_or_else(|| {
        "write an instant like 2026-12-24T18:00:00Z, or a date like 2026-12-24 (its beginning, UTC)".to_owned()
    })
}

/// A barcode, and the pack that it stands for: `CODE[=PACK]`.
pub(super) fn new_barcode(text: &str) -> Result<NewBarcode, String> {
    let (code, pack) = text.split_once('=').map_or((text, None), |(code, pack)| (code, Some(pack)));
    let pack = pack.map(PackName::new).transpose().map_err(|invalid| invalid.to_string())?;
    Ok(NewBarcode { code: barcode(code)?, pack })
}

/// Several units that come together: `NAME=COUNT`, as in box=12, in what is shown as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TypedPack {
    pub(super) name: PackName,
    /// What it is worth depends on the product's scale.
    pub(super) count: String,
}

impl TypedPack {
    pub(super) fn parse(text: &str) -> Result<TypedPack, String> {
        let (name, count) = text.rsplit_once('=').ok_or_else(|| "write a pack like box=12".to_owned())?;
        let name = PackName::new(name).map_err(|invalid| invalid.to_string())?;
        Ok(TypedPack { name, count: count.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments() {
        let check = |text: &str, expected: &str| assert_eq!(moment(text).unwrap().to_string(), expected);
        check("2026-12-24", "2026-12-24T00:00:00Z");
        check("2026-12-24T18:00:00-03:00", "2026-12-24T21:00:00Z");
        for bad in ["", "today", "2026-13-01", "24.12.2026", "2026-12-24T18:00"] {
            assert!(moment(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn barcodes_and_packs() {
        let read = |text: &str| {
            new_barcode(text).map(|NewBarcode { code, pack }| (code.to_string(), pack.map(|pack| pack.to_string())))
        };
        assert_eq!(read("4006=box"), Ok(("4006".to_owned(), Some("box".to_owned()))));
        assert_eq!(read("4006"), Ok(("4006".to_owned(), None)));
        assert!(read("").is_err() && read("4006=").is_err());
        let pack = TypedPack::parse("box=12").unwrap();
        assert_eq!((pack.name.as_str(), pack.count.as_str()), ("box", "12"));
        assert!(TypedPack::parse("box").is_err() && TypedPack::parse("=12").is_err());
    }
}
