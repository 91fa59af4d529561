//! Reads what `strace -f -y -xx` wrote. With `-xx` every string is hexadecimal, so that commas only part arguments.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::recording::{Call, Moment, is_on_disk};

const UNFINISHED: &str = " <unfinished ...>";

pub(super) fn parse(log: &str, folder: &Path) -> Result<(Vec<Call>, Vec<Moment>)> {
    let folder = folder.to_str().context("a folder whose name is no text")?;
    let mut parser = Parser { folder, folder_in_hex: hex(folder), ..Parser::default() };
    for (index, line) in log.lines().enumerate() {
        let shown = || format!("line {} of the trace: {:.300}", index + 1, line);
        let (thread, rest) = line.split_once(' ').with_context(shown)?;
        parser.line(thread, rest.trim_start()).with_context(shown)?;
    }
    ensure!(parser.open.is_empty(), "the writer ended in the middle of {:?}", parser.open.keys());
    Ok((parser.calls, parser.moments))
}

#[derive(Default)]
struct Parser<'a> {
    folder: &'a str,
    folder_in_hex: String,
    calls: Vec<Call>,
    moments: Vec<Moment>,
    /// By thread, the call that it is in.
    open: HashMap<&'a str, usize>,
}

impl<'a> Parser<'a> {
    fn line(&mut self, thread: &'a str, line: &str) -> Result<()> {
        if line.starts_with("+++") || line.starts_with("---") {
            return Ok(());
        }
        if let Some(resumed) = line.strip_prefix("<... ") {
            let Some(call) = self.open.remove(thread) else { return Ok(()) };
            return self.end(call, resumed);
        }
        if !line.contains(&self.folder_in_hex) && !line.starts_with("write(1<") {
            return Ok(());
        }
        let Some(call) = self.call(line)? else { return Ok(()) };
        let index = self.calls.len();
        self.calls.push(call);
        self.moments.push(Moment::Begin(index));
        if line.ends_with(UNFINISHED) {
            self.open.insert(thread, index);
            return Ok(());
        }
        self.end(index, line)
    }

    /// A call that failed did nothing.
    fn end(&mut self, call: usize, line: &str) -> Result<()> {
        let (_, result) = line.rsplit_once(" = ").context("a call without a result")?;
        let result = result.split(['<', ' ']).next().unwrap_or_default();
        let result: i64 = result.parse().context("a result that is no number")?;
        if result < 0 {
            self.moments.retain(|moment| *moment != Moment::Begin(call));
            return Ok(());
        }
        if let Call::Write { bytes, .. } = &self.calls[call] {
            ensure!(usize::try_from(result)? == bytes.len(), "a short write");
        }
        self.moments.push(Moment::End(call));
        Ok(())
    }

    /// Nothing if it does not matter on a disk.
    fn call(&self, line: &str) -> Result<Option<Call>> {
        let (function, arguments) = line.split_once('(').context("not a call")?;
        let arguments = arguments.strip_suffix(UNFINISHED).unwrap_or(arguments);
        let arguments: Vec<&str> = arguments.split(", ").collect();
        let argument = |index: usize| arguments.get(index).copied().context("too few arguments");
        if function == "write" && line.starts_with("write(1<") {
            return Ok(Some(Call::Say { text: String::from_utf8(quoted(argument(1)?)?)? }));
        }
        let path = if function == "openat" { argument(1)? } else { argument(0)? };
        let name = match self.name(path)? {
            PathKind::Folder if function == "fsync" || function == "fdatasync" => return Ok(Some(Call::SyncFolder)),
            PathKind::Elsewhere | PathKind::Folder => return Ok(None),
            PathKind::File(name) => name,
        };
        if !is_on_disk(&name) {
            return Ok(None);
        }
        let call = match function {
            "openat" => {
                let flags = argument(2)?;
                ensure!(!flags.contains("O_TRUNC"), "opening that empties is not understood");
                if !flags.contains("O_CREAT") {
                    return Ok(None);
                }
                Call::Make { name }
            }
            "pwrite64" => Call::Write { name, bytes: quoted(argument(1)?)?, offset: number(argument(3)?)? },
            "ftruncate" => Call::Cut { name, length: number(argument(1)?)? },
            "fsync" | "fdatasync" => Call::Sync { name },
            "unlink" => Call::Remove { name },
            other => bail!("{other} is not understood"),
        };
        Ok(Some(call))
    }

