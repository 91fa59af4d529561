//! The loader as its users meet it: what they write, and what it says.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::reference::{example, markdown};
use super::values::{hide_login, stays_on_this_machine};
use super::*;
use crate::canary::{self, assert_no_canary};

/// A file, variables and flags, as a user would give them.
#[derive(Default)]
struct Given<'a> {
    file: &'a str,
    variables: &'a [(&'a str, &'a str)],
    set: &'a [&'a str],
}

impl Given<'_> {
    fn load(&self) -> Result<Config, String> {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("given.toml");
        std::fs::write(&path, self.file).unwrap();
        let set = self.set.iter().map(|set| (*set).to_owned().into()).collect();
        let args = ConfigArgs { config: Some(path), set, ..ConfigArgs::default() };
        let shown = |text: String| text.replace(&format!("{}/", folder.path().display()), "");
        load(&args, self.variables).map_err(|error| shown(error.to_string()))
    }
}

fn load(args: &ConfigArgs, variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), OsString::from(value)));
    Config::load(&args.sources_with(variables))
}

#[test]
fn later_sources_win_and_are_remembered() {
    let check = |given: Given<'_>, port: u16, origin: &str| {
        let config = given.load().unwrap();
        assert_eq!(config.server.listen.port(), port);
        let found = config.origins.of("server", "listen").to_string();
        assert!(found.ends_with(origin), "{found} ends with {origin}");
    };
    let file = "# first\n[server]\nlisten = \"127.0.0.1:1\"";
    let variables = &[("SUREHOLD_SERVER_LISTEN", "127.0.0.1:2")];
    let set = &["server.listen=127.0.0.1:3", "server.listen=127.0.0.1:4"];
    check(Given::default(), 8000, "default");
    check(Given { file, ..Given::default() }, 1, "given.toml:3");
    check(Given { file, variables, ..Given::default() }, 2, "SUREHOLD_SERVER_LISTEN");
    check(Given { file, variables, set }, 4, "--set");
}

#[test]
fn mistakes_are_named_and_put_right() {
    let check = |given: Given<'_>, expected: &str| {
        let message = given.load().expect_err(expected);
        assert_eq!(message, expected);
    };
    let file = |file| Given { file, ..Given::default() };
    let set = |set| Given { set, ..Given::default() };
    let variables = |variables| Given { variables, ..Given::default() };
    check(
        file("[server]\n\nconections_max = 5"),
        "given.toml:3: there is no setting `conections_max` in [server]\nhint: did you mean `connections_max`?",
    );
    check(file("[sever]"), "given.toml:1: there is no section [sever]\nhint: did you mean `server`?");
    check(
        file("listen = \"127.0.0.1:1\""),
        "given.toml:1: `listen` stands outside of a section\nhint: put it below one; there are [server]",
    );
    check(
        file("[events]\nzzz = 1"),
        "given.toml:2: there is no setting `zzz` in [events]\nhint: there are retention_days",
    );
    check(
        file("[store]\nlanes = 0"),
        "given.toml:2: store.lanes is 0, which it cannot be\nhint: write a whole number from 1 to 64",
    );
    check(
        file("[store]\nlanes = \"4\""),
        "given.toml:2: store.lanes is \"4\", which it cannot be\nhint: write a whole number from 1 to 64",
    );
    check(
        file("[log]\nfilter = \"inof\""),
        "given.toml:2: log.filter is \"inof\", which it cannot be\nhint: write levels (off, error, warn, info, debug, \
         trace), alone or as module=level, separated by commas",
    );
    check(
        file("[log]\nformat = [1]"),
        "given.toml:2: log.format is a list, which it cannot be\nhint: write \"human\" or \"json\"",
    );
    check(
        file("[telemetry]\nsample_ratio = 1.5"),
        "given.toml:2: telemetry.sample_ratio is 1.5, which it cannot be\nhint: write a number from 0.0 to 1.0",
    );
    check(
        file("[server]\ntls_key_file = \"k\""),
        "given.toml:2: server.tls_key_file is set, and server.tls_certificate_file is not\nhint: TLS needs both files; \
         set the other, or none",
    );
    check(
        variables(&[("SUREHOLD_SERVER_LISTN", "x")]),
        "SUREHOLD_SERVER_LISTN: there is no setting `SUREHOLD_SERVER_LISTN` in [server]\nhint: did you mean \
         `SUREHOLD_SERVER_LISTEN`?",
    );
    check(
        variables(&[("SUREHOLD_SERVER_LISTEN", "8000")]),
        "SUREHOLD_SERVER_LISTEN: server.listen is \"8000\", which it cannot be\nhint: write an address with a port, \
         such as 127.0.0.1:8000 or [::]:8000",
    );
    check(
        set(&["server.admin_listen=127.0.0.1:8000"]),
        "--set: server.admin_listen and server.listen are both 127.0.0.1:8000\nhint: give /admin another port, or leave \
         admin_listen out",
    );
    check(
        set(&["listen"]),
        "--set needs the name of a setting and its value\nhint: write it as --set server.listen=127.0.0.1:8000",
    );
}

