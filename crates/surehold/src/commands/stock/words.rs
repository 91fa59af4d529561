//! What is typed about stock, one word at a time: names, instants, barcodes, packs. Pure.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use surehold_core::stock::{BarcodeText, PackName, ProductCode, StoreName};
use uuid::Uuid;

use super::super::input::{date, instant};

pub(super) fn store(text: &str) -> Result<String, String> {
    StoreName::new(text).map(|name| name.to_string()).map_err(|invalid| invalid.to_string())
}

pub(super) fn product(text: &str) -> Result<String, String> {
    // Addresses cannot carry them: everybody on the way takes them for folders.
    if matches!(text, "." | "..") {
        return Err("a product called . or .. cannot be asked for".to_owned());
    }
    ProductCode::new(text).map(|code| code.to_string()).map_err(|invalid| invalid.to_string())
}

pub(super) fn document_id(text: &str) -> Result<Uuid, String> {
    text.parse().map_err(|_| "write a UUID, as `stock document list` shows it".to_owned())
}

pub(super) fn barcode(text: &str) -> Result<String, String> {
    BarcodeText::new(text).map(|code| code.to_string()).map_err(|invalid| invalid.to_string())
}

/// An instant with its offset, or a date: the beginning of that day, UTC.
pub(super) fn moment(text: &str) -> Result<Timestamp, String> {
    let beginning = || date(text).ok()?.to_zoned(TimeZone::UTC).ok().map(|day| day.timestamp());
    instant(text).ok().or_else(beginning).ok_or_else(|| {
        "write an instant like 2026-12-24T18:00:00Z, or a date like 2026-12-24 (its beginning, UTC)".to_owned()
    })
}

/// A barcode, and the pack that it stands for: `CODE[=PACK]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TypedBarcode {
    code: String,
    pack: Option<String>,
}

impl TypedBarcode {
    pub(super) fn parse(text: &str) -> Result<TypedBarcode, String> {
        let (code, pack) = text.split_once('=').map_or((text, None), |(code, pack)| (code, Some(pack)));
        let pack = pack.map(PackName::new).transpose().map_err(|invalid| invalid.to_string())?;
        Ok(TypedBarcode { code: barcode(code)?, pack: pack.map(|pack| pack.to_string()) })
    }

    pub(super) fn json(&self) -> Value {
        match &self.pack {
            Some(pack) => json!({"code": self.code, "pack": pack}),
            None => json!({"code": self.code}),
        }
    }
}

/// Several units that come together: `NAME=COUNT`, as in box=12, in what is shown as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TypedPack {
    pub(super) name: String,
    /// What it is worth depends on the product's scale.
    pub(super) count: String,
}

impl TypedPack {
    pub(super) fn parse(text: &str) -> Result<TypedPack, String> {
        let (name, count) = text.rsplit_once('=').ok_or_else(|| "write a pack like box=12".to_owned())?;
        let name = PackName::new(name).map_err(|invalid| invalid.to_string())?.to_string();
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
        assert_eq!(TypedBarcode::parse("4006=box").unwrap().json(), json!({"code": "4006", "pack": "box"}));
        assert_eq!(TypedBarcode::parse("4006").unwrap().json(), json!({"code": "4006"}));
        assert!(TypedBarcode::parse("").is_err() && TypedBarcode::parse("4006=").is_err());
        let pack = TypedPack::parse("box=12").unwrap();
        assert_eq!((pack.name.as_str(), pack.count.as_str()), ("box", "12"));
        assert!(TypedPack::parse("box").is_err() && TypedPack::parse("=12").is_err());
    }
}
