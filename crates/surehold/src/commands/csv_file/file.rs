//! The file: bytes, separators, rows with the numbers of their lines. Knows nothing of what cells mean.

use std::path::{Path, PathBuf};

use csv::ByteRecord;

use super::super::money::DecimalSign;
use super::Fault;
use super::columns::{Column, Columns};
use crate::client::ClientError;

/// Years of a large house are a few megabytes.
const BYTES_MAX: u64 = 64 << 20;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

pub(in super::super) struct File<C> {
    path: PathBuf,
    pub(super) delimiter: u8,
    pub(super) header: ByteRecord,
    pub(in super::super) columns: Columns<C>,
    pub(in super::super) records: Vec<Record>,
}

pub(in super::super) struct Record {
    /// Of its first line, from 1.
    pub(in super::super) line: u64,
    pub(in super::super) cells: ByteRecord,
}

impl<C: Column> File<C> {
    pub(in super::super) fn read(path: &Path) -> Result<File<C>, ClientError> {
        File::parse(path, &read_bytes(path)?)
    }

    pub(in super::super) fn parse(path: &Path, bytes: &[u8]) -> Result<File<C>, ClientError> {
        let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        let header_hint = format!("begin it with a line that names the columns, as in {}", C::HEADER_SHOWN);
        if bytes.trim_ascii().is_empty() {
            return Err(wrong(path, "is empty", &header_hint));
        }
        let delimiter = delimiter(bytes);
        let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(bytes);
        let header = reader.byte_headers().map_err(|error| wrong(path, &error.to_string(), &header_hint))?.clone();
        let names = header.iter().map(|name| std::str::from_utf8(name).unwrap_or("\u{fffd}"));
        let columns = Columns::read(names).map_err(|why| wrong(path, &format!("line 1: {why}"), &header_hint))?;
        let mut records = Vec::new();
        let mut lines = Lines::new(bytes);
        for record in reader.byte_records() {
            let cells = record.map_err(|error| wrong(path, &error.to_string(), "mend the file"))?;
            // Spreadsheets leave rows of nothing but separators behind.
            if cells.iter().all(|cell| cell.trim_ascii().is_empty()) {
                continue;
            }
            let line = cells.position().map_or(0, |at| lines.line_at(at.byte()));
            records.push(Record { line, cells });
        }
        match records.len() {
            0 => Err(wrong(path, "has a header and no rows", C::ROWS_HINT)),
            rows if rows > C::ROWS_MAX => {
                Err(wrong(path, &format!("has more than {} rows", C::ROWS_MAX), "import it in parts"))
            }
            _ => Ok(File { path: path.to_owned(), delimiter, header, columns, records }),
        }
    }

    /// About the file as a whole.
    pub(in super::super) fn wrong(&self, what: &str, hint: &str) -> ClientError {
        wrong(&self.path, what, hint)
    }

    /// A row has a cell for every column, and nothing behind them.
    pub(in super::super) fn check_cells(&self, record: &Record) -> Result<(), Fault<C>> {
        let (cells, columns) = (record.cells.len(), self.header.len());
        let extra = record.cells.iter().skip(columns).any(|cell| !cell.trim_ascii().is_empty());
        if cells >= columns && !extra {
            return Ok(());
        }
        let reason = format!("the row has {cells} cells, and the header {columns}; quote cells that have a separator");
        Err(Fault { column: None, reason })
    }

    pub(in super::super) fn name(&self) -> String {
        self.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    pub(in super::super) fn decimal_sign(&self) -> DecimalSign {
        if self.delimiter == b',' { DecimalSign::Point } else { DecimalSign::PointOrComma }
    }

    /// The text of a cell, without blanks around it; empty if there is no such column.
    pub(in super::super) fn cell<'a>(&self, record: &'a Record, column: C) -> Result<&'a str, String> {
        let cell = self.columns.place(column).and_then(|place| record.cells.get(place)).unwrap_or_default();
        let text = std::str::from_utf8(cell).map_err(|_| "this is not UTF-8; save the file as CSV UTF-8".to_owned())?;
        Ok(text.trim())
    }
}

pub(in super::super) fn read_bytes(path: &Path) -> Result<Vec<u8>, ClientError> {
    let unreadable = |error: std::io::Error| wrong(path, &format!("cannot be read: {error}"), "check its name");
    let bytes = std::fs::metadata(path).map_err(unreadable)?.len();
    if bytes > BYTES_MAX {
        return Err(wrong(path, &format!("has more than {} MiB", BYTES_MAX >> 20), "import it in parts"));
    }
    std::fs::read(path).map_err(unreadable)
}

