//! The `proctor` binary: see `proctor --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    proctor::cli::main()
}
