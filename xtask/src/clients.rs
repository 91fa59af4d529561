//! Readers of the API's description that others wrote: two that look for mistakes, and two generators of clients. The
//! clients are used against a live server: each places a hold, places it again, converts it and finds it in the events.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::cargo::{ROOT, executable};
use crate::live_server::{LiveServer, WITHOUT_PROXY};
use crate::names;
use crate::node::{Node, NodeSet, write};
use crate::output::Output;
use crate::python::{Python, PythonSet};

const PYTHON: PythonSet = PythonSet {
    name: "python-clients",
    packages: &["openapi-spec-validator", "openapi-python-client"],
    constraints: "xtask/clients/python-constraints.txt",
    pinned: include_str!("../clients/python-constraints.txt"),
    modules: &["openapi_spec_validator", "openapi_python_client"],
};

const NODE: NodeSet = NodeSet {
    name: "node-clients",
    package: include_str!("../clients/package.json"),
    lock: include_str!("../clients/package-lock.json"),
};

/// TypeScript looks for packages in the folders above a source, so the sources go below the packages.
const NODE_SOURCES: [(&str, &str); 2] =
    [("holds.ts", include_str!("../clients/holds.ts")), ("tsconfig.json", include_str!("../clients/tsconfig.json"))];

pub(crate) struct Clients {
    python: Python,
    node: Node,
}

impl Clients {
    pub(crate) fn find_or_install() -> Result<Clients> {
        Ok(Clients { python: Python::find_or_install(&PYTHON)?, node: Node::find_or_install(&NODE)? })
    }

    pub(crate) fn check(&self, output: Output) -> Result<()> {
        let validator = self.python.module("openapi_spec_validator");
        run("openapi-spec-validator", with(validator, &[&description()]), output)?;
        let mut redocly = self.node.command("redocly")?;
        // Neither a survey nor a look for a newer version.
        redocly.envs([("REDOCLY_TELEMETRY", "off"), ("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true")]);
        redocly.arg("lint").arg("--config").arg(source("redocly.yaml"));
        run("redocly lint", with(redocly, &[&description()]), output)?;
        let (python_folder, node_folder) = (self.python.run_folder()?, self.node.run_folder()?);
        let python = self.generate_python(&python_folder.path, output)?;
        let typescript = self.generate_typescript(&node_folder.path, output)?;
        let server = LiveServer::start(&executable(names::SERVER)?)?;
        for (name, mut client) in [("the Python client", python), ("the TypeScript client", typescript)] {
            client.env("SUREHOLD_ADDRESS", &server.address).envs(WITHOUT_PROXY);
            client.envs(server.variables.iter().map(|(name, value)| (name, value)));
            run(name, client, output)?;
        }
        Ok(())
    }

    /// What the generator only warns of is left out of the client, so a warning is an error.
    fn generate_python(&self, folder: &Path, output: Output) -> Result<Command> {
        let mut generate = self.python.module("openapi_python_client");
        generate.args(["generate", "--meta", "none", "--overwrite", "--fail-on-warning"]);
        generate.arg("--config").arg(source("python-client.yaml"));
        generate.arg("--output-path").arg(folder.join("surehold_client"));
        run("openapi-python-client", with(generate, &[Path::new("--path"), &description()]), output)?;
        let mut client = self.python.command();
        client.env("PYTHONPATH", env::join_paths([folder.to_owned(), self.python.packages()])?);
        Ok(with(client, &[&source("holds.py")]))
    }

    /// The compiler looks at the types that are generated and at how they are used.
    fn generate_typescript(&self, folder: &Path, output: Output) -> Result<Command> {
        for (file, text) in NODE_SOURCES {
            write(&folder.join(file), text)?;
        }
        let here = |program: &str| -> Result<Command> {
            let mut command = self.node.command(program)?;
            command.current_dir(folder);
            Ok(command)
        };
        let generate =
            with(here("openapi-typescript")?, &[&description(), Path::new("--output"), Path::new("schema.ts")]);
        run("openapi-typescript", generate, output)?;
        run("the compiler of TypeScript", here("tsc")?, output)?;
        Ok(with(here("node")?, &[Path::new("built/holds.js")]))
    }
}

fn description() -> PathBuf {
    Path::new(ROOT).join("docs/reference/openapi.json")
}

fn source(file: &str) -> PathBuf {
    Path::new(ROOT).join("xtask/clients").join(file)
}

fn with(mut command: Command, arguments: &[&Path]) -> Command {
    command.args(arguments);
    command
}

fn run(name: &str, mut command: Command, output: Output) -> Result<()> {
    let status = output.run(&mut command)?;
    ensure!(status.success(), "{name} failed, see above");
    Ok(())
}