    fn name(&self, argument: &str) -> Result<PathKind> {
        let path = match argument.split_once('<') {
            Some((_, path)) => hex_decoded(path.split_once('>').context("a descriptor without a path")?.0)?,
            None => quoted(argument)?,
        };
        let path = String::from_utf8(path)?;
        let Some(inside) = path.strip_prefix(self.folder) else { return Ok(PathKind::Elsewhere) };
        Ok(match inside.strip_prefix('/') {
            Some(name) => PathKind::File(name.to_owned()),
            None if inside.is_empty() => PathKind::Folder,
            None => PathKind::Elsewhere,
        })
    }
}

enum PathKind {
    Elsewhere,
    Folder,
    File(String),
}

fn number(argument: &str) -> Result<usize> {
    let digits = argument.split(')').next().unwrap_or_default();
    digits.parse().with_context(|| format!("not a number: {argument}"))
}

fn quoted(argument: &str) -> Result<Vec<u8>> {
    let (_, text) = argument.split_once('"').context("not a string")?;
    let (text, rest) = text.split_once('"').context("not a whole string")?;
    ensure!(!rest.starts_with("..."), "a string that was cut short");
    hex_decoded(text)
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("\\x{byte:02x}")).collect()
}

/// Reads `\x2f\x74`.
fn hex_decoded(text: &str) -> Result<Vec<u8>> {
    let (digits, rest) = text.as_bytes().as_chunks::<4>();
    ensure!(rest.is_empty(), "not hexadecimal: {text:.80}");
    let mut bytes = Vec::with_capacity(digits.len());
    for [slash, x, high, low] in digits {
        ensure!((*slash, *x) == (b'\\', b'x'), "not hexadecimal: {text:.80}");
        bytes.push(digit(*high)? << 4 | digit(*low)?);
    }
    Ok(bytes)
}

fn digit(digit: u8) -> Result<u8> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        _ => bail!("not a hexadecimal digit"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str) -> String {
        format!("3<{}>", hex(&format!("/here/{name}")))
    }

    #[test]
    fn calls_of_threads_overlap() {
        let (db, wal, shm, folder) = (file("t.db"), file("t.db-wal"), file("t.db-shm"), hex("/here"));
        let (abc, path, other) = (hex("abc"), hex("/here/t.db"), hex("/hereafter/t.db"));
        let log = [
            format!("7 openat(AT_FDCWD<{folder}>, \"{path}\", O_RDWR|O_CREAT, 0644) = {db}"),
            format!("7 pwrite64({db}, \"{abc}\", 3, 512 <unfinished ...>"),
            format!("8 fdatasync({wal} <unfinished ...>"),
            "7 <... pwrite64 resumed>) = 3".to_owned(),
            format!("9 write(1<{}>, \"{}\", 3) = 3", hex("/dev/null"), hex("ok\n")),
            "8 <... fdatasync resumed>) = 0".to_owned(),
            format!("7 ftruncate({shm}, 9) = 0"),
            format!("7 unlink(\"{path}\") = -1 ENOENT (No such file or directory)"),
            format!("7 unlink(\"{other}\") = 0"),
            format!("7 fsync(4<{folder}>) = 0"),
            "7 +++ exited with 0 +++".to_owned(),
        ];
        let (calls, moments) = parse(&log.join("\n"), Path::new("/here")).unwrap();
        let name = || "t.db".to_owned();
        let expected = [
            Call::Make { name: name() },
            Call::Write { name: name(), offset: 512, bytes: b"abc".to_vec() },
            Call::Sync { name: "t.db-wal".to_owned() },
            Call::Say { text: "ok\n".to_owned() },
            Call::Remove { name: name() },
            Call::SyncFolder,
        ];
        assert_eq!(calls, expected);
        let expected = "B0 E0 B1 B2 E1 B3 E3 E2 B5 E5";
        let moments = moments.iter().map(|moment| match moment {
            Moment::Begin(call) => format!("B{call}"),
            Moment::End(call) => format!("E{call}"),
        });
        assert_eq!(moments.collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn what_is_not_understood_fails() {
        for line in [
            format!("7 rename(\"{}\", \"{}\") = 0", hex("/here/a"), hex("/here/b")),
            format!("7 pwrite64({}, \"{}\"..., 3, 0) = 3", file("t.db"), hex("ab")),
            format!("7 pwrite64({}, \"{}\", 2, 0) = 1", file("t.db"), hex("ab")),
            format!("7 fallocate({}, 0, 0, 4096) = 0", file("t.db")),
            format!("7 fsync({} <unfinished ...>", file("t.db")),
        ] {
            assert!(parse(&line, Path::new("/here")).is_err(), "{line}");
        }
    }
}
