//! The `taxd` binary: a thin door to the library.

use std::process::ExitCode;

use tikv_jemallocator::Jemalloc;

/// Gives back to the system what an import has taken, by threads of its own and within seconds; the
/// system's allocator keeps a hundred MiB after a first run.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn main() -> ExitCode {
    taxd::cli::run()
}