#[test]
fn values_of_every_kind() {
    let check = |set: &str, shown: Option<&str>| {
        let config = Given { set: &[set], ..Given::default() }.load();
        let name = set.split_once('=').unwrap().0;
        let setting = settings().find(|setting| setting.full_name() == name).unwrap();
        assert_eq!(config.ok().and_then(|config| (setting.show)(&config)).as_deref(), shown, "{set}");
    };
    check("server.connections_max=20_000", Some("20000"));
    check("server.connections_max=-1", None);
    check("server.connections_max=1000001", None);
    check("server.listen=[::1]:80", Some("\"[::1]:80\""));
    check("server.metrics_open=true", Some("true"));
    check("server.metrics_open=yes", None);
    check("server.admin_listen=", None);
    check("store.data_dir=", None);
    check("store.url=sqlite:/a/b.db", Some("\"sqlite:/a/b.db\""));
    check("store.url=sqlite:", None);
    check("store.url=mysql://x", None);
    check("store.url=postgres://u:p@h/d", Some("\"postgres://u:***@h/d\""));
    check("log.filter=info,surehold_engine=debug", Some("\"info,surehold_engine=debug\""));
    check("log.filter=info,surehold_engine=loud", None);
    check("log.filter=inof", None);
    check("log.filter=[request]=debug", None);
    check("log.format=json", Some("\"json\""));
    check("telemetry.sample_ratio=0.25", Some("0.25"));
    check("telemetry.sample_ratio=NaN", None);
    check("telemetry.otlp_endpoint=https://h:4318", Some("\"https://h:4318\""));
    check("telemetry.otlp_endpoint=https://u:p@h:4318", None);
    check("telemetry.otlp_endpoint=localhost:4318", None);
    check("telemetry.otlp_endpoint=https://h\n", None);
    check("telemetry.service_name= ", None);
}

#[test]
fn variables_of_others_are_left_alone() {
    let others = [("SUREHOLD_SERVER", "x"), ("SUREHOLD_KEY", "x"), ("SUREHOLD_TEST_POSTGRES_URL", "x")];
    let config = Given { variables: &others, ..Given::default() }.load().unwrap();
    assert_eq!(config, Config::default());
}

#[test]
fn an_empty_variable_takes_an_optional_value_away() {
    let file = "[server]\nadmin_listen = \"127.0.0.1:1\"";
    let config = Given { file, variables: &[("SUREHOLD_SERVER_ADMIN_LISTEN", "")], set: &[] }.load().unwrap();
    assert_eq!(config.server.admin_listen, None);
}

#[test]
fn the_file_in_the_data_folder_is_found() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("surehold.toml");
    let args = ConfigArgs { data: Some(folder.path().to_owned()), ..ConfigArgs::default() };
    assert_eq!(load(&args, &[]).unwrap().store.lanes, 4);
    std::fs::write(&file, "[store]\nlanes = 7").unwrap();
    assert_eq!(load(&args, &[]).unwrap().store.lanes, 7);
    let variables = [("SUREHOLD_STORE_DATA_DIR", folder.path().to_str().unwrap())];
    assert_eq!(load(&ConfigArgs::default(), &variables).unwrap().store.lanes, 7);

    std::fs::write(&file, "[store]\ndata_dir = \"elsewhere\"").unwrap();
    assert!(matches!(load(&args, &[]), Err(ConfigError::FolderMoved { .. })));
    let missing = ConfigArgs { config: Some(PathBuf::from("missing.toml")), ..args };
    assert!(matches!(load(&missing, &[]), Err(ConfigError::ReadFile { .. })));
}

fn settings() -> impl Iterator<Item = &'static Setting> {
    SECTIONS.iter().flat_map(|section| section.settings)
}

const EXAMPLE_FILE: &str = "docs/reference/surehold.toml";

fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

#[test]
fn the_committed_example_is_what_the_command_prints() {
    let committed = std::fs::read_to_string(in_repository(EXAMPLE_FILE)).unwrap_or_default();
    assert!(committed == example(), "renew it: cargo run -- config > {EXAMPLE_FILE}");
}

#[test]
fn the_example_is_true() {
    let as_it_is = Given { file: &example(), ..Given::default() }.load().unwrap();
    assert_eq!(as_it_is, Config::default());

    let uncomment = |line: &str| line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')).map(str::to_owned);
    let active: Vec<String> =
        example().lines().map(|line| uncomment(line).unwrap_or_else(|| line.to_owned())).collect();
    let config = Given { file: &active.join("\n"), ..Given::default() }.load().unwrap();
    for setting in settings() {
        assert_ne!(config.origins.of(setting.section, setting.name), Origin::Default, "{}", setting.full_name());
        if setting.optional {
            assert!((setting.show)(&config).is_some(), "{}", setting.full_name());
        } else {
            assert_eq!((setting.show)(&config), (setting.show)(&Config::default()), "{}", setting.full_name());
        }
    }
}

