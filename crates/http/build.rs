//! Takes two files of Swagger UI out of the archive in which its crate has them, as they are packed there: a browser takes
//! what a ZIP archive contains once it has the head and the end of a gzip file.

use std::path::Path;
use std::{env, fs};

use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED as ARCHIVE;

const FILES: [&str; 2] = ["swagger-ui.css", "swagger-ui-bundle.js"];

/// Deflate, no name, no time, best compression, written by no system in particular (RFC 1952).
const GZIP_HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255];
const DEFLATED: u16 = 8;

/// The parts of an archive, and where their fields are (APPNOTE.TXT of PKWARE, 4.3).
const END_SIGNATURE: [u8; 4] = *b"PK\x05\x06";
const END_BYTES: usize = 22;
const ENTRY_SIGNATURE: [u8; 4] = *b"PK\x01\x02";
const ENTRY_BYTES: usize = 46;
const LOCAL_BYTES: usize = 30;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = env::var_os("OUT_DIR").expect("cargo names the folder");
    for file in FILES {
        let content = packed(file).unwrap_or_else(|| panic!("the archive has no {file}"));
        fs::write(Path::new(&folder).join(format!("{file}.gz")), content).expect("the folder can be written to");
    }
}

/// The file of this name in `dist`, below the archive's one folder.
fn packed(file: &str) -> Option<Vec<u8>> {
    let end = (0..=ARCHIVE.len() - END_BYTES).rev().find(|at| ARCHIVE[*at..].starts_with(&END_SIGNATURE))?;
    let mut at = u32_at(end + 16);
    for _ in 0..u16_at(end + 10) {
        assert!(ARCHIVE[at..].starts_with(&ENTRY_SIGNATURE), "the archive's list of files is not where it should be");
        let name = &ARCHIVE[at + ENTRY_BYTES..][..usize::from(u16_at(at + 28))];
        if name.split(|byte| *byte == b'/').skip(1).eq([b"dist", file.as_bytes()]) {
            return Some(gzip(at));
        }
        at += ENTRY_BYTES + [28, 30, 32].map(|field| usize::from(u16_at(at + field))).iter().sum::<usize>();
    }
    None
}

/// Checksum and length stand at the end in both formats, in the same form.
fn gzip(entry: usize) -> Vec<u8> {
    assert_eq!(u16_at(entry + 10), DEFLATED, "the file is packed in another way");
    let local = u32_at(entry + 42);
    let begin = local + LOCAL_BYTES + usize::from(u16_at(local + 26)) + usize::from(u16_at(local + 28));
    let content = &ARCHIVE[begin..begin + u32_at(entry + 20)];
    let (checksum, length) = (&ARCHIVE[entry + 16..entry + 20], &ARCHIVE[entry + 24..entry + 28]);
    [&GZIP_HEAD, content, checksum, length].concat()
}

fn u16_at(at: usize) -> u16 {
    u16::from_le_bytes([ARCHIVE[at], ARCHIVE[at + 1]])
}

fn u32_at(at: usize) -> usize {
    let bytes = ARCHIVE[at..at + 4].try_into().expect("four bytes");
    usize::try_from(u32::from_le_bytes(bytes)).expect("an address fits")
}