/// Counts lines. The parser's own count stands before the end of the line above, and before lines that are empty.
struct Lines<'a> {
    bytes: &'a [u8],
    counted: usize,
    line: u64,
}

impl Lines<'_> {
    fn new(bytes: &[u8]) -> Lines<'_> {
        Lines { bytes, counted: 0, line: 1 }
    }

    /// The line on which the text at or behind a place begins; places only go forward.
    fn line_at(&mut self, byte: u64) -> u64 {
        let place = usize::try_from(byte).unwrap_or(usize::MAX).min(self.bytes.len());
        let breaks = self.bytes[place..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        while self.counted < place + breaks {
            let is_end = match self.bytes[self.counted] {
                b'\n' => true,
                b'\r' => self.bytes.get(self.counted + 1) != Some(&b'\n'),
                _ => false,
            };
            self.line += u64::from(is_end);
            self.counted += 1;
        }
        self.line
    }
}

fn wrong(path: &Path, what: &str, hint: &str) -> ClientError {
    ClientError::File { what: format!("{} {what}", path.display()), hint: hint.to_owned() }
}

/// What separates the names of the columns; they have none of these in them.
fn delimiter(bytes: &[u8]) -> u8 {
    let first_line = bytes.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    let count = |sign: u8| first_line.split(|byte| *byte == sign).count();
    let mut best = b',';
    for sign in [b';', b'\t'] {
        if count(sign) > count(best) {
            best = sign;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    super::super::column_names! {
        RoomType = "room_type",
        Date = "date",
        Rooms = "rooms",
        Price = "price",
        Reason = "reason",
    }

    impl super::Column for Column {
        const ALL: &'static [Column] = Column::NAMED;
        const HEADER_SHOWN: &'static str = "room_type,date,rooms";
        const ROWS_HINT: &'static str = "add a row";
        const ROWS_MAX: usize = 4;
        const REASON: Column = Column::Reason;

        fn name(self) -> &'static str {
            self.named()
        }

        fn check(columns: &[Column]) -> Result<(), String> {
            if columns.is_empty() { Err("there are none".to_owned()) } else { Ok(()) }
        }
    }

    fn parse(text: &[u8]) -> Result<File<Column>, String> {
        File::parse(Path::new("rates.csv"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn separators_marks_and_lines() {
        for text in [
            "room_type,date,rooms\r\ndouble,2026-12-24,3\r\n\r\nsuite,2026-12-24,1",
            "\u{feff}room_type;date;rooms\ndouble;2026-12-24;3\n;;\nsuite;2026-12-24;1\n",
            "room_type\tdate\trooms\ndouble\t2026-12-24\t3\n\nsuite\t2026-12-24\t\"1\"\n",
            "room_type,date,rooms\rdouble,2026-12-24,3\r\rsuite,2026-12-24,1\r",
            "room_type,date,rooms\ndouble,\"2026-12-24\n\",3\nsuite,2026-12-24,1\n",
        ] {
            let file = parse(text.as_bytes()).unwrap();
            let told: Vec<_> = file.records.iter().map(|r| (r.line, file.cell(r, Column::Rooms).unwrap())).collect();
            assert_eq!(told, [(2, "3"), (4, "1")], "{text}");
            assert_eq!(file.cell(&file.records[0], Column::Price), Ok(""));
        }
    }

    #[test]
    fn what_is_no_use() {
        let check = |text: &[u8], expected: &str| {
            let told = parse(text).err().unwrap();
            assert!(told.contains(expected), "{told}");
        };
        check(b"", "rates.csv is empty");
        check(b"\xef\xbb\xbf \n\n", "rates.csv is empty");
        check(b"room_type,date\n", "a header and no rows");
        check(b"room_type,date\n,\n,,,\n", "a header and no rows");
        check(b"double,2026-12-24,3\n", "line 1: there is no column `double`");
        check(b"room_type\na\nb\nc\nd\ne\n", "has more than 4 rows");
        check(b"room_type,d\xffte\na,b\n", "there is no column");
        let file = parse(b"room_type,date\nd\xff,2026-12-24\n").unwrap();
        assert!(file.cell(&file.records[0], Column::RoomType).unwrap_err().contains("UTF-8"));
    }
}
