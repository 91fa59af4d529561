//! Who may write stock: the schema's triggers ask for a function that only our own connections have.

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;

/// Lets a connection write stock. For the one writer, and for whoever has to work behind its back.
pub fn let_write_stock(connection: &Connection) -> rusqlite::Result<()> {
    // Without the last flag a schema that is not trusted cannot call it.
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function("surehold_writes_stock", 0, flags, |_| Ok(true))
}
