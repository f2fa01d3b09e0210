//! `proctor new`: a file to start from, which runs as it is written.

use std::io::{ErrorKind, Write};

use clap::ValueEnum;

use crate::cli::prelude::*;
use crate::ident::is_name;

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/new.txt"))]
pub(super) struct Arguments {
    /// What is begun
    #[arg(value_enum)]
    kind: Kind,
    /// Its name; the file is NAME.toml in the current directory
    name: String,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    /// A source of sessions
    Scenario,
    /// A strategy made of stages that ship
    Pipeline,
    /// Scenarios, and the strategies that are driven over them
    Suite,
}

impl Kind {
    fn text(self) -> &'static str {
        match self {
            Kind::Scenario => include_str!("new/scenario.toml"),
            Kind::Pipeline => include_str!("new/pipeline.toml"),
            Kind::Suite => include_str!("new/suite.toml"),
        }
    }

    /// The command that runs a file of this kind.
    fn next(self, file: &str) -> String {
        match self {
            Kind::Scenario | Kind::Suite => format!("proctor run {file}"),
            Kind::Pipeline => format!("proctor run smoke --strategies {file}"),
        }
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let Arguments { kind, name } = arguments;
    if !is_name(name) {
        let hint = "use a-z, 0-9, `-`, `_` and `.`, and begin with a letter or digit";
        return Err(Error::refused(format!("`{name}`"), "is no name of a file of ours", hint));
    }
    let file = format!("{name}.toml");
    let io = |source| Error::io("write", Path::new(&file), source);
    let mut opened = match std::fs::File::create_new(&file) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let hint = "give another name, or remove it first";
            return Err(Error::refused(format!("`{file}`"), "the file exists already", hint));
        }
        opened => opened.map_err(io)?,
    };
    opened.write_all(kind.text().replace("NAME", name).as_bytes()).map_err(io)?;
    say(shown!("{}", file));
    talk(shown!("hint: `{}` runs it", kind.next(&file)));
    Ok(ExitCode::OK)
}
