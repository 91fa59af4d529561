//! A server that is newer than the program, and says words that it does not know.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};

use super::{Ran, bare};

const STORES: &str = r#"{"stores":[{"name":"main","title":"Main","currency":"QQQ","version":1,"shelves":7}]}"#;

/// Answers for as long as the test runs.
fn newer_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || listener.incoming().flatten().for_each(|caller| answer(&caller)));
    address
}

fn answer(mut caller: &TcpStream) {
    let lines: Vec<String> =
        BufReader::new(caller).lines().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
    let is_health = lines.first().is_some_and(|line| line.starts_with("GET /healthz "));
    let body = if is_health { r#"{"status":"ok","version":"99.1.0"}"# } else { STORES };
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    caller.write_all(format!("{head}{body}").as_bytes()).unwrap();
}

#[test]
fn what_cannot_be_read_is_said_with_both_versions() {
    let server = newer_server();
    let args = ["stock", "store", "list", "shop", "--server", &server, "--key", "k"];
    let run = |args: &[&str]| Ran::new(args, &bare(args).output().unwrap());
    let ran = run(&args).ended(1).tells(&["error: an answer cannot be read: ", "QQQ", "hint: a newer server"]);
    let here = format!("this is {}, the server is 99.1.0", env!("CARGO_PKG_VERSION"));
    assert_eq!(ran.tells(&[&here]).out, "");
    // Machines get what came.
    assert_eq!(run(&[&args[..], &["--json"]].concat()).ok().out, format!("{STORES}\n"));
}
