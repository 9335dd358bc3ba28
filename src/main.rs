//! The `taxd` binary: a thin door to the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    taxd::cli::run()
}