#[test]
fn the_page_has_the_table() {
    let page = std::fs::read_to_string(in_repository("docs/configuration.md")).unwrap_or_default();
    let renew = "renew the table in docs/configuration.md: cargo run -- config --markdown";
    assert!(page.contains(markdown().trim_end()), "{renew}");
}

#[test]
fn logins_are_hidden_however_broken_the_address() {
    let check = |url: &str, expected: &str| assert_eq!(hide_login(url), expected);
    check("postgres://host/db", "postgres://host/db");
    check("postgres://user@host:5432/db?sslmode=require", "postgres://user@host:5432/db?sslmode=require");
    check("postgres://user:pw@host/db", "postgres://user:***@host/db");
    check("postgres://user:p/w?x@host/db", "postgres://user:***@host/db");
    check("postgres://user:p@w@host/db", "postgres://user:***@host/db");
    check("postgres://us/er@host/db", "postgres://***@host/db");
    check("postgres://host/db?password=pw&user=me", "postgres://host/db?password=***&user=me");
    check("postgres://host/db?pw", "postgres://host/db?***");
    check("postgres://user:pw", "postgres://user:***");
    check("postgres://user:pw/db", "postgres://user:***/db");
    check("postgres://user:pw@[::1]:5432,[::1],b:1/db", "postgres://user:***@[::1]:5432,[::1],b:1/db");
}

#[test]
fn which_databases_are_on_this_machine() {
    let check = |url: &str, expected: bool| assert_eq!(stays_on_this_machine(url), expected, "{url}");
    check("postgres://u:p@127.0.0.1:5432/db?sslmode=disable", true);
    check("postgres://localhost/db", true);
    check("postgres://u@[::1]:5432/db", true);
    check("postgres:///db", true);
    check("postgres://u@%2Frun%2Fpostgresql/db", true);
    check("postgres:///db?host=/run/postgresql", true);
    check("postgres://u@db.example:5432/db", false);
    check("postgres://u@127.0.0.1,10.0.0.2:5433/db", false);
    check("postgres:///db?host=10.0.0.2", false);
    check("postgres://localhost.example/db", false);
}

#[test]
fn no_secret_is_shown() {
    let url = format!("postgres://app:{}@db/shop?password={0}", canary::STORE_PASSWORD);
    let (set_url, set_headers) =
        (format!("store.url={url}"), format!("telemetry.otlp_headers=x-key={}", canary::OTLP_HEADER));
    let set = [set_url.as_str(), &set_headers, "telemetry.otlp_endpoint=http://h:1"];
    let config = Given { set: &set, ..Given::default() }.load().unwrap();
    assert_no_canary(&format!("{config:?}\n{config:#?}"));
    assert_no_canary(&format!("{:?} {:?}", config.store.target(), config.store.url));
    for setting in settings() {
        assert_no_canary(&(setting.show)(&config).unwrap_or_default());
    }
    let args = ConfigArgs { store: Some(url.clone().into()), set: vec![set_url.clone().into()], ..Default::default() };
    assert_no_canary(&format!("{args:?}"));

    let refused = |given: Given<'_>| assert_no_canary(&given.load().expect_err("it is wrong"));
    let mistyped = url.replace("postgres:", "postgrs:");
    refused(Given { set: &[&format!("store.url={mistyped}")], ..Given::default() });
    refused(Given { set: &[&mistyped], ..Given::default() });
    refused(Given { set: &[&format!("server.listen={url}")], ..Given::default() });
    refused(Given { set: &[&format!("telemetry.otlp_headers={}", canary::OTLP_HEADER)], ..Given::default() });
    let endpoint = format!("telemetry.otlp_endpoint=http://u:{}@h:1", canary::OTLP_HEADER);
    refused(Given { set: &[&endpoint], ..Given::default() });
    refused(Given { variables: &[("SUREHOLD_STORE_URL", &mistyped)], ..Given::default() });
    refused(Given { variables: &[("SUREHOLD_STORE_URI", &url)], ..Given::default() });
    for file in [
        format!("[store]\nurl = \"{url}"),
        format!("[store]\nurl = {url}"),
        format!("[store]\nurl = \"{url}\" oops"),
        format!("[store]\nurl = \"{url}\"\nurl = \"{url}\""),
        format!("[store]\nuri = \"{url}\""),
        format!("[store]\nurl = \"{mistyped}\""),
        format!("[store]\nurl = [\"{url}\"]"),
        format!("url = \"{url}\""),
        format!("\"{url}\" = 1"),
        format!("[\"{url}\"]"),
        format!("[store]\n\"{url}\" = 1"),
        format!("[store]\nlanes = \"{url}\""),
    ] {
        refused(Given { file: &file, ..Given::default() });
    }
}
