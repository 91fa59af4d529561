//! No command shows a key, whatever goes wrong.

use std::collections::VecDeque;

use super::{Place, Ran, bare};
use crate::canary::{self, assert_no_canary};

/// Every command, found by reading the help.
fn commands() -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut ahead = VecDeque::from([Vec::<String>::new()]);
    while let Some(command) = ahead.pop_front() {
        let args: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
        let help = Ran::new(&args, &bare(&args).output().unwrap()).ok().out;
        let names = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
        for name in names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help") {
            ahead.push_back([command.clone(), vec![name.to_owned()]].concat());
        }
        found.push(command);
    }
    assert!(found.len() > 35, "{found:?}");
    found
}

#[test]
fn help_shows_no_secret() {
    for command in commands() {
        for flag in ["-h", "--help"] {
            let mut help = bare(&command.iter().map(String::as_str).collect::<Vec<_>>());
            help.arg(flag).env("SUREHOLD_KEY", canary::API_KEY);
            help.env("SUREHOLD_SERVER", format!("https://me:{}@h", canary::API_KEY));
            help.env("SUREHOLD_STORE_URL", format!("postgres://me:{}@h/d", canary::STORE_PASSWORD));
            let ran = Ran::new(&[flag], &help.output().unwrap()).ok();
            assert_no_canary(&ran.said());
        }
    }
}

#[test]
fn errors_show_no_secret() {
    let place = Place::address();
    let secret = canary::API_KEY;
    let whole_key = format!("sh_live_{secret}_{secret}");
    let login = format!("https://me:{secret}@h");
    let split = format!("{secret}\n{secret}");
    for args in [
        vec!["tenant", "list", "--key", secret],
        vec!["tenant", "list", "--key", &split],
        vec!["tenant", "list", "--key", secret, "--server", "http://127.0.0.1:1"],
        vec!["tenant", "list", "--key", secret, "--server", "nowhere"],
        vec!["tenant", "list", "--server", &login],
        vec!["tenant", "list", "--key", secret, "--data", "data"],
        vec!["tenant", "list", "--key", secret, "--no-such-flag"],
        vec!["key", "revoke", &whole_key],
        vec!["key", "rotate", secret],
    ] {
        for args in [args.clone(), [&args[..], &["--json"]].concat()] {
            let output = place.command(&args).env("SUREHOLD_LOG", "trace").output().unwrap();
            let ran = Ran { args: String::new(), ..Ran::new(&args, &output) };
            assert!(matches!(ran.code, Some(1 | 2)), "{}", ran.said());
            assert_no_canary(&ran.said());
        }
    }
}
