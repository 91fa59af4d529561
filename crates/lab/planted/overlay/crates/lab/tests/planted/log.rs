//! What the product logs as an error: that a guard fired is said nowhere else.

use std::io::Write;
use std::sync::{Mutex, Once};

use tracing_subscriber::filter::LevelFilter;

static ERRORS: Mutex<Vec<u8>> = Mutex::new(Vec::new());

struct Errors;

impl Write for Errors {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        ERRORS.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

pub(crate) fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        tracing_subscriber::fmt().with_max_level(LevelFilter::ERROR).with_ansi(false).with_writer(|| Errors).init();
    });
}

/// The errors since the last call.
pub(crate) fn take_errors() -> Vec<String> {
    let bytes = std::mem::take(&mut *ERRORS.lock().unwrap());
    String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
}
